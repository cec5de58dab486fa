"""Places: from names to numbers while a mechanism is compiled - bodies, frames, joint coordinates, programs, signals.

The families' `records` (elements/family.py) and the compiler itself ask here.  A signal is made when it is first
asked for, after all that it needs; so signals stand in an order in which they can be computed, and a measure that
needs itself is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from linkwork.elements.constraints.rows import ANGLE, PARALLEL
from linkwork.elements.forces.python_force import Callback
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.signals import (
    COMPONENTS,
    COORDINATES,
    DISTANCES,
    ENERGIES,
    ENERGY,
    OUTPUT_ONLY,
    PROGRAM,
    STATE,
    VALUE,
)
from linkwork.elements.tyres.road import road_ops
from linkwork.elements.tyres.tyre import QUANTITIES
from linkwork.errors import ModelError, nearest
from linkwork.expressions import OP, Program, Reference, parse, parse_condition, placed
from linkwork.mechanism import GROUND, Mechanism, one_coordinate
from linkwork.system.force_signals import force_signal
from linkwork.system.frames import (
    HERE,
    Frames,
    Pose,
    frame_pose,
    given_poses,
    joint_frames,
    moves_with_frame,
    node_name,
)
from linkwork.system.layout import Kink, RowName


class Number(NamedTuple):
    """A number between two bodies: its kind, axes, and frames F on A and M on B in the link frames."""

    kind: int
    i: int
    j: int
    pair: tuple  # body_a, body_b, R_AF, p_AF, R_BM, p_BM
    owner: str = ""  # the joint coordinate that it is, "joint.coordinate", if it is one


class Made(NamedTuple):
    """The table of a family as it lies in the block: its first byte, its records, and the element of each."""

    first: int
    table: np.ndarray
    owners: list[str]


class Places:
    """What a mechanism's names mean in the tables."""

    def __init__(self, mechanism: Mechanism, bodies: list[str], nodes: set[str] | None = None) -> None:
        """`nodes`: those of flexible bodies that are bodies of the tree; None: all."""
        self.mechanism = mechanism
        self.said: dict[str, Frames] = joint_frames(mechanism)
        self.poses = given_poses(mechanism)
        self.flexible = {body.name: body for body in mechanism.body if body.flexible is not None}
        self.modal = {body.name: body.modal for body in mechanism.body if body.modal is not None}
        self.nodes: dict[str, int] = {}  # of flexible bodies, as bodies of the tree: "body.node" -> number of the node
        self.index = {GROUND: 0}
        self.asked: set[str] = set()  # nodes that something is attached to
        for body in bodies:
            self.index[body] = len(self.index)
            own = self.modal[body].nodes.names if body in self.modal else ()
            for node, name in enumerate(f"{body}.{node}" for node in own):
                if nodes is None or name in nodes:
                    self.nodes[name] = node
                    self.index[name] = len(self.index)
        self.links: dict[str, Pose] = {GROUND: HERE}  # link frame in the body frame
        self.joints: dict[str, Joint] = {joint.name: joint for joint in mechanism.joint}
        self.tables = mechanism.tables()
        self.ops: list[np.ndarray] = []
        self.op_count = 0
        self.break_times: set[float] = set()
        self.angles = 0
        self.angle_starts: dict[int, float] = {}
        self.angle_owners: dict[int, str] = {}
        self.signal_count = 0
        self.signal_records: list[tuple] = []
        self.output_records: list[tuple] = []
        self.output_only: set[int] = set()
        self.known: dict[Reference, int] = {}
        self.asking: list[str] = []  # measures and forces being made, to find cycles
        self.roads: dict[str, tuple[int, int]] = {}  # where its numbers begin among the ops, and how many pieces
        self.told: dict[tuple[str, str], int] = {}  # signals that tyres write: (tyre, quantity)
        self.to_make: dict[str, Callable[[], None]] = {}  # forces whose records are still to be made
        self.efforts: dict[str, int] = {}  # signal of the effort of each element with a law
        self.shown: dict[str, int] = {}  # first of the six signals of a force between frames that is asked for
        self.made: list[Made] = []
        self.pulls: dict[str, Callable[[], int]] = {}  # makes the signal of a linear spring's force
        self.owners: dict[str, list[str]] = {
            name: [] for name in ("springs", "torsions", "loads", "laws", "measured", "load friction")
        }
        self.springs: list[tuple] = []
        self.torsions: list[tuple] = []
        self.loads: list[tuple] = []
        self.measured_loads: list[tuple] = []
        self.row_names: list[RowName] = []
        self.laws: list[tuple] = []
        self.load_frictions: list[tuple] = []
        self.terms: list[tuple] = []
        self.rolling: list[tuple] = []
        self.python_forces: list[tuple] = []
        self.callbacks: list[Callback] = []
        self.state_starts: list[float] = [0.0]  # the first state is the work of forces without potential
        self.state_rates: list[tuple[int, int]] = []
        self.works = [0]
        self.kinks: list[Kink] = []
        self.flexible_records: list[tuple] = []
        self.shifted_records: list[tuple] = []

    # -- frames -------------------------------------------------------------------------------------------------
    def owner(self, body: str, pose: Pose) -> tuple[str, Pose]:
        """The body of the tree that carries a frame, and the frame in its link frame: of a flexible body, a node.

        HERE is the body frame itself, which no mode moves.
        """
        if body in self.flexible and pose is not HERE and not moves_with_frame(self.flexible[body], pose.p):
            name = node_name(self.flexible[body], pose.p)
            self.asked.add(name)
            return name, Pose(self.links[body].R.T @ pose.R, np.zeros(3))
        return body, self.links[body].inverse() @ pose

    def at_point(self, body: str, point: tuple[float, float, float]) -> tuple[str, Pose]:
        """What carries a point of the world, with the bodies where they are said to be, and where on it."""
        return self.owner(body, self.poses[body].inverse() @ Pose(np.eye(3), np.array(point)))

    def point(self, name: str, who: str) -> tuple[str, Pose]:
        """The body, and the frame on it, that the name of a body or of a frame means."""
        for frame in self.mechanism.frame:
            if frame.name == name:
                return frame.body, frame_pose(self.mechanism, frame)
        if name in self.poses:
            return name, HERE
        known = [*self.poses, *(frame.name for frame in self.mechanism.frame)]
        raise ModelError(f"{who}: there is no body or frame '{name}'; {nearest(name, known)}", element=who)

    def pair(self, a: str, on_a: Pose, b: str, on_b: Pose) -> tuple:
        """The last fields of a table of pairs (elements/signals/frame_pairs.py) for frames given in the body frames."""
        (a, F), (b, M) = self.owner(a, on_a), self.owner(b, on_b)
        return self.index[a], self.index[b], F.R, F.p, M.R, M.p

    def frame_pair(
        self, between: tuple[str, str], frames: tuple[str, str] | None, points: tuple, axes: np.ndarray
    ) -> tuple:
        """The same for two named frames, or frames with `axes` at `points` of the world, with the bodies as said."""
        a, b = between
        if frames is not None:
            (_, on_a), (_, on_b) = (self.point(name, name) for name in frames)
        else:
            on_a, on_b = (
                self.poses[body].inverse() @ Pose(axes, np.array(at)) for body, at in zip(between, points, strict=True)
            )
        return self.pair(a, on_a, b, on_b)

    def points_number(self, kind: int, a: str, b: str, points: tuple) -> Number:
        """A number between two points of the world, with the bodies where they are said to be."""
        on_a, on_b = (
            self.poses[name].inverse() @ Pose(np.eye(3), np.array(at)) for name, at in zip((a, b), points, strict=True)
        )
        return Number(kind, 0, 0, self.pair(a, on_a, b, on_b))

    def coordinate(self, joint: str, coordinate: str | None, who: str) -> Number:
        """The number between two bodies that is a joint coordinate."""
        if joint not in self.joints:
            raise ModelError(f"{who}: there is no joint '{joint}'; {nearest(joint, self.joints)}", element=who)
        said = self.joints[joint]
        try:
            name = one_coordinate(said, coordinate, who)
        except ValueError as failure:
            raise ModelError(str(failure), element=who) from None
        measured, frames = said.type.measured[name], self.said[joint]
        if measured.crossed:
            frames = frames.backward()
        pair = self.pair(frames.a, frames.on_a, frames.b, frames.on_b)
        return Number(measured.kind, measured.axis, 0, pair, f"{joint}.{name}")

    def start_coordinate(self, joint: str, coordinate: str) -> float:
        """A joint coordinate as said: its start value, or what the poses say (angles between -pi and pi)."""
        said = self.joints[joint]
        if said.start_values is not None:
            return said.start_values[said.type.coordinates.index(coordinate)]
        measured, frames = said.type.measured[coordinate], self.said[joint]
        frames = frames.backward() if measured.crossed else frames
        relative = (self.poses[frames.a] @ frames.on_a).inverse() @ self.poses[frames.b] @ frames.on_b
        if measured.kind == ANGLE:
            return float(np.arctan2(relative.R[1, 0], relative.R[0, 0]))
        return float(relative.p[measured.axis])

    # -- expressions --------------------------------------------------------------------------------------------
    def program(self, text: str | float, element: str) -> tuple[int, int]:
        """An expression of t alone: its first op, and how many."""
        return self.put(parse(text, element=element, scope=self.mechanism.scope(None, self.tables)), ())

    def put(self, program: Program, signals: tuple[int, ...]) -> tuple[int, int]:
        """Place a program among the ops."""
        self.break_times |= set(program.break_times)
        first, ops = self.op_count, placed(program, self.op_count, signals)
        self.ops.append(np.array(ops, OP))
        self.op_count += len(ops)
        return first, len(program.ops)

    def new_angle(self, start: float = 0.0, owner: str = "") -> int:
        """One more counted angle: on which turn it starts (rad), and the joint coordinate that it is, if it is one."""
        self.angle_starts[self.angles] = start
        self.angle_owners[self.angles] = owner
        self.angles += 1
        return self.angles - 1

    def new_state(self, start: float) -> int:
        """One more auxiliary state."""
        self.state_starts.append(start)
        return len(self.state_starts) - 1

    def new_kink(self, depth: int, rate: int, turns: bool = False) -> None:
        """A force that begins where a signal, of which another is the rate, becomes positive; `turns`: of an angle."""
        self.kinks.append(Kink(depth, rate, turns))

    # -- signals ------------------------------------------------------------------------------------------------
    def expression(self, text: str | float, who: str, own: dict[str, int] | None = None) -> int:
        """The signal of an expression of the state; `own`: signals of the names that only this element may use."""
        own = own or {}
        program = parse(text, element=who, scope=self.mechanism.scope(tuple(own), self.tables))
        return self._program_signal(program, who, own)

    def condition(self, text: str, who: str) -> int:
        """The signal that is positive where a condition holds."""
        program = parse_condition(text, who, self.mechanism.scope((), self.tables))
        return self._program_signal(program, who, {})

    def _program_signal(self, program: Program, who: str, own: dict[str, int]) -> int:
        places = tuple(own[names[0]] if kind == "own" else self.signal((kind, names), who)
                       for kind, names in program.references)  # fmt: skip
        first, count = self.put(program, places)
        late = any(place in self.output_only for place in places)
        return self._new_signal(PROGRAM, late, ops=(first, count))

    def signal(self, reference: Reference, who: str) -> int:
        """The signal that a function of named things, or the name of a measure, stands for."""
        if reference not in self.known:
            self.known[reference] = self._make(reference, who)
        return self.known[reference]

    def _make(self, reference: Reference, who: str) -> int:
        function, names = reference
        if function == "measure":
            return self._measure(names[0])
        if function == "energy":
            return self._new_signal(ENERGY, True, i=ENERGIES[names[0]])
        if function == "tyre":
            return self._tyre(names[0], names[1], who)
        if function in ("force", "torque"):
            return force_signal(self, function, names, who)
        if function in COMPONENTS:
            what, kind, i = COMPONENTS[function]
            b, on_b = self.point(names[0], who)
            a, on_a = self.point(names[1], who) if len(names) > 1 else (GROUND, HERE)
            return self.number_signal(what, Number(kind, i, 0, self.pair(a, on_a, b, on_b)))
        if function in DISTANCES:
            what, kind, i = DISTANCES[function]
            (a, on_a), (b, on_b) = (self.point(name, who) for name in names)
            return self.number_signal(what, Number(kind, i, 0, self.pair(a, on_a, b, on_b)))
        if function in COORDINATES:
            coordinate = names[1] if len(names) > 1 else None
            return self.coordinate_signal(COORDINATES[function], names[0], coordinate, who)
        return self._cosine(names, who)

    def _cosine(self, names: tuple[str, ...], who: str) -> int:
        """cosine(P, axis of P, Q, axis of Q)."""
        for axis in names[1::2]:
            if axis not in ("x", "y", "z"):
                raise ModelError(f"{who}: '{axis}' is no axis; cosine(P, x, Q, z) names axes x, y or z", element=who)
        (a, on_a), (b, on_b) = (self.point(name, who) for name in names[::2])
        i, j = ("xyz".index(axis) for axis in names[1::2])
        return self.number_signal(VALUE, Number(PARALLEL, i, j, self.pair(a, on_a, b, on_b)))

    def _measure(self, name: str) -> int:
        """A named measure."""
        said = next(measure for measure in self.mechanism.measure if measure.name == name)
        with self.asked_for(name, "measure"):
            return self.expression(said.of, f"measure '{name}'")

    @contextmanager
    def asked_for(self, name: str, kind: str) -> Iterator[None]:
        """While this is made, it cannot be asked for: the way by which it needs itself is an error that shows it."""
        if name in self.asking:
            way = " -> ".join([*self.asking[self.asking.index(name) :], name])
            raise ModelError(f"{kind} '{name}': it needs itself: {way}; break the cycle", element=name)
        self.asking.append(name)
        yield
        self.asking.pop()

    def make(self, name: str) -> None:
        """The records of a force, now, unless they are there already; whoever asks for its effort cannot wait."""
        if name in self.to_make:
            with self.asked_for(name, "force"):
                self.to_make[name]()
            del self.to_make[name]

    def _tyre(self, name: str, quantity: str, who: str) -> int:
        """A number that a tyre finds with its forces."""
        tyres = [tyre.name for tyre in self.mechanism.tyre]
        for said, known in ((name, tyres), (quantity, QUANTITIES)):
            if said not in known:
                what = "tyre" if known is tyres else "quantity of a tyre"
                raise ModelError(f"{who}: there is no {what} '{said}'; {nearest(said, known)}", element=who)
        self.told[name, quantity] = self.signal_count
        self.output_only.add(self.signal_count)
        self.signal_count += 1
        return self.told[name, quantity]

    def road(self, name: str | None) -> tuple[int, int]:
        """Where the numbers of a road begin among the ops, and how many pieces it has."""
        if name is None:
            return 0, 0
        if name not in self.roads:
            road = next(road for road in self.mechanism.road if road.name == name)
            ops = road_ops(road, self.op_count)
            self.roads[name] = self.op_count, len(road.pieces)
            self.ops.append(ops)
            self.op_count += len(ops)
        return self.roads[name]

    def number_signal(self, what: int, number: Number, angle_start: float = 0.0) -> int:
        """The signal of a number between two bodies, of its rate or its second derivative."""
        angle = self.new_angle(angle_start, number.owner) if what == VALUE and number.kind == ANGLE else -1
        return self._new_signal(what, what in OUTPUT_ONLY, number.kind, number.i, number.j, angle, pair=number.pair)

    def coordinate_signal(self, what: int, joint: str, coordinate: str | None, who: str) -> int:
        """The signal of a joint coordinate, of its rate or its second derivative."""
        number = self.coordinate(joint, coordinate, who)
        chosen = one_coordinate(self.joints[joint], coordinate, who)
        start = self.start_coordinate(joint, chosen) if number.kind == ANGLE and what == VALUE else 0.0
        return self.number_signal(what, number, start)

    def state_signal(self, state: int) -> int:
        """The signal of an auxiliary state."""
        return self._new_signal(STATE, False, i=state)

    def _new_signal(
        self, what: int, late: bool, kind: int = 0, i: int = 0, j: int = 0, angle: int = -1,
        ops: tuple[int, int] = (0, 0), pair: tuple | None = None,
    ) -> int:  # fmt: skip
        place = self.signal_count
        self.signal_count += 1
        nowhere = (0, 0, np.eye(3), np.zeros(3), np.eye(3), np.zeros(3))
        record = (place, what, kind, i, j, angle, *ops, *(pair or nowhere))
        (self.output_records if late else self.signal_records).append(record)
        if late:
            self.output_only.add(place)
        return place

    def room(self, count: int, late: bool) -> int:
        """Places of signals that an element fills by itself: the first of them; `late`: known only after the forces."""
        first = self.signal_count
        self.signal_count += count
        if late:
            self.output_only |= set(range(first, self.signal_count))
        return first

    def needed_now(self, place: int, who: str) -> int:
        """A signal that a force or an event may use; those known only after the forces are refused."""
        if place in self.output_only:
            raise ModelError(
                f"{who}: uses an acceleration, an energy or what depends on them (a tyre's quantity, friction with the "
                "joint's load, what a Python function gives), known only after the forces; use positions and "
                "velocities",
                element=who,
            )
        return place
