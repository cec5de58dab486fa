"""The value of an expression that depends on the state: any scalar type, so that complex steps pass through.

The same opcodes as program.py, without time derivatives.  Comparisons use the real part.  Beyond the range of doubles
(wide_range.py) the imaginary part goes along as a first derivative, which is what a complex step makes of it.

During a step an operation that jumps or bends (language/fragments.py) stays in the cell in which its argument x was
when the step began: so the step is smooth, and what it ends with tells whether x has left its cell.  Then the run goes
back to that instant, changes the cell and begins afresh (integrators/loop/).  `switches` holds x and the cell of each
such operation; without a cell (UNDECIDED), and outside of runs, x decides by itself.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.tables import spline_at, spline_piece
from linkwork.expressions.kernels.wide_range import left_range, wide_difference, wide_leaf, wide_operation, wide_value
from linkwork.numerics.rotations import angle_near
from linkwork.numerics.scalars import exp, imaginary_unit, is_finite, tanh

UNDECIDED = -1
SWITCH = np.dtype(
    [
        ("x", np.float64),  # at the state evaluated last
        ("cell", np.int64),  # how many thresholds lie below x; UNDECIDED: x decides
        ("first", np.int64),  # of its thresholds among the ops, ascending
        ("count", np.int64),  # or ALL_WHOLE: then MIDDLE + k is the cell from k to k + 1
        ("band", np.float64),  # by so much x passes a threshold before the cell changes
        ("reach", np.float64),  # largest |x| so far
        ("excursion", np.float64),  # how far x has been within its cell, since the last change
        ("changes", np.int64),  # of the cell in a row, with hardly an excursion between them
        ("chatters_since", np.float64),  # s, or NaN: it does not
        ("widest", np.float64),  # of the bands so far
    ],
    align=True,
)


@part
def cell_of(ops, switch, x):
    """The cell of x; the present one as long as x is beyond none of its ends by more than the band."""
    cell = switch.cell
    if switch.count == opcodes.ALL_WHOLE:
        if cell == UNDECIDED:
            return _whole_cell(x)
        if x > upper_end(ops, switch, cell) + switch.band:
            return _whole_cell(x - switch.band)
        return _whole_cell(x + switch.band) if x < lower_end(ops, switch, cell) - switch.band else cell
    if cell == UNDECIDED:
        cell = 0
        while cell < switch.count and ops[switch.first + cell].value <= x:
            cell += 1
        return cell
    while x > upper_end(ops, switch, cell) + switch.band:
        cell += 1
    while x < lower_end(ops, switch, cell) - switch.band:
        cell -= 1
    return cell


@part
def _whole_cell(x):
    """The cell of x between two whole numbers; all beyond MIDDLE, where doubles have no fractions, is one cell."""
    if not abs(x) < opcodes.MIDDLE:
        return 2 * opcodes.MIDDLE if x > 0.0 else 0
    return opcodes.MIDDLE + int(np.floor(x))


@part
def upper_end(ops, switch, cell):
    """The threshold above a cell, or infinity."""
    if switch.count == opcodes.ALL_WHOLE:
        return float(cell - opcodes.MIDDLE + 1) if cell < 2 * opcodes.MIDDLE else np.inf
    return ops[switch.first + cell].value if cell < switch.count else np.inf


@part
def lower_end(ops, switch, cell):
    """The threshold below a cell, or minus infinity."""
    if switch.count == opcodes.ALL_WHOLE:
        return float(cell - opcodes.MIDDLE) if cell > 0 else -np.inf
    return ops[switch.first + cell - 1].value if cell > 0 else -np.inf


@part
def beyond_cell(ops, switch):
    """How far x is beyond the nearer end of its cell, and its band; > 0: the cell must change.  Theory (10.1)."""
    above = switch.x - upper_end(ops, switch, switch.cell)
    return max(above, lower_end(ops, switch, switch.cell) - switch.x) - switch.band


@part
def _within_cell(ops, i, a, b, switch):
    """A watched operation of a (and b): which piece it is, the cell says; x is written down."""
    code = ops[i].code
    x = a - b if ops[i].count == 2 else a
    switch.x = x.real
    cell = switch.cell if switch.cell != UNDECIDED else cell_of(ops, switch, x.real)
    f = x
    if code in (opcodes.LT, opcodes.LE):
        f = 1.0 if cell == 0 and x == x else 0.0  # a comparison with what is no number does not hold
    elif x != x:
        f = x
    elif code == opcodes.MIN:
        f = a if cell == 0 else b
    elif code == opcodes.MAX:
        f = b if cell == 0 else a
    elif code == opcodes.ABS:
        f = -a if cell == 0 else a
    elif code == opcodes.SIGN:
        f = -1.0 if cell == 0 else 1.0
    elif code == opcodes.SMOOTH:
        f = _ramp(a, cell)
    elif code == opcodes.FLOOR:
        f = np.floor(x.real) if cell in (0, 2 * opcodes.MIDDLE) else float(cell - opcodes.MIDDLE)
    else:
        f, _, _ = spline_piece(ops, int(ops[i].value), a, switch.count, cell)
    return f


@part
def _ramp(x, cell):
    """The ramp of step(): before, within, after."""
    if cell == 0:
        return 0.0
    return x * x * (3.0 - 2.0 * x) if cell == 1 else 1.0


@part
def _one(code, x, p):
    """The function of one argument `code` at x; p: exponent of POWC."""
    f = x
    if code == opcodes.NEG:
        f = -x
    elif code == opcodes.POWC:
        f = _power(x, p)
    elif code == opcodes.SIN:
        f = np.sin(x)
    elif code == opcodes.COS:
        f = np.cos(x)
    elif code == opcodes.TAN:
        f = np.tan(x)
    elif code == opcodes.ASIN:
        f = np.arcsin(x)
    elif code == opcodes.ACOS:
        f = np.arccos(x)
    elif code == opcodes.ATAN:
        f = np.arctan(x)
    elif code == opcodes.SINH:
        f = np.sinh(x)
    elif code == opcodes.COSH:
        f = np.cosh(x)
    elif code == opcodes.TANH:
        f = tanh(x)
    elif code == opcodes.EXP:
        f = exp(x)
    elif code == opcodes.LOG:
        f = np.log(x)
    elif code == opcodes.SMOOTH:
        f = _ramp(x, 0 if x.real < 0.0 else (1 if x.real < 1.0 else 2))
    elif code == opcodes.FLOOR:
        f = np.floor(x.real) if abs(x.real) < math.inf else math.nan
    else:
        sign = 1.0 if x.real > 0.0 else (-1.0 if x.real < 0.0 else x.real)  # x itself: 0, or a NaN that must stay one
        f = sign if code == opcodes.SIGN else sign * x
    return f


@part
def _power(x, p):
    """x^p; whole exponents by multiplication, which keeps signs and complex steps exact."""
    if p == math.floor(p) and abs(p) <= 16.0:
        f = 1.0
        for _ in range(int(abs(p))):
            f = f * x
        return 1.0 / f if p < 0.0 else f
    return x**p


@part
def _two(code, a, b):
    """The function of two arguments `code`."""
    f = a
    if code == opcodes.ADD:
        f = a + b
    elif code == opcodes.SUB:
        f = a - b
    elif code == opcodes.MUL:
        f = a * b
    elif code == opcodes.DIV:
        f = a / b
    elif code == opcodes.POW:
        f = a**b
    elif code == opcodes.ATAN2:
        f = angle_near(a, b, math.atan2(a.real, b.real))
    elif code == opcodes.LT:
        f = 1.0 if a.real < b.real else 0.0
    elif code == opcodes.LE:
        f = 1.0 if a.real <= b.real else 0.0
    elif code == opcodes.EQ:
        f = 1.0 if a.real == b.real else 0.0
    elif code == opcodes.MIN:
        f = b if b.real < a.real or b != b else a
    elif code == opcodes.MAX:
        f = b if b.real > a.real or b != b else a
    return f


@part
def value_of(ops, first, count, t, signals, switches, stack):
    """The value at time t of the program ops[first : first + count], with the signals as they are.

    `stack` has shape (>= depth, 4) and the scalar type of the signals; its first column is used.
    """
    top, beyond, outside = 0, False, False
    for i in range(first, first + count):
        code, n, value = ops[i].code, ops[i].count, ops[i].value
        k = top - n
        a, b = (stack[k, 0].real, stack[top - 1, 0].real) if n > 0 else (0.0, 0.0)
        if n == 0:
            if code == opcodes.CONST:
                stack[k, 0] = value
            elif code == opcodes.TIME:
                stack[k, 0] = t
            elif code == opcodes.SIGNAL:
                stack[k, 0] = signals[int(value)]
        elif ops[i].switch != opcodes.LIVE:
            stack[k, 0] = _within_cell(ops, i, stack[k, 0], stack[top - 1, 0], switches[ops[i].switch])
            outside = outside or _is_outside(ops, switches[ops[i].switch])
        elif code == opcodes.SPLINE:
            f, _, _ = spline_at(ops, int(value), stack[k, 0])
            stack[k, 0] = f
        elif n == 1:
            stack[k, 0] = _one(code, stack[k, 0], value)
        elif n == 2:
            stack[k, 0] = _two(code, stack[k, 0], stack[k + 1, 0])
        elif code == opcodes.IF:
            stack[k, 0] = _chosen(stack[k, 0], stack[k + 1, 0], stack[k + 2, 0], outside)
        else:
            share = stack[k + 2, 0]
            stack[k, 0] = (1.0 - share) * stack[k, 0] + share * stack[k + 1, 0]
        beyond = beyond or left_range(code, stack[k, 0].real, a, b) or not is_finite(stack[k, 0].imag)
        top = k + 1
    if beyond:
        return _wide_value_of(ops, first, count, t, signals, switches, stack)
    return stack[0, 0]


@part
def _is_outside(ops, switch):
    """Whether x is beyond the cell in which its operation is held."""
    return switch.cell != UNDECIDED and beyond_cell(ops, switch) + switch.band > 0.0


@part
def _chosen(condition, a, b, outside):
    """if(condition, a, b).  Outside of the cell of the condition a trial state may have no value: then the other."""
    if condition != condition:
        return condition
    if condition.real != 0.0:
        return b if outside and a != a else a
    return a if outside and b != b else b


@part
def _wide_value_of(ops, first, count, t, signals, switches, stack):
    """The same beyond the range of doubles."""
    top, outside = 0, False
    for i in range(first, first + count):
        code, n = ops[i].code, ops[i].count
        k = top - n
        if n == 0:
            x = signals[int(ops[i].value)] if code == opcodes.SIGNAL else (t if code == opcodes.TIME else ops[i].value)
            wide_leaf(stack, k, x.real, x.imag)
        elif ops[i].switch != opcodes.LIVE:
            switch = switches[ops[i].switch]
            switch.x = wide_difference(stack, k, n)
            cell = switch.cell if switch.cell != UNDECIDED else cell_of(ops, switch, switch.x)
            outside = outside or _is_outside(ops, switch)
            wide_operation(ops, i, cell, switch.count, stack, k, top)
        else:
            if code == opcodes.IF and outside:  # as _chosen
                row = k + 1 if stack[k, 0].real != 0.0 else k + 2
                if stack[row, 0] != stack[row, 0]:
                    stack[k, 0] = 1.0 - stack[k, 0].real
            wide_operation(ops, i, UNDECIDED, 0, stack, k, top)
        top = k + 1
    f, f1, _ = wide_value(stack)
    stack[0, 0] = -1.0
    return f + f1 * imaginary_unit(stack[0, 0])
