"""Measured data: a time column and columns of channels, from a CSV file, a table of pandas or arrays by name.

A heading may have its unit in brackets, "arm.angle [deg]"; without one numbers are in SI units.  Names are those of
channels, or `channels` says which channel a column measures.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import FileError, OptionError, nearest
from linkwork.expressions.quantities import number_from_text

TIMES = ("t", "time")
_HEADING = re.compile(r"\s*(?P<name>.*?)\s*(?:\[(?P<unit>[^\]]*)\])?\s*")


@dataclass(frozen=True)
class Measured:
    """What was measured, SI units."""

    t: np.ndarray  # s, increasing
    channels: dict[str, np.ndarray]  # [sample] by channel

    @property
    def count(self) -> int:
        """Numbers of all channels."""
        return len(self.t) * len(self.channels)


def measured(data: Any, channels: Mapping[str, str] | None = None) -> Measured:
    """Data as given; refused: no time column, no channel, NaN, times that do not grow, columns of unlike length."""
    columns = _read_csv(Path(data)) if isinstance(data, str | Path) else {str(name): data[name] for name in data}
    named: dict[str, np.ndarray] = {}
    for heading, values in columns.items():
        name, factor = _heading(heading)
        try:
            named[name] = np.asarray(values, float) * factor
        except (TypeError, ValueError):
            raise OptionError(f"data: column '{name}' holds what is not a number; leave it out", element=name) from None
    time = next((name for name in named if name.lower() in TIMES), None)
    if time is None:
        known = ", ".join(f"'{name}'" for name in list(named)[:6]) or "none"
        raise OptionError(f"the data have no time column 't' (s), only {known}; name one so", element="data")
    t = named.pop(time)
    found = _chosen(named, channels)
    for name, values in {time: t, **found}.items():
        if values.shape != t.shape or values.ndim != 1:
            raise OptionError(
                f"data: column '{name}' has {values.shape} numbers, not {len(t)} as the time", element=name
            )
        if not np.isfinite(values).all():
            bad = np.flatnonzero(~np.isfinite(values))
            raise OptionError(
                f"data: '{name}' is not a number in {len(bad)} row{'s' if len(bad) > 1 else ''}, first in row "
                f"{bad[0] + 1}; leave these rows out",
                element=name,
            )
    if len(t) < 2 or np.any(np.diff(t) <= 0.0) or t[0] < 0.0:
        raise OptionError("data: the times must be >= 0 and increase from row to row; sort the rows", element=time)
    return Measured(t, found)


def _chosen(named: Mapping[str, np.ndarray], channels: Mapping[str, str] | None) -> dict[str, np.ndarray]:
    if channels is not None:
        for column in channels:
            if column not in named:
                raise OptionError(f"the data have no column '{column}'; {nearest(column, named)}", element=column)
        named = {channel: named[column] for column, channel in channels.items()}
    if not named:
        raise OptionError("the data have no column beside the time; give at least one channel", element="data")
    return dict(named)


def _heading(text: str) -> tuple[str, float]:
    """Name, and how many SI units its unit is."""
    parts = _HEADING.fullmatch(text)
    assert parts is not None
    if not parts["unit"]:
        return parts["name"], 1.0
    try:
        return parts["name"], number_from_text(f"1 {parts['unit']}", None, {})
    except ValueError as failure:
        raise OptionError(f"data: the unit of '{text}' {failure}", element=parts["name"]) from None


def _read_csv(path: Path) -> dict[str, list[float]]:
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row and not row[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as failure:
        why = failure.strerror if isinstance(failure, OSError) else failure
        raise FileError(f"'{path}' cannot be read as CSV ({why}); check the path") from None
    if len(rows) < 2:
        raise FileError(f"'{path}' has no rows of data below a heading; check the file")
    columns = {head: [row[k] if k < len(row) else "" for row in rows[1:]] for k, head in enumerate(rows[0])}
    read = {head: [_number(text) for text in texts] for head, texts in columns.items()}
    for head, values in read.items():
        wrong = [k for k, value in enumerate(values) if value is None]
        if 0 < len(wrong) <= len(values) / 2:  # else it is a column of texts
            raise FileError(
                f"'{path.name}': column '{head}' has '{columns[head][wrong[0]]}' in row {wrong[0] + 1}, which is no "
                "number; correct it, or leave the row out"
            )
    return {
        head: [value for value in values if value is not None] for head, values in read.items() if None not in values
    }


def _number(text: str) -> float | None:
    """NaN where nothing is given, None where it is not a number."""
    try:
        return float(text) if text.strip() else float("nan")
    except ValueError:
        return None
