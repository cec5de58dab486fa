"""Generalized-alpha: an implicit method of order 2 for stiff mechanisms, with variable step.

Sources: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; Arnold and Bruls, Multibody Syst. Dyn. 18 (2007) 185, for
equations with constraints; Bruls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121, for rotations.  With h the step
and a an acceleration-like variable that runs after v_dot, a_n = v_dot(t_n + (alpha_m - alpha_f) h) + O(h^2),

    q_{n+1} = q_n o exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1}))
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v_dot_{n+1} + alpha_f v_dot_n
    M v_dot_{n+1} + Phi_v^T lam_{n+1} = Q,   Phi = 0     at (t_{n+1}, q_{n+1}, v_{n+1})

solved for a_{n+1} and lam_{n+1} by Newton's method with a kept matrix (newton.py): the equations of index 3, whose
rows are those of the positions; a row that holds velocities alone (rolling) stands with its velocities.  Rounding in
Phi enters the a of Newton's method as rounding / h^2, too much in the short steps of a stiff start; so v_dot_{n+1} is
taken at the end of the iteration from the equations of index 1, a_{n+1} from the third equation, and no digit is lost.
Then v is corrected onto Phi_v v = nu, as after a step of any other integrator.  The accelerations kept for the next
step are those before the correction: a stiff damper would answer to the small change of v with a large v_dot.

a_n lags behind by a part of the step it was made with; for a step of another length it is shifted along the line
through v_dot_n:  a_n <- v_dot_n + (h / h_last) (a_n - v_dot_n).
"""

from __future__ import annotations

import math

from linkwork.compiler.carving import array_at, record_at
from linkwork.compiler.kernels import part, stage
from linkwork.formulations.kinematics import coordinate_rates
from linkwork.formulations.state import first_velocity
from linkwork.integrators.contract import Integrator
from linkwork.integrators.control import error_norm
from linkwork.integrators.hermite import cubic
from linkwork.integrators.implicit.newton import iterate
from linkwork.integrators.implicit.scheme import (
    ENTRY,
    ERROR_Q,
    ERROR_V,
    INERTIA,
    KEPT,
    MOVED,
    OLD,
    ORDER,
    ORDER_OF_ROWS,
    REAL,
    START,
    TANGENT,
    WHOLE,
    Y_NEW,
    R,
    Z,
    vectors,
)
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

