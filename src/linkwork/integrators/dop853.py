"""DOP853: the explicit Runge-Kutta pair 8(5,3) of Dormand and Prince with variable step and dense output of order 7.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), II.4 to II.6, II.10, and their code.
Theory (9.5), (9.6):

    Y_s = y + h sum_j a_sj k_j,   k_s = f(t + c_s h, Y_s),   y_new = y + h sum_j b_j k_j
    error = h e5^2 / sqrt(e5^2 + 0.01 e3^2),   e5, e3: norms of the embedded estimates of order 5 and 3

The new state is corrected onto the constraints; its rate there is the first stage of the next step, and both enter the
dense output, which joins the corrected ends.  Its three extra stages are evaluated when it is first needed.

The stages Y_s are off the constraints by their own errors e.  At distance x from a singular position that is an error
e / x of the constraint forces, hence of M v_dot along Phi_v^T, and of nothing else.  The correction at the end of the
step takes such errors out, as far as that direction is the same there; so of the error estimate only the tangent part
counts, and the rest times the turn of the direction.  A step that fails nevertheless is taken again with its stages
corrected: that is the same method on k = f(P(Y)), P the correction, an equation with the same solutions on the
constraints.  Extra stages must then be corrected, too: a formula may not mix f(Y) and f(P(Y)), whose errors of low
order are not the same.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.integrators.contract import Integrator
from linkwork.integrators.control import error_norm
from linkwork.integrators.dop853_table import DENSE, ERROR_3, ERROR_5, NODES, STAGES, STAGES_DENSE, TABLE
from linkwork.integrators.rates import finite_rate_corrected, trial_rate
from linkwork.integrators.step_length import accept, first_length, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.methods.normal_step import violation_rate
from linkwork.numerics.status import MOVE, OK, STEP_TOO_SMALL

ORDER = 8
ORDER_DENSE = 7

SAFETY = 0.9
SHRINK_MOST, GROW_MOST = 1.0 / 3.0, 6.0  # the bounds of DOP853; its beta is 0: no memory of the error before

# Vectors in memory: trial state, sum of rates, start of the last step, the rates of the stages, the dense output.
Y_NEW, SUM, Y_OLD, RATES = range(4)
POLYNOMIAL = RATES + STAGES_DENSE
POWERS = 7
VECTORS = POLYNOMIAL + POWERS
KEPT = np.dtype([("corrected", np.int64)])  # 1: the stages of the last step are; then its extra stages must be, too
DENSE_READY, DENSE_SPOILED = 1, 2  # in the control record: how states within the last step are found
SPOILED = 1e-2  # weakest pivot at an extra stage, of a row's natural size: below it the dense output is not used,
SPOILED_CORRECTED = 3e-5  # and with corrected stages below this
TURN = 10.0  # times the change of the weakest pivot: a safe guess of how far the direction of constraint forces turns
NEAR = 0.1  # weakest pivot, of a row's natural size: a step that fails nearer to a singular position


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    record, kept = control[0], record_at(control[0].own, 0, KEPT)
    method, y_new = work.method[0], memory[Y_NEW]
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(y, work.rate, memory)
        if record.h <= 0.0:
            record.h = first_length(ORDER, y, work, control)
        record.fresh = 0

    status = STEP_TOO_SMALL
    planned = min(record.h, record.h_max)
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    near = False
    start = method.weakest_pivot
    copy(memory[RATES + STAGES], memory[RATES])  # the rate at the end of the step before is k_0
    while record.t + h > record.t:
        t_new = time_after(h, control)
        shrink = SHRINK_MOST
        distance = start
        status = OK
        for s in range(1, STAGES + 1):
            next_state(s, h, y, memory)
            if s < STAGES and status == OK:
                status = stage_rate(
                    s, near, evaluate, factor, solve, correct, system, record.t, h, angles, work, memory, control
                )
                distance = min(distance, method.weakest_pivot)
        if status == OK:
            turn = min(TURN * (start + method.weakest_pivot), 1.0) if 0.0 < distance < NEAR else 1.0
            error = estimate_error(turn, h, factor, solve, system, y, work, memory, control)
            status = STEP_TOO_SMALL
            if error > 1.0:
                shrink = max(SHRINK_MOST, SAFETY * error ** (-1.0 / ORDER))
            elif error <= 1.0:
                status = finite_rate_corrected(
                    evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
                )
        if status == OK:
            end_step(y, work.rate, memory)
            longer = h * min(grow_most, SAFETY * max(error, 1e-16) ** (-1.0 / ORDER))
            if h < planned:  # cut by t_stop: no reason against the length planned before
                longer = max(longer, planned)
            record.h = min(longer, record.h_max)
            kept.corrected = 1 if near else 0
            accept(t_new, h, ORDER, 0, control)
            return OK
        record.rejected += 1
        grow_most = 1.0
        if not near and 0.0 < distance < NEAR:
            near = True
            continue
        h *= shrink
        planned = h
        record.h = h
        if h < record.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step: by the dense output, or by a step to t where its stages would not serve.

    They do not where one has met a singular position, nor with a kink of a force between them and t.  The stages of
    both are written at one place: a GPU has them in line.
    """
    record, y_old = control[0], memory[Y_OLD]
    near = record_at(control[0].own, 0, KEPT).corrected == 1
    while record.dense != DENSE_READY or record.kink == 1:
        alone = record.dense == DENSE_SPOILED or record.kink == 1
        first, last, h = STAGES + 1, STAGES_DENSE, record.h_last
        if alone:
            first, last, h, near = 1, STAGES + 1, t - record.t_previous, near or record.dense == DENSE_SPOILED
        distance = math.inf
        for s in range(first, last):
            next_state(s, h, y_old, memory)
            if s != STAGES:
                status = stage_rate(
                    s, near, evaluate, factor, solve, correct, system, record.t_previous, h, angles, work, memory,
                    control,
                )  # fmt: skip
                if status != OK:
                    return status
                distance = min(distance, work.method[0].weakest_pivot)
        if alone:
            copy(memory[Y_NEW], y_out)
            return OK
        prepare_dense(h, y, memory)
        spoiled = 0.0 < distance < (SPOILED_CORRECTED if near else SPOILED)
        record.dense = DENSE_SPOILED if spoiled else DENSE_READY
    polynomial((t - record.t_previous) / record.h_last, memory, y_out)
    return OK


