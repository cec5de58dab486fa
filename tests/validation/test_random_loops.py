"""Random closed loops: absolute and joint coordinates give one motion, on the constraints, with energy kept.

The two formulations share no coordinates and cut different joints, so agreement of the body positions after 1 s at
tight tolerance leaves little room for an error in rows, trees, projection or integration.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from random_mechanisms import GROUND, Edge, random_linkage, random_planar_linkage

R, P, S, C, U = "revolute", "prismatic", "spherical", "cylindrical", "universal"
E, H, V = "planar", "screw", "constant-velocity"
SPATIAL: dict[str, list[Edge]] = {
    "RSSR": [(GROUND, 0, R), (0, 1, S), (1, 2, S), (2, GROUND, R)],
    "PSSR": [(GROUND, 0, P), (0, 1, S), (1, 2, S), (GROUND, 2, R)],
    "RSPS": [(GROUND, 0, R), (0, 1, S), (2, 1, P), (2, GROUND, S)],
    "RSRRR": [(GROUND, 0, R), (0, 1, S), (1, 2, R), (2, 3, R), (3, GROUND, R)],
    "7R": [(i - 1, i, R) for i in range(6)] + [(5, GROUND, R)],
    "two loops": [(GROUND, 0, R), (0, 1, S), (1, 2, S), (2, GROUND, R), (1, 3, R), (3, 4, S), (4, GROUND, R)],
    "branch on a loop": [(GROUND, 0, R), (0, 1, S), (1, 2, S), (2, GROUND, R), (2, 3, R), (3, 4, S)],
    "floating loop": [(0, 1, R), (1, 2, S), (2, 3, S), (3, 0, R)],
    "RUUC": [(GROUND, 0, R), (0, 1, U), (2, 1, U), (2, GROUND, C)],
    "HSUP": [(GROUND, 0, H), (1, 0, S), (1, 2, U), (2, GROUND, P)],
    "ESR": [(GROUND, 0, E), (0, 1, S), (GROUND, 1, R)],
    "RVUC": [(GROUND, 0, R), (0, 1, V), (1, 2, U), (2, GROUND, C)],
    "CHUE": [(GROUND, 0, C), (0, 1, H), (2, 1, U), (2, GROUND, E)],
}
DOF = {"RSSR": 2, "PSSR": 2, "RSPS": 2, "RSRRR": 1, "7R": 1, "two loops": 1, "branch on a loop": 6, "floating loop": 8,
       "RUUC": 1, "HSUP": 1, "ESR": 1, "RVUC": 1, "CHUE": 2}  # fmt: skip
PLANAR: dict[str, list[Edge]] = {
    "four-bar": [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, R)],
    "five-bar": [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, 3, R), (GROUND, 3, R)],
    "slider-crank": [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, P)],
    "six-bar": [(GROUND, 0, R), (0, 1, R), (1, 2, R), (2, GROUND, R), (1, 3, R), (3, 4, R), (GROUND, 4, R)],
}
PLANAR_DOF = {"four-bar": 1, "five-bar": 2, "slider-crank": 1, "six-bar": 1}


def after_one_second(mechanism: Mechanism, formulation: str) -> Result:
    return simulate(mechanism, Options(until=1.0, formulation=formulation, rtol=1e-10, every=0.02))


def positions_by_name(result: Result) -> np.ndarray:
    """[sample, body, 3], bodies in alphabetical order: the tree's order depends on the formulation."""
    order = np.argsort(result.names["bodies"])
    return result.position[:, order]


def largest_distance(one: Result, other: Result) -> float:
    assert np.array_equal(one.t, other.t)
    return float(np.abs(positions_by_name(one) - positions_by_name(other)).max())


def assert_trustworthy(result: Result, dof: int) -> None:
    certificate = result.certificate
    assert certificate.dof == dof
    assert certificate.warnings == []
    assert certificate.max_violation["position"] < 1e-10
    assert certificate.max_violation["velocity"] < 1e-10
    assert certificate.energy_drift < 2e-8
    assert np.abs(result.position - result.position[0]).max() > 0.05  # it did move


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SPATIAL)
def test_spatial_loop_is_the_same_in_both_formulations(name: str, seed: int) -> None:
    mechanism = random_linkage(SPATIAL[name], seed)
    absolute, joint = (after_one_second(mechanism, formulation) for formulation in ("absolute", "joint"))
    for result in (absolute, joint):
        assert_trustworthy(result, DOF[name])
    assert largest_distance(absolute, joint) < 1e-8


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PLANAR)
def test_planar_loop_is_the_same_in_the_plane_and_in_space(name: str, seed: int) -> None:
    runs = [
        after_one_second(random_planar_linkage(PLANAR[name], seed, plane), formulation)
        for plane in ("xz", None)
        for formulation in ("absolute", "joint")
    ]
    for result in runs:
        assert_trustworthy(result, PLANAR_DOF[name])
        assert largest_distance(result, runs[0]) < 1e-8
