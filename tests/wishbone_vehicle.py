"""The HMMWV's energies in NumPy alone: ten coordinates, corners by intersected spheres (wishbone.py).

Coordinates: displacement of the chassis (m), its rotation vector (rad), turn of each lower arm (rad).  What is here was
written without linkwork's kernels, from the paper's numbers and the hardpoints: a second way to ride frequencies.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwork.library.hmmwv import (
    AXLES,
    CHASSIS,
    CHASSIS_INERTIA,
    FREE_LENGTH,
    KNUCKLE,
    LOWER_ARM,
    SPRINGS,
    TYRE,
    UPPER_ARM,
    chassis_centre,
    hardpoint,
    spring_end,
)
from wishbone import corner

G = 9.81
MIRROR = np.diag([1.0, -1.0, 1.0])
CORNERS = [(axle, mirrored) for axle in AXLES for mirrored in (False, True)]
MASSES = [(CHASSIS, CHASSIS_INERTIA), *4 * [LOWER_ARM, UPPER_ARM, KNUCKLE]]


def rotation(vector: np.ndarray) -> np.ndarray:
    """Of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    k = vector / angle
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


@cache
def left_corner(axle: str, angle: float) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray, float]:
    """Poses (R, centre of mass) of both arms and knuckle, wheel's centre, spring's length; the chassis as said."""
    there = corner(axle)
    R, spindle, lower, upper = there.at(angle)
    poses = []
    for key, ball in (("lower", lower), ("upper", upper)):
        a, b = there.p[f"{key} a"], there.p[f"{key} b"]
        k = (b - a) / np.linalg.norm(b - a)
        before, now = (np.cross(k, point - a) for point in (there.p[key], ball))
        turn = rotation(k * np.arctan2(k @ np.cross(before, now), before @ now))
        poses.append((turn, a + turn @ (hardpoint(axle, "left", f"{key}_arm", "cg") - a)))
    poses.append((R, lower + R @ (hardpoint(axle, "left", "upright_cg") - there.p["lower"])))
    a = there.p["lower a"]
    foot = a + poses[0][0] @ (hardpoint(axle, "left", "shock", "arm") - a)
    return poses, spindle, float(np.linalg.norm(foot - spring_end(axle, "left")))


def bodies(x: np.ndarray) -> tuple[list[tuple[np.ndarray, np.ndarray]], float]:
    """World poses of all bodies, and the energy of springs and tyres, J."""
    said, turn = chassis_centre(), rotation(x[3:6])
    found, energy = [(turn, said + x[:3])], 0.0
    for (axle, mirrored), angle in zip(CORNERS, x[6:], strict=True):
        poses, spindle, length = left_corner(axle, float(angle))
        flip = MIRROR if mirrored else np.eye(3)
        for R, p in poses:
            found.append((turn @ flip @ R @ flip, said + x[:3] + turn @ (flip @ p - said)))
        height = (said + x[:3] + turn @ (flip @ spindle - said))[2]
        axle_now = found[-1][0][:, 1]
        pressed = TYRE["radius"] - height / np.hypot(axle_now[0], axle_now[1])
        energy += 0.5 * TYRE["stiffness"] * max(pressed, 0.0) ** 2
        energy += 0.5 * SPRINGS[axle][0] * (length - FREE_LENGTH) ** 2
    return found, energy


def potential(x: np.ndarray) -> float:
    """Weight, springs and tyres, J."""
    found, energy = bodies(x)
    return energy + sum(mass * G * p[2] for (mass, _), (_, p) in zip(MASSES, found, strict=True))


def second_differences(x: np.ndarray, h: float) -> np.ndarray:
    """Of the potential."""
    n, steps = len(x), h * np.eye(len(x))
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            ends = [a * b * potential(x + a * steps[i] + b * steps[j]) for a in (1, -1) for b in (1, -1)]
            K[i, j] = K[j, i] = sum(ends) / (4.0 * h * h)
    return K


def stiffness(x: np.ndarray) -> np.ndarray:
    """Second differences, their error of second order taken out (Richardson)."""
    return (4.0 * second_differences(x, 1e-3) - second_differences(x, 2e-3)) / 3.0


def equilibrium() -> np.ndarray:
    """Newton with least change: nothing resists x, y and yaw."""
    x, h = np.zeros(10), 2e-5
    for _ in range(8):
        slope = [(potential(x + step) - potential(x - step)) / (2.0 * h) for step in h * np.eye(10)]
        x = x - np.linalg.lstsq(second_differences(x, 1e-3), np.array(slope), rcond=1e-7)[0]
    return x


def mass(x: np.ndarray, h: float = 1e-4) -> np.ndarray:
    """Of all bodies, by differences of their poses."""
    here = bodies(x)[0]
    ends = [[bodies(x + sign * step)[0] for sign in (1, -1)] for step in h * np.eye(10)]
    M = np.zeros((10, 10))
    for k, (m, inertia) in enumerate(MASSES):
        v = np.array([(plus[k][1] - minus[k][1]) / (2.0 * h) for plus, minus in ends])
        W = [(plus[k][0] - minus[k][0]) / (2.0 * h) @ here[k][0].T for plus, minus in ends]
        w = np.array([(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) for S in W]) / 2.0
        M += m * v @ v.T + w @ here[k][0] @ np.diag(inertia) @ here[k][0].T @ w.T
    return M
