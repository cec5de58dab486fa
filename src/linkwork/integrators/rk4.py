"""RK4: the classical Runge-Kutta method of order 4 with a fixed step, the state corrected after every step.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1.  The rate at the corrected end of a
step is the first stage of the next: four evaluations a step.

Between the steps: the quartic y(s) = cubic(s) + c s^2 (1 - s)^2, cubic the Hermite cubic of the step, with c such that
dy/dt at s = 1/4 is f(t + h/4, cubic(1/4)).  The cubic's error is O(h^4), and so is f's there; h times it makes an
interpolant of local error O(h^5), as the step's own, for one more evaluation in a step that is asked for
(Shampine, Interpolation for Runge-Kutta methods, SIAM J. Numer. Anal. 22, 1985).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part, stage
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

ORDER = 4

NODES = np.array([0.0, 0.5, 0.5, 1.0])  # of the stages
WEIGHTS = np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6])

Y_NEW, SLOPE, Y_OLD, F_OLD, F_NEW, QUARTIC = 0, 1, 2, 3, 4, 5  # memory, in units of n


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers."""
    return 6 * n


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one step of length control.h, or to t_stop."""
    books = control[0]
    y_new = memory[: y.shape[0]]
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        end_step(y, work.rate, memory)
        books.fresh = 0

    h = up_to_stop(books.h, control)
    if not books.t + h > books.t:
        return STEP_TOO_SMALL
    begin_stages(h, y, memory)
    for s in range(1, 4):
        status = finite_rate(evaluate, factor, solve, system, books.t + NODES[s] * h, y_new, angles, work, control)
        if status != OK:
            return status
        next_stage(s, h, y, work.rate, memory)
    t_new = time_after(h, control)
    status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
    if status != OK:
        return status
    end_step(y, work.rate, memory)
    accept(t_new, h, ORDER, 0, control)
    return OK


@part
def begin_stages(h, y, memory):
    """The mean slope begins with k_1, known from the end of the step before; y_new is the state of the second stage."""
    n = y.shape[0]
    for i in range(n):
        f = memory[F_NEW * n + i]
        memory[SLOPE * n + i] = WEIGHTS[0] * f
        memory[i] = y[i] + NODES[1] * h * f


@part
def next_stage(s, h, y, rate, memory):
    """Add a stage's rate to the mean slope; y_new is the state of the next stage, after the last one the result."""
    n = y.shape[0]
    for i in range(n):
        memory[SLOPE * n + i] += WEIGHTS[s] * rate[i]
        memory[i] = y[i] + h * (NODES[s + 1] * rate[i] if s < 3 else memory[SLOPE * n + i])


@part
def end_step(y, rate, memory):
    """Keep the start of the step and its rate; the corrected end and the rate there become the present."""
    n = y.shape[0]
    for i in range(n):
        memory[Y_OLD * n + i] = y[i]
        memory[F_OLD * n + i] = memory[F_NEW * n + i]
        memory[F_NEW * n + i] = rate[i]
        y[i] = memory[i]


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step, to order 4."""
    n = y.shape[0]
    books = control[0]
    if books.dense == 0:
        quarter(y, memory, books.h_last)
        t_quarter = books.t_previous + 0.25 * books.h_last
        status = finite_rate(evaluate, factor, solve, system, t_quarter, memory[:n], angles, work, control)
        if status != OK:
            return status
        fit_quartic(work.rate, memory, books.h_last)
        books.dense = 1
    s = (t - books.t_previous) / books.h_last
    for i in range(n):
        value, _ = cubic(s, books.h_last, memory[Y_OLD * n + i], memory[F_OLD * n + i], y[i], memory[F_NEW * n + i])
        y_out[i] = value + (s * (1.0 - s)) ** 2 * memory[QUARTIC * n + i]
    return OK


@part
def quarter(y, memory, h):
    """y_new = cubic(1/4); QUARTIC: its slope there."""
    n = y.shape[0]
    for i in range(n):
        memory[i], memory[QUARTIC * n + i] = cubic(
            0.25, h, memory[Y_OLD * n + i], memory[F_OLD * n + i], y[i], memory[F_NEW * n + i]
        )


@part
def fit_quartic(rate, memory, h):
    """c = (h f(t + h/4, cubic(1/4)) - d cubic/ds) / (3/16), 3/16 = d/ds [s^2 (1 - s)^2] at s = 1/4."""
    n = rate.shape[0]
    for i in range(n):
        memory[QUARTIC * n + i] = (h * rate[i] - memory[QUARTIC * n + i]) * (16.0 / 3.0)
