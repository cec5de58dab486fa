"""The numbers of generalized-alpha: its parameters, its local errors, and what it keeps in memory (generalized_alpha.py
has the equations; theory (9.10), (9.11)).
"""

from __future__ import annotations

import numpy as np

ORDER = 2

RHO = 0.8  # spectral radius at infinite frequency: what a step leaves of a mode that it cannot resolve
ALPHA_M = (2.0 * RHO - 1.0) / (RHO + 1.0)
ALPHA_F = RHO / (RHO + 1.0)
GAMMA = 0.5 + ALPHA_F - ALPHA_M
BETA = 0.25 * (0.5 + GAMMA) ** 2
INERTIA = (1.0 - ALPHA_M) / (1.0 - ALPHA_F)  # dv_dot_{n+1} / da_{n+1}
Q_START, V_START = 0.5 - BETA, 1.0 - GAMMA  # parts of a_n in q_{n+1} and v_{n+1}
START, OLD = ALPHA_M / (1.0 - ALPHA_F), ALPHA_F / (1.0 - ALPHA_F)  # parts of a_n and -v_dot_n in v_dot_{n+1}
LAG = ALPHA_M - ALPHA_F
# Local errors: ERROR_Q h^3 v_ddot of the positions, ERROR_V h^3 v_dddot of the velocities (the two-step method that
# they obey when a is eliminated, expanded).
ERROR_Q = 1.0 / 6.0 - 0.5 * LAG - BETA
ERROR_V = (
    (8.0 * (1.0 - ALPHA_M) - (1.0 - 2.0 * ALPHA_M)) / 6.0
    - 2.0 * GAMMA * (1.0 - ALPHA_F)
    - 0.5 * (GAMMA * ALPHA_F + (1.0 - GAMMA) * (1.0 - ALPHA_F))
)

KEPT = np.dtype(
    [
        ("error", np.float64),  # of the last accepted step, in units of the tolerance; 0: none yet
        ("h_factored", np.float64),  # s, step for which the matrix is factored; 0: none
        ("h_lag", np.float64),  # s, step for which a_n is shifted
        ("moved", np.float64),  # since the tangent was built, in units of the scales
        ("pivot", np.float64),  # weakest, at the start of the last step
        ("fit", np.int64),  # 1: there is a tangent, fit for use
    ],
    align=True,
)

# Memory: a record for each entry of y, as long as some vectors together; then vectors, and the table of the tangent.
ENTRY = np.dtype(
    [
        ("y_old", np.float64),  # of y: start of the last step
        ("rate", np.float64),  # dy/dt at y and at y_old
        ("rate_old", np.float64),
        # Of the motions; then of the active rows, with lam in place of v_dot and a.
        ("v_dot_old", np.float64),  # v_dot_n
        ("a", np.float64),  # a_n; the same shifted to the step; trial a_{n+1}
        ("a_start", np.float64),
        ("a_new", np.float64),
        ("slope", np.float64),  # (a_{n+1} - a_n) / h of the last step
        ("increment", np.float64),  # h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1})
    ],
    align=True,
)
REAL, WHOLE = np.float64, np.int64
WIDTH = ENTRY.itemsize // 8
# Trial y; z = (v_dot_{n+1}, lam_{n+1}); balance, motion, scales and order of rows of Newton's method; its tangent.
Y_NEW, Z, R, MOVED, SCALES, ORDER_OF_ROWS, TANGENT = range(WIDTH, WIDTH + 7)


def vectors(n: int) -> int:
    """Vectors for a state of n numbers: at most n / 2 of them are motions, with as many independent rows, so that the
    tangent has 3 n rows of n numbers (tangent.py).
    """
    return TANGENT + 3 * n
