"""The shaft through its critical speed (Bauchau et al. 2016): 6 m, a disc in the middle, ends that bearings keep level.

The critical speed is the first bending frequency, as the disc does not tilt in that mode.  By symmetry half of the
shaft is a beam clamped at one end and guided at the other, with half of the disc there; with b = k L / 2 and
k^4 = w^2 mu / EI:

    EI k^3 (sinh b cos b + cosh b sin b) = w^2 (m_disc / 2) (1 - cosh b cos b)

The run through it: the bearings are brought to 48 rad/s, below the critical speed, and from there to 72 rad/s; the
disc, 0.05 m off the axis, whirls.  linkwork has the shaft's modes in axes that turn with it; the reference
(whirling_disc.py) has other modes, those with the disc, in axes that stand still.  Both are linear in the deflection,
which reaches 4.5 % of the length: geometrically exact beams of EXUDYN differ by 1 % at most and, as the phase of the
ringing hangs on the frequency, by 7 % at the end.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from linkwork.model import Model, beam
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.whirling_disc import Ramp, WhirlingDisc
from linkwork.run import Run

PROBLEM = "shaft through its critical speed"
LENGTH, EA, GJ, EI, MASS = 6.0, 313.4e6, 272.7e3, 354.5e3, 11.64  # m, N, N m2, N m2, kg/m
DISC, RADIUS, THICKNESS, OFF = 70.573, 0.24, 0.05, 0.05  # kg, m, m, m
ELEMENTS, MODES = 16, 24
UNTIL = 2.5  # s
BY_EXUDYN = (0.2731, 0.1997)  # m, largest distance and distance at the end; extrapolated from 64 and 128 beams
NOTE = (
    "Published as curves only. Both are linear in the deflection; by EXUDYN's geometrically exact beams the disc is at "
    f"most {BY_EXUDYN[0]} m off the axis, and {BY_EXUDYN[1]} m at {UNTIL} s"
)
RAMPS: tuple[Ramp, ...] = ((0.0, 0.5, 0.0, 48.0), (1.0, 1.25, 48.0, 72.0))
E, G = 1e11, 0.5e11  # Pa: any, with areas to match


def shaft(modes: int = MODES, off: float = 0.0) -> Model:
    """A flexible shaft that turns with its bearings about x, a rigid disc on its middle node, `off` the axis (m)."""
    m, area = Model("shaft", gravity=(0.0, 0.0, 0.0)), EA / E
    bent = beam(length=LENGTH, area=area, Iy=EI / E, Iz=EI / E, J=GJ / G, modulus=E, poisson=0.0,
                density=MASS / area, elements=ELEMENTS, modes=modes,
                supports={"1": "clamped", str(ELEMENTS + 1): "clamped"})  # fmt: skip
    across = DISC * (RADIUS**2 / 4 + THICKNESS**2 / 12)
    m.body("bearing", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("shaft", flexible=bent)
    m.body("disc", mass=DISC, inertia=(DISC * RADIUS**2 / 2, across, across), at=(LENGTH / 2, 0, 0),
           com=(0, off, 0))  # fmt: skip
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


def run_through(modes: int, every: float) -> Run:
    """From rest to beyond the critical speed; `off axis`: of the disc's middle, m."""
    m = shaft(modes, OFF)
    rise, faster = (f"{low} + {(high - low) / 2}*(1 - cos(pi*(t - {begin})/{end - begin}))"
                    for begin, end, low, high in RAMPS)  # fmt: skip
    (_, rest, _, slow), (again, settled, _, fast) = RAMPS
    speed = f"if(t < {rest}, {rise}, if(t < {again}, {slow}, if(t < {settled}, {faster}, {fast})))"
    m.driver("motor", "spin", velocity=speed)
    m.measure("off axis", "sqrt(y(hub)^2 + z(hub)^2)", unit="m")
    return m.simulate(UNTIL, rtol=1e-7, every=every, progress=False)


def findings(quick: bool = False) -> list[Finding]:
    """Where the speed meets the first bending frequency, seen from the turning shaft: w - speed = 0; the run."""
    linear, seconds = timed(lambda: shaft().linearize({"spin": 0.0}))
    found = [
        Finding(PROBLEM, "critical speed, rad/s", float(linear.modes().omega[0]), critical_speed(),
                "Euler-Bernoulli beam with a mass, its characteristic equation", 1e-3, seconds,
                f"{MODES} modes of {ELEMENTS} elements")
    ]  # fmt: skip
    modes, every = MODES if quick else 40, 1e-3
    run, seconds = timed(lambda: run_through(modes, every))
    rod = WhirlingDisc(LENGTH, EI, GJ, MASS, 2.0 * MASS * EI / EA, DISC, DISC * RADIUS**2 / 2, OFF)
    known, off = rod.run(RAMPS, run.t), run["off axis"]
    for what, ours, reference in (
        ("largest distance of the disc from the axis, m", off.max(), known.max()),
        (f"distance at {UNTIL} s, m", off[-1], known[-1]),
    ):
        found.append(
            Finding(PROBLEM, what, float(ours), float(reference),
                    "modes with the disc, in axes that stand still, by DOP853 (SciPy)", 0.12 / modes, seconds,
                    f"{modes} modes of {ELEMENTS} elements, in axes that turn", note=NOTE)
        )  # fmt: skip
    return found
