"""P5 as printed (`literal`): one matrix, factored by elimination, for position, velocity and acceleration,
theory (5.3) and (5.4), here with the paper's numbers:

    K = [M Phi_v^T; Phi_v 0]
    position      K [dq; dtau] = -[M (q - q*) + Phi_v^T tau; Phi],   q <- q + dq, tau <- tau + dtau     (18), (23)
    velocity      K [v; tau2] = [M v*; nu]                                                              (28)
    acceleration  K [v_dot; lam] = [Q; gamma]                                                           (29)

q* and v* are the integrated ones.  K is factored once, at q*: the position is iterated with these factors until the
constraints are met, and velocity and acceleration follow with them.  It is built anew if five iterations do not do.
The rotational part of q - q* is twice the vector of the Euler parameters that turn q* into q.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL, BALL_REST
from linkwork.formulations.kinematics import displace
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.formulations.workspace import active_rows
from linkwork.methods.augmented import TAKEN, factor_augmented, solve_augmented
from linkwork.numerics.rounding import ROUNDING
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import FACTOR, LEVEL_POSITION, NEWTON_STALLED, NOT_FINITE, OK

KEEP = 5  # iterations after which K is built anew (P5 section 4.1)
GIVE_UP = 30


@part
def factor_as_printed(system, work):
    """K over the active rows."""
    method, rows, active = work.method[0], work.augmented_order[TAKEN], active_rows(work)
    method.factorizations += 1
    method.rank = method.full_rank = active.shape[0]
    for k in range(method.rank):
        rows[k] = active[k].row
    status = factor_augmented(system, work)
    method.factors = Factors.REGULAR if status == OK else Factors.NOTHING
    return status


@part
def project_as_printed(evaluate, factor, solve, system, t, y, angles, work):
    """q* to q and v* to v."""
    n, first, rows, x = work.v_dot.shape[0], first_velocity(system), work.augmented_order[TAKEN], work.augmented_x
    status = project_position(evaluate, factor, solve, system, t, y, angles, work)
    if status != OK:
        return status
    mass_times(system, work, y[first : first + n], x)
    for k in range(work.method[0].rank):
        x[n + k] = work.nu[rows[k]]
    solve_augmented(work)
    for j in range(n):
        y[first + j] = x[j]
    return OK


@part
def project_position(evaluate, factor, solve, system, t, y, angles, work):
    """Quasi-Newton for the least motion, weighted with M, that meets the constraints."""
    n, delta, x, tau = work.v_dot.shape[0], work.delta, work.augmented_x, work.multipliers
    met = max(work.options[0].constraint_tolerance, ROUNDING * max(1.0, system.whole[0].length))
    for k in range(work.q_integrated.shape[0]):
        work.q_integrated[k] = y[k]
    for k in range(tau.shape[0]):
        tau[k] = 0.0
    for iteration in range(GIVE_UP):
        evaluate(system, t, y, angles, work, LEVEL_POSITION)
        work.method[0].iterations += 1
        violation = 0.0
        for r in range(work.Phi.shape[0]):
            violation = max(violation, abs(work.Phi[r]))
        if iteration % KEEP == 0:
            status = solve(factor, system, work, FACTOR)
            if status != OK:
                return status
        if violation < met:
            return OK
        stationarity(system, work, y)
        solve_augmented(work)
        for j in range(n):
            if not is_finite(x[j]):
                return NOT_FINITE
            delta[j] = x[j]
        for k in range(work.method[0].rank):
            tau[k] += x[n + k]
        displace(system.dofs, y, delta)
    return NEWTON_STALLED


@part
def stationarity(system, work, y):
    """-[M (q - q*) + Phi_v^T tau; Phi], for the equations to solve."""
    n, x, rows = work.v_dot.shape[0], work.augmented_x, work.augmented_order[TAKEN]
    motion_from(system.dofs, work.q_integrated, y, work.delta)
    mass_times(system, work, work.delta, x)
    for k in range(work.method[0].rank):
        row = system.rows[rows[k]]
        con = system.constraints[row.constraint]
        for j in range(con.column_count):
            x[system.columns[con.first_column + j].dof] += work.J[row.first_value + j] * work.multipliers[k]
        x[n + k] = -work.Phi[rows[k]]
    for j in range(n):
        x[j] = -x[j]


@part
def mass_times(system, work, v, product):
    """M v, M packed."""
    dofs, M = system.dofs, work.M
    for k in range(dofs.shape[0]):
        product[k] = 0.0
    for k in range(dofs.shape[0]):
        row = dofs[k].row
        product[k] += M[row + dofs[k].depth] * v[k]
        i = dofs[k].parent
        while i >= 0:
            value = M[row + dofs[i].depth]
            product[k] += value * v[i]
            product[i] += value * v[k]
            i = dofs[i].parent


@part
def motion_from(dofs, start, y, delta):
    """q - q* as a motion: of rotations twice the vector of e o e*^-1, in the axes that do not turn."""
    for j in range(dofs.shape[0]):
        dof = dofs[j]
        k = dof.q
        if dof.kind == BALL:
            a0, a1, a2, a3 = start[k], -start[k + 1], -start[k + 2], -start[k + 3]
            e0, e1, e2, e3 = y[k], y[k + 1], y[k + 2], y[k + 3]
            delta[j] = 2.0 * (e0 * a1 + e1 * a0 + e2 * a3 - e3 * a2)
            delta[j + 1] = 2.0 * (e0 * a2 + e2 * a0 + e3 * a1 - e1 * a3)
            delta[j + 2] = 2.0 * (e0 * a3 + e3 * a0 + e1 * a2 - e2 * a1)
        elif dof.kind != BALL_REST:
            delta[j] = y[k] - start[k]
