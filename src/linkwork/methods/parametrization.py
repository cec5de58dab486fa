"""Mass-weighted projection (P5, Lee, Bae, Han & Suh 1994): integrate all coordinates, then go back the shortest way.

    position      min 1/2 (q - q*)^T M (q - q*)   s.t. Phi = 0
    velocity      min 1/2 (v - v*)^T M (v - v*)   s.t. Phi_v v = nu
    acceleration  M v_dot + Phi_v^T lam = Q       s.t. Phi_v v_dot = gamma     (Gauss: least constraint)

All three are `normal_step` with one factorization.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.methods.normal_step import normal_step, violation_rate
from linkwork.numerics.status import ACCELERATE, FACTOR, OK
from linkwork.numerics.tree_matrix import solve_inner, solve_outer


@stage
def solve(factor, system, work, task):
    """The method's linear problem (numerics/status.py: FACTOR, ACCELERATE, MOVE)."""
    if task == FACTOR:
        return factor(system, work)
    constrain(system, work, task)
    return OK


@part
def constrain(system, work, task):
    """MOVE: the least motion that meets c; ACCELERATE: M^-1 Q and the least change that meets gamma, lam, dy/dt."""
    w = work
    count, rows = w.v_dot.shape[0], w.Phi.shape[0]
    c, delta = w.small[0][:rows], w.small[1][:count]
    if task == ACCELERATE:
        for j in range(count):
            w.v_dot[j] = w.Q[j]
        solve_outer(system.dofs, w.L, w.v_dot)
        solve_inner(system.dofs, w.L, w.v_dot)
        violation_rate(system, w.J, w.v_dot, w.gamma, c)
    normal_step(system, w, c, delta, w.lam)
    if task == ACCELERATE:
        finish_acceleration(system, w)


@part
def finish_acceleration(system, w):
    """v_dot += delta, lam = -mu, dy/dt; drivers do work."""
    power, first, delta = w.energy[2], system.whole[0].q_count, w.small[1]
    for r in range(w.lam.shape[0]):
        w.lam[r] = -w.lam[r]
        power -= w.lam[r] * w.nu[r]
    for j in range(w.v_dot.shape[0]):
        w.v_dot[j] += delta[j]
        w.rate[first + j] = w.v_dot[j]
    w.rate[first + w.v_dot.shape[0]] = power
