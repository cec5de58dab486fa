"""What the bridges call: values and Jacobian of a function, evaluated once for both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Differentiable(Protocol):
    """As `lw.value_and_grad` gives it."""

    outputs: list[str]
    parameters: list[str]

    def __call__(self, x: Sequence[float] | np.ndarray) -> tuple[Any, np.ndarray]:
        """Values and gradient."""


class Both:
    """Values [output] and Jacobian [output, parameter] at x; the latest are kept."""

    def __init__(self, function: Differentiable) -> None:
        self.function = function
        self.count, self.outputs = len(function.parameters), len(function.outputs)
        self._latest: tuple[bytes, np.ndarray, np.ndarray] | None = None

    def at(self, x: Any) -> tuple[np.ndarray, np.ndarray]:
        """Of numbers in whatever array."""
        place = np.asarray(x, float).reshape(self.count)
        if self._latest is None or self._latest[0] != place.tobytes():
            values, gradient = self.function(place)
            self._latest = (place.tobytes(), np.atleast_1d(values), np.atleast_2d(gradient))
        return self._latest[1], self._latest[2]
