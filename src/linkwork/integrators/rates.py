"""The rate of the state, refused when it is not finite."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.integrators.control import finite, rate, rate_corrected
from linkwork.numerics.status import OK


@part
def finite_rate(evaluate, factor, solve, system, t, y, angles, work, control):
    """dy/dt at a state as it is, in `work.rate`."""
    status = rate(evaluate, factor, solve, system, t, y, angles, work, control)
    if status != OK:
        return status
    return finite(work.rate)


@part
def finite_rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control):
    """First y back onto the constraints, then dy/dt there, in `work.rate`."""
    status = rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control)
    if status == OK:
        status = finite(y)
    if status == OK:
        status = finite(work.rate)
    return status


@part
def trial_rate(evaluate, factor, solve, correct, system, t, y, angles, work, control):
    """dy/dt at a stage or a prediction, as it is; as printed (`literal`) y goes back onto the constraints before every
    evaluation (P1 steps 3 to 5 and 9 to 11, P5 figure 3), so that of the dependent coordinates nothing that was
    integrated is left.
    """
    if work.options[0].literal != 0.0:
        return finite_rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control)
    return finite_rate(evaluate, factor, solve, system, t, y, angles, work, control)
