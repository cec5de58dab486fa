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

from linkwork.elements.constraints import POSITION
from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.formulations.workspace import FACTORIZATIONS
from linkwork.integrators.balance import imbalance
from linkwork.integrators.control import error_norm
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.tangent import build_tangent, factor_tangent, solve_tangent, table_size
from linkwork.integrators.vectors import copy
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

# Memory: a few numbers, vectors of n places, then the table of the tangent.
ERROR_BEFORE = 0  # of the last accepted step, in units of the tolerance; 0: none yet
H_FACTORED = 1  # step for which the matrix is factored; 0: none
TANGENT = 2  # 1: there is one, fit for use
NUMBERS = 8
Y_NEW, Y_OLD, RATE, RATE_OLD = 0, 1, 2, 3  # trial; start of the last step; dy/dt at y and at y_old
A, A_START, A_NEW, SLOPE = 4, 5, 6, 7  # a_n; the same shifted to the step; trial a_{n+1}; (a_{n+1} - a_n) / h before
V_DOT_OLD, V_DOT, LAM, LAM_NEW = 8, 9, 10, 11  # v_dot_n; v_dot_{n+1}
R, MOVED, BASE, SCALES, ORDERS = 12, 13, 14, 15, 16  # of Newton's method
VECTORS = 17


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers: at most n / 2 of them are motions, with as many independent rows."""
    return NUMBERS + VECTORS * n + table_size(n // 2, n // 2)


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose the length of the next."""
    books = control[0]
    n, first, motions, rows = y.shape[0], system.whole[0].q_count, system.dofs.shape[0], system.active.shape[0]
    begin, height = NUMBERS + VECTORS * n, 4 * motions + 3 * rows
    if memory.shape[0] < begin + height * (motions + rows):
        return NEWTON_STALLED
    vectors = memory[NUMBERS:begin].reshape((VECTORS, n))
    table = memory[begin : begin + height * (motions + rows)].reshape((height, motions + rows))
    y_new, order = vectors[Y_NEW], vectors[ORDERS].view(np.int64)
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(system.active, first, motions, y, work.rate, work.lam, work.typical, memory, vectors, control)

    status = STEP_TOO_SMALL
    planned = min(books.h, books.h_max)
    h = up_to_stop(planned, control)
    grow_most = GROW_MOST
    while books.t + h > books.t:
        t_new = time_after(h, control)
        shrink, error = 0.5, 0.0
        predict(first, motions, h, memory, vectors, control)
        move_to_trial(system.dofs, first, h, y, vectors)
        kept = memory[TANGENT] == 1.0
        if not kept:
            build_tangent(
                evaluate, system, t_new, y_new, angles, work, vectors[V_DOT], vectors[LAM_NEW], table,
                vectors[MOVED], vectors[BASE], vectors[R], control,
            )  # fmt: skip
            memory[TANGENT], memory[H_FACTORED] = 1.0, 0.0
        status = OK
        if abs(h - memory[H_FACTORED]) > SAME_STEP * h:
            work.counts[FACTORIZATIONS] += 1
            memory[H_FACTORED] = h
            status = factor_tangent(motions, rows, INERTIA, h * GAMMA, h * h * BETA, table, vectors[SCALES], order)
        if status == OK:
            status = iterate(evaluate, system, t_new, h, y, angles, work, memory, vectors, table, order, control)
        if status != OK:
            memory[TANGENT] = 0.0
            if kept:
                continue  # the same step once more, with a new tangent
        if status == OK and rows > 0:
            status = finite_rate(evaluate, factor, solve, system, t_new, y_new, angles, work, control)
            take_accelerations(first, motions, work.rate, vectors)
        if status == OK:
            error = estimate_error(system.dofs, first, h, y, work.typical, memory, vectors, control)
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
            end_step(system.active, first, motions, h, error, y, work.rate, work.lam, memory, vectors)
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
    n = y.shape[0]
    first, motions = system.whole[0].q_count, work.v_dot.shape[0]
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    bow = 0.5 * s * (1.0 - s) * h
    for i in range(n):
        k = NUMBERS + i
        old, f_old, f_new = memory[k + Y_OLD * n], memory[k + RATE_OLD * n], memory[k + RATE * n]
        if i < first:
            y_out[i], _ = cubic(s, h, old, f_old, y[i], f_new)
        else:
            change = h * memory[k - first + SLOPE * n] if i < first + motions else f_new - f_old
            y_out[i] = old + s * (y[i] - old) - bow * change
    return OK


