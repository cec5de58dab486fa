"""Lateral buckling of a cantilever under a weight at its tip, with the beam of Bauchau et al. (2016).

Timoshenko's 4.0126 sqrt(EI GJ) / L^2 neglects how far the beam sags before it buckles; the exact rod does not.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.optimize import brentq

from linkwork.analyses.vibration.over_speed.sweeps import sweep
from linkwork.mechanism import Mechanism
from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod

PROBLEM = "lateral buckling, cantilever of 1 m"
BEAM = Rod(1.0, 73e6, (5.025e6, 23.4e6), 877.2, (608.3, 60830.0))  # weak along y, strong along z
E = G = 1e11  # Pa: any, with areas to match
RIGID = 1e4  # times the strong stiffness: hardly any sag


def cantilever(segments: int, weight: float, stiffer: float = 1.0) -> Mechanism:
    """A clamped chain of beam elements with a weight (N) at its tip, its strong bending `stiffer`."""
    m = Model("cantilever", gravity=(0.0, 0.0, 0.0))
    area = BEAM.EA / E
    names = m.lumped_beam(
        "beam", (0, 0, 0), (BEAM.length, 0, 0), segments=segments, density=2.68 / area, modulus=E, shear_modulus=G,
        area=area, Iy=stiffer * BEAM.EI[1] / E, Iz=BEAM.EI[0] / E, J=BEAM.GJ / G, ky=BEAM.GA[0] / (G * area),
        kz=BEAM.GA[1] / (G * area), second_axis="y", ends=(m.ground, None),
    )  # fmt: skip
    m.applied_force("weight", names[-1], force=(0.0, 0.0, -weight))
    return m.mechanism


def critical_load(segments: int, stiffer: float) -> float:
    """Weight (N) at which the straight equilibrium becomes unstable: an eigenvalue passes zero."""
    weights = [2500.0, 2800.0, 3100.0, 3400.0]
    return sweep(lambda weight: cantilever(segments, weight, stiffer), "weight", weights).limits[0].value


def findings(quick: bool = False) -> list[Finding]:
    """Without sag beside Timoshenko's formula, with sag beside the exact rod."""
    segments = 12 if quick else 24
    classical = 4.0126 * math.sqrt(BEAM.EI[0] * BEAM.GJ) / BEAM.length**2
    exact = brentq(lambda P: BEAM.sideways(np.array([0.0, 0.0, -P]), 1), 2700.0, 3300.0, xtol=1e-6)
    cases = (
        (RIGID, "critical weight without sag, N", classical, "Timoshenko: 4.0126 sqrt(EI GJ) / L^2", "strong EI x 1e4"),
        (1.0, "critical weight, N", float(exact), "Cosserat rod by shooting, DOP853 (SciPy)", "EI as given"),
    )
    found = []
    for stiffer, what, known, source, how in cases:
        ours, seconds = timed(partial(critical_load, segments, stiffer))
        found.append(
            Finding(PROBLEM, what, ours, known, source, 1.0 / segments**2, seconds, f"{segments} beam elements, {how}")
        )
    return found
