"""Simeon's slider-crank from the modal data of its rod: the published reference solution of the IVP Test Set."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from linkwork.flexible.modal_equations import mass_matrix, velocity_forces
from linkwork.reproduce.benchmarks import crank as data

ROWS = np.array([5, 6, 7, 8, 9])  # angular velocity about z, and the four modal coordinates
a, L = data.CRANK_LENGTH, data.ROD_LENGTH


def accelerations(rod, t: float, y: np.ndarray) -> tuple[np.ndarray, float]:
    """(phi2'', q'') and x3'' of the rod on a crank turning at constant speed, its end on the line y = 0."""
    phi1, phi2, q = data.SPEED * t, y[0], y[1:5]
    w, q_dot = y[5], y[6:10]
    c, s = np.cos(phi2), np.sin(phi2)
    r = L + q[3]
    lean = phi1 - phi2
    a_O = -a * data.SPEED**2 * np.array([np.cos(lean), np.sin(lean), 0.0])  # of the crank pin, axes of the rod
    M = mass_matrix(rod, q)
    f = velocity_forces(rod, q, np.zeros(3), np.array([0.0, 0.0, w]), q_dot)[ROWS] - M[ROWS, :3] @ a_O
    f[1:] -= rod.K_e @ q
    along, across = np.array([-r * s, 0, 0, 0, c]), np.array([r * c, 0, 0, 0, s])  # d(x3), d(height of the end)
    x3_rest = -a * data.SPEED**2 * np.cos(phi1) - r * c * w**2 - 2 * s * w * q_dot[3]
    gamma = a * data.SPEED**2 * np.sin(phi1) + r * s * w**2 - 2 * c * w * q_dot[3]
    A = np.zeros((6, 6))
    A[:5, :5] = M[np.ix_(ROWS, ROWS)] + data.SLIDER_MASS * np.outer(along, along)
    A[:5, 5] = A[5, :5] = across
    y_dd = np.linalg.solve(A, np.append(f - data.SLIDER_MASS * x3_rest * along, gamma))[:5]
    return y_dd, along @ y_dd + x3_rest


@pytest.mark.slow
def test_published_reference_solution():
    rod = data.rod()
    start = np.concatenate([data.START[[1, 3, 4, 5, 6]], data.START_RATES[[1, 3, 4, 5, 6]]])
    run = solve_ivp(
        lambda t, y: np.concatenate([y[5:], accelerations(rod, t, y)[0]]), (0.0, data.END), start, method="DOP853",
        rtol=1e-6, atol=1e-9,
    )  # fmt: skip
    y = run.y[:, -1]
    x3 = a * np.cos(data.SPEED * data.END) + (L + y[4]) * np.cos(y[0])
    found, rates = np.array([y[0], x3, *y[1:5]]), y[5:]
    assert found[:2] == pytest.approx(data.REFERENCE[1:3], rel=1e-7)
    assert found[2:] == pytest.approx(data.REFERENCE[3:], rel=2e-5)
    assert rates[0] == pytest.approx(data.REFERENCE_RATES[1], rel=1e-6)
    assert rates[1:] == pytest.approx(data.REFERENCE_RATES[3:], rel=1e-3)


def test_accelerations_at_the_published_end_state():
    y = np.concatenate([data.REFERENCE[[1, 3, 4, 5, 6]], data.REFERENCE_RATES[[1, 3, 4, 5, 6]]])
    y_dd, x3_dd = accelerations(data.rod(), data.END, y)
    expected = data.REFERENCE_ACCELERATIONS
    assert [y_dd[0], x3_dd] == pytest.approx(expected[1:3], rel=1e-7)
    assert y_dd[1:] == pytest.approx(expected[3:], abs=1e-4)  # stiffness forces of 1e3 balance in them