# --------------------------------------------------------------------------------------------------- start and end


@part
def begin_history(active, first, motions, y, rate, lam, typical, memory, vectors, control):
    """A history of one corrected and evaluated point: a = v_dot, no slope, and a first length unless one is given.

    h = sqrt(1 / |f|) / 4 with |f| in units of the tolerance, or all that may be done, as in adams.py.
    """
    books = control[0]
    for i in range(y.shape[0]):
        y[i] = vectors[Y_NEW, i]
        vectors[RATE, i] = rate[i]
    for j in range(motions):
        vectors[V_DOT_OLD, j] = rate[first + j]
        vectors[A, j] = rate[first + j]
        vectors[SLOPE, j] = 0.0
    for k in range(active.shape[0]):
        vectors[LAM, k] = lam[active[k].row]
    memory[ERROR_BEFORE], memory[H_FACTORED], memory[TANGENT] = 0.0, 0.0, 0.0
    books.fresh = 0
    if books.h <= 0.0:
        size = error_norm(rate[: first + motions], y, y, typical, books.rtol, books.atol)
        books.h = min(books.h_max, books.t_stop - books.t)
        if 16.0 * size * books.h * books.h > 1.0:
            books.h = max(0.25 / np.sqrt(size), books.h_min)


@part
def end_step(active, first, motions, h, error, y, rate_new, lam, memory, vectors):
    """The corrected end becomes the present; s by the trapezoidal rule."""
    for i in range(y.shape[0]):
        vectors[Y_OLD, i] = y[i]
        y[i] = vectors[Y_NEW, i]
        vectors[RATE_OLD, i] = vectors[RATE, i]
        vectors[RATE, i] = rate_new[i]
    for k in range(active.shape[0]):
        vectors[LAM, k] = lam[active[k].row]
    for i in range(first + motions, y.shape[0]):
        y[i] = vectors[Y_OLD, i] + 0.5 * h * (vectors[RATE_OLD, i] + vectors[RATE, i])
    for j in range(motions):
        vectors[V_DOT_OLD, j] = vectors[V_DOT, j]
        vectors[A, j] = vectors[A_NEW, j]
        vectors[SLOPE, j] = (vectors[A_NEW, j] - vectors[A_START, j]) / h
    memory[ERROR_BEFORE] = max(error, LEAST_ERROR)


# ------------------------------------------------------------------------------------------------ one trial step


@part
def predict(first, motions, h, memory, vectors, control):
    """a_n shifted to this step's length; a_{n+1} on the line that a has followed; lam as before."""
    ratio = h / control[0].h_last if memory[ERROR_BEFORE] > 0.0 else 1.0
    for j in range(motions):
        v_dot = vectors[V_DOT_OLD, j]
        vectors[A_START, j] = v_dot + ratio * (vectors[A, j] - v_dot)
        vectors[A_NEW, j] = vectors[A_START, j] + h * vectors[SLOPE, j]
    copy(vectors[LAM], vectors[LAM_NEW])


@part
def move_to_trial(dofs, first, h, y, vectors):
    """y_new and v_dot_{n+1} for the present a_{n+1}; auxiliary states, on which forces may depend, by their rates."""
    copy(y, vectors[Y_NEW])
    for i in range(first + dofs.shape[0], y.shape[0]):
        vectors[Y_NEW, i] += h * vectors[RATE, i]
    for j in range(dofs.shape[0]):
        v, a, a_new = y[first + j], vectors[A_START, j], vectors[A_NEW, j]
        vectors[MOVED, j] = h * (v + h * ((0.5 - BETA) * a + BETA * a_new))
        vectors[Y_NEW, first + j] = v + h * ((1.0 - GAMMA) * a + GAMMA * a_new)
        mean = (1.0 - ALPHA_M) * a_new + ALPHA_M * a
        vectors[V_DOT, j] = (mean - ALPHA_F * vectors[V_DOT_OLD, j]) / (1.0 - ALPHA_F)
    displace(dofs, vectors[Y_NEW], vectors[MOVED])


