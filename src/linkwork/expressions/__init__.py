"""Expressions of time: text in, a small program of opcodes out, run with its two time derivatives by one kernel."""

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.parser import Scope, parse, parse_condition
from linkwork.expressions.program import MAX_DEPTH, OP, Program, Reference, data_ops, placed, run_program, values
from linkwork.expressions.tables import Table

__all__ = [
    "MAX_DEPTH", "OP", "ExpressionError", "Program", "Reference", "Scope", "Table", "data_ops", "parse",
    "parse_condition", "placed", "run_program", "values",
]  # fmt: skip
