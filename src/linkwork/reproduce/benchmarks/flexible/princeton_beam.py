"""The Princeton beam (Dowell & Traybar 1975; Bauchau et al. 2016): a thin cantilever bent far by a weight at its tip.

Aluminium, 0.508 m; the weight acts at an angle to the strong plane, so that it bends both ways and twists.  Modes of a
flexible body are linear in the deflection and cannot bend that far: a chain of beam elements (`lumped_beam`) can.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.model import Model, beam
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod

LENGTH = 0.508  # m
BEAM = Rod(LENGTH, 2.84191e6, (6.40131e5, 9.03881e5), 3.10338, (36.2794, 2.42873))  # strong along y, weak along z
WEIGHT, ANGLE = 8.896, math.pi / 4  # N, rad from the strong direction
E = G = 1e10  # Pa: any, with areas to match
PROBLEM, RODS = "Princeton beam, 8.896 N at 45 deg", "Cosserat rod by shooting, DOP853 (SciPy)"
EXUDYN = "EXUDYN 1.13, geometrically exact beams, extrapolated from 32 and 64"
BY_EXUDYN = (0.493610627, 0.008890224, 0.109041675)  # m


def force() -> np.ndarray:
    """The weight, N."""
    return WEIGHT * np.array([0.0, math.cos(ANGLE), math.sin(ANGLE)])


def bent_beam(segments: int, force: np.ndarray) -> Model:
    """A clamped chain of beam elements with a force (N) at its tip."""
    m = Model("Princeton beam", gravity=(0.0, 0.0, 0.0))
    area = BEAM.EA / E
    names = m.lumped_beam(
        "beam", (0, 0, 0), (LENGTH, 0, 0), segments=segments, density=2700.0, modulus=E, shear_modulus=G, area=area,
        Iy=BEAM.EI[1] / E, Iz=BEAM.EI[0] / E, J=BEAM.GJ / G, ky=BEAM.GA[0] / (G * area), kz=BEAM.GA[1] / (G * area),
        second_axis="y", ends=(m.ground, None),
    )  # fmt: skip
    m.applied_force("weight", names[-1], force=force)
    return m


def tip_by_modes(force: np.ndarray) -> np.ndarray:
    """Place of the tip (m) by the modes of a clamped flexible body, which are linear in the deflection."""
    m = Model("Princeton beam by modes", gravity=(0.0, 0.0, 0.0))
    bent = beam(length=LENGTH, area=BEAM.EA / E, Iy=BEAM.EI[1] / E, Iz=BEAM.EI[0] / E, J=2 * BEAM.GJ / E, modulus=E,
                poisson=0.0, density=2700.0, modes=24, supports={"1": "clamped"}, stiffening=True)  # fmt: skip
    m.body("beam", flexible=bent)
    m.fixed("clamp", m.ground, "beam", at=(0, 0, 0))
    m.body("tip", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), at=(LENGTH, 0, 0))
    m.frame("end", "beam", node="11")
    m.frame("middle", "tip")
    m.fixed("weld", "beam", "tip", frames=("end", "middle"))
    m.applied_force("weight", "tip", force=force)
    return m.equilibrium().positions["tip"]


def findings(quick: bool = False) -> list[Finding]:
    """Where the tip is; the error falls with the square of the number of elements."""
    weight = force()
    known, _ = BEAM.bent(weight)
    linear = tip_by_modes(weight)
    found = []
    for segments in (16,) if quick else (16, 32):
        state, seconds = timed(bent_beam(segments, weight).equilibrium)
        tip = state.positions[f"beam {segments}"]
        for references, source in ((known, RODS), (BY_EXUDYN, EXUDYN)):
            for name, ours, reference, modal in zip("xyz", tip, references, linear, strict=True):
                found.append(
                    Finding(PROBLEM, f"{name} of the tip, m", float(ours), float(reference), source, 0.3 / segments**2,
                            seconds, f"{segments} beam elements", scale=LENGTH,
                            note=f"Modes of a flexible body, linear: {name} = {modal:.5f} m")
                )  # fmt: skip
    return found
