"""Layout: which number stands where - names of coordinates, velocities, rows and bodies, and the way back to body
frames.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linkwork.elements.declaration.changes import Change
from linkwork.elements.family import Kink
from linkwork.elements.joints.kind import JointKind


@dataclass(frozen=True)
class TreeJoint:
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


@dataclass(frozen=True)
class RowName:
    """Which element an equation belongs to, and what it is."""

    element: str
    equation: str
    unit: str = ""  # of its multiplier, which times the equation is work: N for a length, N m for an angle or a cosine


@dataclass(frozen=True)
class JointFrames:
    """A joint as modelled: frames F on A and M on B, in the two bodies' link frames."""

    type: JointKind
    body_a: int
    body_b: int
    R_AF: np.ndarray
    p_AF: np.ndarray
    R_BM: np.ndarray
    p_BM: np.ndarray


class JointArrays(NamedTuple):
    """All joints as modelled, as arrays over them."""

    place: dict[str, int]  # of each name
    kinds: tuple[JointKind, ...]  # that there are
    kind: np.ndarray  # place among these
    body_a: np.ndarray
    body_b: np.ndarray
    R_AF: np.ndarray
    p_AF: np.ndarray  # m
    R_BM: np.ndarray
    p_BM: np.ndarray  # m


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
    joints: dict[str, JointFrames]
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
    lengths: tuple[bool, ...] = ()  # of each coordinate, then of each velocity: whether it is one (m, m/s)

    @cached_property
    def joint_arrays(self) -> JointArrays:
        """All joints, for arithmetic."""
        joints = list(self.joints.values())
        kinds = list(dict.fromkeys(joint.type for joint in joints))
        code = {kind: k for k, kind in enumerate(kinds)}
        return JointArrays(
            {name: n for n, name in enumerate(self.joints)},
            tuple(kinds),
            np.array([code[joint.type] for joint in joints], np.int64),
            np.array([joint.body_a for joint in joints], np.int64),
            np.array([joint.body_b for joint in joints], np.int64),
            np.array([joint.R_AF for joint in joints]).reshape(-1, 3, 3),
            np.array([joint.p_AF for joint in joints]).reshape(-1, 3),
            np.array([joint.R_BM for joint in joints]).reshape(-1, 3, 3),
            np.array([joint.p_BM for joint in joints]).reshape(-1, 3),
        )

    @cached_property
    def length_rows(self) -> np.ndarray:
        """Of each constraint equation, whether it is one of lengths: its multiplier is a force."""
        return np.array([row.unit == "N" for row in self.rows], bool)

    def body(self, name: str) -> int:
        """Index of a body."""
        return self._places[name]

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
