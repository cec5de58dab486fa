"""The reduction with derivatives by central differences, for a search that starts a run.

A Newton search ends where r = 0, whatever the slopes were on the way; so they may be differences of r itself over small
displacements, which need no other kernels than the run does: those for complex numbers take longer to compile than all
others together.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.reduction import Columns, Point, Reduction

DISPLACEMENT = 1e-5  # rad, or of the mechanism's size: the error is its square, rounding 1e-16 over it
STATE = 1e-5  # the same of an auxiliary state, whatever its unit


class ReductionByDifferences(Reduction):
    """As its parent, but for how r and the rates of auxiliary states change."""

    def along_independent(self, point: Point) -> Columns:
        """Derivatives along the independent displacements; of the point asked for last they are kept."""
        if self._last is None or self._last[0] is not point:
            steps = DISPLACEMENT * self.lengths
            pairs = [(self.moved(point, x), self.moved(point, -x)) for x in np.diag(steps)]
            self._last = (point, _quotients(point, pairs, steps))
        return self._last[1]

    def state_columns(self, point: Point) -> Columns:
        """Derivatives along each auxiliary state."""
        rest, steps = np.zeros(len(point.r)), np.full(len(self.states), STATE)
        pairs = [(self.moved(point, rest, s), self.moved(point, rest, -s)) for s in np.diag(steps)]
        return _quotients(point, pairs, steps)


def _quotients(point: Point, pairs: list[tuple[Point, Point]], steps: np.ndarray) -> Columns:
    """(f(x + h) - f(x - h)) / 2 h of the balance and of the rates; nothing of what a search does not ask for."""
    r, rates = np.zeros((len(point.r), len(steps))), np.zeros((len(point.s_dot), len(steps)))
    for k, ((after, before), h) in enumerate(zip(pairs, steps, strict=True)):
        r[:, k] = (after.r - before.r) / (2.0 * h)
        rates[:, k] = (after.s_dot - before.s_dot) / (2.0 * h)
    nothing = np.zeros((len(steps), 0))
    return Columns(r, r, rates, nothing, nothing.T, nothing, nothing)
