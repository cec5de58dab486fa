"""The bodies and joints of a mechanism by columns, and what the joints connect, as arrays.

Bodies are numbered as in the model, from 1; 0 is ground.  A large mechanism is looked through once, element by element,
and after that column by column.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np

from linkwork.elements.bodies.flexibility import Flexibility
from linkwork.elements.declaration.base import Element
from linkwork.elements.joints.equations import Row
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.registry import JOINTS
from linkwork.elements.solids.body_shapes import Shape
from linkwork.elements.solids.tensors import Tensor
from linkwork.mechanism import GROUND, Mechanism
from linkwork.mechanism.mechanism import size_of
from linkwork.numerics.stacking import as_rows

Vector = tuple[float, float, float]
C = TypeVar("C", bound=NamedTuple)


class BodyColumns(NamedTuple):
    """What `Body` answers, of all bodies."""

    name: tuple[str, ...]
    at: tuple[Vector, ...]
    orientation: tuple[tuple[float, float, float, float], ...]
    mass_kg: tuple[float, ...]
    centre: tuple[Vector, ...]
    inertia_rows: tuple[Tensor, ...]
    is_point: tuple[bool, ...]
    shape: tuple[Shape | None, ...]
    flexible: tuple[Flexibility | None, ...]
    fixed: tuple[bool, ...]
    velocity: tuple[Vector | None, ...]
    angular_velocity: tuple[Vector | None, ...]
    angular_velocity_axes: tuple[str, ...]  # 'world' or 'body'


class JointColumns(NamedTuple):
    """What `Joint` answers, of all joints."""

    name: tuple[str, ...]
    kind: tuple[str, ...]
    between: tuple[tuple[str, str], ...]
    at: tuple[Vector | None, ...]
    axis: tuple[Vector | None, ...]
    second_axis: tuple[Vector | None, ...]
    frames: tuple[tuple[str, str] | None, ...]
    start: tuple[object, ...]
    rate: tuple[object, ...]
    cut: tuple[bool | None, ...]


class Connections:
    """Bodies and joints by columns, their places by name; of each joint its two bodies and its kind.

    It refers to the mechanism weakly, which keeps it (`connections_of`).
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = weakref.ref(mechanism)
        self.body, self.joint = columns(BodyColumns, mechanism.body), columns(JointColumns, mechanism.joint)
        self.body_places: dict[str, int] = {name: k for k, name in enumerate((GROUND, *self.body.name))}
        self.joint_places: dict[str, int] = {name: k for k, name in enumerate(self.joint.name)}
        ends = [self.body_places[name] for name in chain.from_iterable(self.joint.between)]
        self.ends = np.array(ends, np.int64).reshape(-1, 2)
        code = {name: k for k, name in enumerate(dict.fromkeys(self.joint.kind))}
        self.kinds: tuple[JointKind, ...] = tuple(JOINTS[name] for name in code)  # that there are
        self.kind = np.array([code[name] for name in self.joint.kind], np.int64)  # of each joint its place among these

    def __reduce__(self) -> tuple[Callable[[Mechanism], Connections], tuple[Mechanism]]:
        """Pickled by the mechanism."""
        return connections_of, (self.mechanism,)

    @property
    def mechanism(self) -> Mechanism:
        """Whose they are."""
        mechanism = self._mechanism()
        assert mechanism is not None
        return mechanism

    @cached_property
    def size(self) -> float:
        """Of the mechanism, m."""
        return size_of(chain(self.body.at, self.joint.at), self.body.shape, self.body.flexible)

    @cached_property
    def J_C(self) -> np.ndarray:
        """Inertia of each body about its centre of mass, body axes, kg m2."""
        return as_rows(chain.from_iterable(self.body.inertia_rows), 3).reshape(-1, 3, 3)

    @cached_property
    def p_BC(self) -> np.ndarray:
        """Centre of mass of each body in its frame, m."""
        return as_rows(self.body.centre, 3)

    @cached_property
    def masses(self) -> np.ndarray:
        """Mass of each body, kg."""
        return np.array(self.body.mass_kg)

    @cached_property
    def rows(self) -> np.ndarray:
        """Of each joint how many equations it is when it is cut."""
        return np.array([len(self.rows_of(kind)) for kind in self.kinds], np.int64)[self.kind]

    def rows_of(self, kind: JointKind) -> tuple[Row, ...]:
        """The equations of a joint of this kind when it is cut."""
        return kind.rows if self.mechanism.plane is None else kind.planar_rows or ()


_KNOWN: dict[int, Connections] = {}


def connections_of(mechanism: Mechanism) -> Connections:
    """Those of a mechanism, kept as long as it is there: it never changes."""
    known = _KNOWN.get(id(mechanism))
    if known is None or known._mechanism() is not mechanism:
        known = _KNOWN[id(mechanism)] = Connections(mechanism)
        weakref.finalize(mechanism, _KNOWN.pop, id(mechanism), None).atexit = False
    return known


def columns(kind: type[C], elements: Sequence[Element]) -> C:
    """The fields of a kind, of all these elements."""
    each = map(attrgetter(*kind._fields), elements)
    return kind(*(zip(*each, strict=True) if elements else [()] * len(kind._fields)))


def given(column: Sequence[object]) -> list[int]:
    """The places in a column at which something is given."""
    if column.count(None) == len(column):  # which takes a tenth of the time
        return []
    return [k for k, value in enumerate(column) if value is not None]
