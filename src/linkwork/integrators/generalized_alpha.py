"""Generalized-alpha: an implicit method of order 2 for stiff mechanisms, with variable step.

Sources: Chung and Hulbert, J. Appl. Mech. 60 (1993) 371; Arnold and Bruls, Multibody Syst. Dyn. 18 (2007) 185, for
equations with constraints; Bruls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121, for rotations.  With h the step
and a an acceleration-like variable that runs after v_dot, a_n = v_dot(t_n + (alpha_m - alpha_f) h) + O(h^2),

    q_{n+1} = q_n o exp(h v_n + h^2 ((1/2 - beta) a_n + beta a_{n+1}))
    v_{n+1} = v_n + h ((1 - gamma) a_n + gamma a_{n+1})
    (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v_dot_{n+1} + alpha_f v_dot_n
    M v_dot_{n+1} + Phi_v^T lam_{n+1} = Q,   Phi = 0     at (t_{n+1}, q_{n+1}, v_{n+1})

solved for a_{n+1} and lam_{n+1} by Newton's method with a kept matrix (tangent.py): the equations of index 3, whose
rows are those of the positions; a row that holds velocities alone (rolling) stands with its velocities.  Rounding in
Phi enters the a of Newton's method as rounding / h^2, too much in the short steps of a stiff start; so v_dot_{n+1} is
taken at the end of the iteration from the equations of index 1, a_{n+1} from the third equation, and no digit is lost.
Then v is corrected onto Phi_v v = nu, as after a step of any other integrator.  The accelerations kept for the next
step are those before the correction: a stiff damper would answer to the small change of v with a large v_dot.

a_n lags behind by a part of the step it was made with; for a step of another length it is shifted along the line
through v_dot_n:  a_n <- v_dot_n + (h / h_last) (a_n - v_dot_n).
"""

from __future__ import annotations

import numpy as np

from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.formulations.workspace import FACTORIZATIONS
from linkwork.integrators.balance import evaluate_all, imbalance
from linkwork.integrators.control import error_norm
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.tangent import build_tangent, factor_tangent, solve_tangent
from linkwork.integrators.vectors import copy
from linkwork.numerics.carving import array_at, record_at
from linkwork.numerics.codes import LEVEL_ALL, NEWTON_STALLED, NOT_FINITE, OK, STEP_TOO_SMALL
from linkwork.numerics.jit import part, stage

ORDER = 2

RHO = 0.8  # spectral radius at infinite frequency: what a step leaves of a mode that it cannot resolve
ALPHA_M = (2.0 * RHO - 1.0) / (RHO + 1.0)
ALPHA_F = RHO / (RHO + 1.0)
GAMMA = 0.5 + ALPHA_F - ALPHA_M
BETA = 0.25 * (0.5 + GAMMA) ** 2
INERTIA = (1.0 - ALPHA_M) / (1.0 - ALPHA_F)  # dv_dot_{n+1} / da_{n+1}
LAG = ALPHA_M - ALPHA_F
# Local errors: ERROR_Q h^3 v_ddot of the positions, ERROR_V h^3 v_dddot of the velocities (the two-step method that
# they obey when a is eliminated, expanded).
ERROR_Q = 1.0 / 6.0 - 0.5 * LAG - BETA
ERROR_V = (
    (8.0 * (1.0 - ALPHA_M) - (1.0 - 2.0 * ALPHA_M)) / 6.0
    - 2.0 * GAMMA * (1.0 - ALPHA_F)
    - 0.5 * (GAMMA * ALPHA_F + (1.0 - GAMMA) * (1.0 - ALPHA_F))
)

SAFETY = 0.9
PROPORTIONAL, INTEGRAL = 0.4 / (ORDER + 1), 0.7 / (ORDER + 1)  # PI control of the step (Gustafsson 1991)
SHRINK_MOST, GROW_MOST = 0.2, 2.0
LEAST_ERROR = 1e-4  # of the tolerance: below it the control sees no difference
GROW_LEAST = 1.2  # a longer step costs a factorization: not for less

NEWTON = 1e-2  # of the tolerance: error of the speeds that Newton's method may leave
NEWTON_MOST, NEWTON_LEAST = 1e-8, 1e-13  # and of a size or speed
ROUNDING = 1e-14  # of a coordinate, or of the mechanism's size: no iteration gets below it
FIRST_SMALL = 0.01  # of the Newton tolerance: no need of a second iteration
ITERATIONS = 12
SLOW = 0.35  # rate of convergence above which the tangent is built anew for the next step
SAME_STEP = 0.05  # relative change of the step for which the factors are kept

