"""The road's surface in the kernel: height and slopes at a place, from numbers among the opcodes of the model.

WIDTH numbers a piece, then the data of the splines (expressions/tables.py); elements/road.py writes them.
"""

from __future__ import annotations

import numpy as np

from linkwork.expressions.tables import spline_at
from linkwork.numerics.jit import kernel, part

HALF_ROUND, COSINE, SINE, PLANE, SPLINE = range(5)
WIDTH = 7  # numbers a piece: what it is, side, start, end (m), two numbers of its own, where its spline lies
WALL = np.radians(75.0)  # rad, the steepest side of a half-round bump: a height has no vertical wall


@kernel
def heights(ops, count, x, y, z):
    """Heights of a road whose data are all of `ops`."""
    for k in range(x.shape[0]):
        z[k] = road_at(ops, 0, count, x[k], y[k])[0]


@part
def road_acts(ops, first, count, low, high):
    """Whether any piece lies between x = low and high, m; if none does, the road is flat there."""
    for k in range(count):
        at = first + WIDTH * k
        if high > ops[at + 2].value and low < ops[at + 3].value:
            return True
    return False


@part
def road_at(ops, first, count, x, y):
    """Height (m) and slopes along x and y."""
    z, z_x, z_y = 0.0 * x, 0.0 * x, 0.0 * x
    for k in range(count):
        at = first + WIDTH * k
        begin = ops[at + 2].value
        if not (x.real > begin and x.real < ops[at + 3].value and ops[at + 1].value * y.real >= 0.0):
            continue
        what, a, b = int(ops[at].value), ops[at + 4].value, ops[at + 5].value
        d = x - begin
        if what == HALF_ROUND:
            rise, slope = _half_round(x - a, b)
        elif what == COSINE:
            rise, slope = 0.5 * b * (1.0 - np.cos(a * d)), 0.5 * a * b * np.sin(a * d)
        elif what == SINE:
            rise, slope = b * np.sin(a * d), a * b * np.cos(a * d)
        elif what == PLANE:
            rise, slope = a * x + b * y, a + 0.0 * x
            z_y += b
        else:
            rise, slope, _ = spline_at(ops, int(ops[at + 6].value), x)
        z += rise
        z_x += slope
    return z, z_x, z_y


@part
def _half_round(d, r):
    """A circle with straight sides of the steepest slope, tangent to it."""
    steep = np.sin(WALL)
    if d.real > r * steep:
        return (r - d * steep) / np.cos(WALL), -np.tan(WALL) + 0.0 * d
    if d.real < -r * steep:
        return (r + d * steep) / np.cos(WALL), np.tan(WALL) + 0.0 * d
    z = np.sqrt(r * r - d * d)
    return z, -d / z
