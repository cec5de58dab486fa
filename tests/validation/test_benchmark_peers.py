"""Peers of `python -m benchmarks` have linkwork's Bricard linkage and governor: equal accelerations at the start."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from benchmarks import linkwork_side, problems
from benchmarks.peers import load
from benchmarks.rows import ANGLES

from linkwork.library import library_model
from linkwork.model import Model
from linkwork.reproduce.benchmarks.bricard import poses, rods
from linkwork.reproduce.benchmarks.flyball_governor import flyball_governor, known
from linkwork.reproduce.benchmarks.one_degree import motion

# Rates of the joints in the order of the peers' bodies, and the sign of their axes there.
BRICARD = {"hinge 1.rate": -1, "hinge 2.rate": 1, "hinge 3.rate": 1, "hinge 6.rate": -1, "hinge 5.rate": -1}
GOVERNOR = {"bearing.rate": 1, "guide.speed": 1, "hinge right.rate": 1, "hinge left.rate": 1}


def peer(name: str) -> ModuleType:
    module = load(name)
    if isinstance(module, str):
        pytest.skip(module)
    return module


def at_start(model: Model, rates: dict[str, int]) -> np.ndarray:
    """Accelerations of the joints at the start, with the signs of the peers."""
    run = model.simulate(1e-6, progress=False)
    return np.array([sign * run[f"{rate}.dot"][0] for rate, sign in rates.items()])


@pytest.mark.parametrize("name", ["pinocchio", "mujoco"])
def test_a_peer_has_the_same_mechanisms(name: str) -> None:
    module = peer(name)
    ours = at_start(library_model("bricard"), BRICARD)
    assert np.abs(module.bricard_accelerations() - ours).max() < 1e-8 * np.abs(ours).max()
    ours = at_start(flyball_governor(), GOVERNOR)
    assert np.abs(module.governor_accelerations() - ours).max() < 1e-8 * np.abs(ours).max()


@pytest.mark.parametrize("problem", ["bricard", "governor"])
def test_exudyn_has_them_in_the_limit_of_small_steps(problem: str) -> None:
    """Its rules are of second order; it has no accelerations to ask for."""
    until, h = 0.2, 1e-3
    coarse, fine = (getattr(peer("exudyn"), problem)(until, h=step)[1] for step in (h, 0.5 * h))
    _, ours = getattr(linkwork_side, problem)(until)
    assert abs(fine + (fine - coarse) / 3.0 - ours) < 1e-8


@pytest.mark.parametrize(("problem", "references"), list(ANGLES.items()))
def test_linkwork_ends_at_the_references(problem: str, references: dict[float, float]) -> None:
    for until, angle in references.items():
        assert abs(getattr(linkwork_side, problem)(until)[1] - angle) < 1e-8


@pytest.mark.slow
def test_references_are_those_of_the_shelf() -> None:
    for until, angle in problems.BRICARD_ANGLE.items():
        assert abs(motion(rods(), poses, 0.0, 0.0, until)[0] + angle) < 1e-9
    for until, angle in problems.GOVERNOR_ANGLE.items():
        assert abs(known(until)[1] - angle) < 1e-9
