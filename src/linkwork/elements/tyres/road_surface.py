"""The road's surface in the kernel: height and slopes at a place, from numbers among the opcodes of the model.

A record of numbers a piece, then the data of the splines (expressions/kernels/tables.py); elements/tyres/road.py
writes them.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import VECTOR, VOID, WHOLE, records
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.expressions.kernels.opcodes import OP
from linkwork.expressions.kernels.tables import spline_at

HALF_ROUND, COSINE, SINE, PLANE, SPLINE = range(5)
# A piece: WIDTH numbers, each the value of an op.
NUMBERS = (
    "what",
    "side",  # 1: left, -1: right, 0: both
    "begin",  # m, x between which it is not zero
    "end",
    "a",  # two numbers of its own
    "b",
    "spline",  # where its data begin
)
WIDTH = len(NUMBERS)
PIECE = np.dtype({
    "names": NUMBERS, "formats": [np.float64] * WIDTH, "itemsize": WIDTH * OP.itemsize,
    "offsets": [k * OP.itemsize + OP.itemsize - 8 for k in range(WIDTH)],  # the value is the last field
}, align=True)  # fmt: skip
PART = 0.125  # of a wave, or of the radius of a wheel: so far it may go over uneven ground in one step
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
        piece = record_at(ops, first + WIDTH * k, PIECE)
        if high > piece.begin and low < piece.end:
            return True
    return False


@part
def time_to_pass(ops, first, count, x, speed, reach, radius):
    """How long, s, a wheel at x that goes along the road may go on before what is ahead must be looked at: until it
    comes to the next piece, and then by a part of the shortest wave of it, or of what a wheel rolls over at once.
    """
    time = np.inf
    for k in range(count):
        piece = record_at(ops, first + WIDTH * k, PIECE)
        gap = piece.begin - x - reach if speed > 0.0 else x - reach - piece.end
        passed = x - reach > piece.end if speed > 0.0 else x + reach < piece.begin
        wave = 2.0 * reach + piece.end - piece.begin
        if piece.what in (COSINE, SINE):
            wave = min(wave, 2.0 * np.pi / abs(piece.a))
        elif piece.what == SPLINE:
            wave = min(wave, (piece.end - piece.begin) / ops[int(piece.spline)].value)
        if piece.what != PLANE and not passed:
            time = min(time, (max(gap, 0.0) + PART * max(wave, radius)) / abs(speed))
    return time


@part
def road_at(ops, first, count, x, y):
    """Height (m) and slopes along x and y."""
    z, z_x, z_y = 0.0 * x, 0.0 * x, 0.0 * x
    for k in range(count):
        piece = record_at(ops, first + WIDTH * k, PIECE)
        if not (x.real > piece.begin and x.real < piece.end and piece.side * y.real >= 0.0):
            continue
        what, a, b = piece.what, piece.a, piece.b
        d = x - piece.begin
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
            rise, slope, _ = spline_at(ops, int(piece.spline), x)
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


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(heights, VOID, records(OP), WHOLE, VECTOR, VECTOR, VECTOR)
