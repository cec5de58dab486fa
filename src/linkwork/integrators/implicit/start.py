"""The first step of generalized-alpha: a history of one point, a first length, and the slope of the accelerations."""

from __future__ import annotations

import math

from linkwork.compiler.carving import array_at
from linkwork.compiler.kernels import part
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import error_norm
from linkwork.integrators.implicit.newton import share
from linkwork.integrators.implicit.scheme import LAG, MOVED, REAL, Y_NEW
from linkwork.integrators.rates import finite_rate_corrected
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK

AHEAD = 0.01  # of the first step: where the slope of the accelerations is looked at


@part
def begin_history(active, first, motions, y, y_new, work, kept, entries, control):
    """A history of one corrected and evaluated point: a = v_dot, no slope, and a first length unless one is given.

    h = sqrt(1 / |f|) / 4 with |f| in units of the tolerance, or all that may be done, as in adams.py.
    """
    record = control[0]
    for i in range(y.shape[0]):
        e = entries[i]
        y[i], e.rate, e.slope = y_new[i], work.rate[i], 0.0
        if i < motions:
            e.a = work.rate[first + i]
        elif i < motions + active.shape[0]:
            e.a = work.lam[active[i - motions].row]
        e.v_dot_old = e.a
    kept.error, kept.fit = 0.0, 0
    record.fresh = 0
    record.h = min(record.h, record.h_max)
    if record.h <= 0.0:
        moving = array_at(work.rate, 0, first + motions, REAL)
        size = error_norm(moving, y, y, work.error_scales, record.rtol, record.atol) / share(record)
        record.h = min(record.h_max, record.t_stop - record.t)
        if 16.0 * size * record.h * record.h > 1.0:
            record.h = max(0.25 / math.sqrt(size), record.h_min)


@part
def begin_slope(evaluate, factor, solve, correct, system, y, angles, work, memory, kept, entries, control):
    """The slope of v_dot at the start, by a difference over a small part of the first step; a_0 follows from it.

    a_0 = v_dot_0 would leave an error of the second order in the first step, as many restarts as there are (Arnold and
    Bruls 2007, section 4).  A slope that the step does not resolve is none.
    """
    record, first, y_new, moved = control[0], first_velocity(system), memory[Y_NEW], memory[MOVED]
    kept.h_lag = min(record.h, record.t_stop - record.t)
    tau = AHEAD * kept.h_lag
    copy(y, y_new)
    for j in range(system.dofs.shape[0]):
        moved[j] = tau * (y[first + j] + 0.5 * tau * entries[j].a)
        y_new[first + j] += tau * entries[j].a
    displace(system.dofs, y_new, moved)
    status = finite_rate_corrected(
        evaluate, factor, solve, correct, system, record.t + tau, y_new, angles, work, control
    )
    change, size = 0.0, 0.0
    for j in range(system.dofs.shape[0]):
        scale = work.scales[first + j]
        if scale > 0.0:
            change = max(change, abs(work.rate[first + j] - entries[j].a) / scale)
            size = max(size, abs(entries[j].a) / scale)
    if status == OK and change <= AHEAD * size:
        for j in range(system.dofs.shape[0]):
            e = entries[j]
            e.slope = (work.rate[first + j] - e.a) / tau
            e.a += LAG * kept.h_lag * e.slope
