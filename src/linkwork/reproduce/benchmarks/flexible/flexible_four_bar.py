"""The flexible four-bar with a skewed hinge (Bauchau et al. 2016): a crank at 0.6 rad/s, bars that bend and twist.

A parallelogram of three beams, 0.12, 0.24 and 0.12 m; the hinge at C is off the normal of the plane by 5 degrees,
towards the coupler.  Rigid bars could not move; elastic ones bend out of the plane, with some 700 N.  At 0.6 rad/s
inertia plays no part (0.4 kg times 0.04 m/s2): the position at a crank angle is an equilibrium, as is that of the run,
from a crank that is brought to 0.6 rad/s smoothly.

At 90 and 270 degrees the linkage is flat, and might go on as a parallelogram or crossed.  Its bars are pressed together
there by 5 kN; what that leads to is the other branch: crossed between 90 and 270 degrees, a parallelogram before and
after.  The bars ring then; a little damping in them (the published curves have that of the integrators) lets it fade.

The reference are exact rods (elastic_rod.py) in a row, from A to D: force and moment at A and the angles of the hinges
B and C are found so that no hinge bears a moment about its axis, and D is met with its axis.  Which branch it is at an
angle, they are told; EXUDYN's geometrically exact beams, moved the same way, find it as linkwork does.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from linkwork.model import Model
from linkwork.numerics.rotations import euler_parameters, frame_with_axis
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod

STRONG = (52.992e6, (16.8803e6, 16.8803e6), 733.488, (1130.5, 1130.5))  # EA, GA, GJ, EI: N, N m2
WEAK = (13.248e6, (4.22008e6, 4.22008e6), 45.843, (70.656, 70.656))
BARS = {"AB": Rod(0.12, *STRONG), "BC": Rod(0.24, *STRONG), "CD": Rod(0.12, *WEAK)}
MASS = {"AB": 1.9968, "BC": 1.9968, "CD": 0.4992}  # kg/m
SKEW = math.radians(5.0)
ALONG_COUPLER = np.array([math.sin(SKEW), 0.0, math.cos(SKEW)])  # the hinge C in the coupler's axes, x from B to C,
ALONG_ROCKER = np.array([0.0, math.sin(SKEW), math.cos(SKEW)])  # and in the rocker's, x from C to D
NORMAL = np.array([0.0, 0.0, 1.0])
E = G = 1e11  # Pa: any, with areas to match
SPEED = 0.6  # rad/s
RISE = math.radians(30.0) / SPEED  # s, in which the crank is brought to that speed; it turns by 15 degrees
DAMPING = 1e-4  # s, of the bars, times their stiffness
BEFORE_FLAT, CROSSED, AFTER_FLAT = (30, 60), (120, 150, 210, 240), (300, 330)  # degrees of the crank
ANGLES = (*BEFORE_FLAT, *CROSSED, *AFTER_FLAT)
REFERENCE = "Cosserat rods at rest, by shooting, DOP853 (SciPy)"
EXUDYN = "EXUDYN 1.13, geometrically exact beams, spectral radius 0.6, extrapolated from 32 and 64 beams"
FOUND_BY_EXUDYN = {  # y, z of C, m
    120: (0.117109, -0.00338086),
    240: (0.021147, 0.00276398),
    300: (0.059882, 0.00278478),
}
UNITS = np.array([1e3] * 3 + [1e2] * 3 + [1.0] * 2)  # of the unknowns: N, N m, rad


def about_normal(angle: float) -> np.ndarray:
    """A rotation about z."""
    return np.asarray(Rotation.from_rotvec(angle * NORMAL).as_matrix())


def four_bar(angle: float, elements: int, velocity: str | None = None) -> Model:
    """Drawn as a rigid parallelogram with its crank turned by an angle (rad), which a driver holds or moves (rad/s)."""
    m, up = Model("flexible four-bar", gravity=(0, 0, 0)), about_normal(angle) @ np.array([0.0, 0.12, 0.0])
    A, D = np.zeros(3), np.array([0.24, 0.0, 0.0])
    B, C = A + up, D + up
    ab, bc, cd = (bar(m, name, ends, n) for name, ends, n in (
        ("AB", (A, B), elements), ("BC", (B, C), 2 * elements), ("CD", (C, D), elements)
    ))  # fmt: skip
    m.revolute("A", m.ground, ab[0], at=A, axis="z")
    m.driver("motor", "A", hold=velocity is None, velocity=velocity)
    m.revolute("B", ab[-1], bc[0], at=B, axis="z")
    m.revolute("D", m.ground, cd[-1], at=D, axis="z")
    for name, body, axis in (("of BC", bc[-1], ALONG_COUPLER), ("of CD", cd[0], ALONG_ROCKER)):
        m.frame(name, body, orientation=euler_parameters(frame_with_axis(axis)))
    m.revolute("C", bc[-1], cd[0], frames=("of BC", "of CD"))
    return m


def bar(m: Model, name: str, ends: tuple[np.ndarray, np.ndarray], elements: int) -> list[str]:
    """A chain of beam elements, its z along that of the world."""
    rod, (start, end) = BARS[name], ends
    area = rod.EA / E
    section: dict[str, Any] = {"area": area, "Iy": rod.EI[1] / E, "Iz": rod.EI[0] / E, "J": rod.GJ / G,
                               "ky": rod.GA[0] / (G * area), "kz": rod.GA[1] / (G * area)}  # fmt: skip
    return m.lumped_beam(name, start, end, segments=elements, density=MASS[name] / area, modulus=E, shear_modulus=G,
                         second_axis=np.cross(NORMAL, end - start), damping=DAMPING, **section)  # fmt: skip


def misfit(x: np.ndarray, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """What is not met with force and moment at A and angles of the hinges B and C, x; and the place of C, m."""
    given = x * UNITS
    force, moment = given[:3], given[3:6]
    b, axes, moment = BARS["AB"].carried(np.zeros(3), about_normal(math.pi / 2 + angle), force, moment)
    about_b = moment @ axes @ NORMAL
    c, axes, moment = BARS["BC"].carried(b, axes @ about_normal(given[6] - math.pi / 2), force, moment)
    hinge = axes @ ALONG_COUPLER
    about_c = moment @ hinge
    turned = Rotation.from_rotvec(given[7] * hinge).as_matrix() @ axes @ about_normal(-math.pi / 2)
    d, axes, moment = BARS["CD"].carried(c, turned, force, moment)
    open_by = np.concatenate([100.0 * (d - [0.24, 0.0, 0.0]), 10.0 * (axes @ NORMAL)[:2]])
    return np.append(open_by, 0.1 * np.array([about_b, about_c, moment @ NORMAL])), c


def hinge_angles(angle: float, crossed: bool) -> tuple[float, float]:
    """Of the hinges B and C (rad) with rigid bars; crossed, C is on the other side of the line from B to D."""
    up, D = about_normal(angle) @ np.array([0.0, 0.12, 0.0]), np.array([0.24, 0.0, 0.0])
    B, C = up, D + up
    if crossed:
        along = (D - B) / np.linalg.norm(D - B)
        C = B + 2.0 * along * (along @ (C - B)) - (C - B)
    coupler, rocker = (math.atan2(v[1], v[0]) for v in (C - B, D - C))
    return coupler - angle, rocker - coupler + math.pi / 2


def place_of_c(degrees: int) -> np.ndarray:
    """By exact rods, m; from rigid bars on."""
    angle = -math.radians(degrees)
    start = np.array([0.0] * 6 + [*hinge_angles(angle, degrees in CROSSED)])
    found = root(lambda x: misfit(x, angle)[0], start, tol=1e-12)
    return misfit(found.x, angle)[1]


def at_rest(elements: int) -> dict[int, np.ndarray]:
    """The place of C (m) in equilibrium, before the linkage is flat, by degrees of the crank."""
    states = {degrees: four_bar(-math.radians(degrees), elements).equilibrium() for degrees in BEFORE_FLAT}
    return {degrees: state.positions[f"BC {2 * elements}"] for degrees, state in states.items()}


def in_motion(elements: int) -> dict[int, np.ndarray]:
    """The same as the crank passes all the angles at 0.6 rad/s."""
    velocity = f"if(t < {RISE}, {-SPEED / 2}*(1 - cos(pi*t/{RISE})), {-SPEED})"
    instants = {degrees: RISE / 2 + math.radians(degrees) / SPEED for degrees in ANGLES}
    run = four_bar(0.0, elements, velocity).simulate(
        max(instants.values()), integrator="generalized-alpha", rtol=1e-5, every=RISE / 2, progress=False
    )
    place = run.position(f"BC {2 * elements}")
    return {degrees: place[np.argmin(np.abs(run.t - t))] for degrees, t in instants.items()}


def findings(quick: bool = False) -> list[Finding]:
    """How far C is out of the plane, and along it: in equilibrium, and over nearly a turn of the crank."""
    elements = 2 if quick else 4
    exact = {degrees: place_of_c(degrees)[1:] for degrees in ANGLES}
    by_exudyn = {degrees: np.array(y_z) for degrees, y_z in FOUND_BY_EXUDYN.items()}
    resting, moving = (timed(partial(places, elements)) for places in (at_rest, in_motion))
    found = []
    for how, (ours, seconds), known, source in (
        ("at rest", resting, exact, REFERENCE),
        ("at 0.6 rad/s", moving, exact, REFERENCE),
        ("at 0.6 rad/s", moving, by_exudyn, EXUDYN),
    ):
        for degrees in (degrees for degrees in ours if degrees in known):
            for axis, value, reference in zip("yz", ours[degrees][1:], known[degrees], strict=True):
                found.append(
                    Finding(f"flexible four-bar {how}", f"crank at {degrees} deg: {axis} of C, m", float(value),
                            float(reference), source, 0.001 / elements**2, seconds,
                            f"{4 * elements} beam elements, damping {DAMPING:g} s",
                            note="Published as curves only, at 0.6 rad/s")
                )  # fmt: skip
    return found
