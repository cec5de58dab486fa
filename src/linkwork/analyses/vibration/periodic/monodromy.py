"""The monodromy matrix: how small motions about a periodic motion change over one period, theory (12.2).

    Psi' = A(t) Psi,   Psi(0) = 1,   (x, z, s)' = A(t) (x, z, s)

A is found at equally spaced samples of the motion by complex steps (linearization.py); between them a spline of
degree 7 stands for it.  Half of the samples tell how good that is.  Psi follows by Magnus' series of fourth order
(Blanes, Casas, Oteo & Ros 2009; theory (12.3)), with A_1, A_2 at Gauss' points of a step h:

    Psi <- exp(h (A_1 + A_2) / 2 + sqrt(3) h^2 [A_2, A_1] / 12) Psi

which is exact where A is constant, however fast its motions are.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.reduction import Reduction
from linkwork.results.result import Result

ORDER = 7  # of the spline through the samples of A
STEPS = 8  # of Magnus' series between two samples
GAUSS = np.sqrt(3.0) / 6.0  # of a step: Gauss' points on both sides of its middle


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
    """Psi after one period (s), for samples A [sample, state, state] at equal distances, both ends included."""
    from scipy.interpolate import make_interp_spline
    from scipy.linalg import expm

    between = make_interp_spline(np.linspace(0.0, period, len(A)), A, k=ORDER)
    steps = STEPS * (len(A) - 1)
    h = period / steps
    middle = h * (np.arange(steps) + 0.5)
    first, second = between(middle - GAUSS * h), between(middle + GAUSS * h)
    Psi = np.eye(A.shape[1])
    for turn in expm(0.5 * h * (first + second) + np.sqrt(3.0) / 12.0 * h**2 * (second @ first - first @ second)):
        Psi = turn @ Psi
    return Psi
