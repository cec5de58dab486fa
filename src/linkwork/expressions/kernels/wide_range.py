"""Expressions beyond the range of doubles: jets that carry a scale, e^L (f, f', f'').

cosh(800) is no double, yet 1/cosh(800)^2, sinh(800)/cosh(800) and log(cosh(800)) are.  Where an operation of a program
comes out infinite, as no number, or too small to have its digits, the program is run again here: `exp` leaves its
argument in the scale L, products add scales, sums take the larger one, and what has to be a double becomes one again.
An infinite value is then one beyond e^(1e15); divided by it all is 0.

A row of the stack holds (f, f', f'', L).
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.operations import bivariate, univariate
from linkwork.expressions.kernels.tables import spline_at, spline_piece
from linkwork.numerics.scalars import LARGEST, is_finite

PLAIN = 300.0  # cosh and sinh of less are doubles, and their squares
LONGEST = 1e15  # a scale beyond has no digits after its point: then a number is 0 or infinite
SMALLEST = 1e-300  # smaller numbers have fewer digits, or are 0
MODEST = 1e60  # a jet is kept between 1/MODEST and MODEST


@part
def left_range(code, f, a, b):
    """Whether an operation that gave f of a (and b) has left the range of doubles: above, or below, where digits go."""
    if not is_finite(f):
        return True
    if code in (opcodes.EXP, opcodes.MUL, opcodes.DIV, opcodes.POW, opcodes.POWC):
        return abs(f) < SMALLEST and a != 0.0 and b != 0.0
    return False


@part
def wide_leaf(stack, k, f, f1):
    """A number that depends on nothing else."""
    stack[k, 0], stack[k, 1], stack[k, 2], stack[k, 3] = f, f1, 0.0, 0.0


@part
def wide_operation(ops, i, cell, kinks, stack, k, top):
    """Operation i on the rows from k to `top`; `cell`: in which a watched one is, with so many kinks; -1: it is not."""
    code, n = ops[i].code, ops[i].count
    a, b = _row(stack, k), _row(stack, top - 1)
    f = a
    if code == opcodes.POW:  # a^b = exp(b log a)
        a, code, n = _product(b, _logarithm(a)), opcodes.EXP, 1
    if n == 1:
        f = _one(ops, i, code, cell, kinks, a)
    elif n == 2:
        f = _two(code, cell, a, b)
    elif code == opcodes.IF:
        f = a if a[0] != a[0] else (_row(stack, k + 1) if a[0] != 0.0 else b)
    else:  # (1 - s) x + s y, with a share s from 0 to 1
        x, y = _alike(a, _row(stack, k + 1))
        s, s1, s2 = (b[0], b[1], b[2]) if b[3] == 0.0 else (0.0, 0.0, 0.0)
        f1 = (1.0 - s) * x[1] + s * y[1] + s1 * (y[0] - x[0])
        f2 = (1.0 - s) * x[2] + s * y[2] + 2.0 * s1 * (y[1] - x[1]) + s2 * (y[0] - x[0])
        f = ((1.0 - s) * x[0] + s * y[0], f1, f2, x[3])
    f = _kept_modest(f)
    stack[k, 0], stack[k, 1], stack[k, 2], stack[k, 3] = f[0], f[1], f[2], f[3]


@part
def wide_difference(stack, k, n):
    """What a watched operation looks at: its argument, or the difference of its two; at most the largest double."""
    a, b = _row(stack, k), _row(stack, k + 1)
    p, q = _alike(a, b if n == 2 else (0.0, 0.0, 0.0, 0.0))
    x = _double(p[0] - q[0], p[3])
    return min(max(x, -LARGEST), LARGEST) if x == x else x


@part
def wide_value(stack):
    """(f, f', f'') of the program, as doubles."""
    f = _row(stack, 0)
    return _double(f[0], f[3]), _double(f[1], f[3]), _double(f[2], f[3])


@part
def _row(stack, k):
    return stack[k, 0].real, stack[k, 1].real, stack[k, 2].real, stack[k, 3].real


@part
def _double(f, L):
    """e^L f."""
    if L == 0.0 or f == 0.0 or not is_finite(f):
        return f
    size = math.exp(L + math.log(abs(f)))
    return size if f > 0.0 else -size


@part
def _kept_modest(f):
    """The same jet, its largest number of modest size: squares of it are doubles."""
    size = max(abs(f[0]), max(abs(f[1]), abs(f[2])))
    if not is_finite(size) or 1.0 / MODEST < size < MODEST:
        return f
    if size < SMALLEST:  # its reciprocal is no number
        return 0.0, 0.0, 0.0, 0.0
    return f[0] / size, f[1] / size, f[2] / size, f[3] + math.log(size)


@part
def _alike(a, b):
    """Both with the larger scale; that of 0 does not count."""
    L = max(a[3] if a[0] != 0.0 or a[1] != 0.0 or a[2] != 0.0 else -math.inf,
            b[3] if b[0] != 0.0 or b[1] != 0.0 or b[2] != 0.0 else -math.inf)  # fmt: skip
    if not is_finite(L):
        L = 0.0
    p, q = math.exp(min(a[3] - L, 0.0)), math.exp(min(b[3] - L, 0.0))
    return (p * a[0], p * a[1], p * a[2], L), (q * b[0], q * b[1], q * b[2], L)


@part
def _product(a, b):
    return (
        a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2], a[3] + b[3]
    )  # fmt: skip


