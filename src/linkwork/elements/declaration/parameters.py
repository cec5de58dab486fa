"""Values of parameters that know what they measure: the unit with which they were defined, or first used.

A parameter keeps its dimension: `r = "25 mm"` is a length wherever it stands.  One that is a plain number gets a
dimension by its first use alone; another use then needs the same.  An expression (2*r) measures what its parts make of
it, where they are known (expressions/language/dimensions.py); so does a parameter that is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.expressions.language.dimensions import measured, without_angles
from linkwork.expressions.language.grammar import MAX_LENGTH
from linkwork.expressions.quantities import (
    Powers,
    base_powers,
    in_words,
    is_quantity,
    number_from_text,
    unit_text,
    units_of_column,
)

NUMBERS_ARE_PURE = "a number in it that has a unit of its own has to be a parameter, such as g = '9.81 m/s2'"


class ParameterValue(float):
    """A number in SI units; `unit`: one of its dimension, None as long as that is not known; `because`: who says so;
    `derived`: by an expression, in which angles are pure numbers.
    """

    unit: str | None
    because: str
    derived: bool

    def __new__(cls, value: float, unit: str | None = None, because: str = "", derived: bool = False) -> ParameterValue:
        """The number, and what it measures."""
        self = super().__new__(cls, value)
        self.unit, self.because, self.derived = unit, because, derived
        return self


def of_expression(value: float, text: str, parameters: Mapping[str, float]) -> ParameterValue:
    """The value of a parameter that is an expression of others; ValueError where its parts do not go together."""
    powers = _measured(text, parameters)
    return (
        ParameterValue(value) if powers is None else ParameterValue(value, unit_text(powers), f"'{text}'", derived=True)
    )


def unit_of(text: object) -> str | None:
    """The unit of a quantity; None of anything else."""
    return units_of_column([text])[0] if isinstance(text, str) and is_quantity(text) else None


def use(text: str, units: Sequence[str], parameters: Mapping[str, float], where: str) -> None:
    """Note that a text stands for a number in one of these SI units, `where`; ValueError if it is a parameter, or an
    expression of parameters, of another dimension.
    """
    name = text.strip()
    value = parameters.get(name)
    if not isinstance(value, ParameterValue) or value.derived:
        _check_expression(text, units, parameters)
        return
    if value.unit is None:
        if len(units) == 1 and units[0][:1].isalpha():
            value.unit, value.because = units[0], f"used for {where}, in {units[0]}"
        return
    needed = required(value.unit, units)
    if needed is not None:
        raise ValueError(f"is '{name}'; parameter '{name}' is {value.because}, and here {needed}")


def check_parts(text: str, parameters: Mapping[str, float]) -> None:
    """ValueError if parts of an expression, of time or state too, do not go together."""
    if not is_quantity(text):
        _measured(text, parameters)


def _check_expression(text: str, units: Sequence[str], parameters: Mapping[str, float]) -> None:
    powers = None if is_quantity(text) else _measured(text, parameters)
    if powers is None or powers in [without_angles(unit) for unit in units] or (not units and not powers):
        return
    needed = " or ".join(in_words(base_powers(unit)) for unit in units) if units else "a plain number"
    raise ValueError(f"is '{text}'; that is {in_words(powers)}, and here it must be {needed}; {NUMBERS_ARE_PURE}")


def _measured(text: str, parameters: Mapping[str, float]) -> Powers | None:
    """The powers of the base units of an expression; None where they are not known."""
    units = {name: value.unit for name, value in parameters.items() if isinstance(value, ParameterValue) and value.unit}
    try:
        return measured(text, units) if units and len(text) <= MAX_LENGTH else None
    except ValueError as failure:
        raise ValueError(f"is '{text}'; it {failure}") from None


def required(unit: str, units: Sequence[str]) -> str | None:
    """What a number must be where one of `units` is needed and `unit` is given, in words; None: it fits."""
    if unit in units:
        return None
    try:
        number_from_text(f"1 {unit}", units, {})
    except ValueError as failure:
        return str(failure).partition("; ")[2].partition(", e.g.")[0]
    return None
