"""The shaft through its critical speed (Bauchau et al. 2016): 6 m, a disc in the middle, ends that bearings keep level.

The critical speed is the first bending frequency, as the disc does not tilt in that mode.  By symmetry half of the
shaft is a beam clamped at one end and guided at the other, with half of the disc there; with b = k L / 2 and
k^4 = w^2 mu / EI:

    EI k^3 (sinh b cos b + cosh b sin b) = w^2 (m_disc / 2) (1 - cosh b cos b)

The run through it: the bearings are brought to 48 rad/s, below the critical speed, and from there to 72 rad/s; the
disc, 0.05 m off the axis, whirls.  Beside it stand

- the shaft without shear, its modes in axes that turn with it, beside other modes, those with the disc, in axes that
  stand still (whirling_disc.py), both linear in the deflection;
- the shaft with its shear, and with `stiffening`, which brings the gyroscopic moments of its own sections (0.15 % at
  the end), with a disc 0.005 m off, so that the problem is linear, beside geometrically exact beams (EXUDYN);
- the whole: a chain of beam elements (`lumped_beam`) beside geometrically exact beams of two programs (EXUDYN, MBDyn),
  all extrapolated; they agree to 1e-4.

Shear makes the end 5 % more.  The deflection reaches 4.5 % of the length, and where it is finite the shaft whirls more
slowly: the largest distance is 0.5 % more than the tenfold of the second, but the phase runs away, and the end is 5 %
less.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.optimize import brentq

from linkwork.flexible.bodies import flexible_beam
from linkwork.flexible.finite_elements.beam_elements import Beam
from linkwork.flexible.finite_elements.materials import Material
from linkwork.flexible.finite_elements.sections import Section
from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.whirling_disc import Ramp, WhirlingDisc
from linkwork.run import Run

PROBLEM = "shaft through its critical speed"
LENGTH, EA, GA, GJ, EI, MASS = 6.0, 313.4e6, 60.5e6, 272.7e3, 354.5e3, 11.64  # m, N, N, N m2, N m2, kg/m
DISC, RADIUS, THICKNESS, OFF = 70.573, 0.24, 0.05, 0.05  # kg, m, m, m
ELEMENTS, MODES = 16, 24
UNTIL = 2.5  # s
SMALL = 0.005  # m, off the axis: deflections of 0.5 % of the length
BY_EXUDYN = {OFF: (0.267412, 0.215980), SMALL: (0.0265968, 0.0226241)}  # m, at most and at the end
BY_MBDYN = (0.267412, 0.215977)  # m, with OFF
WITHIN = 100.0  # times elements^-4: what extrapolation leaves
EXUDYN = "EXUDYN 1.13, geometrically exact beams, extrapolated from 64 and 128 beams (steps of 1 and 0.5 ms)"
MBDYN = "MBDyn 1.7.3, geometrically exact beams, extrapolated from 32 and 64 elements of three nodes (0.5 and 0.25 ms)"
PUBLISHED = "Published as curves only"
RAMPS: tuple[Ramp, ...] = ((0.0, 0.5, 0.0, 48.0), (1.0, 1.25, 48.0, 72.0))
E, G = 1e11, 0.5e11  # Pa: any, with areas to match


def spindle(off: float) -> Model:
    """The bearing that turns about x, and a disc, `off` the axis (m), for a shaft between them."""
    m, across = Model("shaft", gravity=(0.0, 0.0, 0.0)), DISC * (RADIUS**2 / 4 + THICKNESS**2 / 12)
    m.body("bearing", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("disc", mass=DISC, inertia=(DISC * RADIUS**2 / 2, across, across), at=(LENGTH / 2, 0, 0),
           com=(0, off, 0))  # fmt: skip
    m.frame("hub", "disc")
    m.revolute("spin", m.ground, "bearing", at=(0, 0, 0), axis="x")
    return m


def shaft(modes: int = MODES, off: float = 0.0, sheared: bool = False) -> Model:
    """A flexible shaft that turns with its bearings about x, a rigid disc on its middle node, `off` the axis (m).

    `sheared`: with shear, and sections that turn as a whole.
    """
    m, area, shear = spindle(off), EA / E, GA / EA * E / G
    section = Section(area, EI / E, EI / E, GJ / G, shear, shear)
    theory = "timoshenko" if sheared else "euler-bernoulli"
    of = Beam("shaft", LENGTH, section, Material(E, MASS / area, poisson=0.0), elements=ELEMENTS, theory=theory)
    bent = flexible_beam(of, modes=modes, supports={"1": "clamped", str(ELEMENTS + 1): "clamped"}, stiffening=sheared)
    m.body("shaft", flexible=bent)
    m.frame("middle", "shaft", node=str(ELEMENTS // 2 + 1))
    m.fixed("end", "bearing", "shaft", at=(0, 0, 0))
    m.fixed("seat", "shaft", "disc", frames=("middle", "hub"))
    return m


def chain(elements: int, off: float) -> Model:
    """The same with a chain of beam elements, its far end free to slide along the axis."""
    m, area, shear = spindle(off), EA / E, GA / EA * E / G
    names = m.lumped_beam("shaft", (0, 0, 0), (LENGTH, 0, 0), segments=elements, density=MASS / area, modulus=E,
                          shear_modulus=G, area=area, Iy=EI / E, Iz=EI / E, J=GJ / G, ky=shear, kz=shear,
                          ends=("bearing", None))  # fmt: skip
    m.prismatic("sliding seat", "bearing", names[-1], at=(LENGTH, 0, 0), axis="x")
    m.fixed("seat", names[elements // 2], "disc", at=(LENGTH / 2, 0, 0))
    return m


def critical_speed() -> float:
    """The lowest root of the equation above, rad/s, Euler-Bernoulli."""

    def balance(w: float) -> float:
        k = (w**2 * MASS / EI) ** 0.25
        b = k * LENGTH / 2
        elastic = EI * k**3 * (math.sinh(b) * math.cos(b) + math.cosh(b) * math.sin(b))
        return float(elastic - w**2 * DISC / 2 * (1.0 - math.cosh(b) * math.cos(b)))

    return float(brentq(balance, 1.0, 100.0, xtol=1e-12))


def drive(m: Model) -> None:
    """From rest to beyond the critical speed; `off axis`: of the disc's middle, m."""
    rise, faster = (f"{low} + {(high - low) / 2}*(1 - cos(pi*(t - {begin})/{end - begin}))"
                    for begin, end, low, high in RAMPS)  # fmt: skip
    (_, rest, _, slow), (again, settled, _, fast) = RAMPS
    speed = f"if(t < {rest}, {rise}, if(t < {again}, {slow}, if(t < {settled}, {faster}, {fast})))"
    m.driver("motor", "spin", velocity=speed)
    m.measure("off axis", "sqrt(y(hub)^2 + z(hub)^2)", unit="m")