# Memory: a record of a few numbers, one record for each entry of y, vectors, then the tangent and the matrix.
KEPT = np.dtype(
    [
        ("error", np.float64),  # of the last accepted step, in units of the tolerance; 0: none yet
        ("h_factored", np.float64),  # s, step for which the matrix is factored; 0: none
        ("fit", np.float64),  # 1: there is a tangent, fit for use
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("y_old", np.float64),  # of y: start of the last step
        ("rate", np.float64),  # dy/dt at y and at y_old
        ("rate_old", np.float64),
        ("v_dot_old", np.float64),  # of the motions: v_dot_n
        ("a", np.float64),  # a_n; the same shifted to the step; trial a_{n+1}
        ("a_start", np.float64),
        ("a_new", np.float64),
        ("slope", np.float64),  # (a_{n+1} - a_n) / h of the last step
        ("lam", np.float64),  # of the active rows: lam_n
    ],
    align=True,
)
NUMBERS, WIDTH = KEPT.itemsize // 8, ENTRY.itemsize // 8
Y_NEW, Z, R, MOVED, BASE, SCALES, ORDERS = range(7)  # trial y; (v_dot_{n+1}, lam_{n+1}); of Newton's method
VECTORS = 7
REAL, WHOLE = np.float64, np.int64


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers: at most n / 2 of them are motions, with as many independent rows."""
    motions, size = n // 2, 2 * (n // 2)
    return NUMBERS + (WIDTH + VECTORS) * n + (2 * size + 2 * motions) * size


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    books, kept = control[0], record_at(memory, 0, KEPT)
    n, first, motions, rows = y.shape[0], system.whole[0].q_count, system.dofs.shape[0], system.active.shape[0]
    size = motions + rows
    y_new, z = vector(Y_NEW, n, n, memory), vector(Z, n, size, memory)
    r, moved, base = vector(R, n, n, memory), vector(MOVED, n, n, memory), vector(BASE, n, n, memory)
    scales, order = vector(SCALES, n, size, memory), array_at(memory, place(ORDERS, n), size, WHOLE)
    begin = place(VECTORS, n)
    tangent = array_at(memory, begin, (size + 2 * motions, size), REAL)
    matrix = array_at(memory, begin + (size + 2 * motions) * size, (size, size), REAL)
    if memory.shape[0] < begin + 2 * (size + motions) * size:
        return NEWTON_STALLED
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(system.active, first, motions, y, y_new, work, memory, control)

    status = STEP_TOO_SMALL
    planned = min(books.h, books.h_max)
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    while books.t + h > books.t:
        t_new = time_after(h, control)
        shrink, error = 0.5, 0.0
        predict(motions, h, z, memory, control)
        move_to_trial(system.dofs, first, h, y, y_new, z, moved, memory)
        known = kept.fit == 1.0
        if not known:
            build_tangent(evaluate, system, t_new, y_new, angles, work, z, tangent, moved, base, r, control)
            kept.fit, kept.h_factored = 1.0, 0.0
        status = OK
        if abs(h - kept.h_factored) > SAME_STEP * h:
            work.counts[FACTORIZATIONS] += 1
            kept.h_factored = h
            status = factor_tangent(motions, INERTIA, h * GAMMA, h * h * BETA, tangent, matrix, scales, order)
        if status == OK:
            status = iterate(
                evaluate, system, t_new, h, y, y_new, angles, work, z, r, moved, matrix, scales, order, memory, control
            )
        if status != OK:
            kept.fit = 0.0
            if known:
                continue  # the same step once more, with a new tangent
        if status == OK and rows > 0:
            status = finite_rate(evaluate, factor, solve, system, t_new, y_new, angles, work, control)
            take_accelerations(first, motions, work.rate, memory, z)
        if status == OK:
            error = estimate_error(system.dofs, first, h, y, y_new, work.typical, moved, memory, control)
            if not error <= 1.0:
                status = STEP_TOO_SMALL
                if error > 1.0:
                    shrink = max(SHRINK_MOST, SAFETY * error ** (-1.0 / (ORDER + 1)))
        if status == OK:
            status = finite_rate_corrected(
                evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
            )
        if status == OK:
            books.h = min(next_length(h, planned, error, grow_most, memory), books.h_max)
            end_step(system.active, first, motions, h, error, y, y_new, work, z, memory)
            accept(t_new, h, ORDER, 1, control)
            return OK
        books.rejected += 1
        grow_most = 1.0
        h *= shrink
        planned = h
        books.h = h
        if h < books.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step: q by the cubic through its rates, v and s by parabolas, to order 2.

    v = v_n + s (v_{n+1} - v_n) - s (1 - s) h (a_{n+1} - a_n) / 2,  s the part of the step: a, not v_dot, since errors
    of stiff forces are large in v_dot.  The same for s, with the power.
    """
    first, motions = system.whole[0].q_count, system.dofs.shape[0]
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    bow = 0.5 * s * (1.0 - s) * h
    for i in range(y.shape[0]):
        e = record_at(memory, NUMBERS + WIDTH * i, ENTRY)
        if i < first:
            y_out[i], _ = cubic(s, h, e.y_old, e.rate_old, y[i], e.rate)
        else:
            change = e.rate - e.rate_old
            if i < first + motions:
                change = h * record_at(memory, NUMBERS + WIDTH * (i - first), ENTRY).slope
            y_out[i] = e.y_old + s * (y[i] - e.y_old) - bow * change
    return OK


