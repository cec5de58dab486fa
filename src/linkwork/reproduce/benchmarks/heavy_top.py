"""The heavy top of Bruls, Cardona & Arnold (2012), in closed form (Landau & Lifshitz, Mechanics, section 35).

With u the vertical component of the axis, A and C the inertias about the point, the momenta p (vertical) and s (along):

    A^2 u'^2 / (2 A) = (E - m g l u) (1 - u^2) - (p - s u)^2 / (2 A),    u = u1 + (u2 - u1) sn^2(w (t + t0))
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipj, ellipk

from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed

MASS, ARM, ACROSS, ALONG, G = 15.0, 1.0, 0.234375, 0.46875, 9.81  # kg, m, kg m2, kg m2, m/s2
SPIN, TURNING = 150.0, -4.61538  # rad/s, about the axis and the vertical
UNTIL = 2.0  # s


def heavy_top() -> Model:
    """Its axis starts along y, across gravity."""
    m = Model("heavy top", gravity=(0.0, 0.0, -G))
    m.body("top", mass=MASS, inertia=(ACROSS, ALONG, ACROSS), at=(0, ARM, 0), velocity=(-TURNING * ARM, 0, 0),
           angular_velocity=(0, SPIN, TURNING))  # fmt: skip
    m.spherical("ball", m.ground, "top", at=(0, 0, 0))
    return m


def height(t: float) -> float:
    """Height of the centre of mass, m."""
    A, weight = ACROSS + MASS * ARM**2, MASS * G * ARM
    s, p = ALONG * SPIN, A * TURNING
    E = p**2 / (2 * A)  # at u = 0, at rest but for the turning
    cubic = [weight, -(E + s**2 / (2 * A)), -weight + p * s / A, E - p**2 / (2 * A)]  # (A / 2) u'^2
    u1, u2, u3 = np.sort(np.roots(cubic).real)
    w, k2 = math.sqrt(weight * (u3 - u1) / (2 * A)), (u2 - u1) / (u3 - u1)
    begin = 0.0 if abs(u1) < abs(u2) else float(ellipk(k2))
    sn = ellipj(w * t + begin, k2)[0]
    return float(ARM * (u1 + (u2 - u1) * sn**2))


def findings(quick: bool = False) -> list[Finding]:
    """Height of the centre of mass after 2 s, some 48 turns of the spin."""
    run, seconds = timed(lambda: heavy_top().simulate(UNTIL, rtol=1e-11, progress=False))
    swing = float(np.ptp(run["top.position.z"]))
    return [
        Finding("heavy top", "height of the centre of mass at 2 s, m", float(run["top.position.z"][-1]), height(UNTIL),
                "Jacobi's elliptic functions", 1e-7, seconds, "auto, rtol 1e-11", scale=swing)
    ]  # fmt: skip
