"""Tables of values: a piecewise cubic through given points, looked up inside an expression by `table(NAME, x)`.

Its data lie among the opcodes: the number n of knots, the knots x_0 ... x_{n-1}, then for each of the n + 1 intervals
(the two outer ones included) the coefficients c0 ... c3 of

    f(x) = c0 + d (c1 + d (c2 + d c3)),   d = x - (left knot; for the first interval its right knot)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.numerics.tridiagonal import solve_tridiagonal

FARTHEST = 1e15  # periods: an argument beyond has no place within one
NOISE_LENGTH = 1024  # after which noise() repeats


@dataclass(frozen=True, eq=False)
class Table:
    """A table ready to be looked up."""

    data: np.ndarray
    kinks: tuple[float, ...] = field(default=())  # where its value, slope or curvature jumps
    begin: float = 0.0  # of the first period
    period: float = 0.0  # 0: it does not repeat


def tabulated(x: np.ndarray, y: np.ndarray, interpolation: str, outside: str) -> Table:
    """Table through the points (x, y), x increasing: `spline` (cubic, natural or periodic) or `linear`; beyond the ends
    `hold` the end value, go on along the `line` of the end slope, or `repeat`.
    """
    if outside == "repeat":
        return _repeating(x, y, interpolation)
    inner = spline_coefficients(x, y) if interpolation == "spline" else _chords(x, y)
    h = x[-1] - x[-2]
    c = inner[-1]
    slopes = (inner[0, 1], c[1] + h * (2.0 * c[2] + 3.0 * h * c[3])) if outside == "line" else (0.0, 0.0)
    coefficients = np.vstack([[y[0], slopes[0], 0.0, 0.0], inner, [y[-1], slopes[1], 0.0, 0.0]])
    kinks = x if interpolation == "linear" else x[[0, -1]]
    return Table(_data(x, coefficients), tuple(kinks.tolist()))


def _data(x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Their number, the knots and the coefficients, one after the other."""
    return np.concatenate([[len(x)], x, coefficients.ravel()])


def _repeating(x: np.ndarray, y: np.ndarray, interpolation: str) -> Table:
    """One period, from the first to the last x; a periodic spline has no kinks, lines have one at each knot.

    By rounding an argument may be a little beyond the ends: there the neighbouring piece goes on.
    """
    inner = periodic_coefficients(x, y) if interpolation == "spline" else _chords(x, y)
    c, h = inner[-1], x[-1] - x[-2]
    end = [y[-1], c[1] + h * (2.0 * c[2] + 3.0 * h * c[3]), c[2] + 3.0 * h * c[3], c[3]]
    coefficients = np.vstack([inner[0], inner, end])
    kinks = tuple(x.tolist()) if interpolation == "linear" else ()
    data = _data(x, coefficients)
    data[0] *= 1.0 if kinks else -1.0  # negative: a lookup itself goes back by whole periods
    return Table(data, kinks, float(x[0]), float(x[-1] - x[0]))


@cache
def noise_table(seed: int) -> Table:
    """A smooth curve through NOISE_LENGTH normally distributed numbers at 0, 1, 2 ..., which repeats; mean 0 and
    variance 1 at these places.
    """
    y = np.random.Generator(np.random.PCG64(seed)).standard_normal(NOISE_LENGTH)
    return tabulated(np.arange(NOISE_LENGTH + 1.0), np.append(y, y[0]), "spline", "repeat")


