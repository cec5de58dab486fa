"""Sliders: a parameter, the span in which it moves, and how finely."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linkwork.errors import OptionError

STEPS = 200  # of a slider, about
AROUND_ZERO = {"deg": 90.0, "rad": 1.5}  # of a parameter that is zero: it moves by so much to both sides; others by 1


@dataclass(frozen=True)
class Slider:
    """`value`, `low` and `high` in `unit`; `whole`: whole numbers only."""

    name: str
    unit: str
    value: float
    low: float
    high: float
    whole: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise OptionError(
                f"slider '{self.name}' goes from {self.low:g} to {self.high:g}; give two numbers, the lower one first",
                element=self.name,
            )

    @property
    def step(self) -> float:
        """1, 2 or 5 times a power of ten."""
        if self.whole:
            return 1.0
        size = (self.high - self.low) / STEPS
        power = 10.0 ** math.floor(math.log10(size))
        return float(f"{next(digit for digit in (5, 2, 1) if digit * power <= size * 1.001) * power:.3g}")

    def described(self, value: float) -> dict[str, object]:
        """For the page, at a value."""
        return {
            "name": self.name, "unit": self.unit, "low": self.low, "high": self.high, "step": self.step, "value": value
        }  # fmt: skip


def slider(
    name: str, value: float, unit: str = "", span: tuple[float, float] | None = None, whole: bool = False
) -> Slider:
    """A slider about a value: from half of it to twice as much, or to both sides of zero."""
    if span is None and value == 0.0:
        reach = AROUND_ZERO.get(unit, 1.0)
        span = (-reach, reach)
    elif span is None:
        span = (min(0.5 * value, 2.0 * value), max(0.5 * value, 2.0 * value))
        if whole:
            span = (max(1.0, math.floor(span[0])), math.ceil(span[1]))
    low, high = span
    return Slider(name, unit, min(max(value, low), high), low, high, whole)
