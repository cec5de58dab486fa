"""What is wanted of a design: an output to be least, or several whose squares sum up least, and conditions on others.

minimize = "max(abs(reaction('A').force))"
minimize = ["at(P.position.x, 1) - 0.2", "at(P.position.y, 1) - 0.5"]     the sum of their squares
subject_to = ["frequency(1) >= 5", "span(slider.position.x) == 0.2"]
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.errors import OptionError

SENSES: dict[type[ast.cmpop], str] = {ast.LtE: "<=", ast.Lt: "<=", ast.GtE: ">=", ast.Gt: ">=", ast.Eq: "=="}
MET = 1e-6  # of the larger side of a condition, or of 1e-3 where both are small: by so much it may be missed
SMALL = 1e-3


@dataclass(frozen=True)
class Condition:
    """left <= right, left >= right or left == right."""

    text: str
    left: str
    sense: str
    right: str

    @property
    def outputs(self) -> tuple[str, str]:
        """Both sides."""
        return self.left, self.right

    def excess(self, left: float, right: float) -> float:
        """By how much it is missed; 0 where it holds."""
        gap = left - right
        return abs(gap) if self.sense == "==" else max(gap, 0.0) if self.sense == "<=" else max(-gap, 0.0)

    def met(self, left: float, right: float) -> bool:
        """Whether it holds but for rounding."""
        return self.excess(left, right) <= MET * max(abs(left), abs(right), SMALL)


@dataclass(frozen=True)
class Goals:
    """Outputs to be least, conditions, and all outputs in the order in which a trial has them."""

    minimize: tuple[str, ...]
    squares: bool  # whether the sum of their squares is meant
    conditions: tuple[Condition, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        """Of every trial."""
        return (*self.minimize, *(text for one in self.conditions for text in one.outputs))

    def objective(self, values: np.ndarray) -> float:
        """What is to be least, of the outputs of a trial."""
        wanted = values[: len(self.minimize)]
        return float(wanted @ wanted) if self.squares else float(wanted[0])

    def slope(self, values: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Its gradient."""
        count = len(self.minimize)
        return np.asarray(2.0 * values[:count] @ gradient[:count] if self.squares else gradient[0])

    def sides(self, values: np.ndarray) -> list[tuple[Condition, float, float]]:
        """The conditions with their two sides in a trial."""
        first = len(self.minimize)
        return [
            (one, float(values[first + 2 * k]), float(values[first + 2 * k + 1]))
            for k, one in enumerate(self.conditions)
        ]

    def met(self, values: np.ndarray) -> bool:
        """Whether a trial meets all conditions."""
        return all(one.met(left, right) for one, left, right in self.sides(values))


def goals(minimize: str | Sequence[str], subject_to: str | Sequence[str] = ()) -> Goals:
    """As given; refused: nothing to be least, a condition that is none."""
    wanted = (minimize,) if isinstance(minimize, str) else tuple(minimize)
    if not wanted or not all(isinstance(text, str) and text.strip() for text in wanted):
        raise OptionError(
            f"minimize is {minimize!r}; give an output, as 'max(A.force)', or several", element="minimize"
        )
    given = (subject_to,) if isinstance(subject_to, str) else tuple(subject_to)
    return Goals(
        tuple(text.strip() for text in wanted), not isinstance(minimize, str), tuple(condition(text) for text in given)
    )


def condition(text: str) -> Condition:
    """'frequency(1) >= 5'."""
    try:
        tree = ast.parse(str(text).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Constant(None)
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1 or type(tree.ops[0]) not in SENSES:
        raise OptionError(
            f"subject_to '{text}' is not a condition; write two outputs or numbers with <=, >= or == between, as "
            "'frequency(1) >= 5'",
            element=str(text),
        )
    left, right = ast.unparse(tree.left), ast.unparse(tree.comparators[0])
    return Condition(str(text).strip(), left, SENSES[type(tree.ops[0])], right)
