"""Text in, program out: expressions of time and state, and conditions."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping

import numpy as np

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.opcodes import OP
from linkwork.expressions.kernels.program import Program, Reference
from linkwork.expressions.kernels.tables import Table
from linkwork.expressions.language import fragments
from linkwork.expressions.language.fragments import Fragment, Ops
from linkwork.expressions.language.grammar import Parser
from linkwork.expressions.language.scope import NOTHING, Scope


def parse(
    text: str | float,
    constants: Mapping[str, float] | None = None,
    element: str = "expression",
    scope: Scope = NOTHING,
) -> Program:
    """The program of an expression of time such as 'pi/3*sin(pi*t/5)'; a number is a constant program.

    `constants` are the names it may use besides t and pi; `element` is named in an ExpressionError; `scope` adds tables
    and, where the expression may depend on the state, measures.
    """
    if isinstance(text, numbers.Real) and not isinstance(text, bool):
        return _program(repr(float(text)), _constant(float(text), element))
    if not isinstance(text, str):
        raise ExpressionError(
            f"the expression is a {type(text).__name__}; it must be a number or text such as 'sin(2*t)'",
            element=element,
        )
    parser = Parser(text, constants or {}, element, scope)
    return _program(text, parser.number(), tuple(parser.references), tuple(parser.tables))


def parse_condition(text: str, element: str, scope: Scope) -> Program:
    """The program of a condition such as 'dist(A, B) < 0.1', as a number that is positive where it holds."""
    parser = Parser(text, {}, element, scope)
    return _program(text, parser.condition(), tuple(parser.references), tuple(parser.tables))


def _constant(value: float, element: str) -> Fragment:
    if not math.isfinite(value):
        raise ExpressionError(f"the value is {value}; it must be finite", element=element)
    return fragments.number(value)


def _program(
    text: str, fragment: Fragment, references: tuple[Reference, ...] = (), tables: tuple[Table, ...] = ()
) -> Program:
    crossings = tuple(
        (Program(text, _table(crossing.ops), fragment.depth, tables=tables), crossing.thresholds)
        for crossing in sorted(fragment.crossings)
    )
    breaks = tuple(sorted(fragment.breaks))
    return Program(text, _table(fragment.ops), fragment.depth, breaks, references, tables, crossings, fragment.watched)


def _table(ops: Ops) -> np.ndarray:
    """Ops as the kernels read them."""
    table = np.array([(code, count, opcodes.LIVE, value) for code, count, value in ops], dtype=OP)
    table.flags.writeable = False
    return table
