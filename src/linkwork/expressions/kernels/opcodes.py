"""The opcodes of an expression and the record of an operation: read as `opcodes.SIN`, `opcodes.IF`."""

from __future__ import annotations

import numpy as np

OP = np.dtype(
    [
        ("code", np.int16),
        ("count", np.int16),  # of its arguments
        ("switch", np.int32),  # place in `work.switches` of an operation that a run watches (of_state.py), or LIVE
        ("value", np.float64),
    ],
    align=True,
)
LIVE = -1
ALL_WHOLE = -1  # in place of a number of thresholds: floor() has all whole numbers for its own
MIDDLE = 2**53  # the cell of floor(x) = 0; farther from it doubles are whole numbers themselves

# No arguments.  SIGNAL: a number that the state determines (elements/signals/signals.py); DATA: a number of a table.
CONST, TIME, SIGNAL, DATA = 0, 1, 2, 3
# One argument.
NEG, POWC, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, ABS, SIGN, SMOOTH = range(10, 26)
SPLINE = 26  # of one argument too: piecewise cubic, its data among the ops (expressions/kernels/tables.py)
FLOOR = 27
# Two arguments; comparisons leave 1 or 0 (with a NaN 0), so that MIN and MAX serve as `and` and `or`.
ADD, SUB, MUL, DIV, POW, ATAN2, MIN, MAX, LT, LE, EQ = range(40, 51)
# Three arguments: condition, then, else; from, to, share.
IF, MIX = 60, 61
