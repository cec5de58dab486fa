"""Functions of numbers in an expression: how many arguments each takes, and the fragment that it becomes.

A new function is one line of FUNCTIONS; functions of elements, such as dist(A, B), belong to the scope (scope.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from linkwork.expressions.language import fragments
from linkwork.expressions.language.fragments import Fragment


class ArgumentError(Exception):
    """An argument that a function cannot take; `index` says which, from 0."""

    def __init__(self, what: str, index: int) -> None:
        super().__init__(what)
        self.what, self.index = what, index


@dataclass(frozen=True)
class Function:
    """Least and greatest number of arguments, of which the first few are conditions, and what it becomes."""

    least: int
    most: float
    build: Callable[..., Fragment]
    conditions: int = 0


def _step(x: Fragment, begin: Fragment, x0: Fragment, end: Fragment, x1: Fragment) -> Fragment:
    t0, t1 = begin.constant, end.constant
    if t0 is None:
        raise ArgumentError("the second argument of step() must be a constant", 1)
    if t1 is None:
        raise ArgumentError("the fourth argument of step() must be a constant", 3)
    if not t0 < t1:
        raise ArgumentError(f"step() begins at {t0:g} and ends at {t1:g}; it must end later", 3)
    return fragments.step(x, t0, x0, t1, x1)


FUNCTIONS = {
    **{name: Function(1, 1, partial(fragments.function, name)) for name in fragments.ONE_ARGUMENT},
    "atan2": Function(2, 2, fragments.atan2),
    "min": Function(2, math.inf, partial(fragments.extreme, "min")),
    "max": Function(2, math.inf, partial(fragments.extreme, "max")),
    "clip": Function(3, 3, fragments.clip),
    "floor": Function(1, 1, fragments.floor),
    "mod": Function(2, 2, fragments.modulo),
    "sawtooth": Function(1, 1, fragments.sawtooth),
    "if": Function(3, 3, fragments.select, conditions=1),
    "step": Function(5, 5, _step),
}
