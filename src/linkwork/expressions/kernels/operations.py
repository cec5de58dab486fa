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
    g = math.nan
    g1 = math.nan
    g2 = 0.0
    if code == opcodes.NEG:
        g = -x
        g1 = -1.0
    elif code == opcodes.POWC:
        # A vanishing factor goes first: 0 * x**-1 at x = 0 would be NaN where the derivative of x is simply 1.
        g = x**p
        g1 = 0.0 if p == 0.0 else p * x ** (p - 1.0)
        g2 = 0.0 if p * (p - 1.0) == 0.0 else p * (p - 1.0) * x ** (p - 2.0)
    elif code == opcodes.SIN:
        g = math.sin(x)
        g1 = math.cos(x)
        g2 = -g
    elif code == opcodes.COS:
        g = math.cos(x)
        g1 = -math.sin(x)
        g2 = -g
    elif code == opcodes.TAN:
        g = math.tan(x)
        g1 = 1.0 + g * g
        g2 = 2.0 * g * g1
    elif code == opcodes.ASIN:
        g = math.asin(x)
        g1 = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        g2 = x * g1 * g1 * g1
    elif code == opcodes.ACOS:
        g = math.acos(x)
        g1 = -1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        g2 = x * g1 * g1 * g1
    elif code == opcodes.ATAN:
        g = math.atan(x)
        g1 = 1.0 / (1.0 + x * x)
        g2 = -2.0 * x * g1 * g1
    elif code == opcodes.SINH:
        g = math.sinh(x)
        g1 = math.cosh(x)
        g2 = g
    elif code == opcodes.COSH:
        g = math.cosh(x)
        g1 = math.sinh(x)
        g2 = g
    elif code == opcodes.TANH:
        g = math.tanh(x)
        g1 = 1.0 / math.cosh(x) ** 2
        g2 = -2.0 * g * g1
    elif code == opcodes.EXP:
        g = math.exp(x)
        g1 = g
        g2 = g
    elif code == opcodes.LOG:
        g = math.log(x)
        g1 = 1.0 / x
        g2 = -g1 * g1
    elif code == opcodes.SMOOTH:
        # Right-continuous, as t < t0 is: the instant t0 belongs to the ramp, t1 to what follows.
        inside = not (x < 0.0 or x >= 1.0)
        g = x * x * (3.0 - 2.0 * x) if inside else (1.0 if x >= 1.0 else 0.0)
        g1 = 6.0 * x * (1.0 - x) if inside else 0.0
        g2 = 6.0 - 12.0 * x if inside else 0.0
    elif code == opcodes.FLOOR:
        g = np.floor(x) if abs(x) < math.inf else math.nan
        g1 = 0.0
    else:
        sign = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)  # x itself: 0, or a NaN that must stay one
        g = sign if code == opcodes.SIGN else abs(x)
        g1 = 0.0 if code == opcodes.SIGN else sign
    return g, g1, g2


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
