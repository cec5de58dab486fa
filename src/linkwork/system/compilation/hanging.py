"""On what the bodies of a tree hang: the joints of the topology from the parent to the body, as arrays over them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.elements.declaration.planes import plane_axes
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.registry import floating_kind
from linkwork.system.frames import NamedPoses, PlacedJoints, Poses
from linkwork.system.topology import Topology


class Hanging(NamedTuple):
    """The joints on which bodies hang, in the order of the tree, with their frames on the parent and on the body."""

    names: list[str]  # of the joint, or of the body that floats
    kinds: tuple[JointKind, ...]  # that there are, from the parent to the body
    kind: np.ndarray  # place among these
    on_parent: Poses
    on_body: Poses
    of_parent: np.ndarray  # whether the frame on the parent is that of the parent itself
    pitch: np.ndarray  # m/rad, of a screw


def hanging(topology: Topology, bodies: NamedPoses, joints: PlacedJoints) -> Hanging:
    """On what each body hangs: on its joint, or freely on ground (in a planar mechanism freely in its plane)."""
    connections, count = joints.connections, len(topology.body)
    on_parent, on_body = Poses.still(count), Poses.still(count)
    held, free = np.flatnonzero(topology.joint >= 0), np.flatnonzero(topology.joint < 0)
    kinds = [*connections.kinds, floating_kind(connections.mechanism.plane)]
    kind, of_parent = np.full(count, len(kinds) - 1), np.ones(count, bool)
    kind[held] = connections.kind[topology.joint[held]]
    forward, backward = held[~topology.backward[held]], held[topology.backward[held]]
    own = topology.joint[forward]
    on_parent.put(forward, joints.on_a.some(own))
    on_body.put(forward, joints.on_b.some(own))
    of_parent[forward], of_parent[backward] = joints.of_bodies[own], False
    for code in dict.fromkeys(kind[backward].tolist()):
        turned_kind, turn, _ = kinds[code].reversal
        these = backward[kind[backward] == code]
        own, turned = topology.joint[these], Poses(np.array(turn), np.zeros((1, 3)))
        on_parent.put(these, joints.on_b.some(own) @ turned)
        on_body.put(these, joints.on_a.some(own) @ turned)
        kind[these] = len(kinds)
        kinds.append(turned_kind)
    if connections.mechanism.plane is not None:
        axes, at = plane_axes(connections.mechanism.plane), bodies.every.some(topology.body[free])
        height = (at.p @ axes[:, 2])[:, None] * axes[:, 2]  # the plane in which this body moves
        on_parent.put(free, Poses(axes, height))
        on_body.put(free, at.inverse() @ Poses(axes, at.p))
    names, pitch = _names(topology, joints), _pitch(topology, joints)
    return Hanging(names, tuple(kinds), kind, on_parent, on_body, of_parent, pitch)


def _names(topology: Topology, joints: PlacedJoints) -> list[str]:
    """Of the joint, or of the body that floats."""
    of_joints, of_bodies = joints.connections.joint.name, joints.connections.body.name
    own = zip(topology.joint.tolist(), topology.body.tolist(), strict=True)
    return [of_joints[j] if j >= 0 else of_bodies[b - 1] for j, b in own]


def _pitch(topology: Topology, joints: PlacedJoints) -> np.ndarray:
    """m/rad, of a screw; 0 of other joints."""
    pitch = np.zeros(len(topology.joint))
    screws = [kind.needs_pitch for kind in joints.connections.kinds]
    of_joint = np.append(np.array(screws, bool)[joints.connections.kind], False)  # the last: of no joint
    for k in np.flatnonzero(of_joint[topology.joint]):
        pitch[k] = joints.connections.mechanism.joint[topology.joint[k]].advance
    return pitch
