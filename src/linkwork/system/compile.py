"""Compile: Mechanism -> System (tables of numbers) and Layout (names), for one formulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwork.elements.constraints.drivers import BODY_COORDINATES, Driver
from linkwork.elements.constraints.links import CONSTRAINT_EQUATIONS, CONSTRAINT_ROWS, RollingDisc
from linkwork.elements.constraints.rows import ANGLE, COLUMN, CONSTRAINT, IDLE, OTHER, POINT, POSITION, ROW, VELOCITY
from linkwork.elements.declaration.planes import PLANES, plane_axes
from linkwork.elements.family import Family
from linkwork.elements.forces.applied_force import LOAD
from linkwork.elements.forces.python_force import Callback
from linkwork.elements.forces.spring_damper import SPRING
from linkwork.elements.forces.torsional_spring_damper import TORSION
from linkwork.elements.joints.equations import SAME_AXES, Row
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import AXIS, DOF
from linkwork.elements.joints.registry import JOINTS
from linkwork.elements.registry import FAMILIES
from linkwork.elements.signals.frame_pairs import DISTANCE
from linkwork.errors import ModelError
from linkwork.expressions import OP
from linkwork.mechanism import GROUND, Mechanism, coordinate_named, driven_coordinate, size
from linkwork.numerics.rotations import frame_with_axis, rotation_matrix
from linkwork.system.forces import put_forces
from linkwork.system.frames import HERE, Frames, Pose
from linkwork.system.layout import JointFrames, Layout, RowName
from linkwork.system.places import Made, Number
from linkwork.system.tables import ACTIVE, WHOLE, System
from linkwork.system.topology import Topology, spanning, star
from linkwork.system.tree import Tree

FORMULATIONS = {"absolute": star, "joint": spanning}


@dataclass(frozen=True)
class Compiled:
    """A mechanism ready for arithmetic: tables and names, and the families of elements that it has."""

    mechanism: Mechanism
    system: System
    layout: Layout
    families: tuple[tuple[Family, int, int], ...] = ()  # with the first and last byte of its table
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # tables of forces: the element of each record
    callbacks: tuple[Callback, ...] = ()  # Python functions that the tables hold the addresses of


def compile_mechanism(mechanism: Mechanism, formulation: str, *, hold: bool = False) -> Compiled:
    """Tables and layout.  `hold`: also rows that keep what the user fixed (poses, joint coordinates), for assembly."""
    builder = _Builder(mechanism, formulation, FORMULATIONS[formulation](mechanism))
    compiled = _compiled(builder, hold)
    if builder.flexible:  # again, with only those nodes at which something is attached or looked at
        compiled = _compiled(_Builder(mechanism, formulation, builder.topology, builder.asked), hold)
    return compiled


def _compiled(builder: _Builder, hold: bool) -> Compiled:
    builder.place_bodies()
    builder.constrain_joints()
    builder.constrain_more()
    builder.drive(assembling=hold)
    builder.held_from = len(builder.rows)
    if hold:
        builder.hold()
    builder.apply_forces()
    return builder.finish()


def _rows_of(kind: JointKind, plane: str | None) -> tuple[Row, ...]:
    return kind.rows if plane is None else (kind.planar_rows or ())


class _Builder(Tree):
    """Collects the tables row by row."""

    def __init__(
        self, mechanism: Mechanism, formulation: str, topology: Topology, nodes: set[str] | None = None
    ) -> None:
        super().__init__(mechanism, topology, nodes)
        self.formulation = formulation
        self.constraints: list[tuple] = []
        self.rows: list[tuple] = []
        self.columns: list[tuple[int, int, int]] = []
        self.values = 0
        self.held_from = 0
        self.driver_rows: dict[str, int] = {}

    # -- rows ---------------------------------------------------------------------------------------------------
    def constrain_joints(self) -> None:
        """Rows of cut joints, and those that a joint has even in the tree."""
        for joint in self.topology.cut:
            self._constrain_joint(joint, _rows_of(joint.type, self.mechanism.plane))
        for link in self.topology.links:
            if link.joint is not None and link.joint.type.rows_in_tree:
                self._constrain_joint(link.joint, link.joint.type.rows_in_tree)

    def _constrain_joint(self, joint: Joint, rows: tuple[Row, ...]) -> None:
        frames = self.said[joint.name]
        whole = tuple(row for row in rows if row.kind != OTHER)
        if whole:
            self.constrain(joint.name, frames, whole)
        for row in rows[len(whole) :]:
            terms = [
                (Number(kind, i, j, self._pair(frames)), factor)
                for kind, i, j, factor in joint.type.sum_terms(joint.advance)
            ]
            angle = next((c for c in joint.type.coordinates if joint.type.turns(c)), "")
            starts = [self.start_coordinate(joint.name, angle) if n.kind == ANGLE else 0.0 for n, _ in terms]
            self.constrain_sum(joint.name, row.equation, terms, 0.0, starts)

    def _pair(self, frames: Frames) -> tuple:
        return self.pair(frames.a, frames.on_a, frames.b, frames.on_b)

    def constrain(self, name: str, frames: Frames, rows: tuple[Row, ...]) -> None:
        """Rows of a cut joint."""
        equations = [row.equation for row in rows]
        self._constraint(name, self._pair(frames), [_row(row.kind, row.i, row.j) for row in rows], equations)

    def constrain_sum(
        self, name: str, equation: str, terms: list[tuple[Number, float]], value: str | float, starts: list[float]
    ) -> None:
        """One row: sum of c x = value(t), over numbers between bodies; `starts`: where angles start, rad."""
        program = self.program(value, f"'{name}'") if value else (0, 0)
        row = len(self.rows)
        more = [(number.pair[0], number.pair[1]) for number, _ in terms[1:]]
        self._constraint(name, terms[0][0].pair, [_row(OTHER, 0, 0, program)], [equation], more)
        for k, ((number, factor), start) in enumerate(zip(terms, starts, strict=True)):
            angle = self.new_angle(start, number.owner) if number.kind == ANGLE else -1
            same = number.pair[:2] == terms[0][0].pair[:2]
            self.terms.append((row, k == 0, same, number.kind, number.i, number.j, angle, factor, *number.pair))

    def _constraint(
        self, name: str, pair: tuple, rows: list[tuple], equations: list[str], more: list[tuple[int, int]] | None = None
    ) -> None:
        """Rows between two bodies; `more`: pairs of bodies on whose motions they depend as well."""
        body_a, body_b = pair[0], pair[1]
        sides = self._sides(body_a, body_b)
        for a, b in more or []:
            sides |= {place: 0 for place in self._sides(a, b) if place not in sides}
        columns = [(dof, side, axis) for (dof, axis), side in sides.items()]
        columns.sort(key=lambda column: (column[1] > 0, column[0]))
        self.constraints.append((body_a, body_b, len(self.rows), len(rows), len(self.columns), len(columns), *pair[2:]))
        for (kind, mode, i, j, first_op, count, angle, state), equation in zip(rows, equations, strict=True):
            record = (kind, mode, len(self.constraints) - 1, i, j, self.values, first_op, count, angle, state)
            self.rows.append(record)
            self.values += len(columns)
            self.row_names.append(RowName(name, equation))
        self.columns += columns

    def _sides(self, a: int, b: int) -> dict[tuple[int, int], int]:
        """(motion, axis) on the loop from body a to body b: -1 on the way to a, +1 on the way to b."""
        names = list(self.index)
        path_a, path_b = self.paths[names[a]], self.paths[names[b]]
        return {at: -1 for at in path_a if at not in path_b} | {at: 1 for at in path_b if at not in path_a}

    def constrain_more(self) -> None:
        """Rows of the constraints beside joints."""
        m = self.mechanism
        driven = {driver.distance: driver for driver in m.driver if driver.distance is not None}
        for link in m.distance:
            number = self.points_number(DISTANCE, *link.between, link.points)
            if link.name not in driven:
                self.constrain_sum(link.name, "distance", [(number, 1.0)], link.length_m, [0.0])
        for held in m.constraint:
            a, b = held.between
            on_a = self.poses[a].inverse() @ Pose(frame_with_axis(np.array(held.axis)), np.array(held.at))
            second = np.array(held.axis if held.second_axis is None else held.second_axis)
            on_b = self.poses[b].inverse() @ Pose(frame_with_axis(second), np.array(held.at))
            program = (0, 0)
            if held.kind == "constant-angle":
                program = self.program(float(np.cos(held.angle_rad)), f"constraint '{held.name}'")
            rows = [_row(kind, i, j, program) for kind, i, j in CONSTRAINT_ROWS[held.kind]]
            self._constraint(held.name, self.pair(a, on_a, b, on_b), rows, list(CONSTRAINT_EQUATIONS[held.kind]))
        for disc in m.rolling_disc:
            self._roll(disc)
        for coupler in m.coupler:
            self._couple(coupler.name, list(zip(coupler.joints, coupler.factors, strict=True)), coupler.constant)
        for gear in m.gear:
            self._couple(gear.name, [(gear.joints[1], 1.0), (gear.joints[0], -gear.ratio)], None)
        for rack in m.rack_and_pinion:
            self._couple(rack.name, [(rack.rack, 1.0), (rack.pinion, -rack.radius)], None)

    def _roll(self, disc: RollingDisc) -> None:
        """The height of a rolling disc, and no slip along the plane: in a plane mechanism one way, in space two."""
        body, normal, plane = self.poses[disc.body], np.array(disc.normal), self.mechanism.plane
        if abs(normal @ body.R @ np.array(disc.axis)) > 1.0 - 1e-9:
            raise ModelError(
                f"rolling disc '{disc.name}': it lies flat on its plane and has no lowest point; tilt the body",
                element=disc.name,
            )
        directions = np.roll(frame_with_axis(normal), 1, axis=1).T
        if plane is not None:
            directions[1:] = np.cross(PLANES[plane], normal)
        equations = ["height of the disc", "no slip, first way", "no slip, second way"][: 3 if plane is None else 2]
        on_body = self.links[disc.body].inverse() @ Pose(np.eye(3), np.array(disc.centre))
        self.rolling.append((self.index[disc.body], len(self.rows), len(equations), disc.radius, disc.height, on_body.p,
                             on_body.R @ np.array(disc.axis), directions))  # fmt: skip
        rows = [_row(OTHER, 0, 0, mode=VELOCITY if n else POSITION) for n in range(len(equations))]
        self._constraint(disc.name, self.pair(GROUND, HERE, disc.body, HERE), rows, equations)

    def _couple(self, name: str, factors: list[tuple[str, float]], constant: float | None) -> None:
        """Sum of factor * joint coordinate = constant; by default as said at the start."""
        chosen = [coordinate_named(named, self.joints, f"'{name}'") for named, _ in factors]
        said = [self.start_coordinate(joint.name, coordinate) for joint, coordinate in chosen]
        terms = [
            (self.coordinate(joint.name, coordinate, f"'{name}'"), factor)
            for (joint, coordinate), (_, factor) in zip(chosen, factors, strict=True)
        ]
        if constant is None:
            constant = sum(factor * value for (_, factor), value in zip(factors, said, strict=True))
        equation = " + ".join(f"{factor:g} {named}" for named, factor in factors) + f" = {constant:g}"
        self.constrain_sum(name, equation, terms, constant, said)

    def drive(self, assembling: bool) -> None:
        """One row for every driver; what begins later, or holds what the assembly finds, is idle at first."""
        for driver in self.mechanism.driver:
            who = f"driver '{driver.name}'"
            self.driver_rows[driver.name] = len(self.rows)
            self.break_times |= {t for t in (driver.since, driver.until) if t}
            idle = driver.since > 0.0 or (assembling and driver.hold)
            if driver.distance is not None:
                self._drive_distance(driver, idle)
                continue
            if driver.joint is not None:
                joint = self.joints[driver.joint]
                coordinate = driven_coordinate(driver, joint)
                number = self.coordinate(joint.name, coordinate, who)
                what = f"{joint.name}.{coordinate}"
                rates = joint.rate_values
                rate = rates[joint.type.coordinates.index(coordinate)] if rates else 0.0
            else:
                assert driver.body is not None and driver.coordinate is not None
                axis = BODY_COORDINATES[driver.coordinate]
                number = Number(POINT, axis, 0, self.pair(GROUND, HERE, driver.body, HERE))
                what, rate = f"{driver.body}.{driver.coordinate}", 0.0
            self._driven_row(driver.name, number, what, driver, idle, rate)

    def _drive_distance(self, driver: Driver, idle: bool) -> None:
        link = next(link for link in self.mechanism.distance if link.name == driver.distance)
        number = self.points_number(DISTANCE, *link.between, link.points)
        self.constrain_sum(driver.name, f"{link.name}.length", [(number, 1.0)], driver.motion or link.length_m, [0.0])
        if driver.motion is None:
            first, count = self.program(driver.velocity or driver.acceleration or 0.0, f"driver '{driver.name}'")
            self.rows[-1] = (*self.rows[-1][:6], first, count, *self.rows[-1][8:])
        self._set_mode(driver, idle, 0.0)

    def _driven_row(
        self, name: str, number: Number, what: str, driver: Driver | None, idle: bool, rate: float, value: float = 0.0
    ) -> None:
        """A row that holds a number between two bodies at f(t), or its rate."""
        text: str | float = value
        if driver is not None:
            given = [text for text in (driver.motion, driver.velocity, driver.acceleration) if text is not None]
            text = given[0] if given else 0.0
        first, count = self.program(text, f"'{name}'")
        angle = self.new_angle() if number.kind == ANGLE else -1
        self._constraint(
            name, number.pair, [_row(number.kind, number.i, 0, (first, count), angle)], [f"{what} = {text}"]
        )
        if driver is not None:
            self._set_mode(driver, idle, rate)

    def _set_mode(self, driver: Driver, idle: bool, rate: float) -> None:
        """How the last row acts: on the position, on the velocity, by an acceleration that a state adds up."""
        kind, _, *rest = self.rows[-1]
        mode = POSITION if driver.motion is not None or driver.hold else VELOCITY
        if driver.acceleration is not None:
            state = self.new_state(rate)
            rest[-1] = state
            self.state_rates.append((state, self.expression(driver.acceleration, f"driver '{driver.name}'")))
        self.rows[-1] = (kind, IDLE if idle else mode, *rest)

    def hold(self) -> None:
        """Rows that keep what the user fixed: bodies where they were said to be, joint coordinates with a start
        value.
        """
        fixed = JOINTS["fixed"]
        for body in self.mechanism.body:
            if body.fixed:
                place = Pose(self._axes(), self.poses[body.name].p)
                frames = Frames(fixed, GROUND, body.name, place, self.poses[body.name].inverse() @ place)
                self.constrain(body.name, frames, _rows_of(fixed, self.mechanism.plane))
        driven = {driver.joint for driver in self.mechanism.driver if driver.motion is not None and driver.since == 0.0}
        for joint in self.mechanism.joint:
            if joint.start_values is not None and joint.name not in driven:
                for coordinate, value in zip(joint.type.coordinates, joint.start_values, strict=True):
                    if coordinate in joint.type.measured:
                        number = self.coordinate(joint.name, coordinate, f"joint '{joint.name}'")
                        what = f"{joint.name}.{coordinate}"
                        self._driven_row(joint.name, number, what, None, False, 0.0, value)
                if joint.type.euler_parameters:
                    self._hold_orientation(joint)

    def _axes(self) -> np.ndarray:
        """World axes, or those of the plane with its normal as z."""
        return np.eye(3) if self.mechanism.plane is None else plane_axes(self.mechanism.plane)

    def _hold_orientation(self, joint: Joint) -> None:
        """Three rows that keep the relative orientation that a ball was given at the start."""
        frames = self.said[joint.name]
        turned = Pose(rotation_matrix(np.array((joint.start_values or ())[-4:])), np.zeros(3))
        self.constrain(joint.name, frames._replace(on_a=frames.on_a @ turned), SAME_AXES)

    # -- forces -------------------------------------------------------------------------------------------------
    def apply_forces(self) -> None:
        """All forces, then measures and events."""
        put_forces(self)
        self.measures = {m.name: self.signal(("measure", (m.name,)), m.name) for m in self.mechanism.measure}
        self.events = {
            event.name: self.needed_now(self.condition(event.when, f"event '{event.name}'"), f"event '{event.name}'")
            for event in self.mechanism.event
        }
        self.break_times |= {impulse.t for impulse in self.mechanism.impulse}
        blows = [(blow.body, blow.at) for blow in self.mechanism.impulse]
        blows += [(event.body, event.at) for event in self.mechanism.event if event.body is not None]
        for body, at in blows:
            self.owner(body, Pose(np.eye(3), np.array(at)))

    # -- the end ------------------------------------------------------------------------------------------------
    def finish(self) -> Compiled:
        """The frozen tables."""
        whole = np.zeros(1, WHOLE)
        families, block = self._families()
        whole[0] = (
            self.mechanism.gravity, size(self.mechanism), len(self.q_names), len(self.v_names), len(self.state_starts),
            self.signal_count, sum(len(family.kernels) for family, _, _ in families),
            len(self.events) + 2 * len(self.kinks), bool(self.flexibles), self.scratch_count,
            not self.rows and not self.flexibles,
        )  # fmt: skip
        q_places = {name: k for k, name in enumerate(self.q_names)}
        system = System(
            whole=whole,
            bodies=self.bodies,
            dofs=_table(self.dofs, DOF),
            axes=_table(self.axes + self.node_axes, AXIS),
            constraints=_table(self.constraints, CONSTRAINT),
            rows=_table(self.rows, ROW),
            columns=_table(self.columns, COLUMN),
            active=np.zeros(0, ACTIVE),
            springs=_table(self.springs, SPRING),
            torsions=_table(self.torsions, TORSION),
            loads=_table(self.loads, LOAD),
            ops=np.concatenate([np.zeros(0, OP), *self.ops]),
            block=block,
            numbers=np.concatenate([np.zeros(0), *self.numbers]),
            known=np.array([q_places.get(self.angle_owners[k], -1) for k in range(self.angles)], np.int64),
        )
        body_frames = [self.links[name].inverse() for name in self.index]
        joints = {}
        for name, frames in self.said.items():
            joints[name] = JointFrames(frames.type, *self._pair(frames))
        layout = Layout(
            formulation=self.formulation,
            bodies=tuple(self.index),
            tree=tuple(self.tree),
            joints=joints,
            cut=tuple(joint.name for joint in self.topology.cut),
            q_names=tuple(self.q_names),
            v_names=tuple(self.v_names),
            rows=tuple(self.row_names),
            held_from=self.held_from,
            R_LB=np.array([pose.R for pose in body_frames]),
            p_LB=np.array([pose.p for pose in body_frames]),
            angle_count=self.angles,
            angle_starts=tuple(self.angle_starts[k] for k in range(self.angles)),
            state_starts=tuple(self.state_starts),
            measures=self.measures,
            events=self.events,
            kinks=tuple(self.kinks),
            works=tuple(self.works),
            driver_rows=self.driver_rows,
            break_times=tuple(sorted(self.break_times)),
            modal_sizes=self.modal_sizes,
        )
        owners = {name: tuple(names) for name, names in self.owners.items()}
        owners |= {family.name: tuple(family.owners(self)) for family, _, _ in families if family.owners}
        return Compiled(self.mechanism, system, layout, families, owners, tuple(self.callbacks))

    def _families(self) -> tuple[tuple[tuple[Family, int, int], ...], np.ndarray]:
        """The families that this model has, and their tables as one block of bytes: what comes first in an evaluation
        is made last, since it may ask what the others made.
        """
        found, parts, at = [], [], 0
        for family in reversed(FAMILIES):
            table = _table(family.records(self), family.table)
            if len(table):
                self.made.append(Made(at, table, family.owners(self) if family.owners else []))
                found.append((family, at, at + table.nbytes))
                parts.append(np.frombuffer(table.tobytes(), np.uint8))
                at += table.nbytes
        return tuple(reversed(found)), np.concatenate([np.zeros(0, np.uint8), *parts])


def _row(
    kind: int, i: int, j: int, program: tuple[int, int] = (0, 0), angle: int = -1, mode: int = POSITION
) -> tuple[int, ...]:
    """A row as it stands in the table, less its constraint and its place in Phi_v."""
    return (kind, mode, i, j, *program, angle, -1)


def _table(records: list, dtype: np.dtype) -> np.ndarray:
    table = np.zeros(len(records), dtype)
    for n, record in enumerate(records):
        table[n] = record
    return table
