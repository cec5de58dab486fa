"""Car axis, problem `caraxis` of the Test Set for IVP Solvers: its solution at 3 s, by GAMD in quadruple precision.

Two masses eps^2 M / 2 = 5e-4 on springs of 1 N/m and 1/2 m, 1 m apart.  The left one stands on a rail that turns about
the origin, across it; the right spring stands on the end of the rail, which goes up and down by 0.1 sin(10 t); g = 1.
"""

from __future__ import annotations

import numpy as np

from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed

MASS = 1e-4 * 10.0 / 2.0  # kg
PUBLISHED = (0.0493455784275402809, 0.496989460230171153861, 1.04174252488542151681, 0.373911027265361256927)  # m
PUBLISHED_RATES = (-0.0770583684040972357970, 0.00744686658723778553466, 0.0175568157537232222276,
                   0.770341043779251976443)  # m/s  # fmt: skip


def car_axis() -> Model:
    """The rail is driven; its mass does not matter."""
    m = Model("car axis", gravity=(0.0, -1.0, 0.0), plane="xy")
    speed = 0.1 * 10.0  # rad/s, of the rail at the start
    m.body("rail", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0, 0, speed))
    m.body("left", mass=MASS, inertia=(MASS, MASS, MASS), at=(0, 0.5, 0), velocity=(-0.5, 0, 0),
           angular_velocity=(0, 0, speed))  # fmt: skip
    m.body("right", mass=MASS, inertia=(MASS, MASS, MASS), at=(1, 0.5, 0), velocity=(-0.5, 0, 0))
    m.revolute("tilt", m.ground, "rail", at=(0, 0, 0), axis="z")
    m.prismatic("strut", "rail", "left", at=(0, 0.5, 0), axis="y")
    m.distance("axis", "left", "right", points=((0, 0.5, 0), (1, 0.5, 0)), length=1.0)
    m.spring_damper("left spring", m.ground, "left", points=((0, 0, 0), (0, 0.5, 0)), stiffness=1.0, free_length=0.5)
    m.spring_damper("right spring", "rail", "right", points=((1, 0, 0), (1, 0.5, 0)), stiffness=1.0, free_length=0.5)
    m.driver("road", "tilt", "asin(0.1*sin(10*t))")
    return m


def findings(quick: bool = False) -> list[Finding]:
    """Places and velocities of both masses."""
    run, seconds = timed(lambda: car_axis().simulate(3.0, rtol=1e-10, progress=False))
    found = []
    for n, (body, axis) in enumerate((b, a) for b in ("left", "right") for a in "xy"):
        for what, unit, known in (("position", "m", PUBLISHED[n]), ("velocity", "m/s", PUBLISHED_RATES[n])):
            found.append(
                Finding("IVP Test Set, car axis", f"{body} {what} {axis} at 3 s, {unit}",
                        float(run[f"{body}.{what}.{axis}"][-1]), known, "Test Set for IVP Solvers, GAMD, quadruple",
                        1e-6, seconds, "auto, rtol 1e-10", scale=float(np.abs(PUBLISHED).max()))
            )  # fmt: skip
    return found
