"""Expressions of time: text in, a small program of opcodes out, run with its two time derivatives by one kernel."""

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.parser import parse
from linkwork.expressions.program import MAX_DEPTH, OP, Program, run_program, values

__all__ = ["MAX_DEPTH", "OP", "ExpressionError", "Program", "parse", "run_program", "values"]
