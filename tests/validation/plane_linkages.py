"""Plane linkages for the tests: links and pins said by complex numbers x + i z, angles counted from x to z.

Every model can be had as a plane mechanism and as a spatial one; gravity along -z.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable

import numpy as np
from scipy.integrate import solve_ivp

from linkwork.mechanism import Mechanism
from linkwork.results.result import Result

GRAVITY = 9.81  # m/s2
FORMULATIONS = ("joint", "absolute")
UPWARD = "-y"  # axis of a rotation that carries x into z


def place(p: complex) -> tuple[float, float, float]:
    return (p.real, 0.0, p.imag)


def turned(angle: float) -> tuple[float, float, float, float]:
    """Euler parameters of a turn from x to z."""
    return (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)


def link(name: str, a: complex, b: complex, mass: float, inertia: float | None = None, **more) -> dict:
    """A straight link from a to b, its frame in the middle with x along it; without `inertia` (kg m2) a slender rod."""
    J = mass * abs(b - a) ** 2 / 12.0 if inertia is None else inertia
    pose = {"at": place((a + b) / 2), "orientation": turned(cmath.phase(b - a))}
    return {"name": name, "mass": mass, "inertia": (0.1 * J, J, J), **pose, **more}


def pin(name: str, a: str, b: str, at: complex, **more) -> dict:
    return {"name": name, "kind": "revolute", "between": (a, b), "at": place(at), "axis": UPWARD, **more}


def mechanism(
    bodies: Iterable[dict], joints: Iterable[dict], plane: str | None = "xz", gravity: float = GRAVITY, **more
) -> Mechanism:
    parts = {"body": tuple(bodies), "joint": tuple(joints), **more}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, -gravity), "plane": plane, **parts})


def column(result: Result, body: str) -> int:
    return result.names["bodies"].index(body)


def turn_angle(result: Result, body: str) -> np.ndarray:
    """By how much the body's x axis has turned from the world's x towards z, counted past one turn (rad)."""
    e = result.orientation[:, column(result, body)]
    return np.unwrap(2.0 * np.arctan2(-e[:, 2], e[:, 0]), period=4.0 * np.pi)


def turn_rate(result: Result, body: str) -> np.ndarray:
    return -result.angular_velocity[:, column(result, body), 1]


def points_on(result: Result, body: str, p_BP: tuple[float, float, float]) -> np.ndarray:
    """Where a point of a body is, [sample, 3], m."""
    k = column(result, body)
    e0, e = result.orientation[:, k, :1], result.orientation[:, k, 1:]
    p = np.array(p_BP)
    once = np.cross(e, p)
    return result.position[:, k] + p + 2.0 * (e0 * once + np.cross(e, once))


def one_freedom(acceleration, theta: float, rate: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """theta'' = acceleration(theta) at the times t by another program's integrator at 1e-13 (rad, rad/s)."""
    way = solve_ivp(
        lambda _, y: (y[1], acceleration(y[0])), (0.0, t[-1]), (theta, rate), "DOP853", t, rtol=1e-13, atol=1e-13
    )
    return way.y[0], way.y[1]
