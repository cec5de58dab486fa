"""The objective and the conditions of a search as SciPy takes them.

Variables are scaled by the width of their bounds, the objective by its size at the start.  A trial that fails is a
wall: least squares shorten their step before one that is not finite; for the other methods it is a hill that rises from
the last trial that did not fail, so that their line search turns back.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.design.goals import Goals
from linkwork.design.trials import Trials
from linkwork.studies.slopes import Slopes

STEEP = 10.0  # of the objective at the start: by so much it grows along the wall


class Landscape:
    """Functions of the scaled variables u, about a start that did not fail."""

    def __init__(self, trials: Trials, goals: Goals, x: np.ndarray) -> None:
        self.trials, self.goals = trials, goals
        self.scale = np.array([one.scale for one in trials.variables])
        self.bounds = np.array([(one.low, one.high) for one in trials.variables]).T
        self.low, self.high = self.bounds / self.scale
        self.start = x / self.scale
        first = trials.at(x)
        assert first is not None
        self.first, self.size = first.values, abs(goals.objective(first.values)) or 1.0
        self.last_u, self.last_f, self.last_values = self.start, goals.objective(first.values) / self.size, first.values

    def _at(self, u: np.ndarray) -> Slopes | None:
        """The trial; within the bounds, which scaling may miss by rounding."""
        return self.trials.at(np.clip(u * self.scale, *self.bounds))

    # -- a sum of squares ---------------------------------------------------------------------------------------
    def residuals(self, u: np.ndarray) -> np.ndarray:
        """The outputs whose squares are summed up; infinite where a trial fails."""
        found, count = self._at(u), len(self.goals.minimize)
        return found.values[:count] if found is not None else np.full(count, np.inf)

    def jacobian(self, u: np.ndarray) -> np.ndarray:
        """Of the residuals, asked for at trials that did not fail."""
        found = self._at(u)
        assert found is not None
        return np.asarray(found.gradient[: len(self.goals.minimize)] * self.scale)

    # -- one number, and conditions -----------------------------------------------------------------------------
    def objective(self, u: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient."""
        found = self._at(u)
        if found is None:
            away = u - self.last_u
            return float(self.last_f + STEEP * (1.0 + away @ away)), 2.0 * STEEP * away
        f = self.goals.objective(found.values) / self.size
        self.last_u, self.last_f, self.last_values = u.copy(), f, found.values
        return f, np.asarray(self.goals.slope(found.values, found.gradient) * self.scale / self.size)

    def gap(self, k: int) -> tuple[Callable[[np.ndarray], float], Callable[[np.ndarray], np.ndarray]]:
        """By how much condition k holds, in units of its sides at the start: >= 0 where it does; and its slope."""
        place = len(self.goals.minimize) + 2 * k
        unit = float(np.abs(self.first[place : place + 2]).max()) or 1.0
        if self.goals.conditions[k].sense == "<=":
            unit = -unit

        def value(u: np.ndarray) -> float:
            found = self._at(u)
            values = self.last_values if found is None else found.values
            return float((values[place] - values[place + 1]) / unit)

        def slope(u: np.ndarray) -> np.ndarray:
            found = self._at(u)
            if found is None:
                return np.zeros(len(u))
            return np.asarray((found.gradient[place] - found.gradient[place + 1]) * self.scale / unit)

        return value, slope
