"""The shaft through its critical speed (Bauchau et al. 2016): 6 m, a disc in the middle, ends that bearings keep level.

The critical speed is the first bending frequency, as the disc does not tilt in that mode.  By symmetry half of the
shaft is a beam clamped at one end and guided at the other, with half of the disc there; with b = k L / 2 and
k^4 = w^2 mu / EI:

    EI k^3 (sinh b cos b + cosh b sin b) = w^2 (m_disc / 2) (1 - cosh b cos b)
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from linkwork.model import Model, beam
from linkwork.reproduce.benchmarks.findings import Finding, timed

LENGTH, EA, GJ, EI, MASS = 6.0, 313.4e6, 272.7e3, 354.5e3, 11.64  # m, N, N m2, N m2, kg/m
DISC, RADIUS, THICKNESS = 70.573, 0.24, 0.05  # kg, m, m
ELEMENTS, MODES = 16, 24
E, G = 1e11, 0.5e11  # Pa: any, with areas to match


def shaft() -> Model:
    """A flexible shaft that turns with its bearings about x, a rigid disc on its middle node."""
    m, area = Model("shaft", gravity=(0.0, 0.0, 0.0)), EA / E
    bent = beam(length=LENGTH, area=area, Iy=EI / E, Iz=EI / E, J=GJ / G, modulus=E, poisson=0.0,
                density=MASS / area, elements=ELEMENTS, modes=MODES,
                supports={"1": "clamped", str(ELEMENTS + 1): "clamped"})  # fmt: skip
    across = DISC * (RADIUS**2 / 4 + THICKNESS**2 / 12)
    m.body("bearing", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("shaft", flexible=bent)
    m.body("disc", mass=DISC, inertia=(DISC * RADIUS**2 / 2, across, across), at=(LENGTH / 2, 0, 0))
    m.frame("middle", "shaft", node=str(ELEMENTS // 2 + 1))
    m.frame("hub", "disc")
    m.revolute("spin", m.ground, "bearing", at=(0, 0, 0), axis="x")
    m.fixed("end", "bearing", "shaft", at=(0, 0, 0))
    m.fixed("seat", "shaft", "disc", frames=("middle", "hub"))
    return m


def critical_speed() -> float:
    """The lowest root of the equation above, rad/s, Euler-Bernoulli."""

    def balance(w: float) -> float:
        k = (w**2 * MASS / EI) ** 0.25
        b = k * LENGTH / 2
        elastic = EI * k**3 * (math.sinh(b) * math.cos(b) + math.cosh(b) * math.sin(b))
        return float(elastic - w**2 * DISC / 2 * (1.0 - math.cosh(b) * math.cos(b)))

    return float(brentq(balance, 1.0, 100.0, xtol=1e-12))


def findings(quick: bool = False) -> list[Finding]:
    """Where the speed meets the first bending frequency, seen from the turning shaft: w - speed = 0."""
    linear, seconds = timed(lambda: shaft().linearize({"spin": 0.0}))
    return [
        Finding("shaft through its critical speed", "critical speed, rad/s", float(linear.modes().omega[0]),
                critical_speed(), "Euler-Bernoulli beam with a mass, its characteristic equation", 1e-3, seconds,
                f"{MODES} modes of {ELEMENTS} elements", note="The run through it is published as curves only")
    ]  # fmt: skip
