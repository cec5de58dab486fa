"""Singular positions that a run passed.

Where the conditioning of the constraints is worst (rank_monitor.py) singular values of their rows may vanish: then the
position is singular, and as many rows are dependent (passage.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.certificate.between_states import interpolation_buffers
from linkwork.analyses.certificate.passage import NEAR, NONE, SAME, VANISHES, bind_passage, find_passage
from linkwork.analyses.certificate.rank_monitor import RankMonitor
from linkwork.analyses.certificate.weak_direction import LooseJoints
from linkwork.analyses.start.row_space import is_large
from linkwork.analyses.start.scales import motion_sizes, row_sizes
from linkwork.formulations.equations import evaluate
from linkwork.methods.natural_rows import natural_rows

Checking = Callable[[str, int, int], None]  # what is being checked, how many are done, of how many

MISSES = 10  # columns in doubt, the most fallen first, that prove not to vanish: then the others do not either


def singular_positions(
    monitor: RankMonitor, known: Sequence[dict[str, Any]] = (), checking: Checking | None = None
) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, the rank there, of how many, and the joints that are loose then;
    but for those that are known.  `checking` hears how many of the positions in doubt have been looked at.
    """
    intervals = np.flatnonzero(monitor.doubtful.any(axis=1))
    if not len(intervals):
        return []
    search, found = _Search(monitor, known), list[dict[str, Any]]()
    for done, n in enumerate(intervals):
        if checking is not None:
            checking("singular positions", done, len(intervals))
        found += search.between(int(n))
    return sorted(found, key=lambda entry: monitor.place(entry["t"]))


class _Search:
    """Looks for passages between points of the path, one interval after the other."""

    def __init__(self, monitor: RankMonitor, known: Sequence[dict[str, Any]]) -> None:
        equations, path = monitor.equations, monitor.path
        self.monitor, self.path = monitor, path
        self.full = int(equations.work.method[0]["active_count"])
        self.loose = LooseJoints(equations)
        self.q_count, rows = equations.compiled.layout.q_count, len(equations.system.rows)
        self.same = VANISHES if monitor.columns > 1 else SAME  # of the distance of points
        self.longest = float(np.abs(np.diff(monitor.t)).max(initial=0.0))  # distance of points, s
        self.passed = [float(entry["t"]) for entry in known]  # times of passages, in the order in which they are found
        self.vanished: list[list[float]] = [[] for _ in range(monitor.columns)]  # when each column has, s,
        self.last = np.full(monitor.columns, np.nan)  # and when last
        if monitor.columns == 1 and self.passed:
            self.vanished[0], self.last[0] = self.passed.copy(), self.passed[-1]
        self.sizes = motion_sizes(equations.compiled), row_sizes(equations.compiled)
        few = 0 if is_large(equations) else rows
        self.scratch = (
            *interpolation_buffers(self.q_count), monitor.rows, np.zeros((few, few)), np.zeros((4, rows)),
        )  # fmt: skip
        bind_passage()

    def between(self, n: int) -> Iterator[dict[str, Any]]:
        """Passages between points n and n + 1, or a little beside, that are not known, of the columns in doubt one
        after the other; others may vanish with them.  A column may vanish twice there, where the mechanism turns back.
        """
        monitor, span = self.monitor, float(self.monitor.t[n + 1] - self.monitor.t[n])
        values, doubtful = monitor.conditioning[n : n + 2], monitor.doubtful[n].copy()
        fallen, misses = values.min(axis=0) - monitor.largest, 0
        while doubtful.any() and misses < MISSES:
            column = int(np.argmin(np.where(doubtful, fallen, np.inf)))
            near = self._near(self.vanished[column], n)
            here = self._passage(n, column, near)
            if here is not None:
                misses, t = 0, here["t"]
                gone = monitor.at(np.array([t]))[0] - values.max(axis=0) < np.log(VANISHES)
                gone[column] = True
                self.last[gone] = t
                for one in np.flatnonzero(gone):
                    self.vanished[one].append(t)
                doubtful &= ~gone
                doubtful[column] = True
                if all(abs(t - other) >= self.same * abs(span) for other in self._near(self.passed, n)):
                    self.passed.append(t)
                    yield here
            elif near:  # those that vanished with it do not vanish again either
                doubtful &= self.last != self.last[column]
            else:
                doubtful[column], misses = False, misses + 1
                if misses == 1 and np.count_nonzero(doubtful) >= MISSES:  # more than are looked at one by one
                    doubtful &= monitor.still_doubtful(n)

    def _near(self, times: list[float], n: int) -> list[float]:
        """Of times that were found one after the other those within reach of an interval: some of the last."""
        middle, span = 0.5 * (self.monitor.t[n] + self.monitor.t[n + 1]), abs(self.monitor.t[n + 1] - self.monitor.t[n])
        found, k = list[float](), len(times) - 1
        while k >= 0 and abs(times[k] - middle) <= 2.0 * NEAR * self.longest:
            if abs(times[k] - middle) < (0.5 + NEAR) * span:
                found.append(times[k])
            k -= 1
        return found[::-1]

    def _passage(self, n: int, column: int, known: Sequence[float]) -> dict[str, Any] | None:
        """The entry of the passage of a column between points n and n + 1, if there is one besides those known."""
        monitor, path, equations = self.monitor, self.path, self.monitor.equations
        state, found = int(monitor.state[n]), np.zeros(1)
        rank = find_passage(
            evaluate, natural_rows, equations.system_ref, equations.work_ref, path.t, path.y, path.rate, path.angles,
            state, float(monitor.t[n]), float(monitor.t[n + 1] - monitor.t[n]), np.array(known, float),
            (monitor.column == column).astype(np.int64), *self.sizes, *self.scratch, found,
        )  # fmt: skip
        if rank == NONE or rank == self.full:
            return None
        t, y = float(found[0]), np.zeros(len(equations.work.rate))
        y[: self.q_count] = equations.work.rate[: self.q_count]
        joints = self.loose.at(t, y, path.angles[state])
        return {"t": t, "rank": int(rank), "of": self.full, "joints": list(joints)}
