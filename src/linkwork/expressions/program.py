"""The opcodes of an expression and the kernel that runs them on second-order jets (f, f', f'').

Each operation takes the jets of its arguments from the stack and leaves the jet of its result.  With x = x(t):

    d/dt g(x) = g' x',   d2/dt2 g(x) = g'' x'^2 + g' x''      (one chain rule for all functions of one argument)
    (a b)'' = a'' b + 2 a' b' + a b''

An expression that depends on time alone has real jets; a complex stack (complex-step runs) only stores them.  One that
depends on the state as well (op SIGNAL) is run by expressions/of_state.py, for its value alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.compiler.argument_types import COMPLEX_MATRIX, MATRIX, REAL, WHOLE, Numbers, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.expressions.tables import Table, spline_at

if TYPE_CHECKING:
    from numpy.typing import NDArray  # takes 20 ms to import

    from linkwork.expressions.fragments import Watched

Reference = tuple[str, tuple[str, ...]]  # a measure function and the names it is of: ("dist", ("A", "B"))

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
MAX_DEPTH = 32  # rows of the stack that every caller provides

# No arguments.  SIGNAL: a number that the state determines (elements/signals/signals.py); DATA: a number of a table.
CONST, TIME, SIGNAL, DATA = 0, 1, 2, 3
# One argument.
NEG, POWC, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, ABS, SIGN, SMOOTH = range(10, 26)
SPLINE = 26  # of one argument too: piecewise cubic, its data among the ops (expressions/tables.py)
FLOOR = 27
# Two arguments; comparisons leave 1 or 0, so that MIN and MAX serve as `and` and `or`.
ADD, SUB, MUL, DIV, POW, ATAN2, MIN, MAX, LT, LE, EQ = range(40, 51)
# Three arguments: condition, then, else; from, to, share.
IF, MIX = 60, 61


@dataclass(frozen=True, eq=False)
class Program:
    """An expression ready to run: `ops` (dtype `OP`, read-only), the stack it needs, and where it may jump."""

    text: str
    ops: NDArray[np.void]
    depth: int  # rows of the stack, <= MAX_DEPTH
    break_times: tuple[float, ...] = ()  # s, ascending: f, f' or f'' may jump there
    references: tuple[Reference, ...] = ()  # what the ops SIGNAL stand for, by their value
    tables: tuple[Table, ...] = ()  # what the ops SPLINE look up, by their value
    crossings: tuple[tuple[Program, tuple[float, ...]], ...] = ()  # it may also jump where these functions of time
    # have one of these values
    watched: tuple[Watched, ...] = ()  # operations that jump or bend where the state decides

    @property
    def is_constant(self) -> bool:
        """Whether time does not occur in it."""
        return not bool(np.any((self.ops["code"] == TIME) | (self.ops["code"] == SIGNAL)))


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
        g = x if x != x else math.floor(x)
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


@kernel
def run_program(ops, first, count, t, stack):
    """(f, f', f'') at time t of the program ops[first : first + count].

    `stack` has shape (>= depth, 3), real or complex.  What is undefined at t comes out as NaN or infinity.
    """
    top = 0
    for i in range(first, first + count):
        code = ops[i].code
        n = ops[i].count
        k = top - n
        f = ops[i].value if code == CONST else t
        f1 = 1.0 if code == TIME else 0.0
        f2 = 0.0
        if n > 0:
            a = stack[k, 0].real
            a1 = stack[k, 1].real
            a2 = stack[k, 2].real
            b = stack[top - 1, 0].real
            b1 = stack[top - 1, 1].real
            b2 = stack[top - 1, 2].real
            if n == 1:
                if code == SPLINE:
                    f, g1, g2 = spline_at(ops, int(ops[i].value), a)
                else:
                    f, g1, g2 = univariate(code, a, ops[i].value)
                # A vanishing rate goes first: infinite g' times zero would spoil sqrt(max(t - 1, 0)) before t = 1.
                f1 = 0.0 if a1 == 0.0 else g1 * a1
                f2 = (0.0 if a1 == 0.0 else g2 * a1 * a1) + (0.0 if a2 == 0.0 else g1 * a2)
                if f != f:
                    f1 = f  # outside the domain 1 / x or 0 would still look like the derivative of something
                    f2 = f
            elif n == 2:
                f, f1, f2 = bivariate(code, a, a1, a2, b, b1, b2)
            elif code == IF:
                row = k + 1 if a != 0.0 else k + 2
                f = stack[row, 0].real
                f1 = stack[row, 1].real
                f2 = stack[row, 2].real
            else:
                c = stack[k + 1, 0].real
                c1 = stack[k + 1, 1].real
                f = (1.0 - b) * a + b * c  # in this form exact at both ends
                f1 = (1.0 - b) * a1 + b * c1 + b1 * (c - a)
                f2 = (1.0 - b) * a2 + b * stack[k + 1, 2].real + 2.0 * b1 * (c1 - a1) + b2 * (c - a)
        stack[k, 0] = f
        stack[k, 1] = f1
        stack[k, 2] = f2
        top = k + 1
    return stack[0, 0], stack[0, 1], stack[0, 2]


def values(program: Program, t: float) -> tuple[float, float, float]:
    """(f, f', f'') of one program at time t, for single calls from Python."""
    stack = np.zeros((MAX_DEPTH, 3))
    f, f1, f2 = run_program(placed(program, 0), 0, len(program.ops), float(t), stack)
    return f, f1, f2


def placed(program: Program, first: int, signals: Sequence[int] = (), switches: Sequence[int] = ()) -> NDArray[np.void]:
    """Its ops, to stand from place `first` on, with the data of its tables behind; `signals`: where references lie;
    `switches`: the places of what is watched.
    """
    ops = program.ops.copy()
    for watched, place in zip(program.watched, switches, strict=False):
        ops["switch"][watched.op] = place
    for op in ops:
        if op["code"] == SIGNAL:
            op["value"] = signals[int(op["value"])]
    parts, at = [ops], first + len(ops)
    for n, table in enumerate(program.tables):
        data = data_ops(table.data)
        ops["value"][(ops["code"] == SPLINE) & (program.ops["value"] == n)] = at
        parts.append(data)
        at += len(data)
    return np.concatenate(parts)


def data_ops(numbers: Sequence[float]) -> NDArray[np.void]:
    """Numbers as data among the ops."""
    ops = np.zeros(len(numbers), OP)
    ops["code"], ops["switch"], ops["value"] = DATA, LIVE, numbers
    return ops


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(run_program, Numbers("d", 3), records(OP), WHOLE, WHOLE, REAL, MATRIX)
    yield export(run_program, Numbers("D", 3), records(OP), WHOLE, WHOLE, REAL, COMPLEX_MATRIX)
