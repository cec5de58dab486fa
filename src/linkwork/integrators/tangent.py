"""How the balance (balance.py) changes with the state, by differences, and the matrix of Newton's method made of it:

    [ m M + v C + p K   Phi_v^T ]      K = d(M v_dot + Phi_v^T lam - Q)/dq,  C = -dQ/dv   along the motions
    [ Phi_v + (p/v) D  -eps     ]      D = d(Phi_v v - nu)/dq for rows that hold velocities alone, else 0

for an unknown that moves v_dot, v and q with the factors m, v and p; the rows below are divided by p, those of
velocities by v, so that the matrix does not depend on h where h is small.  The tangent is kept, so that another step
length costs a factorization only.  At a singular position, where rows of Phi_v become dependent, the small eps keeps
the matrix regular: it slows Newton's method down a little, and leaves its solution as it is.

All blocks lie below each other in one table, as wide as the matrix: M, C, K, Phi_v, D, matrix.
"""

from __future__ import annotations

from linkwork.elements.constraints import POSITION
from linkwork.formulations.kinematics import displace
from linkwork.integrators.balance import imbalance
from linkwork.integrators.vectors import copy
from linkwork.numerics.codes import LEVEL_ALL, LEVEL_VELOCITY, NEWTON_STALLED, OK
from linkwork.numerics.dense import factor_lu, solve_lu
from linkwork.numerics.jit import part

DIFFERENCE = 1e-7  # of the size of a coordinate or speed: balances rounding against curvature
EPS = 1e-10  # of |Phi_v|^2 / |m M + v C + p K|


def table_size(motions: int, rows: int) -> int:
    """Floats of the table."""
    return (4 * motions + 3 * rows) * (motions + rows)


@part
def build_tangent(evaluate, system, t, y, angles, work, v_dot, lam, table, moved, base, r, control):
    """M, C, K, Phi_v, D at the state (t, y); moved, base, r: vectors to work with.

    First the balance itself, then the columns of C, which need the velocity level alone, then those of K and D.
    """
    motions, rows = work.v_dot.shape[0], system.active.shape[0]
    first = system.whole[0].q_count
    control[0].evaluations += 2 * motions + 1
    for column in range(-1, 2 * motions):
        j = column % motions
        level, size = LEVEL_ALL, work.sizes[first + j] * DIFFERENCE
        copy(y, moved)
        if 0 <= column < motions:
            level, size = LEVEL_VELOCITY, max(size, DIFFERENCE * abs(y[first + j]))
            moved[first + j] += size
        elif column >= motions:
            for i in range(motions):
                r[i] = 0.0
            r[j] = size
            displace(system.dofs, moved, r)
        evaluate(system, t, moved, angles, work, level)
        imbalance(system, work, v_dot, lam, r)
        if column < 0:
            copy(r, base)
            scatter_mass(system.dofs, work.M, table)
            scatter_rows(system, work.J, table)
        else:
            above = motions if column < motions else 2 * motions
            for i in range(motions):
                table[above + i, j] = (r[i] - base[i]) / size
            for a in range(rows):
                if column >= motions:
                    held = system.rows[system.active[a].row].mode == POSITION
                    change = 0.0 if held else r[motions + a] - base[motions + a]
                    table[3 * motions + rows + a, j] = change / size


@part
def scatter_mass(dofs, packed, table):
    """The packed mass matrix as a dense one."""
    for k in range(dofs.shape[0]):
        for i in range(k):
            table[k, i] = 0.0
            table[i, k] = 0.0
        i = k
        while i >= 0:
            value = packed[dofs[k].row + dofs[i].depth]
            table[k, i] = value
            table[i, k] = value
            i = dofs[i].parent


@part
def scatter_rows(system, packed, table):
    """Active rows of Phi_v as a dense matrix."""
    motions = system.dofs.shape[0]
    for a in range(system.active.shape[0]):
        act = system.active[a]
        con = system.constraints[act.constraint]
        value = system.rows[act.row].first_value
        for j in range(motions):
            table[3 * motions + a, j] = 0.0
        for k in range(con.column_count):
            table[3 * motions + a, system.columns[con.first_column + k].dof] = packed[value + k]


@part
def factor_tangent(motions, rows, m, v, p, table, scales, order):
    """The matrix for the factors m, v, p, its rows brought to equal size by `scales`, and factored."""
    size = motions + rows
    J, D, top = 3 * motions, 3 * motions + rows, 3 * motions + 2 * rows
    largest, widest = 0.0, 0.0
    for i in range(motions):
        for j in range(motions):
            table[top + i, j] = m * table[i, j] + v * table[motions + i, j] + p * table[2 * motions + i, j]
        largest = max(largest, abs(table[top + i, i]))
    for a in range(rows):
        for j in range(motions):
            table[top + motions + a, j] = table[J + a, j] + p / v * table[D + a, j]
            table[top + j, motions + a] = table[J + a, j]
            widest = max(widest, abs(table[J + a, j]))
    eps = EPS * widest * widest / largest
    for a in range(rows):
        for b in range(rows):
            table[top + motions + a, motions + b] = -eps if a == b else 0.0
    for i in range(size):
        most = 0.0
        for j in range(size):
            most = max(most, abs(table[top + i, j]))
        scales[i] = 1.0 / most
        for j in range(size):
            table[top + i, j] *= scales[i]
    return OK if factor_lu(table[top:], size, order) else NEWTON_STALLED


@part
def solve_tangent(motions, rows, table, scales, order, x):
    """x <- matrix^-1 x."""
    size = motions + rows
    for i in range(size):
        x[i] *= scales[i]
    solve_lu(table[3 * motions + 2 * rows :], size, order, x)
