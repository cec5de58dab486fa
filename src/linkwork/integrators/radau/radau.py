"""Radau IIA of order 5: an implicit Runge-Kutta method for stiff mechanisms at tight tolerances, with variable step.

Source: Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.5 and IV.8.  The cubic through y at the
start of a step that obeys y' = f(t, y) at three nodes, the last of which is the end; theory (9.14) to (9.17):

    h f(t + c_i h, y + Z_i) = sum_j D_ij Z_j,      y_new = y + Z_3

It damps what a step does not resolve (L-stable), and nothing else by more than its error.  f is the rate of the state
with the accelerations solved for, as with explicit integrators, so that all constraint methods can be used.  The new
state is corrected onto the constraints.  The estimate of the error is of order 3, the end of a step of order 5.

Near a singular position stages that are off the constraints have wrong constraint forces (dop853.py): of the estimate
only the tangent part counts, and a step that fails is tried again with rates at corrected states.  Such a position is
near where the weakest pivot is small and changes within the step; of some mechanisms it is small everywhere.
"""

from __future__ import annotations

import math

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.formulations.state import first_velocity
from linkwork.integrators.contract import Integrator
from linkwork.integrators.dop853 import NEAR, TURN, into_tangent
from linkwork.integrators.radau.dense_output import keep, state_at
from linkwork.integrators.radau.jacobian import build_jacobian, factor_matrices, rate_at, solve_alone
from linkwork.integrators.radau.newton import ITERATIONS, combined, iterate, norm, start_stages
from linkwork.integrators.radau.scheme import (
    ERROR,
    ESTIMATE,
    KEPT,
    NODES,
    ORDER,
    ORDER_OF_ESTIMATE,
    PAIR,
    RATE,
    RATES,
    STAGES,
    Y_NEW,
    T,
    W,
    vectors,
)
from linkwork.integrators.rates import finite_rate_corrected
from linkwork.integrators.step_length import accept, first_length, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import NEWTON_STALLED, OK, STEP_TOO_SMALL

