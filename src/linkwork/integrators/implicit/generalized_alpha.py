"""Generalized-alpha: an implicit method of order 2 for stiff mechanisms, with variable step.

Sources: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; Arnold and Bruls, Multibody Syst. Dyn. 18 (2007) 185, for
equations with constraints; Bruls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121, for rotations.  With h the step
and a an acceleration-like variable that runs after v_dot, a_n = v_dot(t_n + (alpha_m - alpha_f) h) + O(h^2),
theory (9.7) to (9.9),

    q_{n+1} = exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1} + v_{n+1} x v_n / 12)) o q_n
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v_dot_{n+1} + alpha_f v_dot_n
    M v_dot_{n+1} + Phi_v^T lam_{n+1} = Q,   Phi = 0     at (t_{n+1}, q_{n+1}, v_{n+1})

solved for a_{n+1} and lam_{n+1} by Newton's method with a kept matrix (newton.py): the equations of index 3, whose
rows are those of the positions; a row that holds velocities alone (rolling) stands with its velocities.  Rounding in
Phi enters the a of Newton's method as rounding / h^2, too much in the short steps of a stiff start; so v_dot_{n+1} is
taken at the end of the iteration from the equations of index 1, a_{n+1} from the third equation, and no digit is lost.
Then v is corrected onto Phi_v v = nu, as after a step of any other integrator.  The accelerations kept for the next
step are those before the correction: a stiff damper would answer to the small change of v with a large v_dot.

A ball's angular velocity is in the axes of the frame before it, so that q_n is turned from the left.  The cross
product, of angular velocities, is that of rotation.py; without it the constant of the error is 19 times as large on the
heavy top.  Local errors are held to a share of the tolerance in proportion to its root (newton.py), so that the error
of a run is in proportion to rtol: some 10 rtol on linkages, at most 100 (tests/validation/).  Near singular positions
the same equations are solved otherwise (functional_iteration.py).

a_n lags behind by a part of the step it was made with; for a step of another length it is shifted along the line
through v_dot_n:  a_n <- v_dot_n + (h / h_last) (a_n - v_dot_n).
"""

from __future__ import annotations

from linkwork.compiler.carving import array_at, record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.joints.motions import BALL
from linkwork.formulations.state import first_velocity
from linkwork.formulations.workspace import active_rows
from linkwork.integrators.contract import Integrator
from linkwork.integrators.control import error_norm
from linkwork.integrators.dop853 import into_tangent
from linkwork.integrators.hermite import cubic
from linkwork.integrators.implicit.functional_iteration import (
    beside_constraints,
    iterate_accelerations,
    singular_ahead,
)
from linkwork.integrators.implicit.newton import iterate, share
from linkwork.integrators.implicit.rotation import turn_part_way
from linkwork.integrators.implicit.scheme import (
    ENTRY,
    KEPT,
    MOVED,
    ORDER,
    ORDER_OF_ROWS,
    REAL,
    TANGENT,
    WHOLE,
    Y_NEW,
    R,
    Z,
    vectors,
)
from linkwork.integrators.implicit.start import begin_history, begin_slope
from linkwork.integrators.implicit.step_control import GROW_MOST, after_failure, choose_next, end_accelerations
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import NEWTON_STALLED, OK, STEP_TOO_SMALL


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    record, n, first = control[0], y.shape[0], first_velocity(system)
    motions, rows = system.dofs.shape[0], work.method[0].active_count
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
        begin_history(active_rows(work), first, motions, y, y_new, work, kept, entries, control)
        begin_slope(evaluate, factor, solve, correct, system, y, angles, work, memory, kept, entries, control)

    status = STEP_TOO_SMALL
    planned = record.h
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    pivot = work.method[0].weakest_pivot
    by_rates = rows > 0 and singular_ahead(OK, kept.pivot, pivot)
    kept.pivot = pivot
    while record.t + h > record.t:
        t_new = time_after(h, control)
        size_of_error = 0.0
        status = NEWTON_STALLED
        functional = by_rates
        if functional:
            status = iterate_accelerations(
                evaluate, factor, solve, correct, system, t_new, h, y, angles, work, size, memory, kept, entries,
                control,
            )  # fmt: skip
        if status != OK:
            functional = False
            status = solve_by_newton(
                evaluate, factor, solve, system, t_new, h, y, angles, work, size, memory, kept, entries, order, table,
                control,
            )  # fmt: skip
            if not by_rates and rows > 0 and singular_ahead(status, pivot, work.method[0].weakest_pivot):
                by_rates = True
                continue
        if status == OK:
            end_accelerations(system, h, y, y_new, z, work.rate, memory[MOVED], error, rows, kept, entries, control)
            size_of_error = error_norm(error, y, y_new, work.error_scales, record.rtol, record.atol) / share(record)
            if functional:
                into_tangent(factor, solve, system, work, error)
                tangent = error_norm(error, y, y_new, work.error_scales, record.rtol, record.atol) / share(record)
                size_of_error = beside_constraints(size_of_error, tangent, pivot, work, record)
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
            keep(active_rows(work), motions, h, y, y_new, z, work, entries)
            kept.h_lag = h
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
    of stiff forces are large in v_dot.  The same for s, with the power.  Rotations: see rotation.py.
    """
    dofs, first, entries = system.dofs, first_velocity(system), array_at(memory, 0, y.shape[0], ENTRY)
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    bow = 0.5 * s * (1.0 - s) * h
    for i in range(y.shape[0]):
        e = entries[i]
        if i < first:
            y_out[i], _ = cubic(s, h, e.y_old, e.rate_old, y[i], e.rate)
            continue
        change = e.rate - e.rate_old
        if i - first < dofs.shape[0]:
            change = h * entries[i - first].slope
        y_out[i] = e.y_old + s * (y[i] - e.y_old) - bow * change
    for j in range(dofs.shape[0]):
        if dofs[j].kind == BALL:
            turn_part_way(s, h, dofs[j].q, first + j, j, y, entries, y_out)
    return OK


@part
def solve_by_newton(
    evaluate, factor, solve, system, t_new, h, y, angles, work, size, memory, kept, entries, order, table, control
):  # fmt: skip
    """Newton's method with the tangent at hand, else with a new one; the rate at the end, where there are rows."""
    status = NEWTON_STALLED
    for _ in range(2):
        known = kept.fit == 1
        status = iterate(
            evaluate, system, t_new, h, y, angles, work, size, memory, kept, entries, order, table, control
        )
        if status == OK:
            break
        kept.fit = 0
        if not known:
            return status
    if status == OK and work.method[0].active_count > 0:
        status = finite_rate(evaluate, factor, solve, system, t_new, memory[Y_NEW], angles, work, control)
    return status


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


INTEGRATOR = Integrator(
    "generalized-alpha", "generalized-alpha, implicit of order 2 for stiff mechanisms, variable step", step,
    interpolate, vectors, adaptive=True, order=ORDER, implicit=True, mass_weighted=True, kept=KEPT,
    solves_accelerations=False,
)  # fmt: skip
