"""How the balance r (balance.py) changes with the state, by differences, and the matrix of Newton's method made of it:

    [ m M + v C + p K    Phi_v^T ]      K = d(M v_dot + Phi_v^T lam - Q)/dq,  C = -dQ/dv   along the motions
    [ v D_v + p D_q     -eps     ]      D_v, D_q: of the rows, Phi or Phi_v v - nu

for unknowns that move v_dot, v and q with the factors m, v and p, and for lam.  The tangent is kept, so that another
step length costs a factorization only.  Rows are brought to equal size, so that nothing depends on h where h is small.
At a singular position, where rows of Phi_v become dependent, the small eps keeps the matrix regular: it slows Newton's
method down a little, and leaves its solution as it is.

All lies in one table: first the matrix, then a row dr/du for each u of z = (v_dot, lam), of the speeds, and of the
motions of the position.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.implicit.balance import imbalance
from linkwork.integrators.vectors import copy
from linkwork.numerics.dense import factor_lu, solve_lu
from linkwork.numerics.status import LEVEL_EQUATIONS, LEVEL_VELOCITY

DIFFERENCE = 1e-7  # of the size of a coordinate or speed: balances rounding against curvature
EPS = 1e-10  # of |Phi_v| / |m M + v C + p K|, for rows of size 1


@part
def build_tangent(evaluate, system, t, y, angles, work, z, size, table, moved, r, control):
    """dr/du at the state (t, y, z); moved, r: vectors to work with.

    First the balance itself, then the rows of z, in which it is linear, of the speeds, which need the velocity level
    alone, and of the position.
    """
    motions, first, base = system.dofs.shape[0], first_velocity(system), table[0]
    control[0].evaluations += 2 * motions + 1
    evaluate(system, t, y, angles, work, LEVEL_EQUATIONS)
    imbalance(system, work, z, base)
    for u in range(size + 2 * motions):
        step, before = 1.0, 0.0
        if u < size:
            before = z[u]
            step = 1.0 + abs(before)
            z[u] += step
        else:
            copy(y, moved)
            of_speed = u < size + motions
            j = u - size if of_speed else u - size - motions
            step = DIFFERENCE * work.scales[first + j]
            level = LEVEL_EQUATIONS
            if of_speed:
                step = max(step, DIFFERENCE * abs(y[first + j]))
                moved[first + j] += step
                if not system.whole[0].open_tree:
                    level = LEVEL_VELOCITY
            else:
                for i in range(motions):
                    r[i] = 0.0
                r[j] = step
                displace(system.dofs, moved, r)
            evaluate(system, t, moved, angles, work, level)
        imbalance(system, work, z, r)
        if u < size:
            z[u] = before
        for i in range(size):
            table[size + u, i] = (r[i] - base[i]) / step


@part
def factor_tangent(motions, size, m, v, p, table, scales, order):
    """The matrix for the factors m, v, p, its rows brought to equal size by `scales`; whether it could be factored."""
    largest, widest = 0.0, 0.0
    for i in range(size):
        most = 0.0
        for j in range(size):
            entry = table[size + j, i]
            if j < motions:
                entry = m * entry + v * table[2 * size + j, i] + p * table[2 * size + motions + j, i]
            else:
                widest = max(widest, abs(entry))
            table[i, j] = entry
            most = max(most, abs(entry))
        if i < motions:
            largest = max(largest, abs(table[i, i]))
        scales[i] = 1.0 / most if most > 0.0 else 1.0
        for j in range(size):
            table[i, j] *= scales[i]
        if i >= motions:
            table[i, i] = -EPS * widest / largest
    return factor_lu(table, size, order)


@part
def solve_tangent(size, table, scales, order, x):
    """x <- matrix^-1 x."""
    for i in range(size):
        x[i] *= scales[i]
    solve_lu(table, size, order, x)
