"""Layout: which number stands where - names of coordinates, velocities, rows and bodies, and the way back to body
frames.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwork.elements.declaration.changes import Change
from linkwork.elements.family import Kink
from linkwork.elements.joints.kind import JointKind


class TreeJoint(NamedTuple):
    """How a body hangs in the tree: its joint's kind, frames and places in q and v."""

    name: str  # of the joint, or of the body that floats
    type: JointKind  # as it hangs: from the parent to the body
    body: int
    parent: int
    first_q: int
    q_count: int
    first_v: int
    v_count: int
    reversed: bool
    pitch: float = 0.0  # m/rad, of a screw

    @property
    def turned(self) -> bool:
        """Whether it is in the tree from B to A, and its coordinates are therefore others than those of A to B."""
        return self.reversed and not self.type.reversal.same_coordinates


class RowName(NamedTuple):
    """Which element an equation belongs to, and what it is."""

    element: str
    equation: str
    unit: str = ""  # of its multiplier, which times the equation is work: N for a length, N m for an angle or a cosine


class JointFrames(NamedTuple):
    """A joint as modelled: frames F on A and M on B, in the two bodies' link frames."""

    type: JointKind
    body_a: int
    body_b: int
    R_AF: np.ndarray
    p_AF: np.ndarray
    R_BM: np.ndarray
    p_BM: np.ndarray


class JointArrays(Mapping[str, JointFrames]):
    """All joints as modelled, by name, and as arrays over them."""

    def __init__(
        self, place: dict[str, int], kinds: tuple[JointKind, ...], kind: np.ndarray, pairs: tuple[np.ndarray, ...]
    ) -> None:
        """`pairs`: their two bodies, and the frames on these."""
        self.place = place  # of each name
        self.kinds, self.kind = kinds, kind  # those that there are, and of each joint its place among these
        self.body_a, self.body_b, self.R_AF, self.p_AF, self.R_BM, self.p_BM = pairs  # places, m

    def __getitem__(self, name: str) -> JointFrames:
        k = self.place[name]
        frames = self.R_AF[k], self.p_AF[k], self.R_BM[k], self.p_BM[k]
        return JointFrames(self.kinds[self.kind[k]], int(self.body_a[k]), int(self.body_b[k]), *frames)

    def __iter__(self) -> Iterator[str]:
        return iter(self.place)

    def __len__(self) -> int:
        return len(self.place)


class TimeCrossing(NamedTuple):
    """A function of time whose crossings of some thresholds are times at which an expression may jump."""

    first_op: int
    op_count: int
    thresholds: int  # place of their number among the ops, and they behind it
    text: str  # the expression
    owner: str  # whose it is


class Switch(NamedTuple):
    """An operation of an expression that jumps or bends where the state decides (expressions/kernels/of_state.py)."""

    first_threshold: int  # among the ops
    threshold_count: int  # or ALL_WHOLE
    text: str
    owner: str


class Expression(NamedTuple):
    """A program among the ops, as it was given."""

    text: str
    owner: str


class BlockPlaces(NamedTuple):
    """Of an FMU in the model: the signals that its inputs get, the auxiliary states that hold its outputs."""

    inputs: dict[str, int]
    outputs: dict[str, int]


@dataclass(frozen=True)
class Layout:
    """Names and places.  Body 0 is ground; the others stand in the order of the tree."""

    formulation: str
    bodies: tuple[str, ...]
    tree: tuple[TreeJoint, ...]  # one for each body but ground
    joints: JointArrays
    cut: tuple[str, ...]  # names of the joints that are rows
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    rows: tuple[RowName, ...]
    held_from: int  # rows from here on only hold the start, for assembly
    R_LB: np.ndarray  # [body, 3, 3] body frame in the link frame
    p_LB: np.ndarray  # [body, 3] m
    angle_count: int  # counted angles
    angle_starts: tuple[float, ...] = ()  # rad, on which turn they start
    state_starts: tuple[float, ...] = (0.0,)  # auxiliary states at the start
    measures: dict[str, int] = field(default_factory=dict)  # places of named measures among the signals
    efforts: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of forces by expressions, by their names
    measure_units: dict[str, str] = field(default_factory=dict)  # SI, or as given
    events: dict[str, int] = field(default_factory=dict)  # places of the events' conditions among the signals
    late_events: tuple[bool, ...] = ()  # of each event, whether its condition is known only after the forces
    kinks: tuple[Kink, ...] = ()  # of contacts and stops
    changes: tuple[Change, ...] = ()  # what happens at an instant, as in the table of the System
    works: tuple[int, ...] = (0,)  # auxiliary states that are work, J: nothing depends on them
    driver_rows: dict[str, int] = field(default_factory=dict)  # the row of each driver
    break_times: tuple[float, ...] = field(default=())  # s, where an expression or its derivatives may jump
    crossings: tuple[TimeCrossing, ...] = ()  # and where these cross their thresholds (break_times.py)
    switches: tuple[Switch, ...] = ()
    expressions: dict[int, Expression] = field(default_factory=dict)  # by their first op
    periods: tuple[float, ...] = ()  # s, between times that a run meets: k times each
    blocks: dict[str, BlockPlaces] = field(default_factory=dict)  # FMUs in the model
    modal_sizes: dict[str, float] = field(default_factory=dict)  # scales of modal coordinates and rates
    units: tuple[str, ...] = ()  # SI, of each coordinate, then of each velocity

    @cached_property
    def lengths(self) -> np.ndarray:
        """Of each coordinate, then of each velocity, whether it is a length or the rate of one."""
        return np.array([unit in ("m", "m/s") for unit in self.units], bool)

    @cached_property
    def length_rows(self) -> np.ndarray:
        """Of each constraint equation, whether it is one of lengths: its multiplier is a force."""
        return np.array([row.unit == "N" for row in self.rows], bool)

    def body(self, name: str) -> int:
        """Index of a body."""
        return self._places[name]

    def places(self, names: Iterable[str]) -> np.ndarray:
        """Indices of bodies."""
        return np.array([self._places[name] for name in names], np.int64)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.bodies)}

    def root(self, body: int) -> int:
        """Index of the body, or that body itself, by which it hangs in the end on ground."""
        parents = {tree.body: tree.parent for tree in self.tree}
        while parents[body]:
            body = parents[body]
        return body

    def regular_times(self, until: float) -> list[float]:
        """The multiples (s) of the periods between 0 and `until`."""
        multiples = {k * period for period in self.periods for k in range(1, math.ceil(until / period) + 1)}
        return sorted(t for t in multiples if t < until * (1.0 - 1e-12))

    @property
    def q_count(self) -> int:
        """Number of coordinates."""
        return len(self.q_names)

    @property
    def v_count(self) -> int:
        """Number of velocities."""
        return len(self.v_names)

    @property
    def velocities(self) -> slice:
        """Where they are in y = (q, v, s)."""
        return slice(self.q_count, self.q_count + self.v_count)
