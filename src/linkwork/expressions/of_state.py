"""The value of an expression that depends on the state: any scalar type, so that complex steps pass through.

The same opcodes as program.py, without time derivatives.  Comparisons use the real part.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.expressions.program import (
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    CONST,
    COS,
    COSH,
    DIV,
    EQ,
    EXP,
    IF,
    LE,
    LOG,
    LT,
    MAX,
    MIN,
    MUL,
    NEG,
    POW,
    POWC,
    SIGN,
    SIGNAL,
    SIN,
    SINH,
    SMOOTH,
    SPLINE,
    SUB,
    TAN,
    TANH,
    TIME,
)  # fmt: skip
from linkwork.expressions.tables import spline_at
from linkwork.numerics.rotations import angle_near
from linkwork.numerics.scalars import exp, tanh


@part
def _one(code, x, p):
    """The function of one argument `code` at x; p: exponent of POWC."""
    f = x
    if code == NEG:
        f = -x
    elif code == POWC:
        f = _power(x, p)
    elif code == SIN:
        f = np.sin(x)
    elif code == COS:
        f = np.cos(x)
    elif code == TAN:
        f = np.tan(x)
    elif code == ASIN:
        f = np.arcsin(x)
    elif code == ACOS:
        f = np.arccos(x)
    elif code == ATAN:
        f = np.arctan(x)
    elif code == SINH:
        f = np.sinh(x)
    elif code == COSH:
        f = np.cosh(x)
    elif code == TANH:
        f = tanh(x)
    elif code == EXP:
        f = exp(x)
    elif code == LOG:
        f = np.log(x)
    elif code == SMOOTH:
        if x.real < 0.0:
            f = 0.0 * x
        elif x.real >= 1.0:
            f = 0.0 * x + 1.0
        else:
            f = x * x * (3.0 - 2.0 * x)
    else:
        sign = 1.0 if x.real > 0.0 else (-1.0 if x.real < 0.0 else 0.0)
        f = 0.0 * x + sign if code == SIGN else sign * x
    return f


@part
def _power(x, p):
    """x^p; whole exponents by multiplication, which keeps signs and complex steps exact."""
    if p == math.floor(p) and abs(p) <= 16.0:
        f = 0.0 * x + 1.0
        for _ in range(int(abs(p))):
            f = f * x
        return 1.0 / f if p < 0.0 else f
    return x**p


@part
def _two(code, a, b):
    """The function of two arguments `code`."""
    f = a
    if code == ADD:
        f = a + b
    elif code == SUB:
        f = a - b
    elif code == MUL:
        f = a * b
    elif code == DIV:
        f = a / b
    elif code == POW:
        f = a**b
    elif code == ATAN2:
        f = angle_near(a, b, math.atan2(a.real, b.real))
    elif code == LT:
        f = 0.0 * a + (1.0 if a.real < b.real else 0.0)
    elif code == LE:
        f = 0.0 * a + (1.0 if a.real <= b.real else 0.0)
    elif code == EQ:
        f = 0.0 * a + (1.0 if a.real == b.real else 0.0)
    elif code == MIN:
        f = b if b.real < a.real or b != b else a
    elif code == MAX:
        f = b if b.real > a.real or b != b else a
    return f


@part
def value_of(ops, first, count, t, signals, stack):
    """The value at time t of the program ops[first : first + count], with the signals as they are.

    `stack` has shape (>= depth, 3) and the scalar type of the signals; its first column is used.
    """
    top = 0
    for i in range(first, first + count):
        code, n, value = ops[i].code, ops[i].count, ops[i].value
        k = top - n
        if n == 0:
            if code == CONST:
                stack[k, 0] = value
            elif code == TIME:
                stack[k, 0] = t
            elif code == SIGNAL:
                stack[k, 0] = signals[int(value)]
        elif code == SPLINE:
            f, _, _ = spline_at(ops, int(value), stack[k, 0])
            stack[k, 0] = f
        elif n == 1:
            stack[k, 0] = _one(code, stack[k, 0], value)
        elif n == 2:
            stack[k, 0] = _two(code, stack[k, 0], stack[k + 1, 0])
        elif code == IF:
            stack[k, 0] = stack[k + 1, 0] if stack[k, 0].real != 0.0 else stack[k + 2, 0]
        else:
            share = stack[k + 2, 0]
            stack[k, 0] = (1.0 - share) * stack[k, 0] + share * stack[k + 1, 0]
        top = k + 1
    return stack[0, 0]
