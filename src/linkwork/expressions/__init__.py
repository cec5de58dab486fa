"""Expressions of time and state: text in, a small program of opcodes out, run with its two time derivatives.

language/ reads text, kernels/ run what it becomes; quantities.py reads '25.4 mm', error.py says what is wrong.
"""

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.kernels.opcodes import OP
from linkwork.expressions.kernels.program import MAX_DEPTH, Program, Reference, data_ops, placed, run_program, values
from linkwork.expressions.kernels.tables import Table
from linkwork.expressions.language.parser import parse, parse_condition
from linkwork.expressions.language.scope import Scope

__all__ = [
    "MAX_DEPTH", "OP", "ExpressionError", "Program", "Reference", "Scope", "Table", "data_ops", "parse",
    "parse_condition", "placed", "run_program", "values",
]  # fmt: skip
