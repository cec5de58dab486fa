"""What an integrator and the loop share: the control record, the rate of the state before and after correction, and
the norm of an error (contract.py: what an integrator is).
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.formulations.equations import loads_agree
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import ACCELERATE, FACTOR, JAMMED, LEVEL_ALL, LEVEL_VELOCITY, NOT_FINITE, OK

MOST_ROUNDS = 50  # of friction and the load that makes it
OWN = 128  # numbers of an integrator's own record

CONTROL = np.dtype(
    [
        ("t", np.float64),  # s, time of the state y
        ("t_previous", np.float64),  # s, start of the last accepted step
        ("t_stop", np.float64),  # s, never step beyond (end, or a known break); hit exactly
        ("h", np.float64),  # s, step to try next; a fixed-step integrator takes it as it is
        ("h_last", np.float64),  # s, last accepted step
        ("h_fixed", np.float64),  # s, with which a fixed-step integrator begins a segment; 0: it chooses
        ("h_max", np.float64),  # s, of the step to come
        ("h_limit", np.float64),  # s, of any step
        ("h_min", np.float64),  # s, below it the step has collapsed
        ("rtol", np.float64),  # relative tolerance of a step
        ("atol", np.float64),  # absolute tolerance, in units of `work.error_scales`
        ("order", np.int64),  # order of the last accepted step
        ("fresh", np.int64),  # 1: no history yet (start or restart)
        ("dense", np.int64),  # not 0: the dense output of the last step is prepared
        ("kink", np.int64),  # 1: the last step has a kink of a force within; states before it are required
        ("steps", np.int64),  # accepted
        ("rejected", np.int64),
        ("evaluations", np.int64),  # of the rate of the state
        ("followers", np.int64),  # how many auxiliary states, the last, follow the others, which do not depend on them
        ("own", np.float64, (OWN,)),  # the integrator's own record, of its own type
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
def error_norm(error, y_old, y_new, scales, rtol, atol):
    """Root mean square of error / (atol scale + rtol |y|) over the entries that count (scale > 0), theory (9.1)."""
    total, count = 0.0, 0.0
    for i in range(error.shape[0]):
        if scales[i] > 0.0:
            tolerance = atol * scales[i] + rtol * max(abs(y_old[i]), abs(y_new[i]))
            ratio = error[i] / tolerance
            total += ratio * ratio
            count += 1.0
    return math.sqrt(total / max(count, 1.0))


@part
def finite(values):
    """OK when every value is finite."""
    for i in range(values.shape[0]):
        if not is_finite(values[i]):
            return NOT_FINITE
    return OK
