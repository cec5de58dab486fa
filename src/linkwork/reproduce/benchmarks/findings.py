"""One line of the shelf: what linkwork finds beside a reference, how far it is off, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from linkwork.compiler.meter import METER

T = TypeVar("T")
BRIEF = 0.5  # s: what takes less is done again, so that the time is that of a machine that has warmed up


@dataclass(frozen=True)
class Finding:
    """A number and its reference, both in the unit that the quantity names."""

    problem: str
    quantity: str  # with its unit
    ours: float
    reference: float
    source: str  # of the reference
    within: float  # of the scale: the error that is allowed
    seconds: float = float("nan")  # wall time of the analysis
    setting: str = ""  # formulation, tolerance, discretization
    scale: float | None = None  # what an error is measured by; default: the reference itself
    note: str = ""

    @property
    def error(self) -> float:
        """Relative to the scale."""
        return abs(self.ours - self.reference) / abs(self.reference if self.scale is None else self.scale)

    @property
    def agrees(self) -> bool:
        """Whether the error is within what is allowed; never of a number that is none."""
        return self.error <= self.within


def timed(analysis: Callable[[], T]) -> tuple[T, float]:
    """What an analysis gives, and the seconds that it takes; the second time if it is brief, or compiles."""
    compiled = METER.count
    found, seconds = _timed_once(analysis)
    return _timed_once(analysis) if seconds < BRIEF or METER.count > compiled else (found, seconds)


def _timed_once(analysis: Callable[[], T]) -> tuple[T, float]:
    begin = time.perf_counter()
    found = analysis()
    return found, time.perf_counter() - begin