@part
def place(index, n):
    """Where vector `index` stands in memory."""
    return NUMBERS + (WIDTH + index) * n


@part
def vector(index, n, count, memory):
    """One of the vectors in memory."""
    return array_at(memory, place(index, n), count, REAL)


# --------------------------------------------------------------------------------------------------- start and end


@part
def begin_history(active, first, motions, y, y_new, work, memory, control):
    """A history of one corrected and evaluated point: a = v_dot, no slope, and a first length unless one is given.

    h = sqrt(1 / |f|) / 4 with |f| in units of the tolerance, or all that may be done, as in adams.py.
    """
    books, kept = control[0], record_at(memory, 0, KEPT)
    for i in range(y.shape[0]):
        e = record_at(memory, NUMBERS + WIDTH * i, ENTRY)
        y[i] = y_new[i]
        e.rate = work.rate[i]
        if i < motions:
            e.v_dot_old = work.rate[first + i]
            e.a = work.rate[first + i]
            e.slope = 0.0
        if i < active.shape[0]:
            e.lam = work.lam[active[i].row]
    kept.error, kept.h_factored, kept.fit = 0.0, 0.0, 0.0
    books.fresh = 0
    if books.h <= 0.0:
        size = error_norm(array_at(work.rate, 0, first + motions, REAL), y, y, work.typical, books.rtol, books.atol)
        books.h = min(books.h_max, books.t_stop - books.t)
        if 16.0 * size * books.h * books.h > 1.0:
            books.h = max(0.25 / np.sqrt(size), books.h_min)


@part
def end_step(active, first, motions, h, error, y, y_new, work, z, memory):
    """The corrected end becomes the present; s by the trapezoidal rule."""
    for i in range(y.shape[0]):
        e = record_at(memory, NUMBERS + WIDTH * i, ENTRY)
        e.y_old = y[i]
        e.rate_old = e.rate
        e.rate = work.rate[i]
        y[i] = y_new[i]
        if i >= first + motions:
            y[i] = e.y_old + 0.5 * h * (e.rate_old + e.rate)
        if i < motions:
            e.v_dot_old = z[i]
            e.a = e.a_new
            e.slope = (e.a_new - e.a_start) / h
        if i < active.shape[0]:
            e.lam = work.lam[active[i].row]
    record_at(memory, 0, KEPT).error = max(error, LEAST_ERROR)


# ------------------------------------------------------------------------------------------------ one trial step


@part
def predict(motions, h, z, memory, control):
    """a_n shifted to this step's length; a_{n+1} on the line that a has followed; lam as before."""
    ratio = h / control[0].h_last if record_at(memory, 0, KEPT).error > 0.0 else 1.0
    for k in range(z.shape[0]):
        if k < motions:
            e = record_at(memory, NUMBERS + WIDTH * k, ENTRY)
            e.a_start = e.v_dot_old + ratio * (e.a - e.v_dot_old)
            e.a_new = e.a_start + h * e.slope
        else:
            z[k] = record_at(memory, NUMBERS + WIDTH * (k - motions), ENTRY).lam


@part
def move_to_trial(dofs, first, h, y, y_new, z, moved, memory):
    """y_new and v_dot_{n+1} for the present a_{n+1}; auxiliary states, on which forces may depend, by their rates."""
    motions = dofs.shape[0]
    for i in range(y.shape[0]):
        e = record_at(memory, NUMBERS + WIDTH * i, ENTRY)
        y_new[i] = y[i] + h * e.rate if i >= first + motions else y[i]
    for j in range(motions):
        e = record_at(memory, NUMBERS + WIDTH * j, ENTRY)
        v = y[first + j]
        moved[j] = h * (v + h * ((0.5 - BETA) * e.a_start + BETA * e.a_new))
        y_new[first + j] = v + h * ((1.0 - GAMMA) * e.a_start + GAMMA * e.a_new)
        mean = (1.0 - ALPHA_M) * e.a_new + ALPHA_M * e.a_start
        z[j] = (mean - ALPHA_F * e.v_dot_old) / (1.0 - ALPHA_F)
    displace(dofs, y_new, moved)


