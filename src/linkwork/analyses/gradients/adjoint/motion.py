"""A run once more, for its adjoint equation: states at given times, and the instants at which its law jumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.gradients.varied import NoAdjointError
from linkwork.analyses.gradients.varied_run import VariedRun
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import Start
from linkwork.integrators.sensitivities.saltation import NO_WATCH
from linkwork.integrators.sensitivities.variation import MOST_INSTANTS
from linkwork.numerics.status import Status


@dataclass(frozen=True)
class Instant:
    """When the law jumps, and why."""

    t: float  # s
    watch: int  # in `work.watch`; NO_WATCH: a break time; KINK: only slopes jump
    before: float  # s, read on this side of it,
    after: float  # and on that


@dataclass(frozen=True)
class Motion:
    """Samples of a run, and what happened between them."""

    t: np.ndarray  # s
    rows: np.ndarray  # [sample, number] (integrators/loop/rows.py)
    steps: np.ndarray  # s, ends of the steps
    instants: tuple[Instant, ...]
    reasons: tuple[str, ...]  # why there is no derivative from some time on,
    trouble: float  # s, or infinity


class MotionRun(VariedRun):
    """A run with no parameters: no sensitivities, but what they need to know of instants."""

    def __init__(self, start: Start, options: Options, times: np.ndarray, steps: int) -> None:
        super().__init__(start, [], options, times, steps)
        self._ends: list[np.ndarray] = []

    def _advance(self) -> Status:
        status = super()._advance()
        self._ends.append(self.history["t"][: int(self.progress[0]["history"])].copy())
        return status

    def _jump(self, row_state: np.ndarray, switches: np.ndarray) -> None:
        t = float(self.control[0]["t"])
        raise NoAdjointError(
            f"the adjoint equation does not go through locks, releases and impulses (at t = {t:.6g} s)"
        )

    def motion(self) -> Motion:
        """From start to end."""
        rows_before = self.work.row_state["active"].copy()
        found, vary = self.go(), self.variation
        count = int(vary.watches[MOST_INSTANTS])
        if count > MOST_INSTANTS:
            raise NoAdjointError(f"more than {MOST_INSTANTS} events and contacts within the run")
        if np.any(rows_before != self.work.row_state["active"]):
            raise NoAdjointError("within the run other constraint equations become the independent ones")
        instants = [self._instant(float(vary.instants[k]), int(vary.watches[k])) for k in range(count)]
        trouble = float(vary.trouble[0])
        instants = [one for one in instants if not one.t >= trouble]
        instants = list({one.t: one for one in instants}.values())  # of several at a time the last
        last = np.inf if np.isnan(trouble) else trouble
        return Motion(found.t, found.rows, np.concatenate(self._ends), tuple(instants), found.reasons, last)

    def _instant(self, t: float, watch: int) -> Instant:
        near = np.flatnonzero(np.abs(self.breaks["t"] - t) <= 1e-12 * t)
        if len(near):
            one = self.breaks[near[0]]
            return Instant(t, min(watch, NO_WATCH), float(one["before"]), float(one["after"]))
        return Instant(t, watch, t, t)
