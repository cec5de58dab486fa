"""Robots with a floating torso and many loops in space: accelerations equal to those of two algorithms of Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")
from benchmarks.local_loops import Ours
from benchmarks.peers.pinocchio_peer import LOOP_SETTINGS, pushrod_robot
from benchmarks.pushrods import PushrodRobot

SIZES = ((4, 1), (4, 4), (1, 6), (12, 1))
RELATIVE = {"constraintDynamics": 1e-10, "lcaba": 1e-8}  # the second trades digits for iterations


@pytest.mark.parametrize("algorithm", LOOP_SETTINGS)
@pytest.mark.parametrize(("limbs", "modules"), SIZES)
@pytest.mark.parametrize("moving", [0.0, 1.0])
def test_pushrod_robots_accelerate_as_in_pinocchio(algorithm: str, limbs: int, modules: int, moving: float) -> None:
    robot = PushrodRobot(limbs, modules)
    ours = Ours(robot)
    v = moving * ours.v
    q, v_there, tau = ours.q[ours.q_order], v[ours.v_order], ours.tau[ours.v_order]
    expected = pushrod_robot(robot, algorithm)(q, v_there, tau)()
    found = ours.accelerations(v)
    assert np.abs(found - expected).max() < RELATIVE[algorithm] * np.abs(expected).max()