# ------------------------------------------------------------------------------------------------------------ stages


@part
def begin_history(y, rate, memory):
    """The corrected start and its rate, as if a step had ended there."""
    copy(memory[Y_NEW], y)
    copy(rate, memory[RATES + STAGES])


@part
def next_state(s, h, y, memory):
    """The state of stage s of the step of length h from y; that of the stage after the last is y_new."""
    combine(s, memory)
    for i in range(y.shape[0]):
        memory[Y_NEW, i] = y[i] + h * memory[SUM, i]


@part
def stage_rate(s, near, evaluate, factor, solve, correct, system, t, h, angles, work, memory, control):
    """k_s at the state of stage s; near a singular position at the corrected one."""
    y = memory[Y_NEW]
    if near:
        # No factors of another stage: the correction must be a function of the state alone.
        work.method[0].factors = Factors.NOTHING
        status = correct(evaluate, factor, solve, system, t + NODES[s] * h, y, angles, work)
        if status != OK:
            return status
    status = trial_rate(evaluate, factor, solve, correct, system, t + NODES[s] * h, y, angles, work, control)
    copy(work.rate, memory[RATES + s])
    return status


@part
def combine(row, memory):
    """SUM = sum_j TABLE[row, j] k_j, number by number: the loop the other way round takes a second more to compile."""
    known = min(row, STAGES_DENSE)  # a stage knows the stages before it
    for i in range(memory.shape[1]):
        s = 0.0
        for j in range(known):
            if TABLE[row, j] != 0.0:
                s += TABLE[row, j] * memory[RATES + j, i]
        memory[SUM, i] = s


@part
def end_step(y, rate, memory):
    """Keep the start of the accepted step; its end and the rate there become the present."""
    copy(y, memory[Y_OLD])
    copy(memory[Y_NEW], y)
    copy(rate, memory[RATES + STAGES])


@part
def prepare_dense(h, y, memory):
    """The seven coefficients of the dense output, from the corrected ends of the step and all stages."""
    n = y.shape[0]
    for i in range(n):
        d = y[i] - memory[Y_OLD, i]
        f_old, f_new = memory[RATES, i], memory[RATES + STAGES, i]
        memory[POLYNOMIAL, i] = d
        memory[POLYNOMIAL + 1, i] = h * f_old - d
        memory[POLYNOMIAL + 2, i] = 2.0 * d - h * (f_old + f_new)
    for row in range(POWERS - 3):
        combine(DENSE + row, memory)
        for i in range(n):
            memory[POLYNOMIAL + 3 + row, i] = h * memory[SUM, i]


@part
def polynomial(s, memory, y):
    """The dense output at the part s of the step: y_old + s (F0 + (1 - s) (F1 + s (F2 + (1 - s) (F3 + ...."""
    for i in range(y.shape[0]):
        y[i] = 0.0
        for power in range(POWERS - 1, -1, -1):
            weight = s if power % 2 == 0 else 1.0 - s
            y[i] = weight * (y[i] + memory[POLYNOMIAL + power, i])
        y[i] += memory[Y_OLD, i]


# ------------------------------------------------------------------------------------------------------------ length


@part
def estimate_error(turn, h, factor, solve, system, y, work, memory, control):
    """Error of the trial step in units of the tolerance.

    Near a singular position errors of the stages make large errors of the constraint forces.  The correction takes
    them out, but for the part by which the direction of these forces turns within the step; so only that part counts.
    """
    record, y_new, error = control[0], memory[Y_NEW], memory[SUM]
    e5, e3, tangent5, tangent3 = 0.0, 0.0, 0.0, 0.0
    for row in range(ERROR_5, ERROR_3 + 1):
        combine(row, memory)
        e5, tangent5 = e3, tangent3
        e3 = error_norm(error, y, y_new, work.error_scales, record.rtol, record.atol)
        if turn < 1.0:
            into_tangent(factor, solve, system, work, error)
            tangent3 = error_norm(error, y, y_new, work.error_scales, record.rtol, record.atol)
    return h * max(turn * mixed(e5, e3), mixed(tangent5, tangent3))


@part
def mixed(e5, e3):
    """The estimates of order 5 and 3 as one of order 8 (II.10)."""
    return e5 * e5 / math.sqrt(e5 * e5 + 0.01 * e3 * e3) if e5 > 0.0 else 0.0


@part
def into_tangent(factor, solve, system, work, error):
    """The velocities' part of an error, brought back onto Phi_v v = 0 with the factors at hand."""
    c, delta, first = work.c, work.delta, first_velocity(system)
    for r in range(c.shape[0]):
        c[r] = 0.0
    violation_rate(system, work.J, error[first:], c, c)
    solve(factor, system, work, MOVE)
    for j in range(work.v_dot.shape[0]):
        error[first + j] += delta[j]


INTEGRATOR = Integrator(
    "dop853", "Dormand-Prince 8(5,3), variable step", step, interpolate, VECTORS, adaptive=True, order=ORDER, kept=KEPT
)
