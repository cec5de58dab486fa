"""When a function of time crosses a threshold: all instants of a run, found by interval arithmetic (enclosure.py).

From the left, stretch by stretch: one over which the function provably has none of the thresholds is passed at once,
and the next is twice as long; another is halved, until it is as short as times can be told apart.  What is left around
a crossing is what rounding leaves in doubt: expressions are read before and after it, and not at the crossing itself.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import MATRIX, REAL, WHOLE, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.expressions.kernels.enclosure import enclose
from linkwork.expressions.kernels.of_state import SWITCH
from linkwork.expressions.kernels.opcodes import OP
from linkwork.expressions.kernels.program import MAX_DEPTH

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
IN_DOUBT = 1e-10  # of the run: for so long it may be in doubt at a crossing; for longer it stays near a threshold
NEVER = np.zeros(0, SWITCH)
NOTHING = np.zeros((2, 0))  # signals


@kernel
def find_crossings(ops, first, count, thresholds, t_begin, t_end, nothing, never, stack, found):
    """Fill `found` from t_begin on, until t_end or until it is full; how many there are.

    `thresholds`: place of their number among the ops, and they themselves behind it.
    """
    n, t, w, length = 0, t_begin, t_end - t_begin, t_end - t_begin
    narrowest, touching, staying = RESOLUTION * length, False, False
    while t < t_end and n < found.shape[0]:
        end = min(t + w, t_end)
        low, high, _ = enclose(ops, first, count, t, 0.0, end - t, nothing[0], nothing, 0.0, never, stack)
        if not _touches(ops, thresholds, low, high):
            if staying:  # until here
                found[n].t = found[n].before = found[n].after = t
                n += 1
            t, w = end, 2.0 * w
            narrowest, touching, staying = RESOLUTION * length, False, False
        elif end - t > max(narrowest, RESOLUTION * abs(end)):
            w = 0.5 * (end - t)
        else:
            if not touching:
                found[n].t, found[n].before, found[n].after = end, t, end
                n += 1
            elif end - found[n - 1].before <= IN_DOUBT * length:
                found[n - 1].after = end
            else:
                staying = True
            t, w, narrowest, touching = end, 2.0 * w, 2.0 * max(narrowest, RESOLUTION * abs(end)), True
    return n


@part
def _touches(ops, thresholds, low, high):
    """Whether a threshold lies between two values.  A function that keeps to a threshold does not cross it."""
    for k in range(int(ops[thresholds].value)):
        threshold = ops[thresholds + 1 + k].value
        if low <= threshold <= high and low < high:
            return True
    return False


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
    yield export(find_crossings, WHOLE, *program, REAL, REAL, MATRIX, records(SWITCH), MATRIX, records(BREAK))
