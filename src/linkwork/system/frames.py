"""Frames: where the user put bodies and joints, as poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.drivers import MEASURED
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.joints.joint import JOINTS, Joint
from linkwork.errors import ModelError
from linkwork.mechanism import GROUND, PLANES, Mechanism
from linkwork.numerics.rotations import axis_rotation, frame_with_axis, rotation_matrix


class Pose(NamedTuple):
    """A frame: orientation R and origin p (m) in another frame."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """The other way round."""
        return Pose(self.R.T, -self.R.T @ self.p)


STILL = 1e-9  # of the largest displacement or rotation of any node: none
HERE = Pose(np.eye(3), np.zeros(3))


def given_poses(mechanism: Mechanism) -> dict[str, Pose]:
    """Where the user put the bodies."""
    return {GROUND: HERE} | {body.name: Pose(body.R_WB, body.p_WB) for body in mechanism.body}


def frame_pose(mechanism: Mechanism, frame: Frame) -> Pose:
    """A named frame in its body's frame, undeformed."""
    at = np.array(frame.at)
    if frame.node is not None:
        body = next((body for body in mechanism.body if body.name == frame.body), None)
        if body is None or body.flexible is None:
            raise ModelError(
                f"frame '{frame.name}': '{frame.body}' is not flexible and has no nodes; drop node", element=frame.name
            )
        nodes = body.flexible.modal.nodes
        at = at + nodes.x[nodes.index(frame.node)]
    return Pose(rotation_matrix(np.array(frame.orientation)), at)


def node_at(body: Body, point: np.ndarray) -> int:
    """The node of a flexible body at a point of its frame, undeformed."""
    assert body.flexible is not None
    nodes = body.flexible.modal.nodes
    distance = np.linalg.norm(nodes.x - point, axis=1)
    nearest_one = int(np.argmin(distance))
    size = max(float(np.ptp(nodes.x, axis=0).max()), 1e-9)
    if distance[nearest_one] > 1e-6 * size:
        raise ModelError(
            f"body '{body.name}': something is attached at {np.round(point, 6).tolist()} m of its frame, where it has "
            f"no node; the nearest, '{nodes.names[nearest_one]}', is {distance[nearest_one]:.3g} m away; move it there",
            element=body.name,
        )
    return nearest_one


def node_name(body: Body, point: np.ndarray) -> str:
    """The node there as a body of the tree; names of bodies have no '.', so none is like it."""
    assert body.flexible is not None
    return f"{body.name}.{body.flexible.modal.nodes.names[node_at(body, point)]}"


def moves_with_frame(body: Body, point: np.ndarray) -> bool:
    """Whether a point of a body stays where it is in the body frame: any of a rigid body, a node no mode moves."""
    if body.flexible is None:
        return True
    return stays(body, point) and not len(node_turns(body, point))


def stays(body: Body, point: np.ndarray) -> bool:
    """Whether no mode moves a node from its place in the body frame, nor its foreshortening."""
    assert body.flexible is not None
    modal, n = body.flexible.modal, node_at(body, point)
    moved = [(modal.nodes.S, modal.nodes.S[n])]
    if modal.stiffening is not None:
        moved.append((modal.stiffening.node_force, modal.stiffening.node_force[n]))
    return all(np.abs(own).max() <= STILL * np.abs(whole).max() for whole, own in moved)


def node_turns(body: Body, point: np.ndarray) -> np.ndarray:
    """Rotation vectors (.., 3) by which modes turn a node; empty if none does."""
    assert body.flexible is not None
    Theta = body.flexible.modal.nodes.Theta
    own = Theta[node_at(body, point)].T
    return own[np.abs(own).max(axis=1) > STILL * np.abs(Theta).max()]


def can_hang(body: Body, kind: str, place: Pose) -> bool:
    """Whether a flexible body can hang in the tree by a joint at a place of its frame.

    The node must stay where it is; it may turn about what the joint leaves free, and the coordinates of the joint in
    the tree are then those of the body frame.
    """
    if body.flexible is None or moves_with_frame(body, place.p):
        return True
    if kind not in ("revolute", "spherical") or not stays(body, place.p):
        return False
    turns = node_turns(body, place.p)
    return kind == "spherical" or bool(np.abs(np.cross(turns, place.R[:, 2])).max() <= STILL * np.abs(turns).max())


