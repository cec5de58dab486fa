"""Compile: Mechanism -> System (tables of numbers) and Layout (names), for one formulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.elements.applied_force import LOAD
from linkwork.elements.constraints import ANGLE, COLUMN, CONSTRAINT, POINT, ROW
from linkwork.elements.drivers import DRIVABLE
from linkwork.elements.joints import BALL, BALL_REST, DOF, JOINTS, ROW_NAMES, Joint, JointKind
from linkwork.elements.rigid_body import BODY
from linkwork.elements.spring_damper import SPRING
from linkwork.elements.torsional_spring_damper import TORSION
from linkwork.expressions import OP, parse
from linkwork.mechanism import GROUND, PLANES, Mechanism, driven_coordinate, size
from linkwork.numerics.rotations import frame_with_axis, rotation_matrix
from linkwork.system.layout import JointFrames, Layout, RowName, TreeJoint
from linkwork.system.tables import ACTIVE, WHOLE, System
from linkwork.system.topology import Link, Topology, spanning, star

FORMULATIONS = {"absolute": star, "joint": spanning}
BACKWARD = np.diag(
    [1.0, -1.0, -1.0]
)  # half a turn about x: a joint said from child to parent, with the same coordinate


class Pose(NamedTuple):
    """A frame: orientation R and origin p (m) in another frame."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """The other way round."""
        return Pose(self.R.T, -self.R.T @ self.p)


HERE = Pose(np.eye(3), np.zeros(3))


@dataclass(frozen=True)
class Compiled:
    """A mechanism ready for arithmetic: tables and names."""

    mechanism: Mechanism
    system: System
    layout: Layout


def compile_mechanism(mechanism: Mechanism, formulation: str, *, hold: bool = False) -> Compiled:
    """Tables and layout.  `hold`: also rows that keep what the user fixed (poses, joint coordinates), for assembly."""
    topology = FORMULATIONS[formulation](mechanism)
    builder = _Builder(mechanism, formulation, topology)
    builder.place_bodies()
    for joint in topology.cut:
        builder.constrain(joint.name, builder.said[joint.name], _rows_of(joint.joint, mechanism.plane))
    builder.drive()
    builder.held_from = len(builder.rows)
    if hold:
        builder.hold()
    builder.apply_forces()
    return builder.finish()


def said_poses(mechanism: Mechanism) -> dict[str, Pose]:
    """Where the user put the bodies."""
    return {GROUND: HERE} | {body.name: Pose(body.R_WB, body.p_WB) for body in mechanism.body}


class BodyFrames(NamedTuple):
    """A joint's frames on its two bodies, in their body frames."""

    kind: str
    a: str
    b: str
    on_a: Pose
    on_b: Pose


def joint_frames(mechanism: Mechanism) -> dict[str, BodyFrames]:
    """F on A and M on B for every joint, from its point and axis in the world or from named frames."""
    poses = said_poses(mechanism)
    named = {f.name: Pose(rotation_matrix(np.array(f.orientation)), np.array(f.at)) for f in mechanism.frame}
    frames = {}
    for joint in mechanism.joint:
        a, b = joint.between
        if joint.frames is not None:
            on_a, on_b = named[joint.frames[0]], named[joint.frames[1]]
        else:
            place = Pose(_orientation(joint, mechanism), np.array(joint.at if joint.at is not None else poses[b].p))
            if joint.kind == "free":
                place = poses[b]
            on_a, on_b = poses[a].inverse() @ place, poses[b].inverse() @ place
            if joint.kind == "free":
                on_a = poses[a].inverse() if a == GROUND else HERE
        frames[joint.name] = BodyFrames(joint.kind, a, b, on_a, on_b)
    return frames


def _orientation(joint: Joint, mechanism: Mechanism) -> np.ndarray:
    """World axes of a joint placed by point and axis; in a plane mechanism one axis is the plane's normal."""
    if mechanism.plane is not None:
        normal = np.array(PLANES[mechanism.plane])
        if joint.joint.planar_normal == 1 and joint.axis is not None:
            z = np.array(joint.axis)
            return np.column_stack([np.cross(normal, z), normal, z])
        return plane_axes(mechanism.plane) if joint.axis is None else frame_with_axis(np.array(joint.axis))
    return np.eye(3) if joint.axis is None else frame_with_axis(np.array(joint.axis))


