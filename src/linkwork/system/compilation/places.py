"""Places: bodies of the tree, frames on them, and joint coordinates, from names to numbers.

A body of the tree is described in its link frame, the outboard frame of the joint on which it hangs.  What is attached
to a flexible body is carried by one of its nodes, a body of the tree itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from linkwork.elements.context import Pair, PairNumber, Point
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.frame_pairs import DISTANCE
from linkwork.errors import ModelError, nearest
from linkwork.mechanism import GROUND
from linkwork.system.connections import given
from linkwork.system.frames import (
    HERE,
    NamedPoses,
    PlacedJoints,
    Pose,
    Poses,
    coordinate_frames,
    frame_pose,
    moves_with_frame,
    node_name,
    start_coordinate,
)


class Places:
    """What the names of bodies, frames and joints mean in the tables."""

    def __init__(
        self, bodies: NamedPoses, joints: PlacedJoints, order: np.ndarray, links: Poses, nodes: Collection[str]
    ) -> None:
        """`bodies`: where they are given; of those in the `order` of the tree, by their places in the model, `links`
        are the link frames in the body frames; `nodes`: those in use.
        """
        self.mechanism = mechanism = joints.mechanism
        self.joint_frames, self.poses = joints, bodies
        flexible = given(joints.connections.body.flexible)
        self.flexible = {body.name: body for body in (mechanism.body[k] for k in flexible)}
        self.nodes: dict[str, int] = {}  # in use, "body.node" -> number of the node
        self.names = [*bodies]  # of the bodies of the model, ground first
        tree = [self.names[k] for k in order.tolist()]
        inserted = [self._nodes_of(name, nodes) for name in tree]
        first = np.cumsum([1, *(1 + len(own) for own in inserted)])
        self.of_body = np.zeros(len(self.names), np.int64)  # their places among the bodies of the tree
        self.of_body[order] = first[:-1]
        every = [GROUND, *chain.from_iterable((name, *own) for name, own in zip(tree, inserted, strict=True))]
        self.index = {name: k for k, name in enumerate(every)}  # of the bodies of the tree
        self.links = NamedPoses(self.index, Poses.still(len(every)))  # link frame in the body frame
        self.links.every.put(first[:-1], links)

    def _nodes_of(self, body: str, nodes: Collection[str]) -> Sequence[str]:
        """The nodes of a body that are in use."""
        flexible = self.flexible[body].flexible if body in self.flexible else None
        if flexible is None:
            return ()
        names = (f"{body}.{name}" for name in flexible.modal.nodes.names)
        own = {name: k for k, name in enumerate(names) if name in nodes}
        self.nodes |= own
        return [*own]

    @cached_property
    def joints(self) -> dict[str, Joint]:
        """The joints of the model by name."""
        return {joint.name: joint for joint in self.mechanism.joint}

    # -- frames -------------------------------------------------------------------------------------------------
    def carrier(self, body: str, pose: Pose) -> tuple[str, Pose]:
        """The body of the tree that carries a frame, and the frame in its link frame: of a flexible body, a node.

        HERE is the body frame itself, which no mode moves.
        """
        if body in self.flexible and pose is not HERE and not moves_with_frame(self.flexible[body], pose.p):
            name = node_name(self.flexible[body], pose.p)
            return name, Pose(self.links[body].R.T @ pose.R, np.zeros(3))
        return body, self.links[body].inverse() @ pose

    def carriers(self, bodies: np.ndarray, frames: Poses, of_bodies: np.ndarray) -> tuple[np.ndarray, Poses]:
        """The same of many, by the places of the bodies in the model: places in the tree, frames there; `of_bodies`:
        which of the frames are those of the bodies themselves.
        """
        places = self.of_body[bodies]
        found = self.links.every.some(places).inverse() @ frames
        for k in np.flatnonzero(~of_bodies).tolist() if self.flexible else ():
            if (name := self.names[bodies[k]]) in self.flexible:
                carrier, there = self.carrier(name, frames.one(k))
                places[k] = self.index[carrier]
                found.put(k, there)
        return places, found

    def axes(self, body: str) -> np.ndarray:
        """Orientation of the body frame in the world, as modelled."""
        return self.poses[body].R

    def in_world(self, body: str, at: Point) -> np.ndarray:
        """A point of the body frame in the world, as modelled."""
        return np.asarray(self.poses[body].p + self.poses[body].R @ np.array(at))

    def on_body(self, body: str, at: Point, *, rigid: bool = False) -> tuple[int, np.ndarray, np.ndarray]:
        """What carries a point of the body frame: its index, the point in its link frame, and body axes there."""
        pose = Pose(np.eye(3), np.array(at, float))
        carrier, there = (body, self.links[body].inverse() @ pose) if rigid else self.carrier(body, pose)
        return self.index[carrier], there.p, there.R

    def named(self, name: str, who: str) -> tuple[str, Pose]:
        """The body, and the frame on it, that the name of a body or of a frame means."""
        for frame in self.mechanism.frame:
            if frame.name == name:
                return frame.body, frame_pose(self.mechanism, frame)
        if name in self.poses:
            return name, HERE
        known = [*self.poses, *(frame.name for frame in self.mechanism.frame)]
        raise ModelError(f"{who}: there is no body or frame '{name}'; {nearest(name, known)}", element=who)

    # -- two frames ---------------------------------------------------------------------------------------------
    def pair(self, a: str, on_a: Pose, b: str, on_b: Pose) -> Pair:
        """Frames given in the body frames."""
        (a, F), (b, M) = self.carrier(a, on_a), self.carrier(b, on_b)
        return self.index[a], self.index[b], F.R, F.p, M.R, M.p

    def frame_pair(
        self, between: tuple[str, str], frames: tuple[str, str] | None, points: Sequence[Point] | None,
        axes: np.ndarray | Sequence[np.ndarray],
    ) -> Pair:  # fmt: skip
        """Two named frames, or frames with these axes (one set, or one each) at points of the world."""
        (a, b), both = between, (axes, axes) if isinstance(axes, np.ndarray) else axes
        if frames is not None:
            (_, on_a), (_, on_b) = (self.named(name, name) for name in frames)
        else:
            assert points is not None
            on_a, on_b = (
                self.poses[body].inverse() @ Pose(R, np.array(at, float))
                for body, R, at in zip(between, both, points, strict=True)
            )
        return self.pair(a, on_a, b, on_b)

    def body_pair(self, body: str) -> Pair:
        """The frame of the world and that of a body."""
        return self.pair(GROUND, HERE, body, HERE)

    def joint_pair(self, joint: str) -> Pair:
        """The frames of a joint."""
        a, b, R_AF, p_AF, R_BM, p_BM = self.joint_pairs
        k = self.joint_frames.places[joint]
        return int(a[k]), int(b[k]), R_AF[k], p_AF[k], R_BM[k], p_BM[k]

    @cached_property
    def joint_pairs(self) -> tuple[np.ndarray, ...]:
        """Those of all joints, as arrays."""
        joints, ends = self.joint_frames, self.joint_frames.connections.ends
        a, on_a = self.carriers(ends[:, 0], joints.on_a, joints.of_bodies)
        b, on_b = self.carriers(ends[:, 1], joints.on_b, joints.of_bodies)
        return a, b, *on_a, *on_b

    # -- numbers between them -----------------------------------------------------------------------------------
    def distance(self, between: tuple[str, str], points: Sequence[Point]) -> PairNumber:
        """The distance of two points of the world."""
        return PairNumber(DISTANCE, 0, 0, self.frame_pair(between, None, points, np.eye(3)))

    def coordinate(self, joint: str, coordinate: str | None, who: str) -> PairNumber:
        """A joint coordinate."""
        if joint not in self.joints:
            raise ModelError(f"{who}: there is no joint '{joint}'; {nearest(joint, self.joints)}", element=who)
        declared = self.joints[joint]
        try:
            name = one_coordinate(declared, coordinate, who)
        except ValueError as failure:
            raise ModelError(str(failure), element=who) from None
        measured, frames = declared.type.measured[name], coordinate_frames(declared, self.joint_frames[joint], name)
        pair = self.pair(frames.a, frames.on_a, frames.b, frames.on_b)
        return PairNumber(measured.kind, measured.axis, 0, pair, joint, name)

    def start_of(self, number: PairNumber) -> float:
        """A joint coordinate as modelled: its start value, or what the poses give (angles between -pi and pi)."""
        joint = self.joints[number.joint]
        return start_coordinate(self.poses, joint, self.joint_frames[number.joint], number.coordinate)

    def rate_of(self, number: PairNumber) -> float:
        """The rate at the start that the model gives a joint coordinate, rad/s or m/s."""
        joint = self.joints[number.joint]
        rates = joint.rate_values
        return rates[joint.type.coordinates.index(number.coordinate)] if rates else 0.0
