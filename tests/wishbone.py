"""A double wishbone by intersecting circles and spheres alone: the position of a corner, by none of linkwork's kernels.

Lower ball joint: on the circle that it describes about the lower arm's axis.  Upper ball joint: on its own circle, at
the knuckle's length from the lower one.  Tie rod's outer end: where three spheres meet, about the lower ball, the upper
ball and the rod's inner end.  These three points carry the knuckle.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from linkwork.library.hmmwv import hardpoint


def turned(point: np.ndarray, a: np.ndarray, b: np.ndarray, angle: float) -> np.ndarray:
    """A point turned about the line from a to b (Rodrigues)."""
    k = (b - a) / np.linalg.norm(b - a)
    r = point - a
    return a + r * np.cos(angle) + np.cross(k, r) * np.sin(angle) + k * (k @ r) * (1.0 - np.cos(angle))


def three_spheres(c: list[np.ndarray], r: list[float], near: np.ndarray) -> np.ndarray:
    """The point at the distances r from the centres c; of the two that there are, the one nearer to `near`."""
    x = (c[1] - c[0]) / np.linalg.norm(c[1] - c[0])
    i = x @ (c[2] - c[0])
    y = c[2] - c[0] - i * x
    y /= np.linalg.norm(y)
    d, j = np.linalg.norm(c[1] - c[0]), y @ (c[2] - c[0])
    u = (r[0] ** 2 - r[1] ** 2 + d * d) / (2.0 * d)
    v = (r[0] ** 2 - r[2] ** 2 + i * i + j * j - 2.0 * i * u) / (2.0 * j)
    w = np.sqrt(r[0] ** 2 - u * u - v * v)
    found = [c[0] + u * x + v * y + s * w * np.cross(x, y) for s in (1.0, -1.0)]
    return min(found, key=lambda point: float(np.linalg.norm(point - near)))


class Corner:
    """Points of a corner at design height (m): arms by two chassis points and their ball joint, tie rod, spindle."""

    def __init__(self, points: dict[str, np.ndarray]) -> None:
        self.p = points

    def at(self, angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rotation of the knuckle, spindle, lower and upper ball for the lower arm turned by an angle (rad)."""
        p = self.p
        lower = turned(p["lower"], p["lower a"], p["lower b"], angle)
        length = np.linalg.norm(p["upper"] - p["lower"])

        def open_by(other: float) -> float:
            upper = turned(p["upper"], p["upper a"], p["upper b"], other)
            return float(np.linalg.norm(upper - lower) - length)

        guess = angle * np.linalg.norm(p["lower"] - p["lower a"]) / np.linalg.norm(p["upper"] - p["upper a"])
        step = 0.02
        while open_by(guess - step) * open_by(guess + step) > 0.0:
            step *= 1.5
        upper = turned(p["upper"], p["upper a"], p["upper b"], brentq(open_by, guess - step, guess + step, xtol=1e-15))
        outer = three_spheres(
            [lower, upper, p["rod in"]],
            [float(np.linalg.norm(p["rod out"] - p[k])) for k in ("lower", "upper", "rod in")],
            p["rod out"] + lower - p["lower"],
        )
        before = _axes(p["lower"], p["upper"], p["rod out"])
        R = _axes(lower, upper, outer) @ before.T
        return R, lower + R @ (p["spindle"] - p["lower"]), lower, upper


def _axes(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    x = (b - a) / np.linalg.norm(b - a)
    y = c - a - ((c - a) @ x) * x
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def corner(axle: str) -> Corner:
    """A left corner of the HMMWV."""

    def at(*path: str) -> np.ndarray:
        return hardpoint(axle, "left", *path)

    return Corner({
        "lower": at("lower_arm", "knuckle"), "lower a": at("lower_arm", "chassis_front"),
        "lower b": at("lower_arm", "chassis_rear"), "upper": at("upper_arm", "knuckle"),
        "upper a": at("upper_arm", "chassis_front"), "upper b": at("upper_arm", "chassis_rear"),
        "rod in": at("tie_rod", "chassis"), "rod out": at("tie_rod", "knuckle"), "spindle": at("spindle"),
    })  # fmt: skip
