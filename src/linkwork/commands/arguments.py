"""Texts of options as numbers: NAME=VALUE, FROM:TO:COUNT, with units of speeds and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_module
from linkwork.tables import PER_UNIT

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

T = TypeVar("T")
MOST = 1_000_000  # values of FROM:TO:COUNT


def numbers_by_name(option: str, texts: Sequence[str] | None) -> dict[str, float]:
    """NAME=NUMBER, several times."""
    return by_name(option, [_number(option, text) for text in texts or []])


def speeds_by_name(texts: Sequence[str] | None) -> dict[str, float]:
    """NAME=NUMBER [unit] of --speed, several times, in rad/s or m/s."""
    found = []
    for text in texts or []:
        name, equals, value = text.partition("=")
        number, _, unit = value.strip().partition(" ")
        name, speed = _number("--speed", f"{name}{equals}{number}", " or --speed '{} rpm'")
        found.append((name, speed * unit_factor(unit.strip(), f"--speed {text}")))
    return by_name("--speed", found)


def by_name(option: str, pairs: Sequence[tuple[str, T]]) -> dict[str, T]:
    """Values by name; a name that is given twice is refused."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise OptionError(f"{option}: '{name}' is given twice; give it once", element=name)
        found[name] = value
    return found


def named_text(option: str, text: str, example: str) -> tuple[str, str]:
    """NAME=TEXT; `example`: what a text may be."""
    name, equals, given = text.partition("=")
    if not equals or not name.strip() or not given.strip():
        raise OptionError(f"{option} {text}: write {option} {name.strip() or 'NAME'}={example}", element=name)
    return name.strip(), given.strip()


def _number(option: str, text: str, more: str = "") -> tuple[str, float]:
    """NAME=NUMBER; `more`: another example, {} the first."""
    name, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        example = f"{name.strip() or 'NAME'}=1.5"
        shown = f"{option} {example}{more.format(example)}"
        raise OptionError(f"{option} {text}: write NAME=NUMBER, as in {shown}", element=name) from None


def span(text: str, given: str, example: str) -> np.ndarray:
    """FROM:TO:COUNT as values; `given`: the option with its text, for messages."""
    option = given.split()[0]
    try:
        low, high, many = text.split(":")
        first, last, count = float(low), float(high), float(many)
    except ValueError:
        raise OptionError(f"{given}: write {example}", element=option) from None
    if not (np.isfinite([first, last]).all() and count == int(count) and count >= 2):
        raise OptionError(
            f"{given}: FROM and TO are numbers, COUNT says how many values there are, 2 or more; write {example}",
            element=option,
        )
    if count > MOST:
        raise OptionError(f"{given}: {int(count)} values are too many; choose fewer", element=option)
    values: np.ndarray = np.linspace(first, last, int(count))
    return values


def speeds_swept(text: str, unit: str = "") -> tuple[str, np.ndarray, str]:
    """NAME=FROM:TO:COUNT [unit] of --sweep: name, SI values, the unit; `unit`: where the shell has split it off."""
    name, _, rest = text.partition("=")
    between, _, own = rest.strip().partition(" ")
    given, asked = f"--sweep {text}", own.strip() or unit
    values = span(between, given, "NAME=FROM:TO:COUNT, as in --sweep spindle=0:60:61")
    if not values[0] < values[-1]:
        raise OptionError(f"{given}: FROM must be below TO", element="--sweep")
    return name.strip(), values * unit_factor(asked, given), asked


def unit_factor(unit: str, given: str) -> float:
    """From the unit of a speed or frequency to rad/s or m/s."""
    if unit not in PER_UNIT:
        known = "use rad/s, rpm, Hz or m/s"
        raise OptionError(f"{given}: the unit '{unit}' is unknown; {known}", element=given.split()[0])
    return PER_UNIT[unit]
