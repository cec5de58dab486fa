"""What an integrator and the loop share: the control record, and the rate of the state before and after correction.

An integrator advances the full state `y = (q, v, s)` by one accepted step:

    step(evaluate, factor, solve, correct, system, y, angles, work, memory, control) -> status

and gives the state anywhere within its last step:

    interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out) -> status

The stages that it calls: `evaluate(system, t, y, angles, work, level)` fills the equations, `solve(factor, system,
work, task) -> status` factors them at the position evaluated last (FACTOR) and leaves dy/dt in `work.rate`
(ACCELERATE), `correct(evaluate, factor, solve, system, t, y, angles, work) -> status` brings y back onto the
constraints and leaves that position evaluated and factored; `factor(system, work) -> status` is handed on to them.
`memory` is the integrator's own flat array; nothing else outlives a step.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.formulations.equations import loads_agree
from linkwork.numerics.status import ACCELERATE, FACTOR, JAMMED, LEVEL_ALL, LEVEL_VELOCITY, NOT_FINITE, OK

MOST_ROUNDS = 50  # of friction and the load that makes it

CONTROL = np.dtype(
    [
        ("t", np.float64),  # s, time of the state y
        ("t_previous", np.float64),  # s, start of the last accepted step
        ("t_stop", np.float64),  # s, never step beyond (end, or a known break); hit exactly
        ("h", np.float64),  # s, step to try next; a fixed-step integrator takes it as it is
        ("h_last", np.float64),  # s, last accepted step
        ("h_max", np.float64),  # s
        ("h_min", np.float64),  # s, below it the step has collapsed
        ("rtol", np.float64),  # relative tolerance of a step
        ("atol", np.float64),  # absolute tolerance, in units of `work.typical`
        ("order", np.int64),  # order of the last accepted step
        ("fresh", np.int64),  # 1: no history yet (start or restart)
        ("dense", np.int64),  # not 0: the dense output of the last step is prepared
        ("kink", np.int64),  # 1: the last step has a kink of a force within; states before it are asked for
        ("steps", np.int64),  # accepted
        ("rejected", np.int64),
        ("evaluations", np.int64),  # of the rate of the state
    ],
    align=True,
)


@part
def rate(evaluate, factor, solve, system, t, y, angles, work, control):
    """dy/dt at a state as it is (a stage, a prediction), in `work.rate`."""
    control[0].evaluations += 1
    evaluate(system, t, y, angles, work, LEVEL_ALL)
    status = solve(factor, system, work, FACTOR)
    if status != OK:
        return status
    return settle(factor, solve, system, t, angles, work)


@part
def rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control):
    """First y back onto the constraints, then dy/dt there: only such rates enter a history."""
    status = correct(evaluate, factor, solve, system, t, y, angles, work)
    if status != OK:
        return status
    control[0].evaluations += 1
    evaluate(system, t, y, angles, work, LEVEL_VELOCITY)
    return settle(factor, solve, system, t, angles, work)


@part
def settle(factor, solve, system, t, angles, work):
    """Solve; where friction depends on the loads (elements/forces/friction.py), again until both agree."""
    for n in range(MOST_ROUNDS):
        status = solve(factor, system, work, ACCELERATE)
        if status != OK or loads_agree(system, t, angles, work, n):
            return status
    return JAMMED


@part
def error_norm(error, y_old, y_new, typical, rtol, atol):
    """Root mean square of error / (atol typical + rtol |y|) over the weighted coordinates (typical > 0)."""
    total, count = 0.0, 0.0
    for i in range(error.shape[0]):
        if typical[i] > 0.0:
            scale = atol * typical[i] + rtol * max(abs(y_old[i]), abs(y_new[i]))
            ratio = error[i] / scale
            total += ratio * ratio
            count += 1.0
    return math.sqrt(total / max(count, 1.0))


@part
def finite(values):
    """OK when every value is finite."""
    for i in range(values.shape[0]):
        if not math.isfinite(values[i]):
            return NOT_FINITE
    return OK
