"""The numbers of Radau IIA of order 5, and what it keeps in memory (radau.py).

All follow from the nodes, theory (9.14): D differentiates the cubic through 0 at the start of a step and through Z at
the nodes; its characteristic polynomial is that of Pade's approximation to exp, x^3 - 9 x^2 + 36 x - 60, with a real
root and a pair; T diagonalizes it.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part

C_1, C_2, C_3 = (4.0 - math.sqrt(6.0)) / 10.0, (4.0 + math.sqrt(6.0)) / 10.0, 1.0
NODES = np.array([C_1, C_2, C_3])
STAGES = 3
ORDER = 5
ORDER_OF_ESTIMATE = 3
# The tolerance of a step is 0.1 rtol^(2/3), as in Hairer and Wanner's code: errors of order 3 are estimated, those of
# order 5 remain; theory (9.17).
LOOSENED, TO_THE_POWER = 0.1, 2.0 / 3.0

_ROOT = 3.0 ** (1.0 / 3.0)
RHO = 3.0 + _ROOT**2 - _ROOT
ALPHA, BETA = 3.0 + 0.5 * (_ROOT - _ROOT**2), 0.5 * (_ROOT**2.5 + _ROOT**3.5)  # of the pair alpha +- i beta
PAIR_ROOT = complex(ALPHA, -BETA)  # that of w_2 + i w_3 (newton.py)
# Weights of Z in h times the estimate, before it is filtered (Hairer and Wanner II, IV.8).
ESTIMATE = (-(13.0 + 7.0 * math.sqrt(6.0)) / 3.0, -(13.0 - 7.0 * math.sqrt(6.0)) / 3.0, -1.0 / 3.0)


def derivatives() -> np.ndarray:
    """D [node, node]: h times the slopes at the nodes of the cubic through 0 at the start and Z at the nodes."""
    points = (0.0, C_1, C_2, C_3)
    weights = [1.0 / math.prod(x - other for other in points if other != x) for x in points]
    D = np.empty((STAGES, STAGES))
    for i, x in enumerate(points[1:], 1):
        for j, other in enumerate(points[1:], 1):
            if i == j:
                D[i - 1, j - 1] = sum(1.0 / (x - point) for point in points if point != x)
            else:
                D[i - 1, j - 1] = weights[j] / weights[i] / (x - other)
    return D


def eigenvector(D: np.ndarray, root: complex) -> list[complex]:
    """Of D, with 1 as its last entry: from its first two rows."""
    a, b, c, d = D[0, 0] - root, D[0, 1], D[1, 0], D[1, 1] - root
    determinant = a * d - b * c
    return [(b * D[1, 2] - d * D[0, 2]) / determinant, (c * D[0, 2] - a * D[1, 2]) / determinant, 1.0]


def transformation() -> tuple[np.ndarray, np.ndarray]:
    """T, which makes D block diagonal, and its inverse: columns of the real root, and real and imaginary parts of the
    pair's.
    """
    D = derivatives()
    alone, pair = np.real(eigenvector(D, RHO)), np.array(eigenvector(D, complex(ALPHA, BETA)))
    T = np.column_stack([alone, pair.real, pair.imag])
    rows = [np.cross(T[:, (k + 1) % 3], T[:, (k + 2) % 3]) for k in range(3)]
    return T, np.array(rows) / float(rows[0] @ T[:, 0])


T, T_INVERSE = transformation()
D_END = derivatives()[2]  # of the slope at the end of a step


@part
def tolerance_of_step(rtol):
    """The relative tolerance of a step for one of the run, never tighter."""
    return max(LOOSENED * rtol**TO_THE_POWER, rtol)


KEPT = np.dtype(
    [
        ("error", np.float64),  # of the last accepted step, in units of the tolerance; 0: none yet
        ("h_factored", np.float64),  # s, step for which the matrices are factored; 0: none
        ("convergence", np.float64),  # rate / (1 - rate) of Newton's method in its last iterations
        ("rate", np.float64),  # of that convergence
        ("h_failed", np.float64),  # s, for which Newton's method has failed lately
        ("h_before", np.float64),  # s, of the step before the last
        ("start", np.float64),  # weakest pivot at the start of the step
        ("strongest", np.float64),  # of the weakest pivots within the step
        ("iterations", np.int64),  # of the last trial
        ("fit", np.int64),  # 1: the Jacobian may be used
        ("current", np.int64),  # 1: it was built in this step
        ("trials", np.int64),  # of this step
        ("steps", np.int64),  # since the last restart
    ],
    align=True,
)

REAL, COMPLEX, WHOLE = np.float64, np.complex128, np.int64

# Vectors in memory: trial state; start of the last step, and the three of its cubic; the start of the step before it;
# slopes there, at the start of the last step and at its end; the rate at its end; an error; W and the rates at the
# nodes; the right side of the pair; orders of rows; the Jacobian and the matrices.
Y_NEW, Y_OLD, CUBIC, Y_BEFORE, SLOPES, RATE, ERROR, W, RATES, PAIR, ORDERS, JACOBIAN = (
    0, 1, 2, 5, 6, 9, 10, 11, 14, 17, 19, 22,
)  # fmt: skip


def vectors(n: int) -> int:
    """Vectors for a state of n numbers: the Jacobian, a real and a complex matrix."""
    return JACOBIAN + 4 * n