@part
def take_accelerations(first, motions, rate, vectors):
    """v_dot_{n+1} by index 1, and the a_{n+1} that belongs to it."""
    for j in range(motions):
        vectors[V_DOT, j] = rate[first + j]
        mean = (1.0 - ALPHA_F) * vectors[V_DOT, j] + ALPHA_F * vectors[V_DOT_OLD, j]
        vectors[A_NEW, j] = (mean - ALPHA_M * vectors[A_START, j]) / (1.0 - ALPHA_M)


@part
def iterate(evaluate, system, t_new, h, y, angles, work, memory, vectors, table, order, control):
    """Newton's method from the prediction; its rate of convergence tells the error left (Hairer and Wanner II, IV.8).

    The error is the largest of a speed, h gamma delta(a), or of a coordinate where h > 1 s, in units of the tolerance
    of Newton's method; a speed that rounding of the coordinates makes does not count.
    """
    first, motions, rows = system.whole[0].q_count, system.dofs.shape[0], system.active.shape[0]
    r = vectors[R]
    rtol = max(min(NEWTON * control[0].rtol, NEWTON_MOST), NEWTON_LEAST)
    atol = max(min(NEWTON * control[0].atol, NEWTON_MOST), NEWTON_LEAST)
    rounding = ROUNDING * max(1.0, system.whole[0].length) / h
    before, rate = 0.0, 0.0
    for iteration in range(ITERATIONS):
        evaluate(system, t_new, vectors[Y_NEW], angles, work, LEVEL_ALL)
        imbalance(system, work, vectors[V_DOT], vectors[LAM_NEW], r)
        control[0].evaluations += 1
        for k in range(rows):
            r[motions + k] /= h * h * BETA if system.rows[system.active[k].row].mode == POSITION else h * GAMMA
        solve_tangent(motions, rows, table, vectors[SCALES], order, r)
        for j in range(motions):
            vectors[A_NEW, j] -= r[j]
        for k in range(rows):
            vectors[LAM_NEW, k] -= r[motions + k]
        move_to_trial(system.dofs, first, h, y, vectors)
        size = 0.0
        for j in range(motions):
            change = h * GAMMA * max(1.0, h) * abs(r[j])
            if change <= rounding:
                continue
            change /= atol * work.sizes[first + j] + rtol * abs(vectors[Y_NEW, first + j])
            if not change <= size:  # also where it is not a number
                size = change
        if not np.isfinite(size):
            return NOT_FINITE
        if iteration > 0:
            rate = max(size / before, 0.5 * rate)
        if rate >= 1.0:
            return NEWTON_STALLED
        if size <= FIRST_SMALL or (iteration > 0 and size * rate <= 1.0 - rate):
            if rate > SLOW:
                memory[TANGENT] = 0.0
            return OK
        before = size
    return NEWTON_STALLED


# ------------------------------------------------------------------------------------------- error and step length


@part
def estimate_error(dofs, first, h, y, typical, memory, vectors, control):
    """Local errors from the slope of a and its change since the step before, in units of the tolerance.

    v_ddot = (a_{n+1} - a_n) / h, and v_dddot is the change of that over (h + h_before) / 2.
    """
    motions = dofs.shape[0]
    error = vectors[R]
    h_before = control[0].h_last if memory[ERROR_BEFORE] > 0.0 else h
    for j in range(motions):
        jump = vectors[A_NEW, j] - vectors[A_START, j]
        vectors[MOVED, j] = ERROR_Q * h * h * jump
        error[first + j] = ERROR_V * h * (2.0 * h / (h + h_before)) * (jump - h * vectors[SLOPE, j])
    coordinate_rates(dofs, vectors[Y_NEW], vectors[MOVED], error)
    return error_norm(error[: first + motions], y, vectors[Y_NEW], typical, control[0].rtol, control[0].atol)


@part
def next_length(h, planned, error, grow_most, memory):
    """PI control; a step that was cut by t_stop says nothing against the length planned before."""
    error = max(error, LEAST_ERROR)
    factor = SAFETY * error ** (-1.0 / (ORDER + 1))
    if memory[ERROR_BEFORE] > 0.0:
        factor = SAFETY * error**-INTEGRAL * memory[ERROR_BEFORE] ** PROPORTIONAL
    factor = min(grow_most, max(SHRINK_MOST, factor))
    if 1.0 <= factor < GROW_LEAST:
        factor = 1.0
    if h < planned:
        return max(factor * h, planned)
    return factor * h
