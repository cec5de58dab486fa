"""Families: kinds of records that a model brings into the equations, compiled only when a model has them.

A family is one file: what a user declares (`Force` or another `Element`), the record that it becomes, and kernels for
the phases of an evaluation in which the records take part.  All tables lie in one block of bytes, `system.block`; a
kernel reads its own records there:

    kernel(system, t, angles, work, first, last):
        for at in range(first, last, RECORD.itemsize):  record = record_at(system.block, at, RECORD)

`evaluate` goes through `work.stages` (phase, address, first, last), calls the kernels by their address and knows
nothing of the families themselves.  A kernel of the phase FORCES is a `kernel`, which Python calls as well; others are
a `stage`.  Load cases, force measures and channels read the answers below and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.compiler.argument_types import REAL, SYSTEM, VECTOR, VOID, WHOLE, WORK, signature
from linkwork.compiler.kernels import Kernel

if TYPE_CHECKING:
    from linkwork.elements.declaration.base import Element

WORD = 8  # bytes


class Phase(IntEnum):
    """When a kernel is called in an evaluation, and what it fills."""

    NONE = -1
    # At a position.
    POSES = 0  # frames of nodes of flexible bodies, and how modes move them
    ROWS = 1  # Phi, nu, motion and the wrenches W of own constraint rows
    INERTIA = 2  # inertia of deformed bodies, their part of M
    COLUMNS = 3  # entries of Phi_v that the wrenches of a row do not give: added
    # At a velocity.
    TWISTS = 4  # of the nodes of flexible bodies: what their axes add to the acceleration at v_dot = 0
    SIGNALS = 5  # numbers that the state determines, for forces and events
    FORCES = 6  # added to the wrenches F on the bodies, to energy (1: potential, 2: power without potential), and to
    # the rates of own auxiliary states
    GAMMA = 7  # what the wrenches of a row do not give: subtracted from gamma
    # With v_dot and lam known.
    LOADS = 8  # friction that the joints' loads make; its change is added to Q and energy (2)
    OUTPUT = 9  # numbers for the result, at a sample
    PACE = 10  # lowers work.segment[0].pace, s: the longest step from here in which nothing of its force can hide
    REACTIONS = 11  # for joint loads, lam and v_dot given: wrenches of own rows that W does not hold, and inertia of
    # bending, added to F
    FOLLOWED = 12  # rates of what follows the motion, after it has been corrected there (integrators/adams.py)


STAGE = np.dtype(
    [
        ("phase", np.int64),
        ("address", np.int64),  # of the compiled kernel
        ("first", np.int64),  # bytes of its table in system.block
        ("last", np.int64),
    ],
    align=True,
)

# The same for every kernel of a family; `work` is complex as well (`with_work`).
FAMILY_KERNEL = signature(
    VOID,
    """Read the records of the family in bytes `first` to `last` of `system.block`, and do what the phase demands.""",
    system=SYSTEM, t=REAL, angles=VECTOR, work=WORK, first=WHOLE, last=WHOLE,
)  # fmt: skip


class Action(NamedTuple):
    """Where a record acts: names of its fields."""

    body: str  # the body on which it acts
    point: str  # m, the point of action, in the link frame of the carrier
    carrier: str  # the body that carries the point


def acts_on(body: str, point: str) -> Action:
    """On a body, at one of its own points."""
    return Action(body, point, body)


BETWEEN_FRAMES = (Action("body_a", "p_BM", "body_b"), acts_on("body_b", "p_BM"))  # on A and on B, at the origin of M
BETWEEN_POINTS = (acts_on("body_a", "p_AF"), acts_on("body_b", "p_BM"))  # along the line from F to M


class Kink(NamedTuple):
    """Where a force begins and ends, so that its law has a kink that the run must meet: a contact, a stop."""

    depth: int  # signal, positive where the force acts, m or rad; the one after it is its rate
    turns: bool = False  # an angle; otherwise a length


def smooth(record: np.void) -> Iterable[Kink]:
    """The answer of a family whose forces have no kinks of their own."""
    return ()


def never(records: np.ndarray) -> bool:
    """The answer of a family whose forces may do work that no potential stores."""
    return False


@dataclass(frozen=True, eq=False)
class Family:
    """One kind of record: its fields, its kernels by phase, and the answers that the rest of the program asks for.

    `declares`: what users declare; each gives its records by `Force.records`.
    `actions`: where a record acts; the last one is its body B, whose force and torque `force(NAME, x)` shows.
    `outputs`: numbers that the kernel of the phase FORCES can write, with their SI units; the record then has a field
    `outputs` (`record` below).  `function`: by that name expressions ask for them, `tyre(NAME, load)`.
    `state_alone`: the forces follow from t, poses, twists and auxiliary states, and are so known before the signals.
    `kinks`: where the force of a record begins and ends.  Its time scales are the business of a kernel of the phase
    PACE: how long a step may be so that nothing of the force hides in it.
    `conservative`: whether records of these values do no work but that which their potential stores.
    """

    name: str
    record: np.dtype
    kernels: Mapping[Phase, Kernel]
    declares: tuple[type[Element], ...] = ()
    actions: tuple[Action, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    function: str | None = None
    state_alone: bool = True
    conservative: Callable[[np.ndarray], bool] = never
    kinks: Callable[[np.void], Iterable[Kink]] = smooth

    def __post_init__(self) -> None:
        names = self.record.names or ()
        missing = [name for action in self.actions for name in action if name not in names]
        if missing:
            raise ValueError(f"family '{self.name}': its record has no field '{missing[0]}', which its actions name")
        count = self.record["outputs"].shape[0] if "outputs" in names else 0
        if count != len(self.outputs):
            raise ValueError(f"family '{self.name}': {len(self.outputs)} outputs, and room for {count} in its record")


def record(fields: list[tuple[Any, ...]], outputs: int = 0) -> np.dtype:
    """The type of a record, aligned; `outputs`: of how many numbers it keeps the places among the signals.

    A place is -1 where nobody requested the number (`show` in elements/signals/outputs.py writes those that are).  The
    fields PAIR (elements/signals/frame_pairs.py) begin at a whole word, so that they lie alike in every record.
    """
    whole: list[tuple[Any, ...]] = [("outputs", np.int32, (outputs,)), *fields] if outputs else list(fields)
    names = [field[0] for field in whole]
    if "R_AF" in names:
        first = names.index("body_a")
        if np.dtype(whole[: first + 1], align=True).fields["body_a"][1] % WORD:  # type: ignore[index]
            whole.insert(first, ("padding", np.int32))
    return np.dtype(whole, align=True)


def given_fields(record: np.dtype) -> list[str]:
    """Fields that an element gives a value: all but those that `record` adds."""
    return [name for name in record.names or () if name not in ("outputs", "padding")]


@dataclass(frozen=True, eq=False)
class FamilyTable:
    """The records of a family in one System: their bytes in its block, and the element of each record."""

    family: Family
    first: int
    owners: tuple[str, ...]

    @property
    def last(self) -> int:
        """Where its bytes end."""
        return self.first + len(self.owners) * self.family.record.itemsize

    def records(self, block: np.ndarray) -> np.ndarray:
        """The records, in the block of a System."""
        return block[self.first : self.last].view(self.family.record)

    def bytes_of(self, owner: str) -> tuple[int, int]:
        """First and last byte of the records of one element, which stand in a row."""
        size, begin = self.family.record.itemsize, self.owners.index(owner)
        return self.first + begin * size, self.first + (begin + self.owners.count(owner)) * size
