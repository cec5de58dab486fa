"""Parameters of a model file: names for numbers, each a number, a quantity or an expression of the others.

A table within [parameters] makes dotted names: [parameters.crank] length = 0.1 is `crank.length` in expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from linkwork.elements.declaration.base import LARGEST
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.quantities import is_quantity, names_in, number_from_text
from linkwork.expressions.scope import WORDS

MAX_CHAIN = 200  # parameters that wait for each other
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


class ParameterError(ValueError):
    """A parameter that has no value; `name`: which."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"parameter '{name}' {message}" if message.startswith("is ") else message)
        self.name = name


def flattened(given: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Dotted names and what was given for them."""
    flat: dict[str, Any] = {}
    for key, value in given.items():
        name = f"{before}{key}"
        if not isinstance(key, str) or not _NAME.fullmatch(key):
            raise ParameterError(name, f"parameter '{name}': a name has letters, digits and '_', no digit first")
        if key in WORDS and not before:
            raise ParameterError(name, f"parameter '{name}': this name has a meaning in expressions; choose another")
        flat |= flattened(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
    return flat


def resolved(given: Mapping[str, Any], known: Mapping[str, float]) -> dict[str, float]:
    """The values of all parameters, in SI units; `known` are those given from outside, which need no evaluation."""
    values = dict(known)
    for name in given:
        _resolve(name, given, values, ())
    return values


def _resolve(name: str, given: Mapping[str, Any], values: dict[str, float], chain: tuple[str, ...]) -> None:
    """Evaluate one parameter, and before it those that it uses; `chain` are those that wait for it."""
    if name in values:
        return
    if name in chain:
        cycle = " -> ".join([*chain[chain.index(name) :], name])
        raise ParameterError(name, f"parameters depend on each other in a cycle: {cycle}; give one of them a number")
    if len(chain) > MAX_CHAIN:
        message = f"parameters wait for each other more than {MAX_CHAIN} deep, '{chain[0]}' for '{name}'; shorten that"
        raise ParameterError(name, message)
    value = given[name]
    for used in names_in(value) if isinstance(value, str) and not is_quantity(value) else ():
        if used in given:
            _resolve(used, given, values, (*chain, name))
    values[name] = evaluated(name, value, values)


def evaluated(name: str, value: Any, known: Mapping[str, float]) -> float:
    """The value of one parameter, with those that it may use known."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST:
        return float(value)
    if not isinstance(value, str):
        raise ParameterError(
            name, f"is {value!r}; it must be a number up to {LARGEST:g}, a quantity such as '25.4 mm' or an expression"
        )
    try:
        return number_from_text(value, None, known)
    except ExpressionError as failure:
        raise ParameterError(name, f"parameter '{name}': {failure.message.partition(': ')[2]}") from None
    except ValueError as failure:
        raise ParameterError(name, str(failure)) from None
