"""The opcodes of an expression, and what they do with second-order jets (f, f', f'').

With x = x(t):

    d/dt g(x) = g' x',   d2/dt2 g(x) = g'' x'^2 + g' x''      (one chain rule for all functions of one argument)
    (a b)'' = a'' b + 2 a' b' + a b''
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part

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
SPLINE = 26  # of one argument too: piecewise cubic, its data among the ops (expressions/tables.py)
FLOOR = 27
# Two arguments; comparisons leave 1 or 0 (with a NaN 0), so that MIN and MAX serve as `and` and `or`.
ADD, SUB, MUL, DIV, POW, ATAN2, MIN, MAX, LT, LE, EQ = range(40, 51)
# Three arguments: condition, then, else; from, to, share.
IF, MIX = 60, 61


@part
def univariate(code, x, p):
    """The function of one argument `code` at x with its first two derivatives, (g, g', g''); p: exponent of POWC."""
    g = math.nan
    g1 = math.nan
    g2 = 0.0
    if code == NEG:
        g = -x
        g1 = -1.0
    elif code == POWC:
        # A vanishing factor goes first: 0 * x**-1 at x = 0 would be NaN where the derivative of x is simply 1.
        g = x**p
        g1 = 0.0 if p == 0.0 else p * x ** (p - 1.0)
        g2 = 0.0 if p * (p - 1.0) == 0.0 else p * (p - 1.0) * x ** (p - 2.0)
    elif code == SIN:
        g = math.sin(x)
        g1 = math.cos(x)
        g2 = -g
    elif code == COS:
        g = math.cos(x)
        g1 = -math.sin(x)
        g2 = -g
    elif code == TAN:
        g = math.tan(x)
        g1 = 1.0 + g * g
        g2 = 2.0 * g * g1
    elif code == ASIN:
        g = math.asin(x)
        g1 = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        g2 = x * g1 * g1 * g1
    elif code == ACOS:
        g = math.acos(x)
        g1 = -1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        g2 = x * g1 * g1 * g1
    elif code == ATAN:
        g = math.atan(x)
        g1 = 1.0 / (1.0 + x * x)
        g2 = -2.0 * x * g1 * g1
    elif code == SINH:
        g = math.sinh(x)
        g1 = math.cosh(x)
        g2 = g
    elif code == COSH:
        g = math.cosh(x)
        g1 = math.sinh(x)
        g2 = g
    elif code == TANH:
        g = math.tanh(x)
        g1 = 1.0 / math.cosh(x) ** 2
        g2 = -2.0 * g * g1
    elif code == EXP:
        g = math.exp(x)
        g1 = g
        g2 = g
    elif code == LOG:
        g = math.log(x)
        g1 = 1.0 / x
        g2 = -g1 * g1
    elif code == SMOOTH:
        # Right-continuous, as t < t0 is: the instant t0 belongs to the ramp, t1 to what follows.
        inside = not (x < 0.0 or x >= 1.0)
        g = x * x * (3.0 - 2.0 * x) if inside else (1.0 if x >= 1.0 else 0.0)
        g1 = 6.0 * x * (1.0 - x) if inside else 0.0
        g2 = 6.0 - 12.0 * x if inside else 0.0
    elif code == FLOOR:
        g = np.floor(x) if abs(x) < math.inf else math.nan
        g1 = 0.0
    else:
        sign = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)  # x itself: 0, or a NaN that must stay one
        g = sign if code == SIGN else abs(x)
        g1 = 0.0 if code == SIGN else sign
    return g, g1, g2


@part
def bivariate(code, a, a1, a2, b, b1, b2):
    """The jet of the function of two arguments `code` of the jets a and b."""
    f = math.nan
    f1 = 0.0
    f2 = 0.0
    if code == ADD:
        f = a + b
        f1 = a1 + b1
        f2 = a2 + b2
    elif code == SUB:
        f = a - b
        f1 = a1 - b1
        f2 = a2 - b2
    elif code == MUL:
        f = a * b
        f1 = a1 * b + a * b1
        f2 = a2 * b + 2.0 * a1 * b1 + a * b2
    elif code == DIV:
        f = a / b
        f1 = (a1 - f * b1) / b
        f2 = (a2 - 2.0 * f1 * b1 - f * b2) / b
    elif code == POW:
        # a^b = exp(b log a), for a > 0
        log_a = math.log(a)
        rate = a1 / a
        h1 = b1 * log_a + b * rate
        f = a**b
        f1 = f * h1
        f2 = f * (h1 * h1 + b2 * log_a + 2.0 * b1 * rate + b * (a2 / a - rate * rate))
    elif code == ATAN2:
        r2 = a * a + b * b
        f = math.atan2(a, b)
        f1 = (b * a1 - a * b1) / r2
        f2 = (b * a2 - a * b2 - 2.0 * f1 * (a * a1 + b * b1)) / r2
    elif code == LT:
        f = 1.0 if a < b else 0.0
    elif code == LE:
        f = 1.0 if a <= b else 0.0
    elif code == EQ:
        f = 1.0 if a == b else 0.0
    else:
        second = b != b or (b < a if code == MIN else b > a)  # a NaN on either side wins
        f = b if second else a
        f1 = b1 if second else a1
        f2 = b2 if second else a2
    return f, f1, f2
