"""Plane linkages for the tests: links and pins said by complex numbers x + i z, angles counted from x to z.

Every model can be had as a plane mechanism and as a spatial one; gravity along -z.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from dataclasses import dataclass

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


@dataclass(frozen=True)
class FourBar:
    """A four-bar A B C D in closed form: A at 0, D at `ground` on the x axis, slender rods, C above the line B D.

    Everything is analytic in the crank angle theta, so that a complex step differentiates it.
    """

    ground: float = 1.2  # m
    crank: float = 0.5  # m
    coupler: float = 1.0  # m
    rocker: float = 0.9  # m
    masses: tuple[float, float, float] = (1.0, 1.5, 0.8)  # kg, crank, coupler, rocker

    def vectors(self, theta) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(x, z) from A to B, from B to C and from D to C, m."""
        AB = self.crank * np.array([np.cos(theta), np.sin(theta)])
        BD = np.array([self.ground - AB[0], -AB[1]])
        square = BD[0] ** 2 + BD[1] ** 2
        along = (self.coupler**2 - self.rocker**2 + square) / (2.0 * square)
        aside = np.sqrt(self.coupler**2 / square - along**2)
        BC = along * BD + aside * np.array([-BD[1], BD[0]])
        return AB, BC, BC - BD

    def ratios(self, theta):
        """Rates of coupler and rocker for unit rate of the crank: AB + phi' BC = psi' DC, all turned by 90 deg."""
        AB, BC, DC = self.vectors(theta)
        return -cross(AB, DC) / cross(BC, DC), cross(AB, BC) / cross(DC, BC)

    def angles(self, theta) -> tuple[np.ndarray, np.ndarray]:
        """Of coupler and rocker, rad."""
        _, BC, DC = self.vectors(theta)
        return np.arctan2(BC[1], BC[0]), np.arctan2(DC[1], DC[0])

    def inertia(self, theta):
        """J of the kinetic energy J theta'^2 / 2, kg m2."""
        AB, BC, _ = self.vectors(theta)
        phi, psi = self.ratios(theta)
        middle = AB + 0.5 * phi * BC
        m1, m2, m3 = self.masses
        turning = m1 * self.crank**2 / 3.0 + m2 * self.coupler**2 / 12.0 * phi**2 + m3 * self.rocker**2 / 3.0 * psi**2
        return turning + m2 * (middle[0] ** 2 + middle[1] ** 2)

    def potential(self, theta):
        """Of gravity, J."""
        AB, BC, DC = self.vectors(theta)
        m1, m2, m3 = self.masses
        return GRAVITY * (m1 * AB[1] / 2 + m2 * (AB[1] + BC[1] / 2) + m3 * DC[1] / 2)

    def inertia_slope(self, theta: float) -> float:
        return float(self.inertia(theta + 1e-30j).imag / 1e-30)

    def potential_slope(self, theta: float) -> float:
        return float(self.potential(theta + 1e-30j).imag / 1e-30)

    def motion(self, theta: float, rate: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Crank angle and rate: J theta'' + J' theta'^2 / 2 + U' = 0, by another integrator at 1e-13."""

        def rates(_: float, y: np.ndarray) -> tuple[float, float]:
            pull = 0.5 * self.inertia_slope(y[0]) * y[1] ** 2 + self.potential_slope(y[0])
            return y[1], -pull / float(self.inertia(y[0]))

        way = solve_ivp(rates, (0.0, t[-1]), (theta, rate), "DOP853", t, rtol=1e-13, atol=1e-13)
        return way.y[0], way.y[1]

    def parts(self, theta: float, rate: float | None = None) -> tuple[list[dict], list[dict]]:
        """Bodies and joints for `mechanism`; only the crank is told to turn."""
        B, u, _ = (complex(*v) for v in self.vectors(theta))
        C, D = B + u, complex(self.ground)
        spin = {} if rate is None else {"angular_velocity": (0.0, -rate, 0.0)}
        m1, m2, m3 = self.masses
        bodies = [link("crank", 0j, B, m1, **spin), link("coupler", B, C, m2), link("rocker", D, C, m3)]
        pins = [pin("A", "ground", "crank", 0j), pin("B", "crank", "coupler", B), pin("C", "coupler", "rocker", C),
                pin("D", "ground", "rocker", D)]  # fmt: skip
        return bodies, pins


def cross(a: np.ndarray, b: np.ndarray):
    return a[0] * b[1] - a[1] * b[0]
