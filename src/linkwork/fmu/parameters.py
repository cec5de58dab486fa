"""Parameters of an FMU that other programs may change: fields of elements that are plain entries of the tables.

A field p is one where every entry x of the System that depends on it does so as x = a + b p or 1 / x = a + b p, which
is found out by compiling the mechanism for other values of p, and where the start does not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import BaseModel

from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.errors import LinkworkError, OptionError
from linkwork.files.settings import changed, setting_unit
from linkwork.fmu.frozen_run import start_of
from linkwork.fmu.model_file import ENTRY, Kind, Variable
from linkwork.mechanism import Mechanism

CHANGES = (0.05, -0.04, 0.02)  # of a value, or the value itself where it is 0
EXACT = 1e-9  # of the change of an entry: more is no straight line
SAME = 1e-12  # of a start that does not change


def parameter_variables(
    start: Start, options: Options, names: Sequence[str], tables: Mapping[str, int]
) -> tuple[np.ndarray, list[Variable]]:
    """The entries of all parameters, and the parameters; `tables`: places of the tables of the System."""
    mechanism = start.compiled.mechanism
    entries: list[tuple[int, int, float, float]] = []
    variables = []
    for name in names:
        value = value_of(mechanism, name)
        found = _entries(start, options, name, value, tables)
        unit = setting_unit(mechanism, name)
        variables.append(Variable(name, Kind.PARAMETER, len(entries), len(found), unit, value))
        entries += found
    return np.array(entries, ENTRY), variables


def value_of(mechanism: Mechanism, name: str) -> float:
    """The present value of a field, by the names that `with_settings` takes."""
    owner, _, path = name.partition(".")
    value: object = next((element for element in mechanism.elements() if element.name == owner), None)
    for key in path.split("."):
        if isinstance(value, tuple) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
            continue
        parts = (
            [value, *(part for part in vars(value).values() if isinstance(part, BaseModel))]
            if isinstance(value, BaseModel)
            else []
        )
        value = next((getattr(part, key) for part in parts if getattr(part, key, None) is not None), None)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OptionError(
            f"parameter '{name}' is not a number of the model; name a field that is given as one, as in 'crank.mass'",
            element=name,
        )
    return float(value)


def _entries(
    start: Start, options: Options, name: str, value: float, tables: Mapping[str, int]
) -> list[tuple[int, int, float, float]]:
    """What in the tables depends on a parameter: place, reciprocal, value, slope."""
    steps = [change * (abs(value) or 1.0) for change in CHANGES]
    others = [_start_with(start, options, name, value + step) for step in steps]
    found = []
    for table, place in tables.items():
        base = _words(getattr(start.compiled.system, table))
        changes = [_words(getattr(other.compiled.system, table)) for other in others]
        if any(len(words) != len(base) for words in changes):
            raise _refusal(name, f"the size of table '{table}' depends on it")
        moving = np.any([words.view(np.int64) != base.view(np.int64) for words in changes], axis=0)
        for k in np.flatnonzero(moving):
            entry = _straight(float(base[k]), [float(words[k]) for words in changes], steps)
            if entry is None:
                raise _refusal(
                    name, f"an entry of table '{table}' depends on it otherwise than by a + b p or 1/(a + b p)"
                )
            found.append((place + 8 * int(k), *entry))
    if not found:
        raise _refusal(name, "nothing in the tables of the model depends on it")
    return found


def _start_with(start: Start, options: Options, name: str, value: float) -> Start:
    """The start of the mechanism with another value."""
    try:
        other = start_of(changed(start.compiled.mechanism, {name: value}), options)
    except LinkworkError as failure:
        raise _refusal(name, f"with {value:g} there is no such mechanism ({failure})") from None
    size = np.maximum(np.abs(start.y), 1.0)
    if len(other.y) != len(start.y) or np.any(np.abs(other.y - start.y) > SAME * size):
        raise _refusal(name, "the state at the start depends on it")
    if other.compiled.layout.break_times != start.compiled.layout.break_times:
        raise _refusal(name, "break times depend on it")
    return other


def _words(table: np.ndarray) -> np.ndarray:
    raw = np.ascontiguousarray(table).tobytes()
    return np.frombuffer(raw + bytes(-len(raw) % 8), np.float64)


def _straight(base: float, values: list[float], steps: list[float]) -> tuple[int, float, float] | None:
    """x = base + slope (p - p0), or 1 / x."""
    for reciprocal in (0, 1):
        if not all(np.isfinite([base, *values])) or (reciprocal and not all([base, *values])):
            return None
        x0, *x = [1.0 / v for v in (base, *values)] if reciprocal else [base, *values]
        slope = (x[0] - x0) / steps[0]
        if slope and all(
            abs(x0 + slope * d - v) <= EXACT * abs(slope * d) + 1e-15 * abs(v) for v, d in zip(x, steps, strict=True)
        ):
            return reciprocal, x0, slope
    return None


def _refusal(name: str, why: str) -> OptionError:
    return OptionError(
        f"parameter '{name}' cannot be changed in an FMU: {why}; export the model anew for each value", element=name
    )
