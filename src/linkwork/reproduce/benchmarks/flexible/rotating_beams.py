"""Beams that turn: frequencies in steady rotation (Wright et al. 1982) and the boom that spins up (Kane et al. 1987).

The boom's reference is a finite-segment model without linkwork: n rigid rods in the plane, joined by springs of EI / h
(2 EI / h at the hub), absolute angles f, m = mu h each:

    sum_j B_ij (cos(f_i - f_j) f_j'' + sin(f_i - f_j) f_j'^2) = torque of the springs,
    B_ij = m h^2 (n - max(i, j) - 1/2),   B_ii = m h^2 (n - i - 2/3),   i, j from 0

solved by Radau for n and 2 n rods and extrapolated, since the error falls with h^2.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np
from scipy.integrate import solve_ivp

from linkwork.elements.solids.shapes import sphere
from linkwork.model import Model, beam
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.p4 import exact_chordwise

BOOM, BENDING, MASS = 10.0, 1.4e4, 1.2  # m, N m2, kg/m (Simo & Vu-Quoc 1986)
SLENDERNESS = 1000.0
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
    m.driver("motor", "hub", "6/15*(if(t < 15, t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1), 15*t - 112.5))")
    m.measure("lag", "y(tip, boom)")
    return m


def segment_lag(n: int, until: float = 8.0) -> float:
    """The largest lag of the tip (m) until a time (s), by n rigid rods."""
    h = BOOM / n
    k = np.arange(n)
    B = MASS * h**3 * (n - np.maximum.outer(k, k) - 0.5) - MASS * h**3 / 6 * np.eye(n)
    stiffness = np.full(n, BENDING / h)
    stiffness[0] *= 2.0

    def hub(t: float) -> float:
        return 6.0 / 15.0 * (t**2 / 2 + (15 / (2 * math.pi)) ** 2 * (math.cos(2 * math.pi * t / 15) - 1))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        f, w = y[:n], y[n:]
        between = np.diff(f, prepend=hub(t)) * stiffness
        torque = np.append(between[1:], 0.0) - between
        apart = np.subtract.outer(f, f)
        return np.concatenate([w, np.linalg.solve(B * np.cos(apart), torque - (B * np.sin(apart)) @ w**2)])

    t = np.linspace(0.0, until, 2001)
    found = solve_ivp(rates, (0.0, until), np.zeros(2 * n), method="Radau", t_eval=t, rtol=1e-8, atol=1e-9)
    behind = found.y[:n] - np.array([hub(instant) for instant in t])
    return float((h * np.sin(behind)).sum(axis=0).min())


def findings(quick: bool = False) -> list[Finding]:
    """First frequencies at speed 10 in and out of the plane of rotation; the largest lag of the boom."""
    speed, found = 10.0, []
    chordwise = exact_chordwise(speed)
    cases: tuple[tuple[Plane, str, np.ndarray], ...] = (
        ("xy", "chordwise", chordwise), ("xz", "flapwise", np.sqrt(chordwise**2 + speed**2)),
    )  # fmt: skip
    for plane, name, known in cases:
        linear, seconds = timed(partial(blade(plane).linearize, {"spin.angle": speed}, about="start"))
        ours = linear.modes().omega
        for n in (0, 1):
            found.append(
                Finding("rotating cantilever, speed 10", f"{name} frequency {n + 1}, no dimension", float(ours[n]),
                        float(known[n]), "inextensible beam by Galerkin's method (SciPy)",
                        1e-4, seconds, "12 modes with stiffening")
            )  # fmt: skip
    run, seconds = timed(lambda: boom(modes=4).simulate(8.0, rtol=1e-8, progress=False))
    coarse, fine = segment_lag(8), segment_lag(16)
    found.append(
        Finding("boom that spins up, 6 rad/s in 15 s", "largest lag of the tip, m", float(run["lag"].min()),
                fine + (fine - coarse) / 3, "8 and 16 rigid segments by Radau (SciPy), extrapolated", 6e-3, seconds,
                "4 modes with stiffening", note="At this bend, 6 % of its length, second order is within 0.4 %")
    )  # fmt: skip
    return found
