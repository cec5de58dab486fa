"""How the balance r (balance.py) changes with the state, by differences, and the matrix of Newton's method made of it:

    [ m M + v C + p K    Phi_v^T ]      K = d(M v_dot + Phi_v^T lam - Q)/dq,  C = -dQ/dv   along the motions
    [ v D_v + p D_q     -eps     ]      D_v, D_q: of the rows, Phi or Phi_v v - nu

for unknowns that move v_dot, v and q with the factors m, v and p, and for lam.  The tangent is kept, so that another
step length costs a factorization only.  Rows are brought to equal size, so that nothing depends on h where h is small.
At a singular position, where rows of Phi_v become dependent, the small eps keeps the matrix regular: it slows Newton's
method down a little, and leaves its solution as it is.

Row u of the table `tangent` is dr/du: u goes through z = (v_dot, lam), then the speeds, then the motions of the
position.
"""

from __future__ import annotations

from linkwork.formulations.kinematics import displace
from linkwork.integrators.balance import evaluate_all, imbalance
from linkwork.integrators.vectors import copy
from linkwork.numerics.codes import LEVEL_ALL, LEVEL_VELOCITY, NEWTON_STALLED, OK
from linkwork.numerics.dense import factor_lu, solve_lu
from linkwork.numerics.jit import part

DIFFERENCE = 1e-7  # of the size of a coordinate or speed: balances rounding against curvature
EPS = 1e-10  # of |Phi_v| / |m M + v C + p K|, for rows of size 1


@part
def build_tangent(evaluate, system, t, y, angles, work, z, tangent, moved, base, r, control):
    """dr/du at the state (t, y, z); moved, base, r: vectors to work with.

    First the balance itself, then the rows of z, in which it is linear, of the speeds, which need the velocity level
    alone, and of the position.
    """
    motions, first = system.dofs.shape[0], system.whole[0].q_count
    size = z.shape[0]
    control[0].evaluations += 2 * motions + 1
    for u in range(-1, size + 2 * motions):
        if u < 0:
            evaluate_all(evaluate, system, t, y, angles, work, LEVEL_ALL)
            imbalance(system, work, z, base)
            continue
        before = z[u % size]
        j = (u - size) % motions
        step = work.sizes[first + j] * DIFFERENCE
        copy(y, moved)
        if u < size:
            step = 1.0 + abs(before)
            z[u] += step
        elif u < size + motions:
            step = max(step, DIFFERENCE * abs(y[first + j]))
            moved[first + j] += step
            evaluate_all(evaluate, system, t, moved, angles, work, LEVEL_VELOCITY)
        else:
            for i in range(motions):
                r[i] = 0.0
            r[j] = step
            displace(system.dofs, moved, r)
            evaluate_all(evaluate, system, t, moved, angles, work, LEVEL_ALL)
        imbalance(system, work, z, r)
        z[u % size] = before
        for i in range(size):
            tangent[u, i] = (r[i] - base[i]) / step


@part
def factor_tangent(motions, m, v, p, tangent, matrix, scales, order):
    """The matrix for the factors m, v, p, its rows brought to equal size by `scales`, and factored."""
    size = scales.shape[0]
    largest, widest = 0.0, 0.0
    for i in range(size):
        most = 0.0
        for j in range(size):
            entry = tangent[j, i]
            if j < motions:
                entry = m * entry + v * tangent[size + j, i] + p * tangent[size + motions + j, i]
            else:
                widest = max(widest, abs(entry))
            matrix[i, j] = entry
            most = max(most, abs(entry))
        if i < motions:
            largest = max(largest, abs(matrix[i, i]))
        scales[i] = 1.0 / most if most > 0.0 else 1.0
    for i in range(size):
        for j in range(size):
            matrix[i, j] *= scales[i]
        if i >= motions:
            matrix[i, i] = -EPS * widest / largest
    return OK if factor_lu(matrix, size, order) else NEWTON_STALLED


@part
def solve_tangent(matrix, scales, order, x):
    """x <- matrix^-1 x."""
    size = scales.shape[0]
    for i in range(size):
        x[i] *= scales[i]
    solve_lu(matrix, size, order, x)