def plane_axes(plane: str) -> np.ndarray:
    """Frame whose x and y axes are the plane's two, and z its normal."""
    first, second = (np.eye(3)["xyz".index(letter)] for letter in plane)
    return np.column_stack([first, second, np.array(PLANES[plane])])


def _rows_of(kind: JointKind, plane: str | None) -> tuple[tuple[int, int, int], ...]:
    return kind.rows if plane is None else (kind.planar_rows or ())


class _Builder:
    """Collects the tables row by row."""

    def __init__(self, mechanism: Mechanism, formulation: str, topology: Topology) -> None:
        self.mechanism = mechanism
        self.formulation = formulation
        self.topology = topology
        self.said = joint_frames(mechanism)
        self.poses = said_poses(mechanism)
        self.index = {GROUND: 0} | {link.body: n + 1 for n, link in enumerate(topology.links)}
        self.links: dict[str, Pose] = {GROUND: HERE}  # link frame in the body frame
        self.bodies = np.zeros(len(self.index), BODY)
        self.dofs: list[tuple[int, ...]] = []
        self.paths: dict[str, tuple[int, ...]] = {GROUND: ()}  # motions from the root to a body
        self.tree: list[TreeJoint] = []
        self.q_names: list[str] = []
        self.v_names: list[str] = []
        self.constraints: list[tuple] = []
        self.rows: list[tuple] = []
        self.row_names: list[RowName] = []
        self.columns: list[tuple[int, int]] = []
        self.values = 0
        self.held_from = 0
        self.ops: list[np.ndarray] = []
        self.op_count = 0
        self.break_times: set[float] = set()
        self.angles = 0
        self.springs: list[tuple] = []
        self.torsions: list[tuple] = []
        self.loads: list[tuple] = []

    # -- the tree -----------------------------------------------------------------------------------------------
    def place_bodies(self) -> None:
        """Bodies and motions, parents before children."""
        data = {body.name: body for body in self.mechanism.body}
        for link in self.topology.links:
            name, kind, inboard, outboard = self._hang(link)
            self.links[link.body] = outboard
            body, index, parent = data[link.body], self.index[link.body], self.index[link.parent]
            first_dof, first_q = len(self.dofs), len(self.q_names)
            self._add_motions(name, kind, index, link)
            on_parent = self.links[link.parent].inverse() @ inboard
            self.bodies[index] = (
                parent,
                first_dof,
                len(self.dofs) - first_dof,
                body.mass_kg,
                outboard.R.T @ (body.p_BC - outboard.p),
                outboard.R.T @ body.J_C @ outboard.R,
                outboard.R.T @ np.linalg.inv(body.J_C) @ outboard.R,
                on_parent.R,
                on_parent.p,
            )
            self.tree.append(
                TreeJoint(
                    name,
                    kind,
                    index,
                    parent,
                    first_q,
                    len(self.q_names) - first_q,
                    first_dof,
                    len(self.dofs) - first_dof,
                    link.reversed,
                )
            )

    def _hang(self, link: Link) -> tuple[str, str, Pose, Pose]:
        """Name, kind, frame on the parent, frame on the body of the joint on which a body hangs."""
        if link.joint is None:
            if self.mechanism.plane is None:
                return link.body, "free", HERE, HERE
            axes = Pose(plane_axes(self.mechanism.plane), np.zeros(3))
            at = self.poses[link.body]
            height = axes.R[:, 2] * (axes.R[:, 2] @ at.p)  # the plane in which this body moves
            return link.body, "planar", Pose(axes.R, height), at.inverse() @ Pose(axes.R, at.p)
        frames = self.said[link.joint.name]
        if not link.reversed:
            return link.joint.name, frames.kind, frames.on_a, frames.on_b
        back = Pose(BACKWARD, np.zeros(3))
        return link.joint.name, frames.kind, frames.on_b @ back, frames.on_a @ back

    def _add_motions(self, name: str, kind: str, body: int, link: Link) -> None:
        joint = JOINTS[kind]
        path = list(self.paths[link.parent])
        place = len(self.q_names)
        for motion, axis in joint.motions:
            for n in range(3 if motion == BALL else 1):
                row = sum(dof[4] + 1 for dof in self.dofs)
                code = BALL_REST if n else motion
                self.dofs.append((code, axis, body, path[-1] if path else -1, len(path), place, row))
                path.append(len(self.dofs) - 1)
            place += 4 if motion == BALL else 1
        self.paths[link.body] = tuple(path)
        self.q_names += [f"{name}.{c}" for c in joint.coordinates]
        self.v_names += [f"{name}.{c}" for c in joint.velocities]

    # -- rows ---------------------------------------------------------------------------------------------------
    def constrain(self, name: str, frames: BodyFrames, rows: tuple) -> None:
        """Rows of a cut joint."""
        equations = [ROW_NAMES[row, i] if (row, i, j) != (1, 0, 1) else "axis about z" for row, i, j in rows]
        self._constraint(name, frames, [(row, i, j, 0, 0, -1) for row, i, j in rows], equations)

    def _constraint(self, name: str, frames: BodyFrames, rows: list[tuple], equations: list[str]) -> None:
        on_a = self.links[frames.a].inverse() @ frames.on_a
        on_b = self.links[frames.b].inverse() @ frames.on_b
        path_a, path_b = self.paths[frames.a], self.paths[frames.b]
        columns = [(dof, -1) for dof in path_a if dof not in path_b] + [(dof, 1) for dof in path_b if dof not in path_a]
        self.constraints.append(
            (
                self.index[frames.a],
                self.index[frames.b],
                len(self.rows),
                len(rows),
                len(self.columns),
                len(columns),
                on_a.R,
                on_a.p,
                on_b.R,
                on_b.p,
            )
        )
        for (kind, i, j, first_op, count, angle), equation in zip(rows, equations, strict=True):
            self.rows.append((kind, len(self.constraints) - 1, i, j, self.values, first_op, count, angle))
            self.values += len(columns)
            self.row_names.append(RowName(name, equation))
        self.columns += columns

    def drive(self) -> None:
        """One row for every driver."""
        joints = {joint.name: joint for joint in self.mechanism.joint}
        for driver in self.mechanism.driver:
            joint = joints[driver.joint]
            coordinate = driven_coordinate(driver, joint)
            self._driven_row(driver.name, joint, coordinate, driver.motion)

    def _driven_row(self, name: str, joint: Joint, coordinate: str, motion: str | float) -> None:
        kind, axis = DRIVABLE[joint.kind][coordinate]
        first, count = self._program(motion, f"'{name}'")
        angle = self._new_angle() if kind == ANGLE else -1
        equation = f"{joint.name}.{coordinate} = {motion}"
        self._constraint(name, self.said[joint.name], [(kind, axis, 0, first, count, angle)], [equation])

    def hold(self) -> None:
        """Rows that keep what the user fixed: bodies where they were said to be, joint coordinates with a start
        value.
        """
        fixed = JOINTS["fixed"]
        for body in self.mechanism.body:
            if body.fixed:
                place = Pose(self._axes(), self.poses[body.name].p)
                frames = BodyFrames("fixed", GROUND, body.name, place, self.poses[body.name].inverse() @ place)
                self.constrain(body.name, frames, _rows_of(fixed, self.mechanism.plane))
        driven = {driver.joint for driver in self.mechanism.driver}
        for joint in self.mechanism.joint:
            if joint.start_values is not None and joint.name not in driven:
                for coordinate, value in zip(joint.joint.coordinates, joint.start_values, strict=True):
                    if coordinate in DRIVABLE[joint.kind]:
                        self._driven_row(joint.name, joint, coordinate, value)
                if joint.joint.motions[-1:] == ((BALL, 0),):
                    self._hold_orientation(joint)

    def _axes(self) -> np.ndarray:
        """World axes, or those of the plane with its normal as z."""
        return np.eye(3) if self.mechanism.plane is None else plane_axes(self.mechanism.plane)

    def _hold_orientation(self, joint: Joint) -> None:
        """Three rows that keep the relative orientation that a ball was given at the start."""
        frames = self.said[joint.name]
        turned = Pose(rotation_matrix(np.array((joint.start_values or ())[-4:])), np.zeros(3))
        directions = tuple(row for row in JOINTS["fixed"].rows if row[0] != POINT)
        self.constrain(joint.name, frames._replace(on_a=frames.on_a @ turned), directions)

    # -- forces -------------------------------------------------------------------------------------------------
    def apply_forces(self) -> None:
        """Spring-dampers, torsional spring-dampers, applied forces."""
        for spring in self.mechanism.spring_damper:
            ends = [
                (self.index[name], self._in_link(name, self.poses[name].inverse() @ Pose(np.eye(3), np.array(point))).p)
                for name, point in zip(spring.between, spring.points, strict=True)
            ]
            free = spring.length() if spring.free_length is None else spring.free_length
            self.springs.append(
                (ends[0][0], ends[1][0], ends[0][1], ends[1][1], spring.stiffness, spring.damping, free)
            )
        for torsion in self.mechanism.torsional_spring_damper:
            frames = self.said[torsion.joint]
            on_a, on_b = self._in_link(frames.a, frames.on_a), self._in_link(frames.b, frames.on_b)
            self.torsions.append(
                (
                    self.index[frames.a],
                    self.index[frames.b],
                    self._new_angle(),
                    on_a.R,
                    on_b.R,
                    torsion.stiffness,
                    torsion.damping,
                    torsion.free_angle,
                )
            )
        for force in self.mechanism.applied_force:
            programs = [self._program(c, f"applied force '{force.name}'") for c in (*force.force, *force.torque)]
            point = self._in_link(force.body, Pose(np.eye(3), np.array(force.at)))
            self.loads.append(
                (
                    self.index[force.body],
                    force.axes == "body",
                    [p[0] for p in programs],
                    [p[1] for p in programs],
                    point.p,
                    point.R,
                )
            )

    def _in_link(self, body: str, pose: Pose) -> Pose:
        return self.links[body].inverse() @ pose

    def _new_angle(self) -> int:
        self.angles += 1
        return self.angles - 1

    def _program(self, text: str | float, element: str) -> tuple[int, int]:
        program = parse(text, element=element)
        self.break_times |= set(program.break_times)
        first = self.op_count
        self.ops.append(np.array(program.ops, OP))
        self.op_count += len(program.ops)
        return first, len(program.ops)

    # -- the end ------------------------------------------------------------------------------------------------
    def finish(self) -> Compiled:
        """The frozen tables."""
        whole = np.zeros(1, WHOLE)
        whole[0] = (
            self.mechanism.gravity, size(self.mechanism), len(self.q_names), len(self.v_names), 1, not self.rows
        )  # fmt: skip
        system = System(
            whole=whole,
            bodies=self.bodies,
            dofs=_table(self.dofs, DOF),
            constraints=_table(self.constraints, CONSTRAINT),
            rows=_table(self.rows, ROW),
            columns=_table(self.columns, COLUMN),
            active=np.zeros(0, ACTIVE),
            springs=_table(self.springs, SPRING),
            torsions=_table(self.torsions, TORSION),
            loads=_table(self.loads, LOAD),
            ops=np.concatenate([np.zeros(0, OP), *self.ops]),
        )
        body_frames = [self.links[name].inverse() for name in self.index]
        joints = {}
        for name, frames in self.said.items():
            on_a, on_b = self._in_link(frames.a, frames.on_a), self._in_link(frames.b, frames.on_b)
            joints[name] = JointFrames(
                frames.kind, self.index[frames.a], self.index[frames.b], on_a.R, on_a.p, on_b.R, on_b.p
            )
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
            break_times=tuple(sorted(self.break_times)),
        )
        return Compiled(self.mechanism, system, layout)


def _table(records: list, dtype: np.dtype) -> np.ndarray:
    table = np.zeros(len(records), dtype)
    for n, record in enumerate(records):
        table[n] = record
    return table
