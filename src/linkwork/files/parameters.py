"""Parameters of a model file: names for numbers, each a number, a quantity or an expression of the others.

A table within [parameters] makes dotted names: [parameters.crank] length = 0.1 is `crank.length` in expressions.
What is given from outside without a unit is in the unit with which the file defines the parameter: of angle = "20 deg"
the setting angle = 30 makes 30 degrees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from linkwork.elements.declaration.base import LARGEST
from linkwork.elements.declaration.parameters import ParameterValue, of_expression, required, unit_of
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.language.scope import WORDS
from linkwork.expressions.quantities import constant, is_quantity, names_in, number_from_text

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


def in_unit_of(own: Any, given: Any) -> Any:
    """What is given for a parameter: a number without a unit in that of the file's own definition."""
    unit = unit_of(own)
    if unit is None or isinstance(given, bool) or not isinstance(given, (int, float, str)):
        return given
    if isinstance(given, str) and is_quantity(given):
        return given
    try:
        number = constant(given, {}) if isinstance(given, str) else float(given)
    except (ExpressionError, ValueError):  # an expression of other parameters, which have their units, or an error
        return given
    return f"{repr(number).removesuffix('.0')} {unit}" if abs(number) <= LARGEST else given


def resolved(own: Mapping[str, Any], given: Mapping[str, Any], known: Mapping[str, float]) -> dict[str, float]:
    """The values of all parameters of a file, in SI units: its own, in their place those given from outside.

    `known` are values that need no evaluation.  A parameter keeps the dimension with which its file defines it.
    """
    values: dict[str, float] = dict(known)
    for name in own:
        _resolve(name, {**own, **given}, values, ())
        values[name] = _of_dimension(name, own[name], given.get(name), values[name])
    return values


def _of_dimension(name: str, own: Any, given: Any, value: float) -> float:
    """The value with the dimension of the file's own definition; one of another dimension is refused."""
    unit = unit_of(own)
    if unit is None:
        return value
    other = value.unit if isinstance(value, ParameterValue) else None
    needed = None if other is None else required(other, (unit,))
    if needed is not None:
        what = repr(given) if given is not None else f"{float(value):g} {other}"
        raise ParameterError(name, f"parameter '{name}' is {what}, but defined as '{own}'; {needed}")
    return value if other is not None else ParameterValue(value, unit, f"defined as '{own}'")


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
        return ParameterValue(value)
    if not isinstance(value, str):
        raise ParameterError(
            name, f"is {value!r}; it must be a number up to {LARGEST:g}, a quantity such as '25.4 mm' or an expression"
        )
    try:
        number = number_from_text(value, None, known)
        same = known.get(value.strip())  # another name for it
        if isinstance(same, ParameterValue):
            return same
        return (
            ParameterValue(number, unit_of(value), f"'{value}'")
            if is_quantity(value)
            else of_expression(number, value, known)
        )
    except ExpressionError as failure:
        raise ParameterError(name, f"parameter '{name}': {failure.message.partition(': ')[2]}") from None
    except ValueError as failure:
        raise ParameterError(name, str(failure)) from None
