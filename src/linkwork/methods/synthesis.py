"""Subsystem synthesis (S.-S. Kim 2002): suspensions are condensed onto the chassis, which is then solved alone.

For each subsystem s, with motions v_s and the multipliers of its rows, on a base (chassis) with accelerations a_0,

    A_s [a_s; lam_s] + B_s a_0 = [Q_s; gamma_s],   A_s = [M_ss Phi_s^T; Phi_s 0],   B_s = [M_s0; Phi_s0]    theory (5.6)
    (M_00 - sum B_s^T A_s^-1 B_s) a_0 = Q_0 - sum B_s^T A_s^-1 [Q_s; gamma_s]                              theory (5.7)

exact, and linear in the number of subsystems.  Both are one elimination of the augmented equations, subsystem by
subsystem, the base last (subsystems.py); no row is exchanged, so that each step takes the same operations.  The motion
is that of parametrization.py, whose problem this solves in another order, as long as each subsystem holds with the base
at rest: where a pivot nearly vanishes, parametrization.py itself serves.

A step is corrected by ITERATIONS iterations, as many at every step; what they leave open goes on being corrected.

S.-S. Kim, A subsystem synthesis method for efficient vehicle multibody dynamics, Multibody System Dynamics 7 (2002)
189-207.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.kinematics import displace
from linkwork.formulations.records import Factors
from linkwork.formulations.state import POWER, first_velocity, work_place
from linkwork.formulations.workspace import active_rows
from linkwork.methods.contract import Method, common_options
from linkwork.methods.correction import bring_back
from linkwork.methods.natural_rows import natural_square
from linkwork.methods.normal_step import CANCELLATION, factorize, violation_rate
from linkwork.methods.parametrization import constrain
from linkwork.methods.subsystems import FIRST, PLACE, UNKNOWN, lay_out_subsystems
from linkwork.numerics.status import ACCELERATE, FACTOR, LEVEL_POSES, LEVEL_POSITION, MOVE, OK
from linkwork.numerics.symmetric_elimination import eliminate_row, solve_symmetric

ITERATIONS = 3  # of the position, at every step
MET = 1e-12  # rad, or m / size of the mechanism: a violation that is left
SYNTHESIZED = 0  # place in the method's own numbers: 1 where the factors at hand are those of the subsystems


@stage
def factor(system, work):
    """Eliminate the subsystems, then the base; at a singular position all at once."""
    method = work.method[0]
    if method.rebuild == 1:
        lay_out_subsystems(system, work)
        method.rebuild = 0
    method.own[SYNTHESIZED] = 0.0
    if work.gram.shape[0] > 0 or not condense(system, work):
        return factorize(system, work)
    method.own[SYNTHESIZED] = 1.0
    method.factorizations += 1
    method.rank = method.full_rank = method.active_count
    method.factors, method.other_rows_pivot = Factors.REGULAR, 0.0
    return OK


@part
def condense(system, work):
    """Fill the augmented equations and eliminate; whether every pivot is sound."""
    method, K, n = work.method[0], work.augmented, work.v_dot.shape[0]
    unknown, first = work.augmented_order[UNKNOWN], work.augmented_order[FIRST]
    fill(system, work)
    volume, weakest = 0.0, math.inf
    for i in range(n + method.active_count):
        pivot = eliminate_row(K, first, i)
        if unknown[i] < n:
            if not pivot > 0.0:
                return False
        else:
            square = natural_square(system, work, unknown[i] - n)
            weakest = min(weakest, -pivot / square)
            if not weakest > CANCELLATION:
                return False
            volume += 0.5 * math.log(-pivot / square)
    method.volume, method.weakest_pivot = volume, math.sqrt(weakest)
    return True


@part
def fill(system, work):
    """[M Phi_v^T; Phi_v 0], the lower triangle in the order of the subsystems."""
    K, n, dofs = work.augmented, work.v_dot.shape[0], system.dofs
    place, first, active = work.augmented_order[PLACE], work.augmented_order[FIRST], active_rows(work)
    for i in range(n + active.shape[0]):
        for j in range(first[i], i + 1):
            K[i, j] = 0.0
    for k in range(n):
        i = k
        while i >= 0:
            K[max(place[k], place[i]), min(place[k], place[i])] = work.M[dofs[k].row + dofs[i].depth]
            i = dofs[i].parent
    for a in range(active.shape[0]):
        row, con = n + active[a].row, system.constraints[active[a].constraint]
        value = system.rows[active[a].row].first_value
        for j in range(con.column_count):
            dof = system.columns[con.first_column + j].dof
            K[max(place[row], place[dof]), min(place[row], place[dof])] = work.J[value + j]


@stage
def solve(factor, system, work, task):
    """The method's linear problem (contract.py)."""
    if task == FACTOR:
        return factor(system, work)
    if work.method[0].own[SYNTHESIZED] == 0.0:
        constrain(system, work, task)
        return OK
    n, x, place, active = work.v_dot.shape[0], work.augmented_x, work.augmented_order[PLACE], active_rows(work)
    right = work.gamma if task == ACCELERATE else work.c
    for j in range(n):
        x[place[j]] = work.Q[j] if task == ACCELERATE else 0.0
    for a in range(active.shape[0]):
        x[place[n + active[a].row]] = right[active[a].row]
    solve_symmetric(work.augmented, work.augmented_order[FIRST], n + active.shape[0], x)
    if task == ACCELERATE:
        accelerate(system, work)
    else:
        for j in range(n):
            work.delta[j] = x[place[j]]
    return OK


@part
def accelerate(system, work):
    """v_dot, lam and dy/dt from the solution; drivers do work."""
    n, x, place, active = work.v_dot.shape[0], work.augmented_x, work.augmented_order[PLACE], active_rows(work)
    power, first = work.energy[POWER], first_velocity(system)
    for r in range(work.lam.shape[0]):
        work.lam[r] = 0.0
    for a in range(active.shape[0]):
        r = active[a].row
        work.lam[r] = x[place[n + r]]
        power -= work.lam[r] * work.nu[r]
    for j in range(n):
        work.v_dot[j] = x[place[j]]
        work.rate[first + j] = work.v_dot[j]
    work.rate[work_place(system)] = power


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """Back onto the constraints: ITERATIONS for the position with the factors at hand, one for the velocity."""
    if work.method[0].factors != Factors.REGULAR:
        return bring_back(evaluate, factor, solve, system, t, y, angles, work)
    for _ in range(ITERATIONS):
        evaluate(system, t, y, angles, work, LEVEL_POSES)
        for r in range(work.Phi.shape[0]):
            work.c[r] = -work.Phi[r]
        solve(factor, system, work, MOVE)
        displace(system.dofs, y, work.delta)
        work.method[0].iterations += 1
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    status = solve(factor, system, work, FACTOR)
    if status != OK:
        return status
    if work.method[0].factors != Factors.REGULAR or not is_met(system, work):
        return bring_back(evaluate, factor, solve, system, t, y, angles, work)
    first = first_velocity(system)
    violation_rate(system, work.J, y[first:], work.nu, work.c)
    status = solve(factor, system, work, MOVE)
    for j in range(work.v_dot.shape[0]):
        y[first + j] += work.delta[j]
    return status


@part
def is_met(system, work):
    """Whether the position evaluated last meets all rows."""
    worst = 0.0
    for r in range(work.Phi.shape[0]):
        worst = max(worst, abs(work.Phi[r]))
    return worst < MET * max(1.0, system.whole[0].length)


METHOD = Method(
    "synthesis", "subsystem synthesis (Kim 2002)", factor, solve, correct, dense=True,
    options=common_options("literal"),
)  # fmt: skip
