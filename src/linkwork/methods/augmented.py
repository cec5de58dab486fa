"""The augmented equations of the papers, solved as printed (`literal`), by elimination that passes over zeros:

    [M  Phi_v^T] [v_dot]   [Q    ]
    [Phi_v    0] [lam  ] = [gamma]          P1 (5), P3 (3), P5 (7)

over rows that are independent.  P1 solves them in its step 5; P5 has this one matrix for position, velocity and
acceleration.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.formulations.state import POWER, first_velocity, work_place
from linkwork.numerics.dense import solve_lu
from linkwork.numerics.sparse_elimination import eliminate_sparse
from linkwork.numerics.status import MASS_SINGULAR, OK
from linkwork.numerics.tree_matrix import scatter

PIVOTS, PLACES, TAKEN = range(3)  # rows of `work.augmented_order`; the last: constraint rows in the equations


@part
def factor_augmented(system, work):
    """Factor the matrix, with the rows TAKEN, at the position evaluated last; log |det| / 2 into the record."""
    K, n, rows, count = work.augmented, work.v_dot.shape[0], work.augmented_order[TAKEN], work.method[0].rank
    K[:, :] = 0.0
    scatter(system.dofs, work.M, K[:n, :n])
    for k in range(count):
        row = system.rows[rows[k]]
        con = system.constraints[row.constraint]
        for j in range(con.column_count):
            dof = system.columns[con.first_column + j].dof
            K[n + k, dof] = K[dof, n + k] = work.J[row.first_value + j]
    if not eliminate_sparse(K, n + count, work.augmented_order[PIVOTS], work.augmented_order[PLACES]):
        return MASS_SINGULAR
    volume = 0.0
    for k in range(n + count):
        volume += math.log(abs(K[k, k]))
    work.method[0].volume = 0.5 * volume
    return OK


@part
def solve_augmented(work):
    """Right-hand side to solution, in `work.augmented_x`."""
    solve_lu(work.augmented, work.v_dot.shape[0] + work.method[0].rank, work.augmented_order[PIVOTS], work.augmented_x)


@part
def accelerate_augmented(system, work):
    """v_dot, lam and dy/dt with the factors at hand."""
    n, x, rows, count = work.v_dot.shape[0], work.augmented_x, work.augmented_order[TAKEN], work.method[0].rank
    for j in range(n):
        x[j] = work.Q[j]
    for k in range(count):
        x[n + k] = work.gamma[rows[k]]
    solve_augmented(work)
    for r in range(work.lam.shape[0]):
        work.lam[r] = 0.0
    power, first = work.energy[POWER], first_velocity(system)
    for k in range(count):
        work.lam[rows[k]] = x[n + k]
        power -= x[n + k] * work.nu[rows[k]]
    for j in range(n):
        work.v_dot[j] = x[j]
        work.rate[first + j] = x[j]
    work.rate[work_place(system)] = power