class Frames(NamedTuple):
    """A joint's frames on its two bodies, in their body frames."""

    kind: str
    a: str
    b: str
    on_a: Pose
    on_b: Pose

    def backward(self) -> Frames:
        """The joint said from B to A: both frames turned so that it has the same coordinates."""
        turn = backward_turn(self.kind)
        return Frames(self.kind, self.b, self.a, self.on_b @ turn, self.on_a @ turn)


def backward_turn(kind: str) -> Pose:
    """How both frames of a joint turn where it is said from B to A."""
    return Pose(np.array(JOINTS[kind].backward), np.zeros(3))


def coordinate_frames(joint: Joint, frames: Frames, coordinate: str) -> Frames:
    """The frames between which a joint coordinate is one number: those of the joint, or as seen from B."""
    return frames.backward() if MEASURED[joint.kind][coordinate].crossed else frames


def start_coordinate(poses: Mapping[str, Pose], joint: Joint, frames: Frames, coordinate: str) -> float:
    """A joint coordinate as modelled: its start value, or what the poses give (angles between -pi and pi)."""
    if joint.start_values is not None:
        return joint.start_values[joint.joint.coordinates.index(coordinate)]
    measured, frames = MEASURED[joint.kind][coordinate], coordinate_frames(joint, frames, coordinate)
    relative = (poses[frames.a] @ frames.on_a).inverse() @ poses[frames.b] @ frames.on_b
    if measured.kind == ANGLE:
        return float(np.arctan2(relative.R[1, 0], relative.R[0, 0]))
    return float(relative.p[measured.axis])


def joint_frames(mechanism: Mechanism) -> dict[str, Frames]:
    """F on A and M on B for every joint, from its point and axis in the world or from named frames."""
    poses = given_poses(mechanism)
    named = {frame.name: frame_pose(mechanism, frame) for frame in mechanism.frame}
    frames = {}
    for joint in mechanism.joint:
        a, b = joint.between
        if joint.frames is not None:
            on_a, on_b = named[joint.frames[0]], named[joint.frames[1]]
        else:
            at = np.array(joint.at if joint.at is not None else poses[b].p)
            place = poses[b] if joint.kind == "free" else Pose(_orientation(joint, mechanism), at)
            bent = place @ Pose(_bend(joint, place.R), np.zeros(3))
            on_a, on_b = poses[a].inverse() @ place, poses[b].inverse() @ bent
            if joint.kind == "free":
                on_a = poses[a].inverse() if a == GROUND else HERE
        frames[joint.name] = Frames(joint.kind, a, b, on_a, on_b)
    return frames


def _orientation(joint: Joint, mechanism: Mechanism) -> np.ndarray:
    """World axes of a joint placed by point and axis; in a plane mechanism one axis is the plane's normal."""
    if mechanism.plane is not None:
        normal = np.array(PLANES[mechanism.plane])
        if joint.joint.planar_normal == 1 and joint.axis is not None:
            z = np.array(joint.axis)
            return np.column_stack([np.cross(normal, z), normal, z])
        return plane_axes(mechanism.plane) if joint.axis is None else frame_with_axis(np.array(joint.axis))
    if joint.kind == "universal":
        z, x = np.array(joint.axis), np.array(joint.second_axis)
        return np.column_stack([x, np.cross(z, x), z])
    return np.eye(3) if joint.axis is None else frame_with_axis(np.array(joint.axis))


def _bend(joint: Joint, R: np.ndarray) -> np.ndarray:
    """Frame M in frame F at the start: turned, without twist, from shaft to shaft of a bent constant-velocity joint."""
    if joint.kind != "constant-velocity" or joint.second_axis is None:
        return np.eye(3)
    shaft = R.T @ np.array(joint.second_axis)
    across = np.cross([0.0, 0.0, 1.0], shaft)
    sine = float(np.linalg.norm(across))
    return np.eye(3) if sine < 1e-15 else axis_rotation(across / sine, float(np.arctan2(sine, shaft[2])))


def plane_axes(plane: str) -> np.ndarray:
    """Frame whose x and y axes are the plane's two, and z its normal."""
    first, second = (np.eye(3)["xyz".index(letter)] for letter in plane)
    return np.column_stack([first, second, np.array(PLANES[plane])])