@part
def take_accelerations(first, motions, rate, memory, z):
    """v_dot_{n+1} by index 1, and the a_{n+1} that belongs to it."""
    for j in range(motions):
        e = record_at(memory, NUMBERS + WIDTH * j, ENTRY)
        z[j] = rate[first + j]
        mean = (1.0 - ALPHA_F) * z[j] + ALPHA_F * e.v_dot_old
        e.a_new = (mean - ALPHA_M * e.a_start) / (1.0 - ALPHA_M)


@part
def iterate(evaluate, system, t_new, h, y, y_new, angles, work, z, r, moved, matrix, scales, order, memory, control):
    """Newton's method from the prediction; its rate of convergence tells the error left (Hairer and Wanner II, IV.8).

    The error is the largest of a speed, h gamma delta(a), or of a coordinate where h > 1 s, in units of the tolerance
    of Newton's method; a speed that rounding of the coordinates makes does not count.
    """
    first, motions = system.whole[0].q_count, system.dofs.shape[0]
    rtol = max(min(NEWTON * control[0].rtol, NEWTON_MOST), NEWTON_LEAST)
    atol = max(min(NEWTON * control[0].atol, NEWTON_MOST), NEWTON_LEAST)
    rounding = ROUNDING * max(1.0, system.whole[0].length) / h
    before, rate = 0.0, 0.0
    for iteration in range(ITERATIONS):
        evaluate_all(evaluate, system, t_new, y_new, angles, work, LEVEL_ALL)
        imbalance(system, work, z, r)
        control[0].evaluations += 1
        solve_tangent(matrix, scales, order, r)
        size = 0.0
        for k in range(z.shape[0]):
            if k >= motions:
                z[k] -= r[k]
                continue
            record_at(memory, NUMBERS + WIDTH * k, ENTRY).a_new -= r[k]
            change = h * GAMMA * max(1.0, h) * abs(r[k])
            if change <= rounding:
                continue
            change /= atol * work.sizes[first + k] + rtol * abs(y_new[first + k] - h * GAMMA * r[k])
            if not change <= size:  # also where it is not a number
                size = change
        move_to_trial(system.dofs, first, h, y, y_new, z, moved, memory)
        if not np.isfinite(size):
            return NOT_FINITE
        if iteration > 0:
            rate = max(size / before, 0.5 * rate)
        if rate >= 1.0:
            return NEWTON_STALLED
        if size <= FIRST_SMALL or (iteration > 0 and size * rate <= 1.0 - rate):
            if rate > SLOW:
                record_at(memory, 0, KEPT).fit = 0.0
            return OK
        before = size
    return NEWTON_STALLED


# ------------------------------------------------------------------------------------------- error and step length


@part
def estimate_error(dofs, first, h, y, y_new, typical, moved, memory, control):
    """Local errors from the slope of a and its change since the step before, in units of the tolerance.

    v_ddot = (a_{n+1} - a_n) / h, and v_dddot is the change of that over (h + h_before) / 2.
    """
    motions = dofs.shape[0]
    error = vector(R, y.shape[0], first + motions, memory)
    h_before = control[0].h_last if record_at(memory, 0, KEPT).error > 0.0 else h
    for j in range(motions):
        e = record_at(memory, NUMBERS + WIDTH * j, ENTRY)
        jump = e.a_new - e.a_start
        moved[j] = ERROR_Q * h * h * jump
        error[first + j] = ERROR_V * h * (2.0 * h / (h + h_before)) * (jump - h * e.slope)
    coordinate_rates(dofs, y_new, moved, error)
    return error_norm(error, y, y_new, typical, control[0].rtol, control[0].atol)


@part
def next_length(h, planned, error, grow_most, memory):
    """PI control; a step that was cut by t_stop says nothing against the length planned before."""
    before = record_at(memory, 0, KEPT).error
    error = max(error, LEAST_ERROR)
    factor = SAFETY * error ** (-1.0 / (ORDER + 1))
    if before > 0.0:
        factor = SAFETY * error**-INTEGRAL * before**PROPORTIONAL
    factor = min(grow_most, max(SHRINK_MOST, factor))
    if 1.0 <= factor < GROW_LEAST:
        factor = 1.0
    if h < planned:
        return max(factor * h, planned)
    return factor * h
