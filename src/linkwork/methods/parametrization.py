"""Mass-weighted projection (P5, Lee, Bae, Han & Suh 1994): integrate all coordinates, then correct them least.

    position      min 1/2 (q - q*)^T M (q - q*)   s.t. Phi = 0                 theory (5.1)
    velocity      min 1/2 (v - v*)^T M (v - v*)   s.t. Phi_v v = nu            theory (5.2)
    acceleration  M v_dot + Phi_v^T lam = Q       s.t. Phi_v v_dot = gamma     (Gauss: least constraint)

All three are `normal_step` with one factorization, of M and of Phi_v M^-1 Phi_v^T.  The position is corrected by the
least motion from where it is, not from q*, which differs by a square of the violation; as printed (`literal`) by
printed_projection.py.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.records import Factors
from linkwork.formulations.state import POWER, first_velocity, work_place
from linkwork.methods.augmented import accelerate_augmented
from linkwork.methods.contract import Method, common_options
from linkwork.methods.correction import bring_back
from linkwork.methods.loop_recursion import solve_eliminated
from linkwork.methods.normal_step import constrained_motion, factorize, normal_step, violation_rate
from linkwork.methods.printed_projection import factor_as_printed, project_as_printed
from linkwork.numerics.status import ACCELERATE, FACTOR, OK
from linkwork.numerics.tree_matrix import solve_inner, solve_outer


@stage
def factor(system, work):
    """M and the constraints at the position evaluated last; as printed, the augmented matrix."""
    if work.options[0].literal != 0.0:
        return factor_as_printed(system, work)
    return factorize(system, work)


@stage
def solve(factor, system, work, task):
    """The method's linear problem (contract.py)."""
    if task == FACTOR:
        return factor(system, work)
    if work.options[0].literal != 0.0:
        accelerate_augmented(system, work)
    else:
        constrain(system, work, task)
    return OK


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """Back onto the constraints the least way from where y is; as printed, from where it was."""
    if work.options[0].literal != 0.0:
        return project_as_printed(evaluate, factor, solve, system, t, y, angles, work)
    return bring_back(evaluate, factor, solve, system, t, y, angles, work)


@part
def constrain(system, work, task):
    """MOVE: the least motion that meets c; ACCELERATE: M^-1 Q and the least change that meets gamma, lam, dy/dt."""
    w = work
    if task != ACCELERATE:
        normal_step(system, w, w.c, w.delta, w.lam)
        return
    for j in range(w.v_dot.shape[0]):
        w.v_dot[j] = w.Q[j]
    if w.method[0].by_recursion == 1:
        solve_eliminated(system, w, w.gamma, w.v_dot, w.lam)
        enter_rates(system, w)
        return
    solve_outer(system.dofs, w.L, w.v_dot)
    if w.method[0].factors == Factors.REGULAR:
        constrained_motion(system, w, w.gamma, w.v_dot, w.lam)
        for r in range(w.lam.shape[0]):
            w.lam[r] = -w.lam[r]
        enter_rates(system, w)
        return
    solve_inner(system.dofs, w.L, w.v_dot)
    violation_rate(system, w.J, w.v_dot, w.gamma, w.c)
    normal_step(system, w, w.c, w.delta, w.lam)
    finish_acceleration(system, w)


@part
def finish_acceleration(system, w):
    """v_dot += delta, lam = -mu, dy/dt."""
    for r in range(w.lam.shape[0]):
        w.lam[r] = -w.lam[r]
    for j in range(w.v_dot.shape[0]):
        w.v_dot[j] += w.delta[j]
    enter_rates(system, w)


@part
def enter_rates(system, w):
    """dy/dt of accelerations and multipliers; drivers do work."""
    power, first = w.energy[POWER], first_velocity(system)
    for r in range(w.lam.shape[0]):
        power -= w.lam[r] * w.nu[r]
    for j in range(w.v_dot.shape[0]):
        w.rate[first + j] = w.v_dot[j]
    w.rate[work_place(system)] = power


METHOD = Method(
    "parametrization", "mass-weighted projection (P5)", factor, solve, correct, conditioning=True, may_recur=True,
    options=common_options("literal", "constraint_tolerance"),
)  # fmt: skip
