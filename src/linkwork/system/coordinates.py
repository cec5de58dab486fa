"""Between coordinates and places: poses and twists of bodies from a state, and the state from poses and twists."""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, HELIX, SLIDE
from linkwork.numerics.rotations import axis_rotation, euler_parameters, rotation_matrix
from linkwork.system.compile import Compiled
from linkwork.system.frames import HERE, Pose


def joint_pose(kind: JointKind, values: np.ndarray, pitch: float = 0.0) -> Pose:
    """Frame M in frame F for given joint coordinates; pitch (m/rad) of a screw."""
    pose, n = HERE, 0
    for motion, axis in kind.motions:
        count = 4 if motion == BALL else 1
        pose = pose @ motion_pose(motion, axis, values[n : n + count], pitch)
        n += count
    return pose


def motion_pose(motion: int, axis: int, values: np.ndarray, pitch: float) -> Pose:
    """An elementary motion."""
    if motion == BALL:
        return Pose(rotation_matrix(values), np.zeros(3))
    if motion == SLIDE:
        return Pose(np.eye(3), np.eye(3)[axis] * values[0])
    advance = pitch * values[0] if motion == HELIX else 0.0
    return Pose(axis_rotation(np.eye(3)[axis], values[0]), np.eye(3)[axis] * advance)


def joint_coordinates(kind: JointKind, relative: Pose) -> np.ndarray:
    """The joint coordinates that come nearest to a frame M given in F; angles between -pi and pi."""
    values: list[float] = []
    for motion, axis in kind.motions:
        if motion == BALL:
            own = list(euler_parameters(relative.R))
        elif motion == SLIDE:
            own = [float(relative.p[axis])]
        else:
            j, k = (axis + 1) % 3, (axis + 2) % 3
            own = [float(np.arctan2(relative.R[k, j], relative.R[j, j]))]
        values += own
        relative = motion_pose(motion, axis, np.array(own), 0.0).inverse() @ relative
    return np.array(values)


def coordinates_from_poses(compiled: Compiled, links: list[Pose]) -> np.ndarray:
    """q for bodies whose link frames are where `links` says (ground first), as near as the tree's joints allow."""
    q = np.zeros(compiled.layout.q_count)
    for joint in compiled.layout.tree:
        body = compiled.system.bodies[joint.body]
        inboard = links[joint.parent] @ Pose(body["R_PF"], body["p_PF"])
        q[joint.first_q : joint.first_q + joint.q_count] = joint_coordinates(
            joint.type, inboard.inverse() @ links[joint.body]
        )
    return q


def velocities_from_twists(compiled: Compiled, S: np.ndarray, V: np.ndarray) -> np.ndarray:
    """v for bodies with twists V about the reference points of their trees; S as evaluated at the same position."""
    v = np.zeros(compiled.layout.v_count)
    for joint in compiled.layout.tree:
        if joint.v_count:
            own = slice(joint.first_v, joint.first_v + joint.v_count)
            parent = V[joint.parent] if joint.parent else np.zeros(6)
            v[own] = np.linalg.lstsq(S[own].T, V[joint.body] - parent, rcond=None)[0]
    return v


def body_poses(compiled: Compiled, R: np.ndarray, p: np.ndarray) -> dict[str, Pose]:
    """Body frames in the world from evaluated link frames."""
    layout = compiled.layout
    return {name: Pose(R[i], p[i]) @ Pose(layout.R_LB[i], layout.p_LB[i]) for i, name in enumerate(layout.bodies)}
