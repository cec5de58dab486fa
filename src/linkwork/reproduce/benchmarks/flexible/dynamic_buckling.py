"""Lateral buckling of a thin beam in motion (Bauchau et al. 2016): a crank lifts the tip of a cantilever.

The crank turns by 180 degrees within 0.4 s, (pi / 2) (1 - cos(pi t / 0.4)), and would lift the tip by up to 0.05 m:
that takes three times the critical weight (lateral_buckling.py).  The link's upper end is 0.1 mm beside the axis,
which decides to which side the beam snaps, at 0.14 s.  Crank and link bend as well, and nothing damps.

The sideways motion of the middle is published as a curve only.  The references are two other programs with
geometrically exact beams: EXUDYN, and MBDyn with beams of three nodes by finite volumes.  Their errors, as ours, fall
with the square of the number n of elements; what is compared is extrapolated from n / 2 and n, and off by a fourth
power.  The two differ by 0.01 % of the largest distance.  EXUDYN's ANCF elements, which have other coordinates and
strains, and of which EXUDYN says that they need further development, differ from both by 0.6 %.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod
from linkwork.reproduce.benchmarks.flexible.lateral_buckling import BEAM

PROBLEM = "lateral buckling of a cantilever that a crank lifts"
LINK = Rod(0.25, 33.02e6, (10.81e6, 10.81e6), 914.5, (1189.0, 1189.0))
CRANK = Rod(0.05, 132.1e6, (43.22e6, 43.22e6), 14630.0, (19020.0, 19020.0))
MASS = {"beam": 2.68, "link": 1.212, "crank": 4.85}  # kg/m
BESIDE = 1e-4  # m, of the link from the beam's axis
TURN = 0.4  # s
UNTIL, EVERY = 0.2, 2e-4  # s
ASIDE = 0.01  # m: it has buckled
E = G = 1e11  # Pa: any, with areas to match
EXUDYN = "EXUDYN 1.13, geometrically exact beams, spectral radius 0.9, extrapolated from 32 and 64 beams"
MBDYN = "MBDyn 1.7.3, geometrically exact beams, extrapolated from 32 and 64 elements of three nodes"
ANCF = "ANCF elements of EXUDYN 1.13, for the beam alone, spectral radius 0.9, extrapolated from 64 and 128 elements"
APART = 0.006  # of the scale: exact beams and ANCF elements
KNOWN = (  # by EXUDYN with exact beams, by MBDyn, by EXUDYN with ANCF elements
    ("time at which the middle is 10 mm aside, s", 0.14159, 0.141592, 0.14158),
    ("largest distance of the middle from the plane, m", 0.045149, 0.045148, 0.045212),
    ("distance at 0.16 s, m", 0.031884, 0.031886, 0.031781),
    ("distance at 0.2 s, m", 0.033055, 0.033057, 0.033308),
)
SOURCES = ((EXUDYN, 0.0), (MBDYN, 0.0), (ANCF, APART))


def lifted_beam(elements: int) -> tuple[Model, str]:
    """The beam along x, bent up along z by link and crank; and the name of the body in its middle."""
    m = Model("lifted beam", gravity=(0.0, 0.0, 0.0))
    C = np.array([BEAM.length, BESIDE, 0.0])
    B = C - [0.0, 0.0, LINK.length]
    A = B - [CRANK.length, 0.0, 0.0]
    beam = chain(m, "beam", BEAM, (np.zeros(3), np.array([BEAM.length, 0.0, 0.0])), elements, ends=(m.ground, None))
    link, crank = chain(m, "link", LINK, (C, B), 2), chain(m, "crank", CRANK, (B, A), 2)
    m.spherical("C", beam[-1], link[0], at=C)
    m.revolute("B", link[-1], crank[0], at=B, axis="y")
    m.revolute("A", m.ground, crank[-1], at=A, axis="-y")
    m.driver("motor", "A", velocity=f"if(t < {TURN}, {math.pi**2 / (2 * TURN)}*sin(pi*t/{TURN}), 0)")
    return m, beam[elements // 2]


def chain(
    m: Model, name: str, rod: Rod, ends_at: tuple[np.ndarray, np.ndarray], elements: int, **held: Any
) -> list[str]:
    """A chain of beam elements between two points (m), its weak direction along y."""
    area = rod.EA / E
    return m.lumped_beam(name, *ends_at, segments=elements, density=MASS[name] / area, modulus=E, shear_modulus=G,
                         area=area, Iy=rod.EI[1] / E, Iz=rod.EI[0] / E, J=rod.GJ / G, ky=rod.GA[0] / (G * area),
                         kz=rod.GA[1] / (G * area), second_axis="y", **held)  # fmt: skip


def sideways(elements: int) -> np.ndarray:
    """The quantities of the table above."""
    m, middle = lifted_beam(elements)
    run = m.simulate(UNTIL, integrator="generalized-alpha", rtol=1e-5, hmax=1e-3, every=EVERY, progress=False)
    return measured(run.t, np.abs(run.position(middle)[:, 1]))


def measured(t: np.ndarray, aside: np.ndarray) -> np.ndarray:
    """The same of a run: how far (m) the middle is from the plane at its samples (s)."""
    first = int(np.argmax(aside > ASIDE))
    when = np.interp(ASIDE, aside[first - 1 : first + 1], t[first - 1 : first + 1])
    return np.array([when, aside.max(), *np.interp((0.16, 0.2), t, aside)])


def extrapolated(elements: int) -> np.ndarray:
    """The same, from that many elements and from half of them."""
    coarse, fine = sideways(elements // 2), sideways(elements)
    return np.asarray(fine + (fine - coarse) / 3.0)


def findings(quick: bool = False) -> list[Finding]:
    """When it buckles, how far it goes aside, and how it moves then; distances in parts of the largest."""
    elements = 16 if quick else 24
    ours, seconds = timed(partial(extrapolated, elements))
    setting, found = f"extrapolated from {elements // 2} and {elements} beam elements", []
    for k, (source, apart) in enumerate(SOURCES):
        for value, (what, *known) in zip(ours, KNOWN, strict=True):
            scale = known[k] if what.startswith("time") else KNOWN[1][1]
            found.append(Finding(PROBLEM, what, float(value), known[k], source, 600.0 / elements**4 + apart, seconds,
                                 setting, scale=scale, note="Published as curves only"))  # fmt: skip
    return found