def run_through(modes: int, off: float, sheared: bool = False) -> Run:
    """The run with modes."""
    m = shaft(modes, off, sheared)
    drive(m)
    return m.simulate(UNTIL, rtol=1e-7, every=1e-3, progress=False)


def chain_through(elements: int, off: float) -> np.ndarray:
    """Largest distance of the disc from the axis and that at the end (m), by the chain."""
    m = chain(elements, off)
    drive(m)
    run = m.simulate(UNTIL, integrator="generalized-alpha", rtol=1e-5, hmax=2e-3, every=1e-3, progress=False)
    return extremes(run["off axis"])


def extremes(distance: np.ndarray) -> np.ndarray:
    """The two quantities that are compared: the largest, and the last."""
    return np.array([distance.max(), distance[-1]])


def extrapolated(elements: int, off: float) -> np.ndarray:
    """By the chain, from that many elements and from half of them: the error falls with their square."""
    coarse, fine = chain_through(elements // 2, off), chain_through(elements, off)
    return np.asarray(fine + (fine - coarse) / 3.0)


def findings(quick: bool = False) -> list[Finding]:
    """Where the speed meets the first bending frequency, seen from the turning shaft: w - speed = 0; the runs."""
    linear, seconds = timed(lambda: shaft().linearize({"spin": 0.0}))
    critical = Finding(PROBLEM, "critical speed, rad/s", float(linear.modes().omega[0]), critical_speed(),
                       "Euler-Bernoulli beam with a mass, its characteristic equation", 1e-3, seconds,
                       f"{MODES} modes of {ELEMENTS} elements")  # fmt: skip
    return [critical, *linear_findings(MODES if quick else 40), *exact_findings(16 if quick else 24)]


def linear_findings(modes: int) -> list[Finding]:
    """Linear in the deflection: beside other modes, and with a tenth of the eccentricity beside EXUDYN."""
    setting = f"{modes} modes of {ELEMENTS} elements, in axes that turn"
    run, seconds = timed(partial(run_through, modes, OFF))
    rod = WhirlingDisc(LENGTH, EI, GJ, MASS, 2.0 * MASS * EI / EA, DISC, DISC * RADIUS**2 / 2, OFF)
    known, ours = extremes(rod.run(RAMPS, run.t)), extremes(run["off axis"])
    (sheared, sheared_end), (exact, exact_end) = OFF / SMALL * np.array(BY_EXUDYN[SMALL]), BY_EXUDYN[OFF]
    note = (
        f"{PUBLISHED}. Linear in the deflection and without shear, as the reference: {known[0]:.4f} m at most, "
        f"{known[1]:.4f} m at the end. With the shaft's shear, {OFF / SMALL:g} times the distances of 'disc "
        f"{1000 * SMALL:g} mm off', {sheared:.4f} and {sheared_end:.4f} m; with finite deflections too, 'exact beams', "
        f"{exact:.4f} and {exact_end:.4f} m"
    )
    other_modes = "modes with the disc, in axes that stand still, by DOP853 (SciPy)"
    found = compared("linear, no shear", ours, known, other_modes, 0.12 / modes, seconds, setting, note)
    setting += ", with shear and stiffening"
    run, seconds = timed(partial(run_through, modes, SMALL, sheared=True))
    note = f"{PUBLISHED}. Stiffening brings the gyroscopic moments of the shaft's own sections (0.15 % at the end)"
    return found + compared(f"disc {1000 * SMALL:g} mm off", extremes(run["off axis"]), np.array(BY_EXUDYN[SMALL]),
                            EXUDYN, 2.0 / modes**2, seconds, setting, note)  # fmt: skip


def exact_findings(elements: int) -> list[Finding]:
    """With finite deflections, beside two programs."""
    ours, seconds = timed(partial(extrapolated, elements, OFF))
    setting = f"lumped_beam, extrapolated from {elements // 2} and {elements} beam elements"
    return [
        finding for known, source in ((BY_EXUDYN[OFF], EXUDYN), (BY_MBDYN, MBDYN))
        for finding in compared("exact beams", ours, np.array(known), source, WITHIN / elements**4, seconds, setting,
                                PUBLISHED)
    ]  # fmt: skip


def compared(
    which: str, ours: np.ndarray, known: np.ndarray, source: str, within: float, seconds: float, setting: str,
    note: str,
) -> list[Finding]:  # fmt: skip
    """A line for each of the two distances."""
    names = (f"largest distance of the disc from the axis, {which}, m", f"distance at {UNTIL} s, {which}, m")
    return [
        Finding(PROBLEM, name, float(value), float(reference), source, within, seconds, setting, note=note)
        for name, value, reference in zip(names, ours, known, strict=True)
    ]
