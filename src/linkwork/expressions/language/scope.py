"""Scope: what an expression may refer to besides t and pi - tables, measures, functions of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from linkwork.expressions.kernels.program import Reference
from linkwork.expressions.kernels.tables import Table
from linkwork.expressions.language.functions import FUNCTIONS

RESERVED = ("t", "pi")
LOGICAL = ("and", "or", "not")
WORDS = frozenset({*RESERVED, *LOGICAL, *FUNCTIONS, "noise"})  # names with a meaning of their own


@dataclass(frozen=True)
class Named:
    """Numbers of elements, by dotted names: pin.angle, 'ram pin.angle'."""

    find: Callable[[str], Reference | None]
    names: Callable[[], Iterable[str]]  # all that there are


@dataclass(frozen=True)
class Scope:
    """Tables and variables by name, and functions of elements."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    variables: Mapping[str, Reference] = field(default_factory=dict)
    functions: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # least and greatest number of names
    of_state: frozenset[str] = frozenset()  # names that only expressions of the state may use
    named: Named | None = None


NOTHING = Scope()
