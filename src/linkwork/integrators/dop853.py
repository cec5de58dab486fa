"""DOP853: the explicit Runge-Kutta pair 8(5,3) of Dormand and Prince with variable step and dense output of order 7.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), II.4 to II.6, and their code DOP853.

    Y_s = y + h sum_j a_sj k_j,   k_s = f(t + c_s h, Y_s),   y_new = y + h sum_j b_j k_j
    error = h e5^2 / sqrt(e5^2 + 0.01 e3^2),   e5, e3: norms of the embedded estimates of order 5 and 3

The new state is corrected onto the constraints; its rate there is the first stage of the next step, and both enter the
dense output, which joins the corrected ends.  Its three extra stages are evaluated when it is first asked for.

The stages Y_s are off the constraints by their own errors e.  At distance x from a singular position that is an error
e / x^2 of acceleration, and the steps would shrink to nothing on the way there.  So a step that fails near such a
position is taken again with its stages corrected: that is the same method on k = f(P(Y)), P the correction, an equation
with the same solutions on the constraints.
"""

from __future__ import annotations

import numpy as np

from linkwork.integrators.control import error_norm
from linkwork.integrators.dop853_table import DENSE, ERROR_3, ERROR_5, NODES, STAGES, STAGES_DENSE, TABLE
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.methods.options import VELOCITY_CUT, WEAKEST
from linkwork.numerics.codes import OK, STEP_TOO_SMALL
from linkwork.numerics.jit import part, stage

ORDER = 8
ORDER_DENSE = 7

SAFETY = 0.9
SHRINK_MOST, GROW_MOST = 1.0 / 3.0, 6.0  # the bounds of DOP853; its beta is 0: no memory of the error before

# Memory, in units of n: trial state, sum of rates, start of the last step, the rates of the stages, the dense output.
Y_NEW, SUM, Y_OLD, RATES = 0, 1, 2, 3
POLYNOMIAL = RATES + STAGES_DENSE
POWERS = 7
STAGE_ERROR = 1e3  # about what the velocities of stages are off, in units of the tolerance
NEAR = 0.1  # weakest pivot, of a row's natural size: a step that fails nearer to a singular position


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers."""
    return (POLYNOMIAL + POWERS) * n


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    n = y.shape[0]
    books = control[0]
    y_new = memory[:n]
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(y, work.rate, memory)
        if books.h <= 0.0:
            h = euler_length(y, work, memory, control)
            books.h = h
            if finite_rate(evaluate, factor, solve, system, books.t + h, y_new, angles, work, control) == OK:
                books.h = first_length(h, y, work, memory, control)
        books.fresh = 0

    status = STEP_TOO_SMALL
    planned = min(books.h, books.h_max)
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    near = False
    first_stage(n, memory)
    while books.t + h > books.t:
        t_new = time_after(h, control)
        shrink = SHRINK_MOST
        distance, cut = work.settings[WEAKEST], work.settings[VELOCITY_CUT]
        work.settings[VELOCITY_CUT] = cut / STAGE_ERROR**0.5
        status = OK
        for s in range(1, STAGES + 1):
            next_state(s, h, y, memory)
            if s < STAGES and status == OK:
                if near:
                    status = correct(evaluate, factor, solve, system, books.t + NODES[s] * h, y_new, angles, work)
                if status == OK:
                    status = stage_rate(
                        s, evaluate, factor, solve, system, books.t, h, angles, work, memory, control
                    )
                distance = min(distance, work.settings[WEAKEST])
        work.settings[VELOCITY_CUT] = cut
        if status == OK:
            error = estimate_error(h, y, work, memory, control)
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
            if h < planned:  # cut by t_stop: that says nothing against the length planned before
                longer = max(longer, planned)
            books.h = min(longer, books.h_max)
            accept(t_new, h, ORDER, 0, control)
            return OK
        books.rejected += 1
        grow_most = 1.0
        if not near and 0.0 < distance < NEAR:
            near = True
            continue
        h *= shrink
        planned = h
        books.h = h
        if h < books.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step, to order 7: y_old + s (F0 + (1 - s) (F1 + s (F2 + (1 - s) (F3 + ...."""
    n = y.shape[0]
    books = control[0]
    if books.dense == 0:
        y_old = memory[Y_OLD * n : (Y_OLD + 1) * n]
        for row in range(STAGES + 1, STAGES_DENSE):
            next_state(row, books.h_last, y_old, memory)
            status = stage_rate(
                row, evaluate, factor, solve, system, books.t_previous, books.h_last, angles, work, memory, control
            )
            if status != OK:
                return status
        prepare_dense(books.h_last, y, memory)
        books.dense = 1
    s = (t - books.t_previous) / books.h_last
    for i in range(n):
        y_out[i] = 0.0
        for power in range(POWERS - 1, -1, -1):
            weight = s if power % 2 == 0 else 1.0 - s
            y_out[i] = weight * (y_out[i] + memory[(POLYNOMIAL + power) * n + i])
        y_out[i] += memory[Y_OLD * n + i]
    return OK


