"""Nodes of flexible bodies in use: those at which something is attached become bodies of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from linkwork.elements.declaration.base import Element
from linkwork.expressions import Table
from linkwork.mechanism import Mechanism
from linkwork.mechanism.mentions import references
from linkwork.system.connections import given
from linkwork.system.frames import (
    HERE,
    Frames,
    PlacedJoints,
    Pose,
    frame_pose,
    given_poses,
    moves_with_frame,
    node_name,
)


def nodes_in_use(joints: PlacedJoints, held: bool) -> set[str]:
    """Names 'body.node'; `held`: with rows that keep bodies where the model fixes them."""
    mechanism = joints.connections.mechanism
    flexible = {body.name: body for body in (mechanism.body[k] for k in given(joints.connections.body.flexible))}
    if not flexible:
        return set()
    return {
        node_name(flexible[body], pose.p)
        for body, pose in _attached(mechanism, joints, held)
        if body in flexible and pose is not HERE and not moves_with_frame(flexible[body], pose.p)
    }


def _attached(mechanism: Mechanism, joints: Mapping[str, Frames], held: bool) -> Iterator[tuple[str, Pose]]:
    """Every body with a place on it, in its frame, at which something is attached."""
    poses = given_poses(mechanism)
    for frames in joints.values():
        yield frames.a, frames.on_a
        yield frames.b, frames.on_b
    tables = mechanism.tables()
    used = {name for element in mechanism.elements() for name in _names_used(mechanism, element, tables)}
    for frame in mechanism.frame:
        if frame.name in used:
            yield frame.body, frame_pose(mechanism, frame)
    for element in mechanism.elements():
        for place in element.attachments():
            in_world = poses[place.frame] @ Pose(np.eye(3), np.array(place.at))
            yield place.body, poses[place.body].inverse() @ in_world
    if held:
        yield from ((body.name, Pose(np.eye(3), np.zeros(3))) for body in mechanism.body if body.fixed)


def _names_used(mechanism: Mechanism, element: Element, tables: Mapping[str, Table]) -> Iterator[str]:
    """Names to which an element refers, also in its expressions."""
    yield from (name for _, name in element.refers())
    for _, names in references(mechanism, element, tables):
        yield from names
