"""An expression as a program, and the kernel that runs it on second-order jets (f, f', f'').

Each operation (operations.py) takes the jets of its arguments from the stack and leaves the jet of its result.  Where
one leaves the range of doubles the program is run again with a wider one (wide_range.py).

An expression that depends on time alone has real jets; a complex stack (complex-step runs) only stores them.  One that
depends on the state as well (op SIGNAL) is run by expressions/kernels/of_state.py, for its value alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.compiler.argument_types import COMPLEX_MATRIX, MATRIX, REAL, WHOLE, Numbers, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.opcodes import OP
from linkwork.expressions.kernels.operations import bivariate, univariate
from linkwork.expressions.kernels.tables import Table, spline_at
from linkwork.expressions.kernels.wide_range import left_range, wide_leaf, wide_operation, wide_value
from linkwork.numerics.scalars import is_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray  # takes 20 ms to import

    from linkwork.expressions.language.fragments import Watched

Reference = tuple[str, tuple[str, ...]]  # a measure function and the names it is of: ("dist", ("A", "B"))

MAX_DEPTH = 32  # rows of the stack that every caller provides


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
        return not bool(np.any((self.ops["code"] == opcodes.TIME) | (self.ops["code"] == opcodes.SIGNAL)))


@kernel
def run_program(ops, first, count, t, stack):
    """(f, f', f'') at time t of the program ops[first : first + count].

    `stack` has shape (>= depth, 4), real or complex.  What is undefined at t comes out as NaN or infinity.
    """
    top, beyond = 0, False
    for i in range(first, first + count):
        code = ops[i].code
        n = ops[i].count
        k = top - n
        f = ops[i].value if code == opcodes.CONST else t
        f1 = 1.0 if code == opcodes.TIME else 0.0
        f2 = 0.0
        left = False
        if n > 0:
            a = stack[k, 0].real
            a1 = stack[k, 1].real
            a2 = stack[k, 2].real
            b = stack[top - 1, 0].real
            b1 = stack[top - 1, 1].real
            b2 = stack[top - 1, 2].real
            if n == 1:
                if code == opcodes.SPLINE:
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
            elif code == opcodes.IF:
                row = k + 1 if a != 0.0 else k + 2
                f = stack[row, 0].real
                f1 = stack[row, 1].real
                f2 = stack[row, 2].real
                if a != a:
                    f = a
            else:
                c = stack[k + 1, 0].real
                c1 = stack[k + 1, 1].real
                f = (1.0 - b) * a + b * c  # in this form exact at both ends
                f1 = (1.0 - b) * a1 + b * c1 + b1 * (c - a)
                f2 = (1.0 - b) * a2 + b * stack[k + 1, 2].real + 2.0 * b1 * (c1 - a1) + b2 * (c - a)
            left = left_range(code, f, a, b)
        stack[k, 0] = f
        stack[k, 1] = f1
        stack[k, 2] = f2
        beyond = beyond or left or not (is_finite(f1) and is_finite(f2))
        top = k + 1
    if beyond:
        _run_wide(ops, first, count, t, stack)
    return stack[0, 0], stack[0, 1], stack[0, 2]


@part
def _run_wide(ops, first, count, t, stack):
    """The same beyond the range of doubles; the jet is left in the first row."""
    top = 0
    for i in range(first, first + count):
        k = top - ops[i].count
        if ops[i].count == 0:
            timed = ops[i].code == opcodes.TIME
            wide_leaf(stack, k, t if timed else ops[i].value, 1.0 if timed else 0.0)
        else:
            wide_operation(ops, i, -1, 0, stack, k, top)
        top = k + 1
    stack[0, 0], stack[0, 1], stack[0, 2] = wide_value(stack)


def values(program: Program, t: float) -> tuple[float, float, float]:
    """(f, f', f'') of one program at time t, for single calls from Python."""
    stack = np.zeros((MAX_DEPTH, 4))
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
        if op["code"] == opcodes.SIGNAL:
            op["value"] = signals[int(op["value"])]
    parts, at = [ops], first + len(ops)
    for n, table in enumerate(program.tables):
        data = data_ops(table.data)
        ops["value"][(ops["code"] == opcodes.SPLINE) & (program.ops["value"] == n)] = at
        parts.append(data)
        at += len(data)
    return np.concatenate(parts)


def data_ops(numbers: Sequence[float] | np.ndarray) -> NDArray[np.void]:
    """Numbers as data among the ops."""
    ops = np.zeros(len(numbers), OP)
    ops["code"], ops["switch"], ops["value"] = opcodes.DATA, opcodes.LIVE, numbers
    return ops


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(run_program, Numbers("d", 3), records(OP), WHOLE, WHOLE, REAL, MATRIX)
    yield export(run_program, Numbers("D", 3), records(OP), WHOLE, WHOLE, REAL, COMPLEX_MATRIX)
