"""Adams: order 1 to 12, variable step, predict-evaluate-correct-evaluate on modified divided differences.

Source: Shampine and Gordon, Computer Solution of Ordinary Differential Equations (Freeman 1975), chapters 5 to 7.
With f_n = f(t_n, y_n) at the accepted points, h = t_{n+1} - t_n and k the order of the predictor,

    psi_i(n+1) = t_{n+1} - t_{n+1-i}                      alpha_i = h / psi_i(n+1)
    phi_i(n)   = psi_1(n) ... psi_{i-1}(n) f[t_n, ..., t_{n+1-i}]   (modified divided differences)
    beta_i     = psi_1(n+1) ... psi_{i-1}(n+1) / (psi_1(n) ... psi_{i-1}(n))
    predictor, order k:      p = y_n + h sum_{i=1}^{k} g_i beta_i phi_i(n)
    corrector, order k + 1:  y = p + h g_{k+1} (f(t_{n+1}, p) - f*),   f* = sum_{i=1}^{k} beta_i phi_i(n)

Here y is then corrected onto the constraints, and only the rate at that state enters the differences.

Two things are simpler than in the book's code, and cost next to nothing: the coefficients are computed anew for each
step, and a trial step writes its differences beside the accepted ones, so that a rejected step leaves nothing to undo.
Orders and differences are counted from 1, as in the book; entry 0 of the coefficients is not used.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part, stage
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

ORDER = None  # varies
MAX_ORDER = 12

# |gamma*_i|: what a step of equal lengths leaves out at order i, h |gamma*_i| |difference i of f| (book, chapter 5)
GAMMA_STAR = np.array([
    1.0, 1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480, 275 / 24192, 33953 / 3628800, 8183 / 1036800,
    3250433 / 479001600, 4671 / 788480, 13695779093 / 2615348736000, 2224234463 / 475517952000,
])  # fmt: skip
AIM = 0.5  # the error, in units of the tolerance, that the choice of the next step aims at

# Memory: a few numbers, coefficients of 16 places each, then in units of n three vectors and two tables of differences,
# column after column.
NEXT_ORDER = 0  # of the predictor in the next step
STARTING = 1  # 1: order and length still grow with every step
EQUAL_STEPS = 2  # past steps of the same length, as far as the differences in use reach
LOWER = 3  # 1: the trial step asks for the next lower order
ERROR = 4  # estimated error of the trial step at its order, as if the lengths were equal
ERROR_LOWER = 5  # the same at the next lower order
PSI, PSI_NEW, BETA, SIGMA, G, W, VECTORS = 16, 32, 48, 64, 80, 96, 112
Y_NEW, CHANGE, WEIGHT = 0, 1, 2  # trial state; f(t, p) - f*; 1 / tolerance
PHI = 3  # phi_i of the accepted point in column i - 1, i = 1 ... k + 2
PREDICTED = PHI + MAX_ORDER + 2  # what the predictor expects of phi_i, i = 1 ... k, and then a column of zeros
COLUMNS = PREDICTED + MAX_ORDER + 1


def memory_size(n: int) -> int:
    """Floats of memory for a state of n numbers."""
    return VECTORS + COLUMNS * n


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose order and length of the next."""
    books = control[0]
    y_new = column(Y_NEW, y.shape[0], memory)
    if books.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, books.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(y, work, memory, control)

    status = STEP_TOO_SMALL
    k = int(memory[NEXT_ORDER])
    planned = min(books.h, books.h_max)
    h = in_view_of_stop(planned, control)
    failures = 0
    while books.t + h > books.t:
        t_new = time_after(h, control)
        memory[ERROR], memory[LOWER] = 0.0, 0.0  # nothing known yet, should there be no rate
        coefficients(h, k, memory)
        predict(h, k, y, memory)
        status = finite_rate(evaluate, factor, solve, system, t_new, y_new, angles, work, control)
        if status == OK:
            status = test_and_correct(h, k, y, work, memory, control)
        if status == OK:
            status = finite_rate_corrected(
                evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
            )
        if status == OK:
            update_history(h, k, y, work.rate, memory, control)
            choose_next(h, k, planned, y.shape[0], memory, control)
            accept(t_new, h, k, 1, control)
            return OK
        failures += 1
        k, h = after_failure(failures, k, h, memory, control)
        planned = h
        if h < books.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step: the integral of the polynomial through the last k + 1 rates, back from its end.

    y(t) = y_n + s sum_{i=1}^{k+1} g_i(s) phi_i(n),  s = t - t_n (book, chapter 5): as accurate as the step.
    """
    n = y.shape[0]
    w = memory[W : W + 16]
    terms = control[0].order + 1
    s = t - control[0].t
    for q in range(1, terms + 1):
        w[q] = 1.0 / q
    for i in range(n):
        y_out[i] = 0.0
    reach = 0.0
    for j in range(1, terms + 1):
        if j > 1:
            psi = memory[PSI + j - 1]
            for q in range(1, terms + 2 - j):
                w[q] = ((s + reach) * w[q] - s * w[q + 1]) / psi
            reach = psi
        phi = column(PHI + j - 1, n, memory)
        for i in range(n):
            y_out[i] += w[1] * phi[i]
    for i in range(n):
        y_out[i] = y[i] + s * y_out[i]
    return OK


# ---------------------------------------------------------------------------------------------------- one trial step


@part
def begin_history(y, work, memory, control):
    """A history of one point, corrected and evaluated: order 1, and a first length unless one is given.

    h = sqrt(1 / |f|) / 4 with |f| in units of the tolerance, or all that may be done (book, chapter 10).
    """
    n = y.shape[0]
    books = control[0]
    total, count = 0.0, 0.0
    for i in range(n):
        y[i] = memory[VECTORS + Y_NEW * n + i]
        memory[VECTORS + PHI * n + i] = work.rate[i]
        memory[VECTORS + (PHI + 1) * n + i] = 0.0
        if work.typical[i] > 0.0:
            total += (work.rate[i] / (books.atol * work.typical[i] + books.rtol * abs(y[i]))) ** 2
            count += 1.0
    memory[NEXT_ORDER] = 1.0
    memory[STARTING] = 1.0
    memory[PSI + 1] = 0.0
    books.fresh = 0
    if books.h <= 0.0:
        size = np.sqrt(total / max(count, 1.0))
        books.h = min(books.h_max, books.t_stop - books.t)
        if 16.0 * size * books.h * books.h > 1.0:
            books.h = max(0.25 / np.sqrt(size), books.h_min)


@part
def coefficients(h, k, memory):
    """psi, beta, sigma and g of a step of length h and order k: all that depends on the past lengths.

    sigma_{i+1} = i alpha_i sigma_i;  g_i = g_{i,1},  g_{1,q} = 1 / q,  g_{i,q} = g_{i-1,q} - alpha_{i-1} g_{i-1,q+1}
    """
    memory[PSI_NEW + 1] = h
    memory[BETA + 1] = 1.0
    memory[SIGMA + 1] = 1.0
    memory[G + 1] = 1.0
    for q in range(1, k + 2):
        memory[W + q] = 1.0 / q
    for i in range(1, k + 1):
        if i > 1:
            memory[PSI_NEW + i] = memory[PSI + i - 1] + h
            memory[BETA + i] = memory[BETA + i - 1] * memory[PSI_NEW + i - 1] / memory[PSI + i - 1]
        alpha = h / memory[PSI_NEW + i]
        memory[SIGMA + i + 1] = i * alpha * memory[SIGMA + i]
        for q in range(1, k + 2 - i):
            memory[W + q] -= alpha * memory[W + q + 1]
        memory[G + i + 1] = memory[W + 1]


@part
def predict(h, k, y, memory):
    """y_new = p, and the differences that the predictor expects: predicted_i = sum_{j=i}^{k} beta_j phi_j."""
    n = y.shape[0]
    y_new, above = column(Y_NEW, n, memory), column(PREDICTED + k, n, memory)
    for i in range(n):
        y_new[i] = y[i]
        above[i] = 0.0
    for j in range(k, 0, -1):
        phi, predicted = column(PHI + j - 1, n, memory), column(PREDICTED + j - 1, n, memory)
        beta, weight = memory[BETA + j], h * memory[G + j]
        for i in range(n):
            phi_star = beta * phi[i]
            y_new[i] += weight * phi_star
            predicted[i] = above[i] + phi_star
        above = predicted


@part
def test_and_correct(h, k, y, work, memory, control):
    """The errors of the trial step at orders k, k - 1, k - 2, and y_new = p + h g_{k+1} (f(p) - f*) if they permit.

    error at order m = h sigma_{m+1} gamma*_m |f(p) - f* + predicted_{m+1}|, predicted_{k+1} = 0: the m-th difference at
    the new point; error of this step = h (g_k - g_{k+1}) |f(p) - f*|.  The norm is that of `error_norm`.
    """
    n = y.shape[0]
    rtol, atol = control[0].rtol, control[0].atol
    y_new, change, weight = column(Y_NEW, n, memory), column(CHANGE, n, memory), column(WEIGHT, n, memory)
    predicted, lower = column(PREDICTED, n, memory), column(PREDICTED + k - 1, n, memory)
    lowest = column(PREDICTED + max(k - 2, 0), n, memory)
    total, total_lower, total_lowest, count = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        d = work.rate[i] - predicted[i]
        change[i] = d
        weight[i] = 0.0
        if work.typical[i] > 0.0:
            w = 1.0 / (atol * work.typical[i] + rtol * max(abs(y[i]), abs(y_new[i])))
            weight[i] = w
            total += (d * w) ** 2
            total_lower += ((d + lower[i]) * w) ** 2
            total_lowest += ((d + lowest[i]) * w) ** 2
            count += 1.0
    count = max(count, 1.0)
    size = h * np.sqrt(total / count)
    memory[ERROR] = memory[SIGMA + k + 1] * GAMMA_STAR[k] * size
    memory[ERROR_LOWER] = h * memory[SIGMA + k] * GAMMA_STAR[k - 1] * np.sqrt(total_lower / count)
    error_lowest = h * memory[SIGMA + max(k - 1, 1)] * GAMMA_STAR[max(k - 2, 0)] * np.sqrt(total_lowest / count)
    memory[LOWER] = 0.0
    if k == 2 and memory[ERROR_LOWER] <= 0.5 * memory[ERROR]:
        memory[LOWER] = 1.0
    if k > 2 and max(memory[ERROR_LOWER], error_lowest) <= memory[ERROR]:
        memory[LOWER] = 1.0

    if not size * (memory[G + k] - memory[G + k + 1]) <= 1.0:
        return STEP_TOO_SMALL
    for i in range(n):
        y_new[i] += h * memory[G + k + 1] * change[i]
    return OK


@part
def after_failure(failures, k, h, memory, control):
    """Order and length of the next trial: half of h; from the third failure on, order 1 and what it needs."""
    control[0].rejected += 1
    memory[STARTING] = 0.0
    shrink = 0.5
    if failures > 3 and memory[ERROR] > 4.0 * AIM:
        shrink = np.sqrt(AIM / memory[ERROR])
    if failures >= 3:
        k = 1
    elif memory[LOWER] == 1.0:
        k -= 1
    control[0].h = shrink * h
    return k, control[0].h


# ------------------------------------------------------------------------------------------- acceptance and the next


@part
def update_history(h, k, y, rate_new, memory, control):
    """y and the differences at the accepted point: phi_i = predicted_i + d for i <= k + 1, d = f_new - f*.

    phi_{k+2} = d - (phi_{k+1} before), a difference only when all lengths were equal.
    Steps of equal length are counted as far as the order before, so that the order rises every second step at most.
    """
    n = y.shape[0]
    y_new, change, predicted = column(Y_NEW, n, memory), column(CHANGE, n, memory), column(PREDICTED, n, memory)
    phi, phi_above = column(PHI + k, n, memory), column(PHI + k + 1, n, memory)
    for i in range(n):
        y[i] = y_new[i]
        change[i] = rate_new[i] - predicted[i]
        phi_above[i] = change[i] - phi[i]
    for j in range(1, k + 2):
        phi, predicted = column(PHI + j - 1, n, memory), column(PREDICTED + j - 1, n, memory)
        for i in range(n):
            phi[i] = predicted[i] + change[i]
    if h != memory[PSI + 1]:
        memory[EQUAL_STEPS] = 1.0
    elif memory[EQUAL_STEPS] <= control[0].order:
        memory[EQUAL_STEPS] += 1.0
    for i in range(1, k + 1):
        memory[PSI + i] = memory[PSI_NEW + i]


@part
def choose_next(h, k, planned, n, memory, control):
    """Order and length of the next step: double, keep, or 0.5 to 0.9; equal lengths keep the estimates sound.

    A step that was cut by t_stop says nothing against the length planned before.
    """
    order, error = choose_order(h, k, n, memory)
    length = h
    if memory[STARTING] == 1.0 or error * 2.0 ** (order + 1) <= AIM:
        length = 2.0 * h
    elif error > AIM:
        length = h * max(0.5, min(0.9, (AIM / error) ** (1.0 / (order + 1))))
    if h < planned:
        length = max(length, planned)
    memory[NEXT_ORDER] = order
    control[0].h = min(length, control[0].h_max)


@part
def choose_order(h, k, n, memory):
    """The next order, and the error that this step had at that order: one less, the same, or one more (chapter 7)."""
    error, error_lower = memory[ERROR], memory[ERROR_LOWER]
    if memory[LOWER] == 1.0 or k == MAX_ORDER:
        memory[STARTING] = 0.0
    if memory[LOWER] == 1.0:
        return k - 1, error_lower
    if memory[STARTING] == 1.0:
        return k + 1, 0.0
    if k + 1 > memory[EQUAL_STEPS]:
        return k, error  # the next difference is no estimate yet
    error_higher = error_at_higher_order(h, k, n, memory)
    if k > 1 and error_lower <= min(error, error_higher):
        return k - 1, error_lower
    if k < MAX_ORDER and error_higher < (error if k > 1 else 0.5 * error):
        return k + 1, error_higher
    return k, error


@part
def error_at_higher_order(h, k, n, memory):
    """h gamma*_{k+1} |phi_{k+2}|, after steps of equal length."""
    weight, phi = column(WEIGHT, n, memory), column(PHI + k + 1, n, memory)
    total, count = 0.0, 0.0
    for i in range(n):
        total += (phi[i] * weight[i]) ** 2
        if weight[i] > 0.0:
            count += 1.0
    return h * GAMMA_STAR[k + 1] * np.sqrt(total / max(count, 1.0))


@part
def column(index, n, memory):
    """One of the vectors in memory, as a slice: loops over it are vectorized, which plain index arithmetic prevents."""
    begin = VECTORS + index * n
    return memory[begin : begin + n]


@part
def in_view_of_stop(h, control):
    """The step to take: h, or what remains to t_stop, or half of it where a crumb of a step would be left."""
    remaining = control[0].t_stop - control[0].t
    h = up_to_stop(h, control)
    if h < remaining < 2.0 * h:
        return 0.5 * remaining
    return h
