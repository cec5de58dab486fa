"""What is varied, as engineers write it: values, spans, and numbers that scatter.

    0.1, 0.2, 0.5 m          values, one after the other (also a list)
    0.1:0.2:11 m             11 values from 0.1 to 0.2
    25 +/- 0.05 mm           a tolerance: normal about 25, three standard deviations are 0.05, none lies outside
    uniform(0.1, 0.3)        any number between
    normal(1e4, 200) N/m     mean and standard deviation

A unit stands at the end, or after the first number of a tolerance ('25 mm +/- 0.05').  Without one numbers are in the
unit that `--set` takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from scipy.special import ndtr, ndtri
else:
    ndtr, ndtri = lazy_functions("scipy.special", "ndtr", "ndtri")

SIGMAS = 3.0  # standard deviations in half the width of a tolerance
MOST_VALUES = 1_000_000  # of a span
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_UNIT = r"(?P<unit>[^\W\d_][^,:()+]*|[°%])?"
_TOLERANCE = re.compile(
    rf"\s*(?P<middle>{_NUMBER})\s*(?P<unit>[^\W\d_][^,:+±]*?|[°%])?\s*(?:\+/-|±)\s*(?P<half>{_NUMBER})\s*(?P<last>[^\W\d_].*|[°%])?"
)
_SCATTER = re.compile(rf"\s*(?P<kind>\w+)\(\s*(?P<a>{_NUMBER})\s*,\s*(?P<b>{_NUMBER})\s*\)\s*{_UNIT}\s*")
_SPAN = re.compile(rf"\s*(?P<a>{_NUMBER}):(?P<b>{_NUMBER}):(?P<n>[0-9]+)\s*{_UNIT}\s*")
_LIST = re.compile(rf"\s*(?P<numbers>{_NUMBER}(?:\s*,\s*{_NUMBER})*)\s*{_UNIT}\s*")
FORMS = "'0.1, 0.2', '0.1:0.2:11', '25 mm +/- 0.05', 'uniform(1, 2)' or 'normal(1, 0.1)'"


@dataclass(frozen=True)
class Values:
    """Numbers or texts, each of which is run."""

    values: tuple[Setting, ...]
    unit: str = ""


@dataclass(frozen=True)
class Scatter:
    """A number that scatters: kind uniform (a, b: its bounds), normal (mean, standard deviation) or tolerance (middle,
    half the width)."""

    kind: str
    a: float
    b: float
    unit: str = ""

    def at(self, u: np.ndarray) -> np.ndarray:
        """The values below which a share u (0 to 1) of all lies."""
        if self.kind == "uniform":
            return np.asarray(self.a + (self.b - self.a) * u)
        if self.kind == "normal":
            return np.asarray(self.a + self.b * ndtri(u))
        low = float(ndtr(-SIGMAS))
        return np.asarray(self.a + self.b / SIGMAS * ndtri(low + (1.0 - 2.0 * low) * u))


Variation = Values | Scatter


def variation(name: str, given: object) -> Variation:
    """What is given for a name: a list, or a text in one of the forms above."""
    if isinstance(given, Values | Scatter):
        return given
    if isinstance(given, str):
        return _checked(name, given, _read(given))
    if isinstance(given, Sequence | np.ndarray):
        return _checked(name, given, Values(tuple(_plain(value) for value in given)))
    return Values((_plain(given),))


def _plain(value: object) -> Setting:
    """A value as settings take it."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.integer | np.floating):
        return float(value)
    return value  # type: ignore[return-value]


def _read(text: str) -> Variation | None:
    if found := _TOLERANCE.fullmatch(text):
        unit = (found["unit"] or found["last"] or "").strip()
        return Scatter("tolerance", float(found["middle"]), float(found["half"]), unit)
    if found := _SCATTER.fullmatch(text):
        return Scatter(found["kind"], float(found["a"]), float(found["b"]), (found["unit"] or "").strip())
    if found := _SPAN.fullmatch(text):
        count = int(found["n"])
        if count > MOST_VALUES:
            raise OptionError(f"'{text}': {count} values are too many; at most {MOST_VALUES} are run", element=text)
        numbers = np.linspace(float(found["a"]), float(found["b"]), count).tolist()
        return Values(tuple(float(f"{value:.12g}") for value in numbers), (found["unit"] or "").strip())
    if found := _LIST.fullmatch(text):
        return Values(tuple(float(part) for part in found["numbers"].split(",")), (found["unit"] or "").strip())
    return None


def _checked(name: str, given: object, found: Variation | None) -> Variation:
    """Refused: what cannot be read, nothing, no numbers, a scatter of no width."""
    if isinstance(found, Values):
        finite = all(np.isfinite(value) for value in found.values if isinstance(value, float))
        if found.values and finite:
            return found
    if isinstance(found, Scatter) and found.kind in ("uniform", "normal", "tolerance"):
        wide = found.b > found.a if found.kind == "uniform" else found.b > 0.0
        if wide and np.isfinite([found.a, found.b]).all():
            return found
        raise OptionError(f"'{name}' = {given!r} has no width; give a width > 0, or leave it out", element=name)
    raise OptionError(f"'{name}' = {given!r} cannot be read; write {FORMS}, or a list", element=name)
