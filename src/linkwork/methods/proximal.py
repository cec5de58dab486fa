"""Proximal multipliers: regularized, then refined until the regularization no longer shows (Carpentier et al. 2021).

    (A^T A + rho I) dmu = c - A^T A mu,   mu <- mu + dmu          with A = L^-T Phi_v^T over all rows

At home with redundant and singular Jacobians: no rank is decided, redundant rows share their multiplier in the
least way, and a vanishing row loses its hold gradually.
"""

from __future__ import annotations

import numpy as np

from linkwork.formulations.kinematics import displace
from linkwork.formulations.workspace import FACTORIZATIONS, FULL, ITERATIONS, KIND, RANK
from linkwork.methods.normal_step import natural_rows, violation_rate
from linkwork.methods.options import RHO
from linkwork.numerics.codes import LEVEL_POSES, LEVEL_POSITION, MASS_SINGULAR, NEWTON_STALLED, NOT_FINITE, OK
from linkwork.numerics.dense import factor_cholesky, solve_cholesky
from linkwork.numerics.jit import part, stage
from linkwork.numerics.tree_matrix import solve_inner, solve_outer

REFINEMENTS = 40
SETTLED = 1e-14  # relative change of the step at which refinement ends
READY = 1
POSITION_STEP = 1e-10  # rad, or m / size of the mechanism
ROUNDING = 1e-13  # of the mechanism's size
GIVE_UP = 30

REGULARIZED = 0  # place in work.matrices


@stage
def solve(system, work):
    """v_dot and lam for the equations evaluated last; dy/dt in `work.rate`."""
    count, rows = work.v_dot.shape[0], work.Phi.shape[0]
    for j in range(count):
        work.v_dot[j] = work.Q[j]
    solve_outer(system.dofs, work.L, work.v_dot)
    solve_inner(system.dofs, work.L, work.v_dot)
    c, delta = work.small[0][:rows], work.small[1][:count]
    violation_rate(system, work.J, work.v_dot, work.gamma, c)
    proximal_step(system, work, c, delta, work.lam)
    power = work.energy[2]
    first = system.whole[0].q_count
    for j in range(count):
        work.v_dot[j] += delta[j]
        work.rate[first + j] = work.v_dot[j]
    for r in range(rows):
        work.lam[r] = -work.lam[r]
        power -= work.lam[r] * work.nu[r]
    work.rate[first + count] = power
    return OK


@stage
def factorize(system, work):
    """A^T over all rows, scaled to natural size, and the Cholesky factor of A^T A + rho I."""
    work.counts[FACTORIZATIONS] += 1
    work.counts[RANK] = system.active.shape[0]
    work.counts[FULL] = system.active.shape[0]
    status = natural_rows(system, work, work.dense)
    if status != OK:
        return status
    rows, n = work.dense.shape
    S = work.matrices[REGULARIZED]
    for a in range(rows):
        for b in range(a + 1):
            s = 0.0
            for j in range(n):
                s += work.dense[a, j] * work.dense[b, j]
            S[a, b] = s + (work.settings[RHO] if a == b else 0.0)
    work.counts[KIND] = READY
    return OK if factor_cholesky(S, rows) else MASS_SINGULAR


@part
def proximal_step(system, work, c, delta, mu):
    """delta = L^-1 A mu with A^T A mu = c, by refinement from mu = 0."""
    rows, n = work.dense.shape
    scales, z, x = work.small[3], work.small[4], work.small[5]
    for j in range(n):
        z[j] = 0.0
    for r in range(rows):
        mu[r] = 0.0
    first = 0.0
    for _ in range(REFINEMENTS):
        for r in range(rows):
            s = c[r] * scales[r]
            for j in range(n):
                s -= work.dense[r, j] * z[j]
            x[r] = s
        solve_cholesky(work.matrices[REGULARIZED], rows, x)
        change = 0.0
        for r in range(rows):
            mu[r] += x[r]
        for j in range(n):
            s = 0.0
            for r in range(rows):
                s += work.dense[r, j] * x[r]
            z[j] += s
            change = max(change, abs(s))
        first = max(first, change)
        if change <= SETTLED * first:
            break
    for r in range(rows):
        mu[r] *= scales[r]
    for j in range(n):
        delta[j] = z[j]
    solve_inner(system.dofs, work.L, delta)


@stage
def correct(evaluate, factor, system, t, y, angles, work):
    """Back onto the constraints by proximal steps; leaves the position evaluated and factored."""
    count, rows = work.v_dot.shape[0], work.Phi.shape[0]
    c, delta = work.small[0][:rows], work.small[1][:count]
    enough = POSITION_STEP * min(1.0, system.whole[0].length)
    rounding = ROUNDING * max(1.0, system.whole[0].length)
    status = NEWTON_STALLED
    for iteration in range(GIVE_UP):
        if iteration % 3 == 2 or work.counts[KIND] != READY:
            evaluate(system, t, y, angles, work, LEVEL_POSITION)
            if factor(system, work) != OK:
                return MASS_SINGULAR
        else:
            evaluate(system, t, y, angles, work, LEVEL_POSES)
        work.counts[ITERATIONS] += 1
        violation = 0.0
        for r in range(rows):
            c[r] = -work.Phi[r]
            violation = max(violation, abs(c[r]))
        proximal_step(system, work, c, delta, work.lam)
        size = 0.0
        for j in range(count):
            if not np.isfinite(delta[j]):
                return NOT_FINITE
            size = max(size, abs(delta[j]))
        displace(system.dofs, y, delta)
        if size < enough or violation < rounding:
            status = OK
            break
    if status != OK:
        return status
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    if factor(system, work) != OK:
        return MASS_SINGULAR
    first = system.whole[0].q_count
    v = y[first : first + count]
    violation_rate(system, work.J, v, work.nu, c)
    proximal_step(system, work, c, delta, work.lam)
    for j in range(count):
        v[j] += delta[j]
    return OK
