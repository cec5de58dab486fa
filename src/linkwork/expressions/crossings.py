"""When a function of time crosses a threshold: all instants of a run, found by interval arithmetic (enclosure.py).

From the left, stretch by stretch: one over which the function provably has none of the thresholds is passed at once,
and the next is twice as long; another is halved, until its two ends lie on different sides and the function between
them does what its ends say.  Then bisection finds the instant, and with it two instants beside it, at which the side
is beyond doubt in spite of rounding: expressions are read there, and not at the crossing itself.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import MATRIX, REAL, VECTOR, WHOLE, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.expressions.enclosure import enclose
from linkwork.expressions.of_state import SWITCH
from linkwork.expressions.program import MAX_DEPTH, OP

BREAK = np.dtype(
    [
        ("t", np.float64),  # s
        ("before", np.float64),  # s, the last instant that is certainly before it
        ("after", np.float64),  # s, the first that is certainly after it
    ],
    align=True,
)
INSIDE = 1e-15  # of a time that is known: how far from it an expression is read, on this side of its jump
RESOLUTION = 8e-16  # of a time, and of the length of the run: instants nearer than that are one
HONEST = 1.2  # times the difference of its ends: what a function that only rises or falls may seem to vary
ITERATIONS = 200
NEVER = np.zeros(0, SWITCH)
NOTHING = np.zeros(0)


@kernel
def find_crossings(ops, first, count, thresholds, t_begin, t_end, nothing, never, stack, found):
    """Fill `found` from t_begin on, until t_end or until it is full; how many there are.

    `thresholds`: place of their number among the ops, and they themselves behind it.
    """
    n, t, w = 0, t_begin, t_end - t_begin
    coarsest = RESOLUTION * (t_end - t_begin)
    narrowest = coarsest
    while t < t_end and n < found.shape[0]:
        end = min(t + w, t_end)
        low, high, _ = enclose(ops, first, count, t, 0.0, end - t, nothing, nothing, never, stack)
        if not _touches(ops, thresholds, low, high):
            t, w, narrowest = end, 2.0 * w, coarsest
            continue
        a, _, _ = enclose(ops, first, count, t, 0.0, 0.0, nothing, nothing, never, stack)
        b, _, _ = enclose(ops, first, count, end, 0.0, 0.0, nothing, nothing, never, stack)
        side, other = _side(ops, thresholds, a), _side(ops, thresholds, b)
        if abs(other - side) == 1 and high - low <= HONEST * abs(b - a):
            crossing = _bisect(ops, first, count, thresholds, t, end, nothing, never, stack)
            t = _enter(ops, first, count, thresholds, crossing, t, end, nothing, never, stack, found[n])
            n += 1
        elif end - t > max(narrowest, RESOLUTION * abs(end)):
            w = 0.5 * (end - t)
        else:  # it stays near the threshold, or touches it: so long as it does, ever longer stretches are one
            if narrowest == coarsest:
                found[n].t, found[n].before, found[n].after = t, t, end
                n += 1
            t, w, narrowest = end, 2.0 * w, 2.0 * max(narrowest, RESOLUTION * abs(end))
    return n


@part
def _touches(ops, thresholds, low, high):
    """Whether a threshold lies between two values.  A function that keeps to a threshold does not cross it."""
    for k in range(int(ops[thresholds].value)):
        threshold = ops[thresholds + 1 + k].value
        if low <= threshold <= high and low < high:
            return True
    return False


@part
def _side(ops, thresholds, x):
    """How many thresholds lie below x."""
    side = 0
    while side < int(ops[thresholds].value) and ops[thresholds + 1 + side].value <= x:
        side += 1
    return side


@part
def _bisect(ops, first, count, thresholds, low, high, nothing, never, stack):
    """The instant at which the side changes."""
    x, _, _ = enclose(ops, first, count, low, 0.0, 0.0, nothing, nothing, never, stack)
    side = _side(ops, thresholds, x)
    for _ in range(ITERATIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        x, _, _ = enclose(ops, first, count, middle, 0.0, 0.0, nothing, nothing, never, stack)
        if _side(ops, thresholds, x) == side:
            low = middle
        else:
            high = middle
    return high


@part
def _enter(ops, first, count, thresholds, crossing, begin, end, nothing, never, stack, record):
    """Write down a crossing with the instants beside it; the later one, from which the search goes on."""
    record.t = crossing
    record.before = _certain(ops, first, count, thresholds, crossing, begin, nothing, never, stack)
    record.after = _certain(ops, first, count, thresholds, crossing, end, nothing, never, stack)
    return max(record.after, crossing)


@part
def _certain(ops, first, count, thresholds, crossing, bound, nothing, never, stack):
    """The instant nearest to a crossing, towards `bound`, at which rounding cannot be taken for one."""
    distance = RESOLUTION * abs(crossing)
    while True:
        t = max(crossing - distance, bound) if bound < crossing else min(crossing + distance, bound)
        low, high, _ = enclose(ops, first, count, t, 0.0, 0.0, nothing, nothing, never, stack)
        if t == bound or not _touches(ops, thresholds, low, high):
            return t
        distance *= 2.0


def crossings(ops: np.ndarray, first: int, count: int, thresholds: int, until: float) -> np.ndarray:
    """All BREAKs of one program from 0 to `until` (s); `thresholds`: place of their number and values among the ops."""
    stack, buffer = np.zeros((MAX_DEPTH, 2)), np.zeros(1000, BREAK)
    found, t = [np.zeros(0, BREAK)], 0.0
    while t < until:
        n = find_crossings(ops, first, count, thresholds, t, until, NOTHING, NEVER, stack, buffer)
        found.append(buffer[:n].copy())
        t = float(buffer[n - 1]["after"]) if n == len(buffer) else until
    return np.concatenate(found)


def exports() -> Exports:
    """For the native library: what Python calls here."""
    program = (records(OP), WHOLE, WHOLE, WHOLE)
    yield export(find_crossings, WHOLE, *program, REAL, REAL, VECTOR, records(SWITCH), MATRIX, records(BREAK))
