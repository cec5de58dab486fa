"""Mass-weighted projection (P5, Lee, Bae, Han & Suh 1994): integrate all coordinates, then go back the shortest way.

    position      min 1/2 (q - q*)^T M (q - q*)   s.t. Phi = 0
    velocity      min 1/2 (v - v*)^T M (v - v*)   s.t. Phi_v v = nu
    acceleration  M v_dot + Phi_v^T lam = Q       s.t. Phi_v v_dot = gamma     (Gauss: least constraint)

All three are `normal_step` with one factorization.  The position problem keeps the factorization of the state
evaluated last, a quasi-Newton iteration; it is rebuilt only if 5 iterations do not converge.
"""

from __future__ import annotations

import math

from linkwork.formulations.kinematics import displace
from linkwork.formulations.workspace import ITERATIONS, KIND
from linkwork.methods.normal_step import CHOLESKY, normal_step, violation_rate
from linkwork.numerics.codes import LEVEL_POSES, LEVEL_POSITION, NEWTON_STALLED, NOT_FINITE, OK
from linkwork.numerics.jit import kernel, part
from linkwork.numerics.tree_matrix import solve_inner, solve_outer

POSITION_STEP = 1e-10  # rad, or m / size of the mechanism: a step this small leaves a violation at rounding level
SINGULAR_STEP = 1e-14  # the same near a singular position, where a small violation is a large error of velocity
ROUNDING = 1e-14  # of the mechanism's size: a violation that no step can lessen
KEEP = 5  # iterations after which the factorization is rebuilt; at once near a singular position
GIVE_UP = 30  # iterations


@kernel
def solve(system, work):
    """v_dot and lam for the equations evaluated last; dy/dt in `work.rate`."""
    constrain(system, work)
    return OK


@part
def constrain(system, work):
    """v_dot = M^-1 Q + the least change that meets Phi_v v_dot = gamma; lam; dy/dt."""
    w = work
    count = w.v_dot.shape[0]
    rows = w.Phi.shape[0]
    for j in range(count):
        w.v_dot[j] = w.Q[j]
    solve_outer(system.dofs, w.L, w.v_dot)
    solve_inner(system.dofs, w.L, w.v_dot)
    c, delta = w.small[0][:rows], w.small[1][:count]
    violation_rate(system, w.J, w.v_dot, w.gamma, c)
    normal_step(system, w, c, delta, w.lam)
    power = w.energy[2]
    for j in range(count):
        w.v_dot[j] += delta[j]
    for r in range(rows):
        w.lam[r] = -w.lam[r]
        power -= w.lam[r] * w.nu[r]  # drivers do work
    first = system.whole[0].q_count
    for j in range(count):
        w.rate[first + j] = w.v_dot[j]
    w.rate[first + count] = power


@kernel
def correct(evaluate, factor, system, t, y, angles, work):
    """Back onto Phi = 0 and Phi_v v = nu; leaves the corrected position evaluated and factored."""
    status = correct_position(evaluate, factor, system, t, y, angles, work)
    if status != OK:
        return status
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    status = factor(system, work)
    if status != OK:
        return status
    correct_velocity(system, y, work)
    return OK


@part
def correct_position(evaluate, factor, system, t, y, angles, work):
    """Quasi-Newton: delta from -Phi with the kept factorization, until the step is at rounding level."""
    count = work.v_dot.shape[0]
    rows = work.Phi.shape[0]
    c, delta = work.small[0][:rows], work.small[1][:count]
    enough = POSITION_STEP * min(1.0, system.whole[0].length)
    rounding = ROUNDING * max(1.0, system.whole[0].length)
    before = math.inf
    for iteration in range(GIVE_UP):
        if iteration % KEEP == KEEP - 1 or work.counts[KIND] != CHOLESKY:
            evaluate(system, t, y, angles, work, LEVEL_POSITION)
            status = factor(system, work)
            if status != OK:
                return status
        else:
            evaluate(system, t, y, angles, work, LEVEL_POSES)
        work.counts[ITERATIONS] += 1
        violation = 0.0
        for r in range(rows):
            c[r] = -work.Phi[r]
            violation = max(violation, abs(c[r]))
        normal_step(system, work, c, delta, work.lam)
        size = 0.0
        for j in range(count):
            if not math.isfinite(delta[j]):
                return NOT_FINITE
            size = max(size, abs(delta[j]))
        displace(system.dofs, y, delta)
        if size < SINGULAR_STEP or (size < enough and work.counts[KIND] == CHOLESKY):
            return OK
        if size > 0.5 * before and (size < enough or violation < rounding):
            return OK  # as far as rounding lets it go
        before = size
    return NEWTON_STALLED


@part
def correct_velocity(system, y, work):
    """v += the least change that meets Phi_v v = nu."""
    count = work.v_dot.shape[0]
    first = system.whole[0].q_count
    v = y[first : first + count]
    c, delta = work.small[0][: work.Phi.shape[0]], work.small[1][:count]
    violation_rate(system, work.J, v, work.nu, c)
    normal_step(system, work, c, delta, work.lam)
    for j in range(count):
        v[j] += delta[j]
