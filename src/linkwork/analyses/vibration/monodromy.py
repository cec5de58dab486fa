"""The monodromy matrix: how small motions about a periodic motion change over one period T.

    Phi' = A(t) Phi,   Phi(0) = 1,   (x, z, s)' = A(t) (x, z, s)

A is found at equally spaced samples of the motion by complex steps (linearization.py); between them a spline of
degree 7 stands for it.  Half of the samples tell how good that is.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.reduction import Reduction
from linkwork.results.result import Result

EXACT = 1e-11  # tolerance of the integration of Phi
ORDER = 7  # of the spline through the samples of A


def matrices_along(reduction: Reduction, result: Result) -> np.ndarray:
    """A at every sample of a run: [sample, state, state]."""
    own, found = reduction.layout.velocities, []
    angles = reduction.angles
    for k, t in enumerate(result.t):
        reduction.set_time(float(t))
        y = np.concatenate([result.q[k], result.v[k], result.states[k]])
        point = reduction.point(y, angles, y[own].copy())
        angles = reduction.counted()
        found.append(reduction.system_matrix(point))
    reduction.set_time(0.0)
    return np.array(found)


def monodromy(A: np.ndarray, period: float) -> np.ndarray:
    """Phi after one period (s), for samples A [sample, state, state] at equal distances, both ends included."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import make_interp_spline

    n = A.shape[1]
    between = make_interp_spline(np.linspace(0.0, period, len(A)), A, k=ORDER)

    def rate(t: float, phi: np.ndarray) -> np.ndarray:
        return np.asarray((between(t) @ phi.reshape(n, n)).ravel())

    found = solve_ivp(rate, (0.0, period), np.eye(n).ravel(), method="DOP853", rtol=EXACT, atol=EXACT)
    return np.asarray(found.y[:, -1].reshape(n, n))
