"""What an optimization may vary: bounds and a start, as engineers write them.

    (0.05, 0.2)              between these bounds, from the model's own value
    (0.05, 0.1, 0.2)         the same, from 0.1
    0.1                      from 0.1, without bounds
    "0.05 .. 0.2 m"          texts: two or three numbers and a unit
    "0.05 .. 0.1 .. 0.2 m"

`inf` is no bound.  Without a unit numbers are in that of the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.expressions.quantities import number_and_unit, number_from_text
from linkwork.studies.plan import latin_hypercube

FORMS = "(low, high), (low, start, high), a start, or a text as '0.05 .. 0.2 m'"
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?|inf)"
_SPAN = re.compile(
    rf"\s*(?P<a>{_NUMBER})\s*(?:\.\.\s*(?P<b>{_NUMBER})\s*)?(?:\.\.\s*(?P<c>{_NUMBER})\s*)?(?P<unit>[^\W\d_].*|[°%])?\s*"
)


@dataclass(frozen=True)
class Variable:
    """A number that is to be found."""

    name: str
    low: float
    high: float
    start: float
    unit: str = ""  # of all three

    @property
    def scale(self) -> float:
        """Its natural size: the width between its bounds, or that of its start."""
        width = self.high - self.low
        return width if math.isfinite(width) else abs(self.start) or 1.0

    @property
    def bounded(self) -> bool:
        """Whether it has two bounds."""
        return math.isfinite(self.high - self.low)

    def setting(self, value: float) -> Setting:
        """A value as `with_settings` takes it."""
        return f"{float(value)!r} {self.unit}" if self.unit else float(value)


def variable(name: str, given: object, own: tuple[float, str] | None) -> Variable:
    """What is given for a name; `own`: value and unit that the model has, if it has a number there.

    Refused: what cannot be read, bounds that cross, a start outside of them, no start.
    """
    low, start, high, unit = _read(name, given)
    if start is None and own is not None:
        start = _converted(*own, unit)
    unit = unit or (own[1] if own is not None else "")
    if not low < high:
        raise OptionError(f"'{name}': its bounds {low:g} and {high:g} cross; give the lower one first", element=name)
    if start is None:
        if not math.isfinite(high - low):
            raise OptionError(f"'{name}' has no start; give one, as (low, start, high)", element=name)
        start = 0.5 * (low + high)
    if not low <= start <= high:
        raise OptionError(
            f"'{name}': its start {start:g} {unit} is outside its bounds, {low:g} to {high:g}; give another start, as "
            "(low, start, high), or wider bounds",
            element=name,
        )
    return Variable(name, low, high, start, unit)


def variables(vary: Mapping[str, object], own: Mapping[str, tuple[float, str]]) -> tuple[Variable, ...]:
    """All of them; nothing is refused."""
    if not vary:
        raise OptionError("nothing is to be found; name numbers of the model and their bounds", element="vary")
    return tuple(variable(name, given, own.get(name)) for name, given in vary.items())


def spread_starts(found: Sequence[Variable], count: int, seed: int) -> np.ndarray:
    """[start, variable]: the first as given, the others a Latin hypercube between the bounds."""
    first = np.array([[one.start for one in found]])
    if count <= 1:
        return first
    for one in found:
        if not one.bounded:
            raise OptionError(
                f"several starts need bounds, and '{one.name}' has none; give (low, high)", element=one.name
            )
    low, high = np.array([one.low for one in found]), np.array([one.high for one in found])
    share = latin_hypercube(count - 1, len(found), np.random.default_rng(seed))
    return np.vstack([first, low + (high - low) * share])


def _read(name: str, given: Any) -> tuple[float, float | None, float, str]:
    """Low, start, high, unit."""
    unit = ""
    if isinstance(given, str):
        found = _SPAN.fullmatch(given)
        numbers = [float(found[k]) for k in "abc" if found[k] is not None] if found else []
        unit = (found["unit"] or "").strip() if found else ""
    else:
        try:
            numbers = [float(value) for value in (given if isinstance(given, Sequence | np.ndarray) else [given])]
        except (TypeError, ValueError):
            numbers = []
    if not 1 <= len(numbers) <= 3 or any(math.isnan(value) for value in numbers):
        raise OptionError(f"'{name}' = {given!r} cannot be read; write {FORMS}", element=name)
    if len(numbers) == 1:
        return -math.inf, numbers[0], math.inf, unit
    return numbers[0], numbers[1] if len(numbers) == 3 else None, numbers[-1], unit


def _converted(value: float, own: str, unit: str) -> float:
    """A value of the model in another unit."""
    if not unit or unit == own:
        return value
    of_own, of_unit = (number_from_text(f"1 {text}", None, {}) if text else 1.0 for text in (own, unit))
    return value * of_own / of_unit


def quantity(value: object) -> tuple[float, str] | None:
    """Number and unit of what a model gives, where it is no expression."""
    if isinstance(value, str):
        try:
            return number_and_unit(value)
        except ValueError:
            return None
    return (float(value), "") if isinstance(value, int | float) and not isinstance(value, bool) else None
