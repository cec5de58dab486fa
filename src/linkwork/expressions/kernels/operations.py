"""What the opcodes of functions do with second-order jets (f, f', f'').

With x = x(t):

    d/dt g(x) = g' x',   d2/dt2 g(x) = g'' x'^2 + g' x''      (one chain rule for all functions of one argument)
    (a b)'' = a'' b + 2 a' b' + a b''
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.expressions.kernels import opcodes


@part
def univariate(code, x, p):
    """The function of one argument `code` at x with its first two derivatives, (g, g', g''); p: exponent of POWC."""
    if code == opcodes.NEG:
        return -x, -1.0, 0.0
    if code == opcodes.POWC:
        # A vanishing factor goes first: 0 * x**-1 at x = 0 would be NaN where the derivative of x is simply 1.
        g1 = 0.0 if p == 0.0 else p * x ** (p - 1.0)
        return x**p, g1, 0.0 if p * (p - 1.0) == 0.0 else p * (p - 1.0) * x ** (p - 2.0)
    if code == opcodes.SIN:
        g = math.sin(x)
        return g, math.cos(x), -g
    if code == opcodes.COS:
        g = math.cos(x)
        return g, -math.sin(x), -g
    if code == opcodes.TAN:
        g = math.tan(x)
        g1 = 1.0 + g * g
        return g, g1, 2.0 * g * g1
    if code == opcodes.ASIN:
        g1 = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        return math.asin(x), g1, x * g1 * g1 * g1
    if code == opcodes.ACOS:
        g1 = -1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        return math.acos(x), g1, x * g1 * g1 * g1
    if code == opcodes.ATAN:
        g1 = 1.0 / (1.0 + x * x)
        return math.atan(x), g1, -2.0 * x * g1 * g1
    if code == opcodes.SINH:
        g = math.sinh(x)
        return g, math.cosh(x), g
    if code == opcodes.COSH:
        g = math.cosh(x)
        return g, math.sinh(x), g
    if code == opcodes.TANH:
        g = math.tanh(x)
        g1 = 1.0 / math.cosh(x) ** 2
        return g, g1, -2.0 * g * g1
    if code == opcodes.EXP:
        g = math.exp(x)
        return g, g, g
    if code == opcodes.LOG:
        g1 = 1.0 / x
        return math.log(x), g1, -g1 * g1
    if code == opcodes.SMOOTH:
        # Right-continuous, as t < t0 is: the instant t0 belongs to the ramp, t1 to what follows.
        if x < 0.0 or x >= 1.0:
            return (1.0 if x >= 1.0 else 0.0), 0.0, 0.0
        return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x
    if code == opcodes.FLOOR:
        return (np.floor(x) if abs(x) < math.inf else math.nan), 0.0, 0.0
    sign = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)  # x itself: 0, or a NaN that must stay one
    return (sign, 0.0, 0.0) if code == opcodes.SIGN else (abs(x), sign, 0.0)


@part
def bivariate(code, a, a1, a2, b, b1, b2):
    """The jet of the function of two arguments `code` of the jets a and b."""
    f = math.nan
    f1 = 0.0
    f2 = 0.0
    if code == opcodes.ADD:
        f = a + b
        f1 = a1 + b1
        f2 = a2 + b2
    elif code == opcodes.SUB:
        f = a - b
        f1 = a1 - b1
        f2 = a2 - b2
    elif code == opcodes.MUL:
        f = a * b
        f1 = a1 * b + a * b1
        f2 = a2 * b + 2.0 * a1 * b1 + a * b2
    elif code == opcodes.DIV:
        f = a / b
        f1 = (a1 - f * b1) / b
        f2 = (a2 - 2.0 * f1 * b1 - f * b2) / b
    elif code == opcodes.POW:
        # a^b = exp(b log a), for a > 0
        log_a = math.log(a)
        rate = a1 / a
        h1 = b1 * log_a + b * rate
        f = a**b
        f1 = f * h1
        f2 = f * (h1 * h1 + b2 * log_a + 2.0 * b1 * rate + b * (a2 / a - rate * rate))
    elif code == opcodes.ATAN2:
        r2 = a * a + b * b
        f = math.atan2(a, b)
        f1 = (b * a1 - a * b1) / r2
        f2 = (b * a2 - a * b2 - 2.0 * f1 * (a * a1 + b * b1)) / r2
    elif code == opcodes.LT:
        f = 1.0 if a < b else 0.0
    elif code == opcodes.LE:
        f = 1.0 if a <= b else 0.0
    elif code == opcodes.EQ:
        f = 1.0 if a == b else 0.0
    else:
        second = b != b or (b < a if code == opcodes.MIN else b > a)  # a NaN on either side wins
        f = b if second else a
        f1 = b1 if second else a1
        f2 = b2 if second else a2
    return f, f1, f2
