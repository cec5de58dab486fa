"""Words of the System's tables: the numbers of 8 bytes that parameters change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.gradients.stencil import Line
from linkwork.system.tables import System

Word = tuple[str, int]  # a table, and the byte at which a number begins


def numbers_of(system: System) -> dict[str, np.ndarray]:
    """Every table as numbers of 8 bytes, whether they are numbers or not."""
    return {name: _as_words(getattr(system, name)) for name in System._fields}


def _as_words(table: np.ndarray) -> np.ndarray:
    data = table.tobytes()
    return np.frombuffer(data + bytes(-len(data) % 8), np.float64)


def changed_words(system: System, line: Line, systems: Sequence[System]) -> dict[Word, float]:
    """The slopes of the words that a parameter changes; `systems`: at the places of its line."""
    found: dict[Word, float] = {}
    for name in System._fields:
        tables = [getattr(other, name) for other in systems]
        here = getattr(system, name).tobytes()
        if all(table.tobytes() == here for table in tables):
            continue
        values, others = _as_words(getattr(system, name)), np.stack([_as_words(table) for table in tables])
        for at in np.flatnonzero(np.any(others.view(np.int64) != values.view(np.int64), axis=0)):
            found[name, 8 * int(at)] = float(line.slope(list(others[:, at])))
    return found


def moved_along(system: System, slopes: Mapping[Word, float], change: float) -> System:
    """The tables with their words so far along the slopes."""
    moved: dict[str, np.ndarray] = {}
    for (name, at), slope in slopes.items():
        table = moved.setdefault(name, getattr(system, name).copy())
        table.reshape(-1).view(np.uint8)[at : at + 8].view(np.float64)[0] += change * slope
    return system.changed(**moved)
