"""Beams that turn: frequencies in steady rotation (Wright et al. 1982) and the boom that spins up (Kane et al. 1987).

The references of the frequencies are Galerkin's method for the inextensible beam without rotary inertia, 10 digits, and
MBDyn, whose beam stretches, shears and turns its sections, with a slenderness of 3000: both agree to 1e-5.

The boom's reference is a finite-segment model without linkwork: n rigid rods in the plane, joined by springs of EI / h
(2 EI / h at the hub), absolute angles f, m = mu h each:

    sum_j B_ij (cos(f_i - f_j) f_j'' + sin(f_i - f_j) f_j'^2) = torque of the springs,
    B_ij = m h^2 (n - max(i, j) - 1/2),   B_ii = m h^2 (n - i - 2/3),   i, j from 0

solved by Radau for n and 2 n rods and extrapolated, since the error falls with h^2.  A second reference are EXUDYN's
geometrically exact beams, which stretch (EA = 2.8e7 N) and shear (GA = 5 EA).  linkwork's modes with stiffening are of
second order in the deflection, 6 % of the length; its chain of beam elements (`lumped_beam`) bends as far as it likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from scipy.integrate import solve_ivp

from linkwork.elements.solids.shapes import sphere
from linkwork.model import Model, beam
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.p4 import exact_chordwise

BOOM, BENDING, MASS = 10.0, 1.4e4, 1.2  # m, N m2, kg/m (Simo & Vu-Quoc 1986)
EA, SHEAR = 2.8e7, 5.0  # N, GA / EA: of exact beams
BY_EXUDYN = -0.573800  # m, largest lag
EXUDYN = "EXUDYN 1.13, geometrically exact beams, extrapolated from 16 and 32 beams (steps of 10 and 5 ms)"
SPIN_UP = "6/15*(if(t < 15, t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1), 15*t - 112.5))"
UNTIL = 8.0  # s: by then the lag has been largest
SLENDERNESS = 1000.0
SPEED = 10.0  # of the cantilever, no dimension
BY_MBDYN = {"chordwise": (5.0489, 32.120), "flapwise": (11.2023, 33.6403)}
GALERKIN = "inextensible beam by Galerkin's method (SciPy)"
MBDYN = "MBDyn 1.7.3, geometrically exact beams, extrapolated from 20 and 40 elements of three nodes"
Plane = Literal["xy", "xz"]


def blade(plane: Plane) -> Model:
    """A classical beam in a hub: L = 1 m, mass 1 kg/m, EI = 1 N m2, so that frequencies have no dimension."""
    m, I = Model("blade", gravity=(0, 0, 0)), 1.0 / SLENDERNESS**2
    m.body("hub", sphere(mass=1.0, radius=0.5))
    m.revolute("spin", m.ground, "hub", at=(0, 0, 0), axis="z")
    bent = beam(length=1.0, area=1.0, Iy=I, Iz=I, J=I, modulus=SLENDERNESS**2, density=1.0, elements=16, plane=plane,
                rotary_inertia=False, modes=12, supports={"1": "clamped"}, stiffening=True)  # fmt: skip
    m.body("blade", flexible=bent)
    m.fixed("root", "hub", "blade", at=(0, 0, 0))
    return m


def boom(stiffening: bool = True, modes: int = 2) -> Model:
    """A boom brought to 6 rad/s in 15 s; `lag` is how far its tip is behind."""
    I = 5e-4  # m4, with a modulus of 2.8e7 Pa
    m = Model("boom", gravity=(0, 0, 0), plane="xy")
    bent = beam(length=BOOM, area=1.0, Iy=I, Iz=I, J=I, modulus=BENDING / I, density=MASS, plane="xy",
                rotary_inertia=False, modes=modes, supports={"1": "clamped"}, stiffening=stiffening)  # fmt: skip
    m.body("boom", flexible=bent)
    m.frame("tip", "boom", node="11")
    m.revolute("hub", m.ground, "boom", at=(0, 0, 0), axis="z")
    m.driver("motor", "hub", SPIN_UP)
    m.measure("lag", "y(tip, boom)")
    return m


def chain(elements: int) -> Model:
    """The same boom as a chain of beam elements."""
    m, modulus = Model("boom", gravity=(0, 0, 0), plane="xy"), 2.8e7  # Pa
    area, I, shear = EA / modulus, BENDING / modulus, 2.0 * SHEAR  # G = E / 2
    m.body("drum", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("hub", m.ground, "drum", at=(0, 0, 0), axis="z")
    names = m.lumped_beam("boom", (0, 0, 0), (BOOM, 0, 0), segments=elements, density=MASS / area, modulus=modulus,
                          shear_modulus=modulus / 2, area=area, Iy=I, Iz=I, J=2 * I, ky=shear, kz=shear,
                          ends=("drum", None))  # fmt: skip
    m.frame("tip", names[-1])
    m.driver("motor", "hub", SPIN_UP)
    m.measure("lag", "y(tip, drum)")
    return m


def hub_angle(t: float) -> float:
    """What SPIN_UP says until 15 s, rad."""
    return 6.0 / 15.0 * (t**2 / 2 + (15 / (2 * math.pi)) ** 2 * (math.cos(2 * math.pi * t / 15) - 1))


def chain_lag(elements: int) -> float:
    """The largest lag of the chain's tip, m."""
    run = chain(elements).simulate(UNTIL, integrator="generalized-alpha", rtol=1e-7, hmax=0.02, every=1e-2,
                                   progress=False)  # fmt: skip
    return float(run["lag"].min())