# ------------------------------------------------------------------------------------------------------------ stages


@part
def begin_history(y, rate, memory):
    """The corrected start and its rate, as if a step had ended there."""
    n = y.shape[0]
    for i in range(n):
        y[i] = memory[i]
        memory[(RATES + STAGES) * n + i] = rate[i]


@part
def first_stage(n, memory):
    """k_0 is the rate at the end of the step before."""
    for i in range(n):
        memory[RATES * n + i] = memory[(RATES + STAGES) * n + i]


@part
def next_state(s, h, y, memory):
    """The state of stage s of the step of length h from y; that of the stage after the last is y_new."""
    n = y.shape[0]
    combine(s, n, memory)
    for i in range(n):
        memory[i] = y[i] + h * memory[SUM * n + i]


@part
def stage_rate(s, evaluate, factor, solve, system, t, h, angles, work, memory, control):
    """k_s at the state of stage s."""
    n = work.rate.shape[0]
    status = finite_rate(evaluate, factor, solve, system, t + NODES[s] * h, memory[:n], angles, work, control)
    for i in range(n):
        memory[(RATES + s) * n + i] = work.rate[i]
    return status


@part
def combine(row, n, memory):
    """SUM = sum_j TABLE[row, j] k_j, number by number: the loop the other way round takes a second more to compile."""
    known = min(row, STAGES_DENSE)  # a stage knows the stages before it
    for i in range(n):
        s = 0.0
        for j in range(known):
            if TABLE[row, j] != 0.0:
                s += TABLE[row, j] * memory[(RATES + j) * n + i]
        memory[SUM * n + i] = s


@part
def end_step(y, rate, memory):
    """Keep the start of the accepted step; its end and the rate there become the present."""
    n = y.shape[0]
    for i in range(n):
        memory[Y_OLD * n + i] = y[i]
        y[i] = memory[i]
        memory[(RATES + STAGES) * n + i] = rate[i]


@part
def prepare_dense(h, y, memory):
    """The seven coefficients of the dense output, from the corrected ends of the step and all stages."""
    n = y.shape[0]
    for i in range(n):
        d = y[i] - memory[Y_OLD * n + i]
        f_old, f_new = memory[RATES * n + i], memory[(RATES + STAGES) * n + i]
        memory[POLYNOMIAL * n + i] = d
        memory[(POLYNOMIAL + 1) * n + i] = h * f_old - d
        memory[(POLYNOMIAL + 2) * n + i] = 2.0 * d - h * (f_old + f_new)
    for row in range(POWERS - 3):
        combine(DENSE + row, n, memory)
        for i in range(n):
            memory[(POLYNOMIAL + 3 + row) * n + i] = h * memory[SUM * n + i]


# ------------------------------------------------------------------------------------------------------------ length


@part
def estimate_error(h, y, work, memory, control):
    """Error of the trial step in units of the tolerance."""
    n = y.shape[0]
    e5, e3 = 0.0, 0.0
    for row in range(ERROR_5, ERROR_3 + 1):
        combine(row, n, memory)
        e5 = e3
        e3 = error_norm(memory[n : 2 * n], y, memory[:n], work.typical, control[0].rtol, control[0].atol)
    if e5 == 0.0:
        return 0.0
    return h * e5 * e5 / np.sqrt(e5 * e5 + 0.01 * e3 * e3)


@part
def euler_length(y, work, memory, control):
    """A step so short that Euler's method would do, h0 = |y| / |f| / 100, and in y_new the state that it leads to."""
    n = y.shape[0]
    books = control[0]
    size = error_norm(y, y, y, work.typical, books.rtol, books.atol)
    speed = error_norm(work.rate, y, y, work.typical, books.rtol, books.atol)
    h0 = 1e-6
    if size > 1e-5 and speed > 1e-5:
        h0 = 0.01 * size / speed
    h0 = min(h0, books.h_max, books.t_stop - books.t)
    for i in range(n):
        memory[i] = y[i] + h0 * work.rate[i]
    return h0


@part
def first_length(h0, y, work, memory, control):
    """First step h with h^8 max(|f|, |f'|) = 1/100, f' from the rate at the end of Euler's step (II.4)."""
    n = y.shape[0]
    books = control[0]
    f, f_dot = memory[(RATES + STAGES) * n : (RATES + STAGES + 1) * n], memory[n : 2 * n]
    for i in range(n):
        f_dot[i] = (work.rate[i] - f[i]) / h0
    speed = max(
        error_norm(f, y, y, work.typical, books.rtol, books.atol),
        error_norm(f_dot, y, y, work.typical, books.rtol, books.atol),
    )
    h = max(1e-6, 1e-3 * h0)
    if speed > 1e-15:
        h = (0.01 / speed) ** (1.0 / ORDER)
    return max(min(h, 100.0 * h0, books.h_max), books.h_min)
