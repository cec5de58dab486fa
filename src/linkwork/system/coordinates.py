"""Between coordinates and places: poses and twists of bodies from a state, and the state from poses and twists."""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints import BALL, JOINTS, ROTATE
from linkwork.numerics.rotations import axis_rotation, euler_parameters, rotation_matrix
from linkwork.system.compile import Compiled, Pose


def joint_pose(kind: str, values: np.ndarray) -> Pose:
    """Frame M in frame F for given joint coordinates."""
    R, p, n = np.eye(3), np.zeros(3), 0
    for motion, axis in JOINTS[kind].motions:
        if motion == BALL:
            R = R @ rotation_matrix(values[n : n + 4])
            n += 4
            continue
        if motion == ROTATE:
            R = R @ axis_rotation(np.eye(3)[axis], values[n])
        else:
            p = p + R[:, axis] * values[n]
        n += 1
    return Pose(R, p)


def joint_coordinates(kind: str, relative: Pose) -> np.ndarray:
    """The joint coordinates that come nearest to a frame M given in F; angles between -pi and pi."""
    values: list[float] = []
    for motion, axis in JOINTS[kind].motions:
        if motion == BALL:
            values += list(euler_parameters(relative.R))
        elif motion == ROTATE:
            j, k = (axis + 1) % 3, (axis + 2) % 3
            values.append(float(np.arctan2(relative.R[k, j], relative.R[j, j])))
        else:
            values.append(float(relative.p[axis]))
    return np.array(values)


def coordinates_from_poses(compiled: Compiled, links: list[Pose]) -> np.ndarray:
    """q for bodies whose link frames are where `links` says (ground first), as near as the tree's joints allow."""
    q = np.zeros(compiled.layout.q_count)
    for joint in compiled.layout.tree:
        body = compiled.system.bodies[joint.body]
        inboard = links[joint.parent] @ Pose(body["R_PF"], body["p_PF"])
        q[joint.first_q : joint.first_q + joint.q_count] = joint_coordinates(
            joint.kind, inboard.inverse() @ links[joint.body]
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
