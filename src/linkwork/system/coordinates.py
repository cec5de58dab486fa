"""Between coordinates and places: poses and twists of bodies from a state, and the state from poses and twists."""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, HELIX, SLIDE
from linkwork.numerics.rotations import euler_parameters
from linkwork.system.compile import Compiled
from linkwork.system.frames import NamedPoses, Poses, rotation_matrices
from linkwork.system.nearest_coordinates import nearest_coordinates


def joint_poses(kind: JointKind, values: np.ndarray, pitch: np.ndarray) -> Poses:
    """Frames M in frames F of joints of a kind, for their coordinates [joint, coordinate]; pitch (m/rad) of a screw."""
    count, n = len(values), 0
    poses = Poses(np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3)))
    for motion, axis in kind.motions:
        width = 4 if motion == BALL else 1
        poses = poses @ motion_poses(motion, axis, values[:, n : n + width], pitch)
        n += width
    return poses


def motion_poses(motion: int, axis: int, values: np.ndarray, pitch: np.ndarray) -> Poses:
    """An elementary motion, of each joint."""
    R, p = np.tile(np.eye(3), (len(values), 1, 1)), np.zeros((len(values), 3))
    if motion == BALL:
        return Poses(rotation_matrices(values), p)
    if motion == SLIDE:
        p[:, axis] = values[:, 0]
        return Poses(R, p)
    if motion == HELIX:
        p[:, axis] = pitch * values[:, 0]
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R[:, j, j] = R[:, k, k] = np.cos(values[:, 0])
    R[:, k, j] = np.sin(values[:, 0])
    R[:, j, k] = -R[:, k, j]
    return Poses(R, p)


def joint_coordinates(kind: JointKind, relative: Poses) -> np.ndarray:
    """The coordinates [joint, coordinate] that come nearest to frames M given in F; angles between -pi and pi."""
    values = [np.zeros((len(relative.p), 0))]
    for motion, axis in kind.motions:
        if motion == BALL:
            own = euler_parameters(relative.R)
        elif motion == SLIDE:
            own = relative.p[:, axis, None]
        else:
            j, k = (axis + 1) % 3, (axis + 2) % 3
            own = np.arctan2(relative.R[:, k, j], relative.R[:, j, j])[:, None]
        values.append(own)
        relative = motion_poses(motion, axis, own, np.zeros(len(own))).inverse() @ relative
    return np.hstack(values)


def coordinates_from_poses(compiled: Compiled, links: Poses, given: np.ndarray | None = None) -> np.ndarray:
    """q for bodies whose link frames are where `links` says (ground first), as near as the tree's joints allow.

    With coordinates that are `given` (NaN: those that are not) bodies follow those on which they hang.
    """
    system, q = compiled.system, np.zeros(compiled.layout.q_count)
    R, p = np.ascontiguousarray(links.R), np.ascontiguousarray(links.p)
    reached = R.copy(), p.copy()
    parents, known = ((R, p), np.full_like(q, np.nan)) if given is None else (reached, given)
    nearest_coordinates(system.bodies, system.dofs, R, p, *parents, known, *reached, q)
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


def body_poses(compiled: Compiled, R: np.ndarray, p: np.ndarray) -> NamedPoses:
    """Body frames in the world from evaluated link frames."""
    layout = compiled.layout
    places = {name: k for k, name in enumerate(layout.bodies)}
    return NamedPoses(places, Poses(R, p) @ Poses(layout.R_LB, layout.p_LB))