SAFETY = 0.9
PROPORTIONAL, INTEGRAL = 0.4 / (ORDER + 1), -0.7 / (ORDER + 1)  # PI control of the step (Gustafsson 1991)
ALONE = -1.0 / (ORDER + 1)  # exponent of the error where none is known before it
SHRINK_MOST, GROW_MOST = 0.2, 2.0
LEAST_ERROR = 1e-4  # of the tolerance: below it the control sees no difference
GROW_LEAST = 1.2  # a longer step costs a factorization: not for less


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    record, n, first = control[0], y.shape[0], first_velocity(system)
    motions, rows = system.dofs.shape[0], system.active.shape[0]
    moving, size = first + motions, motions + rows
    kept, entries = record_at(record.own, 0, KEPT), array_at(memory, 0, n, ENTRY)
    order = array_at(memory, ORDER_OF_ROWS * n, n, WHOLE)
    table = array_at(memory, TANGENT * n, (2 * size + 2 * motions, size), REAL)
    y_new, z, error = memory[Y_NEW], memory[Z], array_at(memory, R * n, moving, REAL)
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(system.active, first, motions, y, y_new, work, kept, entries, control)

    status = STEP_TOO_SMALL
    planned = record.h
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    while record.t + h > record.t:
        t_new = time_after(h, control)
        size_of_error = 0.0
        known = kept.fit == 1
        status = iterate(
            evaluate, system, t_new, h, y, angles, work, size, memory, kept, entries, order, table, control
        )
        if status != OK:
            kept.fit = 0
            if known:
                continue  # the same step once more, with a new tangent
        if status == OK and rows > 0:
            status = finite_rate(evaluate, factor, solve, system, t_new, y_new, angles, work, control)
        if status == OK:
            end_accelerations(system, h, y_new, z, work.rate, memory[MOVED], error, kept, entries, control)
            size_of_error = error_norm(error, y, y_new, work.error_scales, record.rtol, record.atol)
            if not size_of_error <= 1.0:
                status = STEP_TOO_SMALL
        if status == OK:
            status = finite_rate_corrected(
                evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
            )
        if status == OK:
            choose_next(h, planned, size_of_error, grow_most, kept, control)
            for i in range(moving, n):  # auxiliary states by the trapezoidal rule
                y_new[i] = y[i] + 0.5 * h * (entries[i].rate + work.rate[i])
            keep(system.active, motions, h, y, y_new, z, work, entries)
            accept(t_new, h, ORDER, 1, control)
            return OK
        grow_most = 1.0
        h = after_failure(h, size_of_error, control)
        planned = h
        if h < record.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step: q by the cubic through its rates, v and s by parabolas, to order 2.

    v = v_n + s (v_{n+1} - v_n) - s (1 - s) h (a_{n+1} - a_n) / 2,  s the part of the step: a, not v_dot, since errors
    of stiff forces are large in v_dot.  The same for s, with the power.
    """
    first, entries = first_velocity(system), array_at(memory, 0, y.shape[0], ENTRY)
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    bow = 0.5 * s * (1.0 - s) * h
    for i in range(y.shape[0]):
        e = entries[i]
        if i < first:
            y_out[i], _ = cubic(s, h, e.y_old, e.rate_old, y[i], e.rate)
            continue
        change = e.rate - e.rate_old
        if i - first < system.dofs.shape[0]:
            change = h * entries[i - first].slope
        y_out[i] = e.y_old + s * (y[i] - e.y_old) - bow * change
    return OK


# --------------------------------------------------------------------------------------------------- start and end


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
        size = error_norm(moving, y, y, work.error_scales, record.rtol, record.atol)
        record.h = min(record.h_max, record.t_stop - record.t)
        if 16.0 * size * record.h * record.h > 1.0:
            record.h = max(0.25 / math.sqrt(size), record.h_min)


@part
def keep(active, motions, h, y, y_new, z, work, entries):
    """The corrected and evaluated end of a step of length h becomes the present."""
    for i in range(y.shape[0]):
        e = entries[i]
        e.y_old, y[i] = y[i], y_new[i]
        e.rate_old, e.rate = e.rate, work.rate[i]
        if i < motions:
            e.v_dot_old, e.a = z[i], e.a_new
            e.slope = (e.a_new - e.a_start) / h
        elif i < motions + active.shape[0]:
            e.a = work.lam[active[i - motions].row]
            e.v_dot_old, e.slope = e.a, 0.0


# ------------------------------------------------------------------------------------------- error and step length


@part
def end_accelerations(system, h, y_new, z, rate, moved, error, kept, entries, control):
    """v_dot_{n+1} by index 1, where there are rows, and the a_{n+1} that belongs to it; then local errors.

    These follow from the slope of a and its change since the step before: v_ddot = (a_{n+1} - a_n) / h, and v_dddot is
    the change of that over (h + h_before) / 2.
    """
    first = first_velocity(system)
    h_before = control[0].h_last if kept.error > 0.0 else h
    for j in range(system.dofs.shape[0]):
        e = entries[j]
        if system.active.shape[0] > 0:
            z[j] = rate[first + j]
            e.a_new = (z[j] - START * e.a_start + OLD * e.v_dot_old) / INERTIA
        jump = e.a_new - e.a_start
        moved[j] = ERROR_Q * h * h * jump
        error[first + j] = ERROR_V * h * (2.0 * h / (h + h_before)) * (jump - h * e.slope)
    coordinate_rates(system.dofs, y_new, moved, error)


@part
def choose_next(h, planned, error, grow_most, kept, control):
    """PI control; a step that was cut by t_stop is no reason against the length planned before."""
    error = max(error, LEAST_ERROR)
    factor = SAFETY * error**ALONE
    if kept.error > 0.0:
        factor = SAFETY * error**INTEGRAL * kept.error**PROPORTIONAL
    kept.error = error
    factor = min(grow_most, max(SHRINK_MOST, factor))
    if 1.0 <= factor < GROW_LEAST:
        factor = 1.0
    length = factor * h
    if h < planned:
        length = max(length, planned)
    control[0].h = min(length, control[0].h_max)


@part
def after_failure(h, error, control):
    """Length of the next trial: half, or what the error needs where it is known."""
    shrink = 0.5
    if error > 1.0:
        shrink = max(SHRINK_MOST, SAFETY * error**ALONE)
    control[0].rejected += 1
    control[0].h = shrink * h
    return control[0].h


INTEGRATOR = Integrator(
    "generalized-alpha", "generalized-alpha, implicit of order 2 for stiff mechanisms, variable step", step,
    interpolate, vectors, adaptive=True, order=ORDER, mass_weighted=True, kept=KEPT, solves_accelerations=False,
)  # fmt: skip
