"""Whether steps of one length show the motion: integrators that choose their own see to it, others do not.

Over two steps Simpson's rule gives back what a coordinate or velocity y has done, theory (11.5),

    y_2 - y_0 = h/3 (y_0' + 4 y_1' + y_2') + O(h^5)

as long as the steps are short beside what happens.  Where a light link snaps over between two of them, all constraints
are met and little energy is lost, and yet the motion after it is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

UNSEEN = 0.2  # of its largest value: a y that is off by more within two steps is not resolved
ALIKE = 1e-6  # of a step: two that differ by less are of one length


class Resolution:
    """What the rule is off by, at most, for each entry of y that has a name; `scales`: those of y, 0: not counted."""

    def __init__(self, names: Sequence[str], scales: np.ndarray) -> None:
        self.names, self.scales, self.width = names, scales[: len(names)], len(scales)
        self.off, self.largest, self.when = np.zeros((3, len(names)))
        self.begin()

    def begin(self) -> None:
        """Velocities may have jumped: what comes is not compared with what was."""
        self._t, self._rows = np.zeros(0), np.zeros((0, 2 * self.width))

    def append(self, t: np.ndarray, path: np.ndarray) -> None:
        """Steps, by their ends (s) and rows of the path (integrators/loop/rows.py)."""
        t, rows = np.concatenate([self._t, t]), np.vstack([self._rows, path[:, : 2 * self.width]])
        self._t, self._rows = t[-2:], rows[-2:].copy()
        count = len(self.names)
        y, rate = rows[:, :count], rows[:, self.width : self.width + count]
        if not np.isfinite(rows).all() or len(t) < 3:
            return
        h = np.diff(t)
        off = np.abs(y[2:] - y[:-2] - (h[1:, None] / 3.0) * (rate[:-2] + 4.0 * rate[1:-1] + rate[2:]))
        off[np.abs(h[1:] - h[:-1]) > ALIKE * h[1:]] = 0.0
        worst = off.argmax(axis=0)
        found = off[worst, np.arange(count)]
        self.when = np.where(found > self.off, t[1:-1][worst], self.when)
        self.off = np.maximum(self.off, found)
        self.largest = np.maximum(self.largest, np.abs(y).max(axis=0))

    def warnings(self) -> list[str]:
        """Why the result is not to be trusted, if so."""
        share = np.where(self.scales > 0.0, self.off / np.maximum(self.largest, np.maximum(self.scales, 1e-300)), 0.0)
        k = int(share.argmax()) if len(share) else 0
        if not len(share) or share[k] <= UNSEEN:
            return []
        return [
            f"the step is too long for the motion at t = {self.when[k]:.4g} s: within two steps '{self.names[k]}' goes "
            f"another way than its rates, by {share[k]:.0%} of its largest value; do not trust this result: try a "
            "smaller step, or an integrator that chooses its own"
        ]

    def as_facts(self) -> dict[str, Any]:
        """For a run that is to go on later."""
        return {name: getattr(self, name).tolist() for name in ("off", "largest", "when")}

    def take_up(self, facts: dict[str, Any]) -> None:
        """As it was."""
        for name, values in facts.items():
            setattr(self, name, np.array(values))
