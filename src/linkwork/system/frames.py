"""Frames: where the user put bodies and joints, as poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.kind import Directions, JointKind
from linkwork.errors import ModelError
from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import rotation_entries, rotation_matrix
from linkwork.numerics.stacking import as_rows
from linkwork.system.connections import Connections, connections_of, given


class Pose(NamedTuple):
    """A frame: orientation R and origin p (m) in another frame."""

    R: np.ndarray
    p: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """The other way round."""
        return Pose(self.R.T, -self.R.T @ self.p)


class Poses(NamedTuple):
    """Many frames at once, each in another frame."""

    R: np.ndarray  # [frame, 3, 3]
    p: np.ndarray  # [frame, 3] m

    def __matmul__(self, other: Poses) -> Poses:
        return Poses(self.R @ other.R, self.p + turned(self.R, other.p))

    def inverse(self) -> Poses:
        """The other way round."""
        back = self.R.transpose(0, 2, 1)
        return Poses(back, -turned(back, self.p))

    def some(self, places: np.ndarray | slice) -> Poses:
        """Those at these places."""
        return Poses(self.R[places], self.p[places])

    def one(self, place: int) -> Pose:
        """That at this place."""
        return Pose(self.R[place], self.p[place])

    def put(self, places: np.ndarray | slice | int, poses: Poses | Pose) -> None:
        """Others at these places."""
        self.R[places], self.p[places] = poses

    @classmethod
    def still(cls, count: int) -> Poses:
        """So many that are those in which they are given."""
        R = np.empty((count, 3, 3))
        R[:] = np.eye(3)
        return cls(R, np.zeros((count, 3)))


class NamedPoses(Mapping[str, Pose]):
    """Frames by name, and all of them as arrays (`every`) in the order of their names."""

    def __init__(self, places: Mapping[str, int], every: Poses) -> None:
        self.places, self.every = places, every

    def __getitem__(self, name: str) -> Pose:
        return self.every.one(self.places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def turned(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """R[n] @ vectors[n] of each n."""
    return np.asarray((R @ vectors[:, :, None])[:, :, 0])


def rotation_matrices(e: np.ndarray) -> np.ndarray:
    """R(e) for Euler parameters [n, 4], scalar first: [n, 3, 3]."""
    return np.stack(rotation_entries.py_func(*e.T), axis=-1).reshape(-1, 3, 3)


STILL = 1e-9  # of the largest displacement or rotation of any node: none
HERE = Pose(np.eye(3), np.zeros(3))


def given_poses(mechanism: Mechanism) -> NamedPoses:
    """Where the user put the bodies; ground first."""
    connections = connections_of(mechanism)
    body, poses = connections.body, Poses.still(len(connections.body_places))
    poses.put(slice(1, None), Poses(rotation_matrices(as_rows(body.orientation, 4)), as_rows(body.at, 3)))
    return NamedPoses(connections.body_places, poses)


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
    return np.asarray(own[np.abs(own).max(axis=1) > STILL * np.abs(Theta).max()])


def can_hang(body: Body, joint: JointKind, place: Pose) -> bool:
    """Whether a flexible body can hang in the tree by a joint at a place of its frame.

    The node must stay where it is; it may turn about what the joint leaves free, and the coordinates of the joint in
    the tree are then those of the body frame.
    """
    if body.flexible is None or moves_with_frame(body, place.p):
        return True
    return stays(body, place.p) and joint.leaves_free(node_turns(body, place.p) @ place.R)


class Frames(NamedTuple):
    """A joint's frames on its two bodies, in their body frames."""

    type: JointKind
    a: str
    b: str
    on_a: Pose
    on_b: Pose

    def backward(self) -> Frames:
        """The joint seen from B to A, with both frames turned as its kind has it."""
        kind, turn, _ = self.type.reversal
        turned = Pose(np.array(turn), np.zeros(3))
        return Frames(kind, self.b, self.a, self.on_b @ turned, self.on_a @ turned)


