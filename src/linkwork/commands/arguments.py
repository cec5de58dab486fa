"""Texts of options as numbers: NAME=VALUE, FROM:TO:COUNT, FROM:TO:STEP, with units of speeds and frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_module("numpy")

T = TypeVar("T")
UNITS = {"rad/s": 1.0, "rpm": 0.10471975511965977, "Hz": 6.283185307179586, "m/s": 1.0, "": 1.0}  # to SI
MOST = 40_000  # values of a sweep
MOST_COUNTED = 10_000_000  # of FROM:TO:COUNT, before anything is computed with them


def numbers_by_name(option: str, texts: Sequence[str] | None) -> dict[str, float]:
    """NAME=NUMBER, several times."""
    return by_name(option, [_number(option, text) for text in texts or []])


def by_name(option: str, pairs: Sequence[tuple[str, T]]) -> dict[str, T]:
    """Values by name; a name that is given twice is refused."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise OptionError(f"{option}: '{name}' is given twice; give it once", element=name)
        found[name] = value
    return found


def _number(option: str, text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        example = f"{option} {name.strip() or 'NAME'}=1.5"
        raise OptionError(f"{option} {text}: write NAME=NUMBER, as in {example}", element=name) from None


def counted(span: str) -> np.ndarray:
    """FROM:TO:COUNT as values; ValueError where it is none."""
    first, last, count = span.split(":")
    if int(count) > MOST_COUNTED:
        raise OptionError(f"{span}: {count} values are too many; choose fewer", element=span)
    values = np.linspace(float(first), float(last), int(count))
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(span)
    return values


def stepped(span: str, given: str, example: str) -> np.ndarray:
    """FROM:TO:STEP as values; `given`: the option with its text, for messages."""
    option = given.split()[0]
    try:
        low, high, step = (float(part) for part in span.split(":"))
    except ValueError:
        raise OptionError(f"{given}: write {example}", element=option) from None
    if not (step > 0.0 and high > low and np.isfinite([low, high, step]).all()):
        raise OptionError(f"{given}: FROM must be below TO and STEP > 0", element=option)
    size = int(np.floor((high - low) / step * (1.0 + 1e-12))) + 1
    if size > MOST:
        raise OptionError(f"{given}: {size} values are too many; choose a larger step", element=option)
    values: np.ndarray = low + step * np.arange(size)
    return values


def sweep_values(text: str, unit: str = "") -> tuple[str, np.ndarray]:
    """NAME=FROM:TO:STEP [unit] of --sweep as name and values in SI units; `unit`: where the shell has split it off."""
    name, _, rest = text.partition("=")
    span, _, own = rest.strip().partition(" ")
    given = f"--sweep {text}"
    values = stepped(span, given, "NAME=FROM:TO:STEP, as in --sweep spindle=0:60:1")
    return name.strip(), values * unit_factor(own.strip() or unit, given)


def unit_factor(unit: str, given: str) -> float:
    """From the unit of a speed or frequency to rad/s or m/s."""
    if unit not in UNITS:
        known = "use rad/s, rpm, Hz or m/s"
        raise OptionError(f"{given}: the unit '{unit}' is unknown; {known}", element=given.split()[0])
    return UNITS[unit]
