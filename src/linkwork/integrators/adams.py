"""Adams: order 1 to 12, variable step, predict-evaluate-correct-evaluate on modified divided differences.

Source: Shampine and Gordon, Computer Solution of Ordinary Differential Equations (Freeman 1975), chapters 5 to 7.  With
f_n = f(t_n, y_n) at the accepted points, h = t_{n+1} - t_n and k the order of the predictor, theory (9.2) to (9.4),

    psi_i(n+1) = t_{n+1} - t_{n+1-i}                      alpha_i = h / psi_i(n+1)
    phi_i(n)   = psi_1(n) ... psi_{i-1}(n) f[t_n, ..., t_{n+1-i}]   (modified divided differences)
    beta_i     = psi_1(n+1) ... psi_{i-1}(n+1) / (psi_1(n) ... psi_{i-1}(n))
    predictor, order k:      p = y_n + h sum_{i=1}^{k} g_i beta_i phi_i(n)
    corrector, order k + 1:  y = p + h g_{k+1} (f(t_{n+1}, p) - f*),   f* = sum_{i=1}^{k} beta_i phi_i(n)

Here y is then corrected onto the constraints, and only the rate at that state enters the differences.

Two things are simpler than in the book's code, and cost next to nothing: the coefficients are computed anew for each
step, and a trial step writes its differences beside the accepted ones, so that a rejected step leaves nothing to undo.
Orders and differences are counted from 1, as in the book; entry 0 of the coefficients is not used.

Auxiliary states that follow the others, and in which their rates are linear (sensitivities), are staggered (Feehery,
Tolsma & Barton 1997): when the others have been corrected, their rates are evaluated there with their own prediction;
then they are corrected, and the phase FOLLOWED adds what that makes of their rates: one whole evaluation a step.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families
from linkwork.formulations.state import work_place
from linkwork.integrators.contract import Integrator
from linkwork.integrators.control import finite
from linkwork.integrators.rates import finite_rate_corrected, trial_rate
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import OK, STEP_TOO_SMALL

MAX_ORDER = 12

# |gamma*_i|: what a step of equal lengths leaves out at order i, h |gamma*_i| |difference i of f| (book, chapter 5)
GAMMA_STAR = np.array([
    1.0, 1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480, 275 / 24192, 33953 / 3628800, 8183 / 1036800,
    3250433 / 479001600, 4671 / 788480, 13695779093 / 2615348736000, 2224234463 / 475517952000,
])  # fmt: skip
FLAT = 1e-3  # weakest pivot, of a row's natural size: nearer to a singular position the power of drivers is rounding
AIM = 0.5  # the error, in units of the tolerance, that the choice of the next step aims at

PLACES = 16  # of a coefficient: orders from 1 to MAX_ORDER + 2
KEPT = np.dtype(
    [
        ("next_order", np.int64),  # of the predictor in the next step
        ("starting", np.int64),  # 1: order and length still grow with every step
        ("equal_steps", np.int64),  # past steps of the same length, as far as the differences in use reach
        ("lower_order", np.int64),  # 1: the trial step suggests the next lower order
        (
            "unknown",
            np.int64,
        ),  # place in y of a number whose rate is not known at the end of the step; -1: there is none
        ("error", np.float64),  # estimated, of the trial step at its order, as if the lengths were equal
        ("error_lower", np.float64),  # the same at the next lower order
        ("sums", np.float64, (4,)),  # of squares, at this order and the two below, and how many: those tested so far
        ("psi", np.float64, (PLACES,)),  # s, at the last accepted step
        ("psi_new", np.float64, (PLACES,)),  # s, of the trial step; so are the others
        ("beta", np.float64, (PLACES,)),
        ("sigma", np.float64, (PLACES,)),
        ("g", np.float64, (PLACES,)),
        ("w", np.float64, (PLACES,)),  # scratch for g
    ],
    align=True,
)

# Vectors in memory: trial state, f(t, p) - f*, 1 / tolerance, and two tables of differences.
Y_NEW, CHANGE, WEIGHT = range(3)
PHI = 3  # phi_i of the accepted point is vector PHI + i - 1, i = 1 ... k + 2
PREDICTED = PHI + MAX_ORDER + 2  # what the predictor expects of phi_i, i = 1 ... k, and then a vector of zeros
VECTORS = PREDICTED + MAX_ORDER + 1


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """Advance y by one accepted step, and choose order and length of the next."""
    record, kept = control[0], record_at(control[0].own, 0, KEPT)
    y_new = memory[Y_NEW]
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        begin_history(y, work, memory, kept, control)

    status, leading = STEP_TOO_SMALL, y.shape[0] - record.followers
    k = kept.next_order
    planned = min(record.h, record.h_max)
    h = in_view_of_stop(planned, control)
    failures = 0
    while record.t + h > record.t:
        t_new = time_after(h, control)
        kept.error, kept.lower_order = 0.0, 0  # nothing known yet, should there be no rate
        coefficients(h, k, kept)
        predict(h, k, y, memory, kept)
        work.segment[0].predicted = 1
        status = trial_rate(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
        work.segment[0].predicted = 0
        if status == OK:
            status = test_and_correct(h, k, 0, leading, y, work, memory, kept, control)
        if status == OK:
            status = finite_rate_corrected(
                evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control
            )
        if status == OK and record.followers > 0:
            status = correct_followers(h, k, leading, system, t_new, y, angles, work, memory, kept, control)
        if status == OK:
            update_history(h, k, y, work.rate, memory, kept, control)
            choose_next(h, k, planned, memory, kept, control)
            kept.unknown = unknown_power(system, work)
            accept(t_new, h, k, 1, control)
            return OK
        failures += 1
        k, h = after_failure(failures, k, h, kept, control)
        planned = h
        if h < record.h_min:
            break
    return status


@stage
def interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    """State at t within the last step: the integral of the polynomial through the last k + 1 rates, back from its end.

    y(t) = y_n + s sum_{i=1}^{k+1} g_i(s) phi_i(n),  s = t - t_n (book, chapter 5): as accurate as the step.  Of a rate
    that is not known at the end those before tell: without the difference that it has made.
    """
    n, kept = y.shape[0], record_at(control[0].own, 0, KEPT)
    w, terms = kept.w, control[0].order + 1
    s = t - control[0].t
    for q in range(1, terms + 1):
        w[q] = 1.0 / q
    for i in range(n):
        y_out[i] = 0.0
    reach = 0.0
    for j in range(1, terms + 1):
        if j > 1:
            psi = kept.psi[j - 1]
            for q in range(1, terms + 2 - j):
                w[q] = ((s + reach) * w[q] - s * w[q + 1]) / psi
            reach = psi
        phi = memory[PHI + j - 1]
        for i in range(n):
            y_out[i] += w[1] * phi[i]
        if kept.unknown >= 0:
            y_out[kept.unknown] -= w[1] * memory[CHANGE, kept.unknown]
    for i in range(n):
        y_out[i] = y[i] + s * y_out[i]
    return OK


# ---------------------------------------------------------------------------------------------------- one trial step


@part
def begin_history(y, work, memory, kept, control):
    """A history of one point, corrected and evaluated: order 1, and a first length unless one is given.

    h = sqrt(1 / |f|) / 4 with |f| in units of the tolerance, or all that may be done (book, chapter 10).
    """
    record, scales = control[0], work.error_scales
    total, count = 0.0, 0.0
    for i in range(y.shape[0]):
        y[i] = memory[Y_NEW, i]
        memory[PHI, i] = work.rate[i]
        memory[PHI + 1, i] = 0.0
        if scales[i] > 0.0:
            total += (work.rate[i] / (record.atol * scales[i] + record.rtol * abs(y[i]))) ** 2
            count += 1.0
    kept.next_order, kept.starting = 1, 1
    kept.psi[1] = 0.0
    record.fresh = 0
    if record.h <= 0.0:
        size = math.sqrt(total / max(count, 1.0))
        record.h = min(record.h_max, record.t_stop - record.t)
        if 16.0 * size * record.h * record.h > 1.0:
            record.h = max(0.25 / math.sqrt(size), record.h_min)


@part
def coefficients(h, k, kept):
    """psi, beta, sigma and g of a step of length h and order k: all that depends on the past lengths.

    sigma_{i+1} = i alpha_i sigma_i;  g_i = g_{i,1},  g_{1,q} = 1 / q,  g_{i,q} = g_{i-1,q} - alpha_{i-1} g_{i-1,q+1}
    """
    psi, psi_new, beta, sigma, g, w = kept.psi, kept.psi_new, kept.beta, kept.sigma, kept.g, kept.w
    psi_new[1], beta[1], sigma[1], g[1] = h, 1.0, 1.0, 1.0
    for q in range(1, k + 2):
        w[q] = 1.0 / q
    for i in range(1, k + 1):
        if i > 1:
            psi_new[i] = psi[i - 1] + h
            beta[i] = beta[i - 1] * psi_new[i - 1] / psi[i - 1]
        alpha = h / psi_new[i]
        sigma[i + 1] = i * alpha * sigma[i]
        for q in range(1, k + 2 - i):
            w[q] -= alpha * w[q + 1]
        g[i + 1] = w[1]


@part
def predict(h, k, y, memory, kept):
    """y_new = p, and the differences that the predictor expects: predicted_i = sum_{j=i}^{k} beta_j phi_j."""
    n = y.shape[0]
    y_new, above = memory[Y_NEW], memory[PREDICTED + k]
    for i in range(n):
        y_new[i] = y[i]
        above[i] = 0.0
    for j in range(k, 0, -1):
        phi, predicted = memory[PHI + j - 1], memory[PREDICTED + j - 1]
        beta, weight = kept.beta[j], h * kept.g[j]
        for i in range(n):
            phi_star = beta * phi[i]
            y_new[i] += weight * phi_star
            predicted[i] = above[i] + phi_star
        above = predicted


@part
def correct_followers(h, k, leading, system, t, y, angles, work, memory, kept, control):
    """The same for the states that follow, from their rates at the corrected state of the others."""
    status = test_and_correct(h, k, leading, y.shape[0], y, work, memory, kept, control)
    if status != OK:
        return status
    y_new, first = memory[Y_NEW], y.shape[0] - work.s.shape[0]
    for i in range(leading, y.shape[0]):
        work.s[i - first] = y_new[i]
    call_families(Phase.FOLLOWED, system, t, angles, work)
    return finite(work.rate)


@part
def test_and_correct(h, k, first, end, y, work, memory, kept, control):
    """The errors of the trial step at orders k, k - 1, k - 2, and y_new = p + h g_{k+1} (f(p) - f*) if they permit: of
    the entries from `first` on, before which others have been tested.

    error at order m = h sigma_{m+1} gamma*_m |f(p) - f* + predicted_{m+1}|, predicted_{k+1} = 0: the m-th difference at
    the new point; error of this step = h (g_k - g_{k+1}) |f(p) - f*|.  The norm is that of `error_norm`.
    """
    scales, sigma, g, sums = work.error_scales, kept.sigma, kept.g, kept.sums
    rtol, atol = control[0].rtol, control[0].atol
    y_new, change, weight = memory[Y_NEW], memory[CHANGE], memory[WEIGHT]
    predicted, lower, lowest = memory[PREDICTED], memory[PREDICTED + k - 1], memory[PREDICTED + max(k - 2, 0)]
    total, total_lower, total_lowest, count = 0.0, 0.0, 0.0, 0.0
    if first > 0:
        total, total_lower, total_lowest, count = sums[0], sums[1], sums[2], sums[3]
    for i in range(first, end):
        d = work.rate[i] - predicted[i]
        change[i] = d
        weight[i] = 0.0
        if scales[i] > 0.0:
            w = 1.0 / (atol * scales[i] + rtol * max(abs(y[i]), abs(y_new[i])))
            weight[i] = w
            total += (d * w) ** 2
            total_lower += ((d + lower[i]) * w) ** 2
            total_lowest += ((d + lowest[i]) * w) ** 2
            count += 1.0
    sums[0], sums[1], sums[2], sums[3] = total, total_lower, total_lowest, count
    count = max(count, 1.0)
    size = h * math.sqrt(total / count)
    kept.error = sigma[k + 1] * GAMMA_STAR[k] * size
    kept.error_lower = h * sigma[k] * GAMMA_STAR[k - 1] * math.sqrt(total_lower / count)
    error_lowest = h * sigma[max(k - 1, 1)] * GAMMA_STAR[max(k - 2, 0)] * math.sqrt(total_lowest / count)
    kept.lower_order = 0
    if k == 2 and kept.error_lower <= 0.5 * kept.error:
        kept.lower_order = 1
    if k > 2 and max(kept.error_lower, error_lowest) <= kept.error:
        kept.lower_order = 1

    if not size * (g[k] - g[k + 1]) <= 1.0:
        return STEP_TOO_SMALL
    corrector = h * g[k + 1]
    for i in range(first, end):
        y_new[i] += corrector * change[i]
    return OK


@part
def after_failure(failures, k, h, kept, control):
    """Order and length of the next trial: half of h; from the third failure on, order 1 and what it needs."""
    control[0].rejected += 1
    kept.starting = 0
    shrink = 0.5
    if failures > 3 and kept.error > 4.0 * AIM:
        shrink = math.sqrt(AIM / kept.error)
    if failures >= 3:
        k = 1
    elif kept.lower_order == 1:
        k -= 1
    control[0].h = shrink * h
    return k, control[0].h


# ------------------------------------------------------------------------------------------- acceptance and the next


@part
def update_history(h, k, y, rate_new, memory, kept, control):
    """y and the differences at the accepted point: phi_i = predicted_i + d for i <= k + 1, d = f_new - f*.

    phi_{k+2} = d - (phi_{k+1} before), a difference only when all lengths were equal.
    Steps of equal length are counted as far as the order before, so that the order rises every second step at most.
    """
    n = y.shape[0]
    y_new, change, predicted = memory[Y_NEW], memory[CHANGE], memory[PREDICTED]
    phi, phi_above = memory[PHI + k], memory[PHI + k + 1]
    for i in range(n):
        y[i] = y_new[i]
        change[i] = rate_new[i] - predicted[i]
        phi_above[i] = change[i] - phi[i]
    for j in range(1, k + 2):
        phi, predicted = memory[PHI + j - 1], memory[PREDICTED + j - 1]
        for i in range(n):
            phi[i] = predicted[i] + change[i]
    if h != kept.psi[1]:
        kept.equal_steps = 1
    elif kept.equal_steps <= control[0].order:
        kept.equal_steps += 1
    for i in range(1, k + 1):
        kept.psi[i] = kept.psi_new[i]


@part
def choose_next(h, k, planned, memory, kept, control):
    """Order and length of the next step: double, keep, or 0.5 to 0.9; equal lengths keep the estimates sound.

    A step that was cut by t_stop is no reason against the length planned before.
    """
    order, error = choose_order(h, k, memory, kept)
    length = h
    if kept.starting == 1 or error * 2.0 ** (order + 1) <= AIM:
        length = 2.0 * h
    elif error > AIM:
        length = h * max(0.5, min(0.9, (AIM / error) ** (1.0 / (order + 1))))
    if h < planned:
        length = max(length, planned)
    kept.next_order = order
    control[0].h = min(length, control[0].h_max)


@part
def unknown_power(system, work):
    """Where in y the work integral lies, if the end of a step is so near to a singular position that the forces of
    drivers are rounding there; -1: it is not.
    """
    return work_place(system) if 0.0 < work.method[0].weakest_pivot < FLAT else -1


@part
def choose_order(h, k, memory, kept):
    """The next order, and the error that this step had at that order: one less, the same, or one more (chapter 7)."""
    error, error_lower = kept.error, kept.error_lower
    if kept.lower_order == 1 or k == MAX_ORDER:
        kept.starting = 0
    if kept.lower_order == 1:
        return k - 1, error_lower
    if kept.starting == 1:
        return k + 1, 0.0
    if k + 1 > kept.equal_steps:
        return k, error  # the next difference is no estimate yet
    error_higher = error_at_higher_order(h, k, memory)
    if k > 1 and error_lower <= min(error, error_higher):
        return k - 1, error_lower
    if k < MAX_ORDER and error_higher < (error if k > 1 else 0.5 * error):
        return k + 1, error_higher
    return k, error


@part
def error_at_higher_order(h, k, memory):
    """h gamma*_{k+1} |phi_{k+2}|, after steps of equal length."""
    weight, phi = memory[WEIGHT], memory[PHI + k + 1]
    total, count = 0.0, 0.0
    for i in range(weight.shape[0]):
        total += (phi[i] * weight[i]) ** 2
        if weight[i] > 0.0:
            count += 1.0
    return h * GAMMA_STAR[k + 1] * math.sqrt(total / max(count, 1.0))


@part
def in_view_of_stop(h, control):
    """The step to take: h, or what remains to t_stop, or half of it where a crumb of a step would be left."""
    remaining = control[0].t_stop - control[0].t
    h = up_to_stop(h, control)
    if h < remaining < 2.0 * h:
        return 0.5 * remaining
    return h


INTEGRATOR = Integrator(
    "adams", "Adams PECE, order 1 to 12, variable step", step, interpolate, VECTORS, adaptive=True, order=MAX_ORDER,
    kept=KEPT,
)  # fmt: skip
