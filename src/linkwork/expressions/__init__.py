"""Expressions of time and state: text in, a small program of opcodes out, run with its two time derivatives.

Read tokens.py and reader.py, grammar.py with functions.py and scope.py, fragments.py (pieces of a program), parser.py,
operations.py, program.py and of_state.py (the kernels that run it; wide_range.py: beyond doubles), tables.py (splines);
quantities.py reads '25.4 mm'.
"""

from linkwork.expressions.error import ExpressionError
from linkwork.expressions.operations import OP
from linkwork.expressions.parser import parse, parse_condition
from linkwork.expressions.program import MAX_DEPTH, Program, Reference, data_ops, placed, run_program, values
from linkwork.expressions.scope import Scope
from linkwork.expressions.tables import Table

__all__ = [
    "MAX_DEPTH", "OP", "ExpressionError", "Program", "Reference", "Scope", "Table", "data_ops", "parse",
    "parse_condition", "placed", "run_program", "values",
]  # fmt: skip
