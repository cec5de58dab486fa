"""Rank is geometry: degrees of freedom and redundant equations do not depend on masses, scale or a special start."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.start.assembly import assemble
from linkwork.mechanism import Mechanism
from random_mechanisms import random_linkage, random_planar_linkage
from random_mechanisms.figures import any_masses, bennett, rods_in_line, sarrus
from validation.test_random_loops import DOF, PLANAR, PLANAR_DOF, SPATIAL

FORMULATIONS = ("joint", "absolute")


def counted(mechanism: Mechanism) -> set[int]:
    """Degrees of freedom by both formulations and by the diagnosis."""
    starts = [assemble(mechanism, formulation) for formulation in FORMULATIONS]
    return {start.compiled.layout.v_count - start.rank for start in starts} | {diagnose(mechanism).dof}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*SPATIAL, *PLANAR])
def test_masses_of_any_ratio_do_not_change_the_count(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if name in SPATIAL:
        mechanism, dof = random_linkage(SPATIAL[name], seed), DOF[name]
    else:
        mechanism, dof = random_planar_linkage(PLANAR[name], seed, rng.choice(["xz", None])), PLANAR_DOF[name]
    redundant = len(diagnose(mechanism).redundant)
    for decades in (3.0, 9.0, 15.0):
        other = any_masses(mechanism, rng, decades)
        assert counted(other) == {dof}
        assert len(diagnose(other).redundant) == redundant


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_special_start_is_counted_rightly(size: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    structure = rods_in_line(rng, 2, size)
    assert counted(any_masses(structure, rng, 6.0 * (seed % 2))) == {0}
    apart = 0.2 * (seed % 3)
    flat, raised = (sarrus(np.random.default_rng(seed), height, size, apart) for height in (0.0, 0.7))
    assert counted(flat) == counted(raised) == {1}
    assert len(diagnose(flat).redundant) == len(diagnose(raised).redundant) == 1
    assert counted(bennett(rng, None, size)) == {1}
