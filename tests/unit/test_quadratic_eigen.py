"""Which motions of M x'' + C x' + K x = 0 have no stiffness, where rounding blurs it."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.numerics.quadratic_eigen import quadratic_eigen, without_stiffness


@pytest.mark.parametrize("turn", [0.0, 1e-15, 1e-12])
def test_a_rigid_body_motion_with_a_trace_of_a_stiff_one_is_still_one(turn):
    """7e-6 rad/s beside 170: rounding of an eigenvalue solver, whose vector has a trace of the others."""
    M, K = np.diag([2.0, 0.5]), np.diag([6e4, 0.0])
    X = np.array([[turn, 1.0], [1.0, 0.0]], complex)
    assert without_stiffness(np.array([7e-6j, 173j]), X, M, K).tolist() == [True, False]


def test_a_slow_vibration_of_a_stiff_system_is_none():
    """1e-5 rad/s, a spring of 1e-10 N/m on 1 kg, beside 1e3 rad/s."""
    s, X = quadratic_eigen(np.eye(2), np.zeros((2, 2)), np.diag([1e-10, 1e6]))
    assert not without_stiffness(s, X, np.eye(2), np.diag([1e-10, 1e6])).any()