def extrapolated(lag: Callable[[int], float], n: int) -> float:
    """From n pieces and n / 2 of them."""
    coarse, fine = lag(n // 2), lag(n)
    return fine + (fine - coarse) / 3.0


def segment_lag(n: int, until: float = UNTIL) -> float:
    """The largest lag of the tip (m) until a time (s), by n rigid rods."""
    h = BOOM / n
    k = np.arange(n)
    B = MASS * h**3 * (n - np.maximum.outer(k, k) - 0.5) - MASS * h**3 / 6 * np.eye(n)
    stiffness = np.full(n, BENDING / h)
    stiffness[0] *= 2.0

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        f, w = y[:n], y[n:]
        between = np.diff(f, prepend=hub_angle(t)) * stiffness
        torque = np.append(between[1:], 0.0) - between
        apart = np.subtract.outer(f, f)
        return np.concatenate([w, np.linalg.solve(B * np.cos(apart), torque - (B * np.sin(apart)) @ w**2)])

    t = np.linspace(0.0, until, 2001)
    found = solve_ivp(rates, (0.0, until), np.zeros(2 * n), method="Radau", t_eval=t, rtol=1e-8, atol=1e-9)
    behind = found.y[:n] - np.array([hub_angle(instant) for instant in t])
    return float((h * np.sin(behind)).sum(axis=0).min())


def findings(quick: bool = False) -> list[Finding]:
    """First frequencies at speed 10 in and out of the plane of rotation; the largest lag of the boom."""
    found, chordwise = [], exact_chordwise(SPEED)
    cases: tuple[tuple[Plane, str, np.ndarray], ...] = (
        ("xy", "chordwise", chordwise), ("xz", "flapwise", np.sqrt(chordwise**2 + SPEED**2)),
    )  # fmt: skip
    for plane, name, known in cases:
        linear, seconds = timed(partial(blade(plane).linearize, {"spin.angle": SPEED}, about="start"))
        ours = linear.modes().omega
        found += [
            Finding(f"rotating cantilever, speed {SPEED:g}", f"{name} frequency {n + 1}, no dimension", float(ours[n]),
                    float(reference[n]), source, 1e-4, seconds, "12 modes with stiffening")
            for source, reference in ((GALERKIN, known), (MBDYN, BY_MBDYN[name])) for n in (0, 1)
        ]  # fmt: skip
    return found + boom_findings()


def boom_findings() -> list[Finding]:
    """The largest lag by modes and by a chain of beam elements, each beside two references."""
    run, modal_seconds = timed(lambda: boom(modes=4).simulate(UNTIL, rtol=1e-8, progress=False))
    by_chain, seconds = timed(partial(extrapolated, chain_lag, 16))
    references = (
        (extrapolated(segment_lag, 16), "8 and 16 rigid segments by Radau (SciPy), extrapolated"), (BY_EXUDYN, EXUDYN),
    )  # fmt: skip
    second_order = "At this bend, 6 % of its length, second order is within 0.4 %"
    exact = "EXUDYN's beams and linkwork's stretch and shear, rigid segments do not"
    ways = (
        ("modes", float(run["lag"].min()), 6e-3, modal_seconds, "4 modes with stiffening", second_order),
        ("exact beams", by_chain, 2e-4, seconds, "lumped_beam, extrapolated from 8 and 16 beam elements", exact),
    )
    return [
        Finding("boom that spins up, 6 rad/s in 15 s", f"largest lag of the tip, {way}, m", ours, known, source,
                within, spent, setting, note=note)
        for way, ours, within, spent, setting, note in ways for known, source in references
    ]  # fmt: skip
