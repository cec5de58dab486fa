"""RK4: the classical Runge-Kutta method of order 4 with a fixed step, the state corrected after every step.

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1; theory (9.13).  The rate at the
corrected end of a step is the first stage of the next: four evaluations a step.

Between the steps: the quartic y(s) = cubic(s) + c s^2 (1 - s)^2, cubic the Hermite cubic of the step, with c such that
dy/dt at s = 1/4 is f(t + h/4, cubic(1/4)).  The cubic's error is O(h^4), and so is f's there; h times it makes an
interpolant of local error O(h^5), as the step's own, for one more evaluation in a step that is interpolated
(Shampine, Interpolation for Runge-Kutta methods, SIAM J. Numer. Anal. 22, 1985).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.integrators.contract import Integrator
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected, trial_rate
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

ORDER = 4
KEPT = np.dtype([("stage", np.int64)])  # that is under way; kept, so that a GPU's program has the evaluation once

NODES = np.array([0.0, 0.5, 0.5, 1.0])  # of the stages
WEIGHTS = np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6])

# Vectors in memory: trial state, mean slope, state and rate at the start of the last step, rate at its end, and the
# coefficient c of the quartic.
Y_NEW, SLOPE, Y_OLD, F_OLD, F_NEW, QUARTIC, VECTORS = range(7)


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one step of length control.h, or to t_stop; a fresh start is brought onto the constraints first."""
    record, kept = control[0], record_at(control[0].own, 0, KEPT)
    y_new = memory[Y_NEW]
    while True:
        h, t_new = 0.0, record.t
        if record.fresh == 1:
            copy(y, y_new)
        else:
            h = up_to_stop(record.h, control)
            if not record.t + h > record.t:
                return STEP_TOO_SMALL
            begin_stages(h, y, memory)
            kept.stage = 1
            while kept.stage < 4:
                t = record.t + NODES[kept.stage] * h
                status = trial_rate(evaluate, factor, solve, correct, system, t, y_new, angles, work, control)
                if status != OK:
                    return status
                next_stage(kept.stage, h, y, work.rate, memory)
                kept.stage += 1
            t_new = time_after(h, control)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
        if status != OK:
            return status
        end_step(y, work.rate, memory)
        if record.fresh == 0:
            accept(t_new, h, ORDER, 0, control)
            return OK
        record.fresh = 0


@part
def begin_stages(h, y, memory):
    """The mean slope begins with k_1, known from the end of the step before; y_new is the state of the second stage."""
    y_new, slope, f_new = memory[Y_NEW], memory[SLOPE], memory[F_NEW]
    for i in range(y.shape[0]):
        slope[i] = WEIGHTS[0] * f_new[i]
        y_new[i] = y[i] + NODES[1] * h * f_new[i]


@part
def next_stage(s, h, y, rate, memory):
    """Add a stage's rate to the mean slope; y_new is the state of the next stage, after the last one the result."""
    y_new, slope = memory[Y_NEW], memory[SLOPE]
    for i in range(y.shape[0]):
        slope[i] += WEIGHTS[s] * rate[i]
        y_new[i] = y[i] + h * (NODES[s + 1] * rate[i] if s < 3 else slope[i])


@part
def end_step(y, rate, memory):
    """Keep the start of the step and its rate; the corrected end and the rate there become the present."""
    for i in range(y.shape[0]):
        memory[Y_OLD, i] = y[i]
        memory[F_OLD, i] = memory[F_NEW, i]
        memory[F_NEW, i] = rate[i]
        y[i] = memory[Y_NEW, i]


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step, to order 4."""
    record = control[0]
    if record.dense == 0:
        quarter(y, memory, record.h_last)
        t_quarter = record.t_previous + 0.25 * record.h_last
        status = finite_rate(evaluate, factor, solve, system, t_quarter, memory[Y_NEW], angles, work, control)
        if status != OK:
            return status
        fit_quartic(work.rate, memory, record.h_last)
        record.dense = 1
    s = (t - record.t_previous) / record.h_last
    for i in range(y.shape[0]):
        value, _ = cubic(s, record.h_last, memory[Y_OLD, i], memory[F_OLD, i], y[i], memory[F_NEW, i])
        y_out[i] = value + (s * (1.0 - s)) ** 2 * memory[QUARTIC, i]
    return OK


@part
def quarter(y, memory, h):
    """y_new = cubic(1/4); QUARTIC: its slope there."""
    for i in range(y.shape[0]):
        memory[Y_NEW, i], memory[QUARTIC, i] = cubic(
            0.25, h, memory[Y_OLD, i], memory[F_OLD, i], y[i], memory[F_NEW, i]
        )


@part
def fit_quartic(rate, memory, h):
    """c = (h f(t + h/4, cubic(1/4)) - d cubic/ds) / (3/16), 3/16 = d/ds [s^2 (1 - s)^2] at s = 1/4."""
    for i in range(rate.shape[0]):
        memory[QUARTIC, i] = (h * rate[i] - memory[QUARTIC, i]) * (16.0 / 3.0)


INTEGRATOR = Integrator(
    "rk4", "classical Runge-Kutta, fixed step", step, interpolate, VECTORS, adaptive=False, order=ORDER, kept=KEPT
)
