"""Frames: where the user put bodies and joints, as poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.joints import JOINTS, Joint
from linkwork.elements.rigid_body import Body, Frame
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


HERE = Pose(np.eye(3), np.zeros(3))


def said_poses(mechanism: Mechanism) -> dict[str, Pose]:
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


def moves_with_frame(body: Body, point: np.ndarray) -> bool:
    """Whether a point of a body stays where it is in the body frame: any of a rigid body, a node no mode moves."""
    if body.flexible is None:
        return True
    nodes, n = body.flexible.modal.nodes, node_at(body, point)
    size = max(float(np.abs(nodes.S).max()), 1e-300)
    turn = max(float(np.abs(nodes.Theta).max()), 1e-300)
    return bool(np.abs(nodes.S[n]).max() < 1e-9 * size and np.abs(nodes.Theta[n]).max() < 1e-9 * turn)


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


def joint_frames(mechanism: Mechanism) -> dict[str, Frames]:
    """F on A and M on B for every joint, from its point and axis in the world or from named frames."""
    poses = said_poses(mechanism)
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