def _chords(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    zero = np.zeros(len(x) - 1)
    return np.column_stack([y[:-1], np.diff(y) / np.diff(x), zero, zero])


def spline_coefficients(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Natural cubic spline: [interval, 4] coefficients in powers of x - (left knot)  (de Boor 1978, chapter IV)."""
    h, slope = np.diff(x), np.diff(y) / np.diff(x)
    half_curvature = np.zeros(len(x))
    half_curvature[1:-1] = 3.0 * np.diff(slope)
    if len(x) > 2:
        solve_tridiagonal(h[:-1].copy(), 2.0 * (h[:-1] + h[1:]), h[1:].copy(), half_curvature[1:-1])
    return _coefficients(h, slope, y, half_curvature)


def _coefficients(h: np.ndarray, slope: np.ndarray, y: np.ndarray, half_curvature: np.ndarray) -> np.ndarray:
    low, high = half_curvature[:-1], half_curvature[1:]
    return np.column_stack([y[:-1], slope - h * (2.0 * low + high) / 3.0, low, (high - low) / (3.0 * h)])


def periodic_coefficients(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Periodic cubic spline through points of which the last repeats the first, as in `spline_coefficients`.

    The equations are tridiagonal but for two corners c, at both ends; with u = (c, 0 ... 0, c) their matrix is
    A + u u^T / c, and A^-1 is applied to the right-hand side and to u  (Sherman & Morrison 1950).
    """
    h, slope = np.diff(x), np.diff(y) / np.diff(x)
    before = np.roll(h, 1)
    corner = before[0]
    diagonal = 2.0 * (before + h)
    diagonal[[0, -1]] -= corner
    right, u = 3.0 * (slope - np.roll(slope, 1)), np.zeros(len(h))
    u[[0, -1]] = corner
    for b in (right, u):
        solve_tridiagonal(before, diagonal.copy(), h, b)
    right -= u * (right[0] + right[-1]) / (1.0 + u[0] + u[-1])
    return _coefficients(h, slope, y, np.append(right, right[0]))


@part
def spline_at(ops, first, x):
    """(f, f', f'') of the table whose data start at ops[first]."""
    x = x - _whole_periods(ops, first, x.real)
    return _piece(ops, first, x, _interval(ops, first, x.real))


@part
def _knots(ops, first):
    return int(abs(ops[first].value))


@part
def _whole_periods(ops, first, x):
    """What a table that repeats takes off x, so that it lies between the first and the last knot; else 0."""
    if ops[first].value > 0.0:
        return 0.0
    begin, period = ops[first + 1].value, ops[first + _knots(ops, first)].value - ops[first + 1].value
    return period * math.floor((x - begin) / period) if abs(x) < FARTHEST * period else 0.0


@part
def spline_piece(ops, first, x, kinks, cell):
    """The same with x taken to lie in a cell between the kinks of the table, all its knots or the outer two: beyond
    the end of the cell the last piece goes on.
    """
    count = _knots(ops, first)
    if kinks == count:
        return _piece(ops, first, x, cell)
    if cell == 1:
        return _piece(ops, first, x, min(max(_interval(ops, first, x.real), 1), count - 1))
    return _piece(ops, first, x, 0 if cell == 0 else count)


@part
def _interval(ops, first, x):
    """The number of knots <= x."""
    low, high = 0, _knots(ops, first)
    while low < high:
        middle = (low + high) // 2
        if ops[first + 1 + middle].value <= x:
            low = middle + 1
        else:
            high = middle
    return low


@part
def _piece(ops, first, x, interval):
    """(f, f', f'') of the piece on one interval."""
    d = x - ops[first + max(interval, 1)].value
    at = first + 1 + _knots(ops, first) + 4 * interval
    c0, c1, c2, c3 = ops[at].value, ops[at + 1].value, ops[at + 2].value, ops[at + 3].value
    return c0 + d * (c1 + d * (c2 + d * c3)), c1 + d * (2.0 * c2 + 3.0 * d * c3), 2.0 * c2 + 6.0 * d * c3


@part
def spline_range(ops, first, low, high):
    """The least and the greatest value for x from low to high."""
    if ops[first].value > 0.0:
        return _range_between(ops, first, low, high)
    begin, end = ops[first + 1].value, ops[first + _knots(ops, first)].value
    if not high - low < end - begin:
        return _range_between(ops, first, begin, end)
    off = _whole_periods(ops, first, low)
    low, high = low - off, high - off
    a, b = _range_between(ops, first, low, min(high, end))
    if high <= end:
        return a, b
    c, d = _range_between(ops, first, begin, high - (end - begin))
    return min(a, c), max(b, d)


@part
def _range_between(ops, first, low, high):
    """The same within the knots, or beyond them along the outer pieces."""
    least, greatest = math.inf, -math.inf
    knots = _knots(ops, first)
    begin, end = _interval(ops, first, low), _interval(ops, first, high)
    for interval in range(begin, end + 1):
        a = low if interval == begin else ops[first + interval].value
        b = high if interval == end else ops[first + interval + 1].value
        at = first + 1 + knots + 4 * interval
        c1, c2, c3 = ops[at + 1].value, ops[at + 2].value, ops[at + 3].value
        knot = ops[first + max(interval, 1)].value
        root = math.sqrt(max(c2 * c2 - 3.0 * c1 * c3, 0.0))  # f' = 0 where d = (-c2 +- root) / (3 c3)
        for k in range(4):
            x = a if k == 0 else b
            if k == 1 and c3 != 0.0:
                x = knot + (-c2 + root) / (3.0 * c3)
            elif k == 2:
                x = knot + (-c2 - root) / (3.0 * c3) if c3 != 0.0 else (knot - 0.5 * c1 / c2 if c2 != 0.0 else b)
            f, _, _ = _piece(ops, first, min(max(x, a), b), interval)
            least, greatest = min(least, f), max(greatest, f)
    return least, greatest
