"""AB3: the Adams-Bashforth method of order 3 with a fixed step, one evaluation a step, the state corrected after each.

    y_{n+1} = y_n + h (23 f_n - 16 f_{n-1} + 5 f_{n-2}) / 12        Hairer, Norsett, Wanner I, III.1; theory (9.13)

The formula needs three rates at equal distances.  Where they are missing (the first two steps, and around a step cut
by t_stop), Heun's Runge-Kutta step of order 3 takes its place (II.1):

    y_{n+1} = y_n + h (f_n + 3 k_3) / 4,   k_2 = f(t + h/3, y + h f_n / 3),   k_3 = f(t + 2h/3, y + 2h k_2 / 3)

Between the steps: the Hermite cubic, local error O(h^4) as the step's own.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.integrators.contract import Integrator
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate_corrected, trial_rate
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

ORDER = 3

# Vectors in memory: trial state, state at the start of the last step, the three last rates, F_0 the newest.
Y_NEW, Y_OLD, F_0, F_1, F_2, VECTORS = range(6)
KEPT = np.dtype([("known_rates", np.int64)])  # at equal distances, F_0 included


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one step of length control.h, or to t_stop."""
    record, kept = control[0], record_at(control[0].own, 0, KEPT)
    y_new = memory[Y_NEW]
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        end_step(y, work.rate, memory)
        kept.known_rates = 1
        record.fresh = 0

    h = up_to_stop(record.h, control)
    if not record.t + h > record.t:
        return STEP_TOO_SMALL
    if kept.known_rates > 1 and h != record.h_last:
        kept.known_rates = 1
    if kept.known_rates >= 3:
        adams_bashforth(h, y, memory)
    else:
        for stage in range(1, 3):
            heun_stage(stage, h, y, work.rate, memory)
            t_stage = record.t + stage * h / 3.0
            status = trial_rate(evaluate, factor, solve, correct, system, t_stage, y_new, angles, work, control)
            if status != OK:
                return status
        heun(h, y, work.rate, memory)
    t_new = time_after(h, control)
    status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
    if status != OK:
        return status
    end_step(y, work.rate, memory)
    kept.known_rates += 1
    accept(t_new, h, ORDER, 1, control)
    return OK


@part
def adams_bashforth(h, y, memory):
    """y_new from three rates at equal distances."""
    for i in range(y.shape[0]):
        slope = 23.0 * memory[F_0, i] - 16.0 * memory[F_1, i] + 5.0 * memory[F_2, i]
        memory[Y_NEW, i] = y[i] + h * slope / 12.0


@part
def heun_stage(stage, h, y, rate, memory):
    """State of the stage: y + h f_n / 3, then y + 2 h k_2 / 3."""
    for i in range(y.shape[0]):
        slope = memory[F_0, i] if stage == 1 else rate[i]
        memory[Y_NEW, i] = y[i] + stage * h / 3.0 * slope


@part
def heun(h, y, rate, memory):
    """y_new from the newest rate and k_3."""
    for i in range(y.shape[0]):
        memory[Y_NEW, i] = y[i] + h * (0.25 * memory[F_0, i] + 0.75 * rate[i])


@part
def end_step(y, rate, memory):
    """Keep the start of the step; the corrected end becomes the present, its rate the newest of three."""
    for i in range(y.shape[0]):
        memory[Y_OLD, i] = y[i]
        y[i] = memory[Y_NEW, i]
        memory[F_2, i] = memory[F_1, i]
        memory[F_1, i] = memory[F_0, i]
        memory[F_0, i] = rate[i]


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step, to order 3."""
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    for i in range(y.shape[0]):
        y_out[i], _ = cubic(s, h, memory[Y_OLD, i], memory[F_1, i], y[i], memory[F_0, i])
    return OK


INTEGRATOR = Integrator(
    "ab3", "Adams-Bashforth of third order, fixed step", step, interpolate, VECTORS, adaptive=False, order=ORDER,
    kept=KEPT,
)  # fmt: skip
