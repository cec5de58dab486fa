"""Values of parameters that know what they measure: the unit with which they were defined, or first used.

A parameter keeps its dimension: `r = "25 mm"` is a length wherever it stands alone.  One that is a plain number gets a
dimension by its first use; another use then needs the same.  Within an expression (2*rho*L) anything goes: the numbers
there may have units of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.expressions.quantities import is_quantity, number_from_text, units_of_column


class ParameterValue(float):
    """A number in SI units; `unit`: one of its dimension, None as long as that is not known; `because`: who says so."""

    unit: str | None
    because: str

    def __new__(cls, value: float, unit: str | None = None, because: str = "") -> ParameterValue:
        """The number, and what it measures."""
        self = super().__new__(cls, value)
        self.unit, self.because = unit, because
        return self


def unit_of(text: object) -> str | None:
    """The unit of a quantity; None of anything else."""
    return units_of_column([text])[0] if isinstance(text, str) and is_quantity(text) else None


def use(text: str, units: Sequence[str], parameters: Mapping[str, float], where: str) -> None:
    """Note that a text stands for a number in one of these SI units, `where`; ValueError if it is a parameter, alone,
    of another dimension.
    """
    name = text.strip()
    value = parameters.get(name)
    if not isinstance(value, ParameterValue):
        return
    if value.unit is None:
        if len(units) == 1 and units[0][:1].isalpha():
            value.unit, value.because = units[0], f"used for {where}, in {units[0]}"
        return
    needed = required(value.unit, units)
    if needed is not None:
        raise ValueError(f"is '{name}'; parameter '{name}' is {value.because}, and here {needed}")


def required(unit: str, units: Sequence[str]) -> str | None:
    """What a number must be where one of `units` is needed and `unit` is given, in words; None: it fits."""
    if unit in units:
        return None
    try:
        number_from_text(f"1 {unit}", units, {})
    except ValueError as failure:
        return str(failure).partition("; ")[2].partition(", e.g.")[0]
    return None