def coordinate_frames(joint: Joint, frames: Frames, coordinate: str) -> Frames:
    """The frames between which a joint coordinate is one number: those of the joint, or as seen from B."""
    return frames.backward() if joint.type.measured[coordinate].crossed else frames


def start_coordinate(poses: Mapping[str, Pose], joint: Joint, frames: Frames, coordinate: str) -> float:
    """A joint coordinate as modelled: its start value, or what the poses give (angles between -pi and pi)."""
    if joint.start_values is not None:
        return joint.start_values[joint.type.coordinates.index(coordinate)]
    measured, frames = joint.type.measured[coordinate], coordinate_frames(joint, frames, coordinate)
    relative = (poses[frames.a] @ frames.on_a).inverse() @ poses[frames.b] @ frames.on_b
    if measured.kind == ANGLE:
        return float(np.arctan2(relative.R[1, 0], relative.R[0, 0]))
    return float(relative.p[measured.axis])


class PlacedJoints(Mapping[str, Frames]):
    """F on A and M on B of every joint by name, from its point and axis in the world or from named frames; and as
    arrays over the joints.
    """

    def __init__(self, connections: Connections, bodies: NamedPoses | None = None) -> None:
        """`bodies`: where they are given."""
        self.connections, self.mechanism = connections, connections.mechanism
        self.places, count = connections.joint_places, len(connections.joint_places)
        self.on_a, self.on_b = Poses.still(count), Poses.still(count)
        framed = given(connections.joint.frames)
        needs_place = np.array([kind.needs_place for kind in connections.kinds], bool)[connections.kind]
        needs_place[framed] = False
        self.of_bodies = ~needs_place  # joints whose frames are those of their bodies
        self.of_bodies[framed] = False
        self._put_at_points(np.flatnonzero(needs_place), (bodies or given_poses(self.mechanism)).every)
        self._put_at_frames(framed)

    def _put_at_points(self, own: np.ndarray, bodies: Poses) -> None:
        """Those of joints that are placed by a point of the world and axes."""
        joint, ends = self.connections.joint, self.connections.ends[own]
        at = as_rows((joint.at[k] or () for k in own.tolist()), 3)
        directions = [map(column.__getitem__, own.tolist()) for column in (joint.kind, joint.axis, joint.second_axis)]
        placed = list(zip(*directions, strict=True))
        code = {key: k for k, key in enumerate(dict.fromkeys(placed))}  # most joints have the axes of others
        R_WF, R_FM = np.zeros((2, len(code), 3, 3))
        kinds = {kind.name: kind for kind in self.connections.kinds}
        for k, (name, *axes) in enumerate(code):
            R_WF[k] = kinds[name].axes_of_F(Directions(*axes), self.mechanism.plane)
            R_FM[k] = kinds[name].axes_of_M(Directions(*axes), R_WF[k])
        of_joint = [code[key] for key in placed]
        for side, (frames, R) in enumerate(((self.on_a, R_WF), (self.on_b, R_WF @ R_FM))):
            frames.put(own, bodies.some(ends[:, side]).inverse() @ Poses(R[of_joint], at))

    def _put_at_frames(self, own: list[int]) -> None:
        """Those of joints that are given by named frames."""
        mechanism = self.mechanism
        named = {frame.name: frame_pose(mechanism, frame) for frame in mechanism.frame} if own else {}
        for k in own:
            frames = self.connections.joint.frames[k]
            assert frames is not None
            self.on_a.put(k, named[frames[0]])
            self.on_b.put(k, named[frames[1]])

    def __getitem__(self, name: str) -> Frames:
        k = self.places[name]
        joint = self.mechanism.joint[k]
        on_both = (HERE, HERE) if self.of_bodies[k] else (self.on_a.one(k), self.on_b.one(k))
        return Frames(joint.type, *joint.between, *on_both)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def joint_frames(mechanism: Mechanism) -> PlacedJoints:
    """F on A and M on B for every joint, from its point and axis in the world or from named frames."""
    return PlacedJoints(connections_of(mechanism))
