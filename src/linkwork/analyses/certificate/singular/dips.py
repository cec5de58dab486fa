"""Whether a quantity that is known by its size alone changes its sign where it has a minimum.

What is smooth is all but a cubic between five points: its fourth divided difference

    f[t_0 ... t_4] = sum_i f_i / prod_{j != i} (t_i - t_j)

all but vanishes (Stoer and Bulirsch, Introduction to Numerical Analysis, 2.1), and so does the sixth of seven.  Of the
signs that f may have about its minimum those hold with which they do, if they do with no others: all alike, changing
once beside it, or changing back as well.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.argument_types import MATRIX, VECTOR, VOID, Array
from linkwork.compiler.kernels import Exports, export, kernel, part

SMOOTH = 0.05  # of the sum of sizes: a difference that all but vanishes
UNLIKE = 2.0  # times as much with other signs
# Where the signs are others, in points from the middle: nowhere, from before or after it on, at one or two of five.
SIGNS = ((9, 9), (0, 9), (1, 9), (0, 0), (-1, -1), (1, 1), (-1, 0), (0, 1), (-2, -1), (1, 2))
ALIKE, BEFORE, AFTER, UNSETTLED = 0, 1, 2, -1
SHALLOW = 0.1  # of the logarithm: a minimum by no more than this is no zero
HIGH = 0.5  # of the least size known: a minimum between the points that is as high as this is no zero
ZERO_STEPS = 4  # of Newton's method, for a zero


def settle(t: np.ndarray, logarithms: np.ndarray, lowest: np.ndarray) -> np.ndarray:
    """[k, column]: whether what `logarithms` [point, column] are of vanishes once, and changes its sign, between points
    k and k + 1.  Minima of which this is settled are taken out of `lowest` [k, column].
    """
    crosses, room = np.zeros_like(lowest), np.zeros((4, len(SIGNS)))
    settle_dips(np.ascontiguousarray(t), np.ascontiguousarray(logarithms), room, lowest, crosses)
    return crosses


@kernel
def settle_dips(t, values, room, lowest, crosses):
    """Sets `crosses` and clears `lowest` where the values around a minimum show it; `room` [4, SIGNS]."""
    for k in range(2, values.shape[0] - 2):
        weighted = False
        for c in range(values.shape[1]):
            if not (lowest[k - 1, c] or lowest[k, c]) or not _is_least(values, k, c):
                continue
            if not weighted:
                _weigh(t, k, 2, room[0])
                _weigh(t, k, 3, room[1])
                weighted = True
            side = _changes_sign(t, values, k, c, room)
            if side != UNSETTLED:
                lowest[k - 1, c] = lowest[k, c] = False
            if side in (BEFORE, AFTER):
                crosses[k - 1 if side == BEFORE else k, c] = True


@part
def _is_least(values, k, c):
    """Whether the value at point k is the least of five that are known."""
    least = -math.inf < values[k, c] < values[k - 1, c] and values[k, c] <= values[k + 1, c]
    return least and max(values[k - 1, c], values[k - 2, c], values[k + 1, c], values[k + 2, c]) < math.inf


@part
def _weigh(t, k, half, weights):
    """1 / prod_{j != i} (t_i - t_j) of `half` points on each side of point k, up to a factor."""
    if k < half or k + half >= t.shape[0]:
        return
    for i in range(-half, half + 1):
        product = 1.0
        for j in range(-half, half + 1):
            if j != i:
                product *= (t[k + i] - t[k + j]) / (t[k + 1] - t[k - 1])
        weights[i + half] = 1.0 / product


@part
def _changes_sign(t, values, k, c, room):
    """BEFORE or AFTER point k, once; ALIKE: not at all; or UNSETTLED."""
    worst, highest = room[3], max(values[k - 2, c], values[k - 1, c], values[k + 1, c], values[k + 2, c])
    if values[k, c] > highest - SHALLOW:
        return ALIKE
    for signs in range(len(SIGNS)):
        worst[signs] = 0.0
    share = _misfits(values, k, c, 2, room[0], room[2], worst)
    if k > 2 and k + 3 < t.shape[0] and max(values[k - 3, c], values[k + 3, c]) < math.inf:
        _misfits(values, k, c, 3, room[1], room[2], worst)
    alike, once, twice = worst[ALIKE], min(worst[BEFORE], worst[AFTER]), math.inf
    for signs in range(3, len(SIGNS)):
        twice = min(twice, worst[signs])
    if once < SMOOTH and UNLIKE * once < min(alike, twice):
        return BEFORE if worst[BEFORE] < worst[AFTER] else AFTER
    if alike < SMOOTH * share and UNLIKE * alike < min(once, twice) and _is_high(t, values, k, c):
        return ALIKE
    return UNSETTLED


@part
def _misfits(values, k, c, half, weights, parts, worst):
    """What is left of the divided difference of `half` points on each side with each of the SIGNS, of the sum of its
    parts, if that is more than in `worst`; the share of the middle point in that sum.
    """
    total = 0.0
    for i in range(2 * half + 1):
        parts[i] = weights[i] * math.exp(values[k + i - half, c] - values[k, c])
        total += abs(parts[i])
    for signs in range(len(SIGNS)):
        s, (first, last) = 0.0, SIGNS[signs]
        for i in range(2 * half + 1):
            s += -parts[i] if first <= i - half <= last else parts[i]
        worst[signs] = max(worst[signs], abs(s) / total)
    return abs(parts[half]) / total


@part
def _is_high(t, values, k, c):
    """Whether the parabola through the values at three points stays above zero."""
    h_1, h_2 = t[k] - t[k - 1], t[k + 1] - t[k]
    fall, rise = math.expm1(values[k - 1, c] - values[k, c]) / -h_1, math.expm1(values[k + 1, c] - values[k, c]) / h_2
    slope, curvature = (fall * h_2 + rise * h_1) / (h_1 + h_2), (rise - fall) / (h_1 + h_2)
    return curvature > 0.0 and 1.0 - 0.25 * slope * slope / curvature > HIGH


@part
def zero_between(t, values, n, c, s, f):
    """When f vanishes between points n and n + 1, where it changes its sign: of the polynomial through it at three
    points on each side, or two, by Newton's method, with its divided differences for s = (t - t_n) / (t_{n+1} - t_n).
    """
    beside = 2 if n > 1 and n + 3 < t.shape[0] and max(values[n - 2, c], values[n + 3, c]) < math.inf else 1
    first, count, span = n - beside, 2 * (beside + 1), t[n + 1] - t[n]
    for i in range(count):
        size = math.exp(values[first + i, c] - values[first, c])
        s[i], f[i] = (t[first + i] - t[n]) / span, size if first + i <= n else -size
    zero = f[beside] / (f[beside] - f[beside + 1])
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            f[i] = (f[i] - f[i - 1]) / (s[i] - s[i - order])
    for _ in range(ZERO_STEPS):
        value, slope = f[count - 1], 0.0
        for i in range(count - 2, -1, -1):
            slope = slope * (zero - s[i]) + value
            value = value * (zero - s[i]) + f[i]
        zero = min(max(zero - value / slope, 0.0), 1.0)
    return t[n] + zero * span


def exports() -> Exports:
    """For the native library."""
    flags = Array(np.dtype(np.bool_), 2)
    yield export(settle_dips, VOID, VECTOR, MATRIX, MATRIX, flags, flags)
