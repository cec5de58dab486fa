"""Back onto the constraints: the one correction of all methods that project.

    position   repeat  q <- q + delta   with   Phi_v delta = -Phi            until the step is at rounding level
    velocity           v <- v + delta   with   Phi_v delta = nu - Phi_v v

Which of the many delta is the method's affair (solve with task MOVE): the shortest in the metric of M, or one along
its dependent directions.  The factors of the position evaluated last are kept, a quasi-Newton iteration; they are built
anew if some iterations do not converge, and at every iteration near a singular position, where a small violation is a
large error of velocity.  At distance x from it rounding eps of the rows is an error eps / x of position along the weak
direction and eps / x^2 of the velocity that meets the rows: a violation that is no more than this is left.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.kinematics import displace
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.methods.normal_step import violation_rate
from linkwork.numerics.rounding import ROUNDING
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import FACTOR, LEVEL_POSES, LEVEL_POSITION, MOVE, NEWTON_STALLED, NOT_FINITE, OK

POSITION_STEP = 1e-10  # rad, or m / size of the mechanism: a step this small leaves a violation at rounding level
SINGULAR_STEP = 1e-14  # the same near a singular position
UNIT = 2e-16  # of the mechanism's size: a violation that is rounding of the rows
OPEN = 1e-10  # the same: a row that was dropped as dependent and is violated by more cannot be met
KEEP = 5  # iterations after which the factors are built anew
GIVE_UP = 30  # iterations


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """The stage of most methods."""
    return bring_back(evaluate, factor, solve, system, t, y, angles, work)


@part
def bring_back(evaluate, factor, solve, system, t, y, angles, work):
    """Back onto Phi = 0 and Phi_v v = nu; leaves the corrected position evaluated and factored."""
    status = correct_position(evaluate, factor, solve, MOVE, KEEP, system, t, y, angles, work)
    if status != OK:
        return status
    return correct_velocity(evaluate, factor, solve, system, t, y, angles, work)


@part
def correct_velocity(evaluate, factor, solve, system, t, y, angles, work):
    """Onto Phi_v v = nu at the position of y, which is evaluated and factored."""
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    first, c, delta = first_velocity(system), work.c, work.delta
    violation_rate(system, work.J, y[first:], work.nu, c)
    status = solve(factor, system, work, FACTOR)
    if status != OK:
        return status
    if work.method[0].factors == Factors.DELICATE and nothing_but_rounding(c, y[first:], system, work):
        return OK
    status = solve(factor, system, work, MOVE)
    for j in range(work.v_dot.shape[0]):
        y[first + j] += delta[j]
    return status


@part
def nothing_but_rounding(rate, v, system, work):
    """Whether a violation of Phi_v v = nu is what rounding of the position, eps / x, makes of velocities v."""
    worst, speed = 0.0, 0.0
    for r in range(work.Phi.shape[0]):
        worst = max(worst, abs(rate[r]))
    for j in range(work.v_dot.shape[0]):
        speed = max(speed, abs(v[j]))
    return worst * work.method[0].weakest_pivot < UNIT * max(1.0, system.whole[0].length) * speed


@part
def correct_position(evaluate, factor, solve, task, keep, system, t, y, angles, work):
    """Quasi-Newton until the step is at rounding level; new factors every `keep` iterations (1: Newton's own)."""
    c, delta, method = work.c, work.delta, work.method[0]
    length = system.whole[0].length
    enough, rounding = POSITION_STEP * min(1.0, length), ROUNDING * max(1.0, length)
    before = math.inf
    for iteration in range(GIVE_UP):
        anew = iteration % keep == keep - 1 or method.factors != Factors.REGULAR
        evaluate(system, t, y, angles, work, LEVEL_POSITION if anew else LEVEL_POSES)
        if anew:
            status = solve(factor, system, work, FACTOR)
            if status != OK:
                return status
        method.iterations += 1
        violation, size = 0.0, 0.0
        for r in range(work.Phi.shape[0]):
            c[r] = -work.Phi[r]
            violation = max(violation, abs(c[r]))
        if violation < max(work.options[0].constraint_tolerance, UNIT * max(1.0, length)):
            return OK
        solve(factor, system, work, task)
        for j in range(work.v_dot.shape[0]):
            if not is_finite(delta[j]):
                return NOT_FINITE
            size = max(size, abs(delta[j]))
        displace(system.dofs, y, delta)
        if size < enough and method.factors == Factors.REGULAR:
            return OK
        if size < SINGULAR_STEP or (size > 0.5 * before and (size < enough or violation < rounding)):
            open_to = max(OPEN * max(1.0, length), system.whole[0].misfit)
            return OK if violation < open_to else NEWTON_STALLED  # as far as it can go
        before = size
    return NEWTON_STALLED
