"""Joint coordinates and their rates from the motion of the bodies, where the formulation has no coordinate for them.

With F on A and M on B, R the rotation of M in F, d the origin of M in F, and w the angular velocity of B against A:

    sliding:  d,  d' = R_F^T (v_M - v_A)                   v_A: of the point of A that is now at M
    turning about z of F:  a = atan2(R_yx, R_xx),  a' = w_z
    the second pin of a cross, along x after the first:  b = atan2(R_zy, R_zz),  b' = (cos a, sin a, 0) . w
    a ball: Euler parameters of R, and w in the axes of F
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, SLIDE
from linkwork.errors import OptionError
from linkwork.expressions import parse, values
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters, rotation_matrix
from linkwork.system.frames import Frames, Pose, joint_frames

if TYPE_CHECKING:
    from linkwork.results.result import Result

UNSURE = 0.5 * np.pi  # rad: where the angle differs by more from what the rates foretell, or they change by so much


def joint_channel_names(result: Result) -> list[str]:
    """Names of the coordinates and rates of joints between rigid bodies."""
    mechanism = result.mechanism
    rigid = {GROUND, *(body.name for body in mechanism.body if body.flexible is None)}
    joints = [joint for joint in mechanism.joint if set(joint.between) <= rigid]
    return [f"{j.name}.{what}" for j in joints for what in (*j.type.coordinates, *j.type.velocities)]


def joint_channel(result: Result, name: str) -> np.ndarray:
    """The time history of one of `joint_channel_names`; angles are counted past one turn from sample to sample."""
    mechanism = result.mechanism
    joint, _, what = name.partition(".")
    frames = joint_frames(mechanism)[joint]
    kind = frames.type
    q, v = _coordinates(result, frames)
    if what in kind.velocities:
        return v[:, kind.velocities.index(what)]
    k = kind.coordinates.index(what)
    if not kind.turns(what):
        return q[:, k]
    return _counted(name, result.t, q[:, k], v[:, k], _first_turn(mechanism, joint, what, result.t))


def _coordinates(result: Result, frames: Frames) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates, angles between -pi and pi, and velocities of a joint: [sample, coordinate], [sample, velocity]."""
    R_F, p_F, v_F, w_A = _motion(result, frames.a, frames.on_a)
    R_M, p_M, v_M, w_B = _motion(result, frames.b, frames.on_b)
    in_F = np.transpose(R_F, (0, 2, 1))
    R = in_F @ R_M
    d = np.einsum("nij,nj->ni", in_F, p_M - p_F)
    d_dot = np.einsum("nij,nj->ni", in_F, v_M - v_F - np.cross(w_A, p_M - p_F))
    w = np.einsum("nij,nj->ni", in_F, w_B - w_A)
    return coordinates_of_motion(frames.type, R, d, d_dot, w)


def coordinates_of_motion(
    kind: JointKind, R: np.ndarray, d: np.ndarray, d_dot: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """q and v of a joint, angles between -pi and pi, from the motion of M in F and in its axes, sample by sample."""
    a = np.arctan2(R[:, 1, 0], R[:, 0, 0])
    q: list[np.ndarray] = []
    v: list[np.ndarray] = []
    for motion, axis in kind.motions:
        if motion == SLIDE:
            q.append(d[:, axis])
            v.append(d_dot[:, axis])
        elif motion == BALL:
            e = euler_parameters(R)
            same = np.where(np.sum(e[1:] * e[:-1], axis=1) < 0.0, -1.0, 1.0)
            q += list((e * np.cumprod([1.0, *same])[:, None]).T)
            v += list(w.T)
        elif axis == 2:
            q.append(a)
            v.append(w[:, 2])
        else:
            q.append(np.arctan2(R[:, 2, 1], R[:, 2, 2]))
            v.append(np.cos(a) * w[:, 0] + np.sin(a) * w[:, 1])
    return np.column_stack(q), np.column_stack(v)


def _motion(result: Result, body: str, on_body: Pose) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A frame on a body at every sample: axes, origin (m), velocity of the origin (m/s), angular velocity (rad/s)."""
    count = len(result.t)
    if body == GROUND:
        still = np.zeros((count, 3))
        return np.tile(on_body.R, (count, 1, 1)), np.tile(on_body.p, (count, 1)), still, still
    moved = result.moved(body)
    R = np.array([rotation_matrix(e) for e in moved.orientation]).reshape(count, 3, 3)
    arm, w = R @ on_body.p, moved.angular_velocity
    return R @ on_body.R, moved.position + arm, moved.velocity + np.cross(w, arm), w


def _first_turn(mechanism: Mechanism, joint: str, coordinate: str, t: np.ndarray) -> float:
    """Near which angle the counting starts: that of a driver, or as the joint gives it; else within half a turn."""
    given = next(j for j in mechanism.joint if j.name == joint)
    for driver in mechanism.driver:
        if driver.joint != joint or driver.motion is None or driver.since > 0.0 or not len(t):
            continue
        if one_coordinate(given, driver.coordinate, driver.name) == coordinate:
            return values(parse(driver.motion, scope=mechanism.scope(None, mechanism.tables())), float(t[0]))[0]
    return 0.0 if given.start_values is None else given.start_values[given.type.coordinates.index(coordinate)]


def _counted(name: str, t: np.ndarray, angle: np.ndarray, rate: np.ndarray, first: float) -> np.ndarray:
    """Angles on the turns to which the rates at the samples lead; refused where that is not certain."""
    counted = angle.copy()
    for n in range(len(t)):
        ahead = first if n == 0 else counted[n - 1] + 0.5 * (rate[n - 1] + rate[n]) * (t[n] - t[n - 1])
        counted[n] += 2.0 * np.pi * np.round((ahead - angle[n]) / (2.0 * np.pi))
        if n and max(abs(counted[n] - ahead), 0.5 * abs(rate[n] - rate[n - 1]) * (t[n] - t[n - 1])) > UNSURE:
            raise OptionError(
                f"channel '{name}': the samples at {t[n - 1]:g} s and {t[n]:g} s are too far apart to count its turns; "
                f"give a smaller `every`, or a measure coordinate({name.replace('.', ', ')})",
                element=name,
            )
    return counted
