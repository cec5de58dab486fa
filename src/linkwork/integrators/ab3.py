"""AB3: the Adams-Bashforth method of order 3 with a fixed step, one evaluation a step, the state corrected after each.

    y_{n+1} = y_n + h (23 f_n - 16 f_{n-1} + 5 f_{n-2}) / 12        Hairer, Norsett, Wanner, Solving ODEs I, III.1

The formula wants three rates at equal distances.  Where they are missing (the first two steps, and around a step cut
by t_stop), Heun's Runge-Kutta step of order 3 takes its place (II.1):

    y_{n+1} = y_n + h (f_n + 3 k_3) / 4,   k_2 = f(t + h/3, y + h f_n / 3),   k_3 = f(t + 2h/3, y + 2h k_2 / 3)

Between the steps: the Hermite cubic, local error O(h^4) as the step's own.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

ORDER = 3

Y_NEW, Y_OLD, F_0, F_1, F_2 = 0, 1, 2, 3, 4  # memory, in units of n; F_0 the newest rate; after them
KNOWN = 5  # one number: the rates known at equal distances, F_0 included


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers."""
    return KNOWN * n + 1


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one step of length control.h, or to t_stop."""
    n = y.shape[0]
    books = control[0]
    y_new = memory[:n]
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        end_step(y, work.rate, memory)
        memory[KNOWN * n] = 1.0
        books.fresh = 0

    h = up_to_stop(books.h, control)
    if not books.t + h > books.t:
        return STEP_TOO_SMALL
    if memory[KNOWN * n] > 1.0 and h != books.h_last:
        memory[KNOWN * n] = 1.0
    if memory[KNOWN * n] >= 3.0:
        adams_bashforth(h, y, memory)
    else:
        for stage in range(1, 3):
            heun_stage(stage, h, y, work.rate, memory)
            t_stage = books.t + stage * h / 3.0
            status = finite_rate(evaluate, factor, solve, system, t_stage, y_new, angles, work, control)
            if status != OK:
                return status
        heun(h, y, work.rate, memory)
    t_new = time_after(h, control)
    status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
    if status != OK:
        return status
    end_step(y, work.rate, memory)
    memory[KNOWN * n] += 1.0
    accept(t_new, h, ORDER, 1, control)
    return OK


@part
def adams_bashforth(h, y, memory):
    """y_new from three rates at equal distances."""
    n = y.shape[0]
    for i in range(n):
        slope = 23.0 * memory[F_0 * n + i] - 16.0 * memory[F_1 * n + i] + 5.0 * memory[F_2 * n + i]
        memory[i] = y[i] + h * slope / 12.0


@part
def heun_stage(stage, h, y, rate, memory):
    """State of the stage: y + h f_n / 3, then y + 2 h k_2 / 3."""
    n = y.shape[0]
    for i in range(n):
        slope = memory[F_0 * n + i] if stage == 1 else rate[i]
        memory[i] = y[i] + stage * h / 3.0 * slope


@part
def heun(h, y, rate, memory):
    """y_new from the newest rate and k_3."""
    n = y.shape[0]
    for i in range(n):
        memory[i] = y[i] + h * (0.25 * memory[F_0 * n + i] + 0.75 * rate[i])


@part
def end_step(y, rate, memory):
    """Keep the start of the step; the corrected end becomes the present, its rate the newest of three."""
    n = y.shape[0]
    for i in range(n):
        memory[Y_OLD * n + i] = y[i]
        y[i] = memory[i]
        memory[F_2 * n + i] = memory[F_1 * n + i]
        memory[F_1 * n + i] = memory[F_0 * n + i]
        memory[F_0 * n + i] = rate[i]


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step, to order 3."""
    n = y.shape[0]
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    for i in range(n):
        y_out[i], _ = cubic(s, h, memory[Y_OLD * n + i], memory[F_1 * n + i], y[i], memory[F_0 * n + i])
    return OK