SAFETY = 0.9
SHRINK_MOST, GROW_MOST = 0.125, 8.0
LEAST_ERROR = 1e-8  # of the tolerance: below it the control sees no difference
GROW_LEAST = 1.2  # a longer step costs a factorization: not for less
BELOW, FORGOTTEN = 0.8, 1.2  # of a length for which Newton's method failed; by how much it grows with each step
MIDDLE = 1  # of the nodes: where the Jacobian is taken, since stiff forces turn with the mechanism
SLOW = 0.01  # rate of convergence above which the Jacobian is built anew for the next step
PATIENCE = 3  # trials of a step near a singular position before its rates are those at corrected states
CHANGED = 0.8  # of the strongest of the weakest pivots within a step: below it a singular position is near
POWER = -1.0 / (ORDER_OF_ESTIMATE + 1)


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    record, kept, y_new = control[0], record_at(control[0].own, 0, KEPT), memory[Y_NEW]
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin(y, work, memory, kept, control)

    planned = min(record.h, record.h_max)
    h = up_to_stop(planned, control)
    kept.start, kept.current, kept.trials = work.method[0].weakest_pivot, 0, 1
    kept.strongest = kept.start
    corrected = False
    status = STEP_TOO_SMALL
    while record.t + h > record.t:
        error, weakest, status = attempt(
            corrected, evaluate, factor, solve, correct, system, h, y, angles, work, memory, kept, control
        )
        if status == OK and error <= 1.0:
            t_new = time_after(h, control)
            status = finite_rate_corrected(
                evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
            )
            if status == OK:
                choose_next(h, planned, error, kept, control)
                keep(h, y, memory, kept, record.h_last)
                copy(work.rate, memory[RATE])
                if corrected:
                    kept.fit = 0
                accept(t_new, h, ORDER, 1, control)
                return OK
        record.rejected += 1
        kept.trials += 1
        singular = 0.0 < weakest < min(NEAR, CHANGED * kept.strongest)
        if singular and not corrected and kept.trials > PATIENCE:
            corrected = True
            kept.fit = 0
            continue
        if error <= 1.0 and kept.current == 0:
            kept.fit = 0
            continue
        if error <= 1.0 and not singular:
            kept.h_failed = h
        h *= max(SHRINK_MOST, SAFETY * error**POWER) if error > 1.0 else 0.5
        planned = h
        record.h = h
        if h < record.h_min:
            break
    kept.fit = 0
    return STEP_TOO_SMALL if status == OK else status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step (dense_output.py)."""
    record = control[0]
    kept, first_auxiliary = record_at(record.own, 0, KEPT), first_velocity(system) + system.dofs.shape[0]
    state_at(t - record.t_previous, record.h_last, first_auxiliary, y, work, memory, kept, control, y_out)
    return OK


@part
def begin(y, work, memory, kept, control):
    """At the corrected start: no step before, no Jacobian, and a first length unless one is given."""
    record = control[0]
    copy(memory[Y_NEW], y)
    copy(work.rate, memory[RATE])
    kept.error, kept.convergence, kept.h_failed, kept.fit, kept.steps = 0.0, 1.0, math.inf, 0, 0
    if record.h <= 0.0:
        record.h = first_length(ORDER_OF_ESTIMATE + 1, y, work, control)
    record.fresh = 0


@part
def attempt(corrected, evaluate, factor, solve, correct, system, h, y, angles, work, memory, kept, control):
    """A trial step to Y_NEW: its error in units of the tolerance, the weakest pivot on the way, and a status."""
    n, first, t, method = y.shape[0], first_velocity(system), control[0].t, work.method[0]
    start_stages(h, y, memory, kept, control)
    if kept.fit == 0:
        middle = memory[PAIR]
        for i in range(n):
            middle[i] = y[i] + combined(T, MIDDLE, W, i, memory)
        status = build_jacobian(
            corrected, evaluate, factor, solve, correct, system, t + NODES[MIDDLE] * h, middle, angles, work, memory,
            control,
        )  # fmt: skip
        if status != OK:
            return 0.0, kept.start, status
        kept.fit, kept.current, kept.h_factored = 1, 1, 0.0
    if h != kept.h_factored:
        method.factorizations += 1
        kept.h_factored = h
        if not factor_matrices(h, n, first, memory):
            return 0.0, kept.start, NEWTON_STALLED
    weakest, status = iterate(
        corrected, evaluate, factor, solve, correct, system, t, h, y, angles, work, memory, kept, control
    )
    if status != OK:
        return 0.0, weakest, status
    turn = min(TURN * (kept.start + method.weakest_pivot), 1.0) if 0.0 < weakest < NEAR else 1.0
    stages_from(memory, n)
    estimate(memory[RATE], h, n, memory)
    error = size_of_error(turn, factor, solve, system, y, work, memory, control)
    if error > 1.0 and (kept.trials > 1 or kept.error == 0.0):
        for i in range(n):
            memory[Y_NEW, i] = y[i] + memory[ERROR, i]
        status = rate_at(corrected, evaluate, factor, solve, correct, system, t, memory[Y_NEW], angles, work, control)
        if status != OK:
            return error, weakest, status
        estimate(work.rate, h, n, memory)
        error = size_of_error(turn, factor, solve, system, y, work, memory, control)
    for i in range(n):
        memory[Y_NEW, i] = y[i] + memory[RATES + STAGES - 1, i]
    return error, weakest, OK


@part
def stages_from(memory, n):
    """Z = T W, in the place of the rates."""
    for s in range(STAGES):
        for i in range(n):
            memory[RATES + s, i] = combined(T, s, W, i, memory)


@part
def estimate(f, h, n, memory):
    """ERROR = (rho / h - J)^-1 (f + sum_i e_i Z_i / h), of order 3, theory (9.16).

    f is the rate at y; where that is too large, at a stiff start, the rate at y + ERROR (Hairer and Wanner II, IV.8).
    """
    error = memory[ERROR]
    for i in range(n):
        error[i] = f[i]
        for s in range(STAGES):
            error[i] += ESTIMATE[s] * memory[RATES + s, i] / h
    solve_alone(n, memory, error)


@part
def size_of_error(turn, factor, solve, system, y, work, memory, control):
    """In units of the tolerance; near a singular position the part that the correction leaves (dop853.py)."""
    error, first_auxiliary = memory[ERROR], first_velocity(system) + system.dofs.shape[0]
    size = norm(error, first_auxiliary, y, work, control)
    if turn < 1.0:
        into_tangent(factor, solve, system, work, error)
        size = max(turn * size, norm(error, first_auxiliary, y, work, control))
    return size


@part
def choose_next(h, planned, error, kept, control):
    """The next length: by the estimate, and by how it has changed since the last step (Gustafsson; Hairer and Wanner
    II, IV.8), and not one for which Newton's method has just failed.  A step cut by t_stop is no reason against the
    length planned.
    """
    error = max(error, LEAST_ERROR)
    factor = SAFETY * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + kept.iterations) * error**POWER
    if kept.error > 0.0:
        factor = min(factor, factor * h / control[0].h_last * (kept.error / error) ** -POWER)
    kept.error = error
    factor = min(GROW_MOST if kept.trials == 1 else 1.0, max(SHRINK_MOST, factor))
    if kept.rate > SLOW:
        kept.fit = 0
    elif 1.0 <= factor < GROW_LEAST:
        factor = 1.0
    length = factor * h
    if h < planned:
        length = max(length, planned)
    control[0].h = min(length, BELOW * kept.h_failed, control[0].h_max)
    kept.h_failed *= FORGOTTEN


INTEGRATOR = Integrator(
    "radau", "Radau IIA, implicit of order 5 for stiff mechanisms, variable step", step, interpolate, vectors,
    adaptive=True, order=ORDER, implicit=True, kept=KEPT,
)  # fmt: skip
