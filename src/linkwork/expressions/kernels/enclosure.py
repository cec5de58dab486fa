"""Between what values an expression lies over a stretch of time: interval arithmetic (Moore 1966) on the opcodes.

Time goes from t to t + high, from `low` on; the signals go on as parabolas, s + s' x + s'' x^2 / 2, or anywhere near
them: off by a share of the last term.  What comes out holds every value that the expression then has, and perhaps more
(where a number occurs twice); over a shorter stretch it is tighter.  So nothing hides between two instants that is not
seen here: no pulse, no pair of switching times.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.of_state import UNDECIDED
from linkwork.expressions.kernels.tables import spline_range

ROUNDING = 1e-15  # relative: what an operation may be off by, and a little more


@part
def enclose(ops, first, count, t, low, high, signals, rates, off, switches, stack):
    """(least, greatest, phase) of the program over the stretch; phase: by how much an argument of sin, cos or tan
    changes at most, rad.  `rates`: s' and s'' of the signals; `off`: the share.  `stack` has shape (>= depth, 2).
    """
    top, phase = 0, 0.0
    for i in range(first, first + count):
        code, n, value = ops[i].code, ops[i].count, ops[i].value
        k = top - n
        a, b = 0.0, 0.0
        if n == 0:
            if code == opcodes.CONST:
                a, b = value, value
            elif code == opcodes.TIME:
                a, b = t + low, t + high
            elif code == opcodes.SIGNAL:
                j = int(value)
                a, b = _parabola(rates[0, j], 0.5 * rates[1, j], low, high)
                beside = off * abs(0.5 * rates[1, j]) * max(low * low, high * high)
                a, b = signals[j] + a - beside, signals[j] + b + beside
        elif n == 1:
            x, y = stack[k, 0], stack[k, 1]
            if code in (opcodes.SIN, opcodes.COS, opcodes.TAN):
                phase = max(phase, y - x)
            if code == opcodes.SPLINE:
                a, b = spline_range(ops, int(value), x, y)
            else:
                a, b = _one(code, x, y, value, _cell(ops, i, switches))
        elif n == 2:
            a, b = _two(code, stack[k, 0], stack[k, 1], stack[k + 1, 0], stack[k + 1, 1], _cell(ops, i, switches))
        elif code == opcodes.IF:
            a, b = math.inf, -math.inf
            if stack[k, 1] != 0.0:
                a, b = stack[k + 1, 0], stack[k + 1, 1]
            if stack[k, 0] == 0.0:
                a, b = min(a, stack[k + 2, 0]), max(b, stack[k + 2, 1])
        else:  # MIX: (1 - s) x + s y, linear in the share s
            u, v = stack[k + 2, 0], stack[k + 2, 1]
            x, y = stack[k, 0], stack[k + 1, 0]
            a = min((1.0 - u) * x + u * y, (1.0 - v) * x + v * y)
            x, y = stack[k, 1], stack[k + 1, 1]
            b = max((1.0 - u) * x + u * y, (1.0 - v) * x + v * y)
        if a != a or b != b:
            a, b = -math.inf, math.inf
        if n > 0 and abs(a) < math.inf:
            a -= ROUNDING * abs(a)
        if n > 0 and abs(b) < math.inf:
            b += ROUNDING * abs(b)
        stack[k, 0], stack[k, 1] = a, b
        top = k + 1
    return stack[0, 0], stack[0, 1], phase


@part
def _cell(ops, i, switches):
    """The cell in which a run holds an operation, or UNDECIDED."""
    return UNDECIDED if ops[i].switch == opcodes.LIVE else switches[ops[i].switch].cell


@part
def _ordered(a, b):
    return min(a, b), max(a, b)


@part
def _parabola(p, q, low, high):
    """The range of p x + q x^2 from low to high."""
    a, b = _ordered((p + q * low) * low, (p + q * high) * high)
    if (p + 2.0 * q * low) * (p + 2.0 * q * high) < 0.0:  # its vertex lies between
        top = -0.25 * p * p / q
        a, b = min(a, top), max(b, top)
    return a, b


@part
def _sine(x, y):
    """The range of the sine from x to y."""
    if not y - x < 2.0 * math.pi:
        return -1.0, 1.0
    a, b = _ordered(math.sin(x), math.sin(y))
    quarter = 0.5 * math.pi
    if math.floor((y - quarter) / (2.0 * math.pi)) > math.floor((x - quarter) / (2.0 * math.pi)):
        b = 1.0
    if math.floor((y + quarter) / (2.0 * math.pi)) > math.floor((x + quarter) / (2.0 * math.pi)):
        a = -1.0
    return a, b


@part
def _one(code, x, y, p, cell):
    """The range of a function of one argument from x to y."""
    a, b = -math.inf, math.inf
    if code == opcodes.NEG:
        a, b = -y, -x
    elif code == opcodes.POWC:
        a, b = _power(x, y, p)
    elif code == opcodes.SIN:
        a, b = _sine(x, y)
    elif code == opcodes.COS:
        a, b = _sine(x + 0.5 * math.pi, y + 0.5 * math.pi)
    elif code == opcodes.TAN:
        if math.floor(x / math.pi + 0.5) == math.floor(y / math.pi + 0.5):
            a, b = math.tan(x), math.tan(y)
    elif code == opcodes.ASIN:
        a, b = math.asin(min(max(x, -1.0), 1.0)), math.asin(min(max(y, -1.0), 1.0))
    elif code == opcodes.ACOS:
        a, b = math.acos(min(max(y, -1.0), 1.0)), math.acos(min(max(x, -1.0), 1.0))
    elif code == opcodes.ATAN:
        a, b = math.atan(x), math.atan(y)
    elif code == opcodes.SINH:
        a, b = math.sinh(x), math.sinh(y)
    elif code == opcodes.COSH:
        a, b = _ordered(math.cosh(x), math.cosh(y))
        if x <= 0.0 <= y:
            a = 1.0
    elif code == opcodes.TANH:
        a, b = math.tanh(x), math.tanh(y)
    elif code == opcodes.EXP:
        a, b = math.exp(x), math.exp(y)
    elif code == opcodes.LOG:
        if y > 0.0:
            a, b = math.log(x) if x > 0.0 else -math.inf, math.log(y)
    elif code == opcodes.ABS:
        a, b = _absolute(x, y, cell)
    elif code == opcodes.SIGN:
        a, b = -1.0 if x < 0.0 else 1.0, 1.0 if y > 0.0 else -1.0
        if cell >= 0:
            a = b = -1.0 if cell == 0 else 1.0
    elif code == opcodes.SMOOTH:
        a, b = _ramp(x), _ramp(y)
    elif code == opcodes.FLOOR and abs(x) < math.inf and abs(y) < math.inf:
        a, b = np.floor(x), np.floor(y)
        if 0 < cell < 2 * opcodes.MIDDLE:
            a = b = float(cell - opcodes.MIDDLE)
    return a, b


@part
def _absolute(x, y, cell):
    """The range of |x|; within a cell of a run that of -x, or of x."""
    if cell == 0:
        return -y, -x
    if cell > 0:
        return x, y
    a, b = _ordered(abs(x), abs(y))
    return 0.0 if x <= 0.0 <= y else a, b


@part
def _ramp(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@part
def _power(x, y, p):
    """The range of x^p, p a constant."""
    whole = p == math.floor(p)
    if not whole:
        if y < 0.0:
            return -math.inf, math.inf
        x = max(x, 0.0)
    if p < 0.0 and x <= 0.0 <= y:
        return -math.inf, math.inf
    a, b = _ordered(x**p, y**p)
    if whole and x < 0.0 < y and 0.5 * p == math.floor(0.5 * p):
        a = 0.0
    return a, b


@part
def _two(code, x, y, u, v, cell):
    """The range of a function of a number from x to y and one from u to v."""
    a, b = -math.inf, math.inf
    if code == opcodes.ADD:
        a, b = x + u, y + v
    elif code == opcodes.SUB:
        a, b = x - v, y - u
    elif code == opcodes.MUL:
        a, b = _corners(x * u, x * v, y * u, y * v)
    elif code == opcodes.DIV:
        if u > 0.0 or v < 0.0:
            a, b = _corners(x / u, x / v, y / u, y / v)
    elif code == opcodes.POW:
        if x > 0.0:
            a, b = _corners(x**u, x**v, y**u, y**v)
    elif code == opcodes.ATAN2:
        a, b = -math.pi, math.pi
        if u > 0.0 or x > 0.0 or y < 0.0:  # neither the origin nor the cut
            a, b = _corners(math.atan2(x, u), math.atan2(x, v), math.atan2(y, u), math.atan2(y, v))
    elif code == opcodes.MIN:
        a, b = min(x, u), min(y, v)
        if cell >= 0:
            a, b = (x, y) if cell == 0 else (u, v)
    elif code == opcodes.MAX:
        a, b = max(x, u), max(y, v)
        if cell >= 0:
            a, b = (u, v) if cell == 0 else (x, y)
    elif cell >= 0:
        a = b = 1.0 if cell == 0 else 0.0
    elif code == opcodes.EQ:
        a, b = 1.0 if x == y == u == v else 0.0, 1.0 if x <= v and u <= y else 0.0
    elif code == opcodes.LT:
        a, b = 1.0 if y < u else 0.0, 1.0 if x < v else 0.0
    elif code == opcodes.LE:
        a, b = 1.0 if y <= u else 0.0, 1.0 if x <= v else 0.0
    return a, b


@part
def _corners(a, b, c, d):
    if a != a or b != b or c != c or d != d:  # 0 times infinity
        return -math.inf, math.inf
    return min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