@part
def _exponential(x, x1, x2):
    """exp(x): x becomes the scale."""
    f2 = x2 + x1 * x1
    if abs(x) < LONGEST and is_finite(x1) and is_finite(f2):
        return 1.0, x1, f2, x
    if x < 0.0:
        return 0.0, 0.0, 0.0, 0.0
    f = x if x != x else math.inf
    return f, f, f, 0.0


@part
def _logarithm(a):
    if not a[0] >= 0.0:
        return math.nan, math.nan, math.nan, 0.0
    rate = a[1] / a[0]
    return a[3] + math.log(a[0]), rate, a[2] / a[0] - rate * rate, 0.0


@part
def _one(ops, i, code, cell, kinks, a):
    """A function of one argument."""
    p = ops[i].value
    if code == opcodes.NEG or (code == opcodes.ABS and (cell == 0 if cell >= 0 else a[0] < 0.0)):
        return -a[0], -a[1], -a[2], a[3]
    if code == opcodes.ABS or (cell >= 0 and a[0] != a[0]):
        return a
    if code == opcodes.LOG:
        return _logarithm(a)
    u, u1, u2, L = a[0], a[1], a[2], p * a[3]
    if code != opcodes.POWC:
        u, u1, u2, L = _double(u, a[3]), _double(u1, a[3]), _double(u2, a[3]), 0.0
    if code == opcodes.EXP or (code in (opcodes.COSH, opcodes.SINH) and abs(u) > PLAIN):
        side = -1.0 if code != opcodes.EXP and u < 0.0 else 1.0
        share = 1.0 if code == opcodes.EXP else (0.5 if code == opcodes.COSH else 0.5 * side)
        f = _exponential(side * u, side * u1, side * u2)
        return share * f[0], share * f[1], share * f[2], f[3]
    if code == opcodes.SPLINE:
        g = spline_piece(ops, int(p), u, kinks, cell) if cell >= 0 else spline_at(ops, int(p), u)
    else:
        g = univariate(code, min(max(u, 0.0), 1.0) if code == opcodes.SMOOTH and cell == 1 else u, p)
    if cell >= 0 and cell != 1 and code == opcodes.SMOOTH:
        g = (0.0 if cell == 0 else 1.0, 0.0, 0.0)
    elif cell >= 0 and code == opcodes.SIGN:
        g = (-1.0 if cell == 0 else 1.0, 0.0, 0.0)
    elif code == opcodes.FLOOR and 0 < cell < 2 * opcodes.MIDDLE:
        g = (float(cell - opcodes.MIDDLE), 0.0, 0.0)
    elif code != opcodes.POWC and abs(u) == math.inf:  # atan, tanh and the like have their limit
        g = (g[0], 0.0, 0.0)
    f = _chained(g, u1, u2)
    return f[0], f[1], f[2], L


@part
def _chained(g, x1, x2):
    """g(x) with its time derivatives; a factor that vanishes goes first."""
    f, g1, g2 = g
    if f != f:
        return f, f, f
    f1 = 0.0 if x1 == 0.0 or g1 == 0.0 else g1 * x1
    f2 = 0.0 if x1 == 0.0 or g2 == 0.0 else g2 * x1 * x1
    f2 += 0.0 if x2 == 0.0 or g1 == 0.0 else g1 * x2
    return f, f1, f2


@part
def _two(code, cell, a, b):
    """A function of two arguments."""
    if code == opcodes.DIV and abs(b[0]) == math.inf and is_finite(a[0]):
        return 0.0, 0.0, 0.0, 0.0
    p, q = _alike(a, b)
    number = p[0] == p[0] and q[0] == q[0]
    if code in (opcodes.MIN, opcodes.MAX):
        second = q[0] != q[0] or (q[0] < p[0] if code == opcodes.MIN else q[0] > p[0])
        if cell >= 0 and number:
            second = (cell == 0) == (code == opcodes.MAX)
        return b if second else a
    if cell >= 0 and code in (opcodes.LT, opcodes.LE):
        return (1.0 if cell == 0 and number else 0.0), 0.0, 0.0, 0.0
    L = p[3] if code in (opcodes.ADD, opcodes.SUB) else 0.0
    if code in (opcodes.MUL, opcodes.DIV):
        p, q, L = a, b, a[3] + (b[3] if code == opcodes.MUL else -b[3])
    f, f1, f2 = bivariate(code, p[0], p[1], p[2], q[0], q[1], q[2])
    return f, f1, f2, L
