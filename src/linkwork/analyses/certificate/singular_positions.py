"""Singular positions that a run passed.

Where the conditioning of the constraints is worst (rank_monitor.py) singular values of their rows may vanish: then the
position is singular, and as many rows are dependent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analyses.certificate.rank_monitor import REDUNDANT, RankMonitor
from linkwork.analyses.certificate.weak_direction import loose_joints
from linkwork.analyses.start.row_space import RowSpace, Weakest, is_large
from linkwork.methods.normal_step import RANK_CUT

Checking = Callable[[str, int, int], None]  # what is being checked, how many are done, of how many

VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
REACH = 5.0  # distances of points, within which the conditioning must seem to vanish
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
ITERATIONS = 8  # of Newton's method for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope


def singular_positions(
    monitor: RankMonitor, known: Sequence[dict[str, Any]] = (), checking: Checking | None = None
) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, the rank there, of how many, and the joints that are loose then;
    but for those that are known.  `checking` hears how many of the positions in doubt have been looked at.
    """
    found: list[dict[str, Any]] = []
    t = monitor.t
    for done, n in enumerate(monitor.minima):
        if checking is not None:
            checking("singular positions", done, len(monitor.minima))
        distance = abs(t[n + 1] - t[n])
        passed = found[-1:] or known[-1:]
        if passed and abs(passed[0]["t"] - t[n]) < distance:
            continue
        if not monitor.poor and not _may_vanish(t, monitor.conditioning, n):
            continue
        here = _passage(monitor, n)
        if here and not (passed and abs(here["t"] - passed[0]["t"]) < distance):
            found.append(here)
    return found


def _may_vanish(t: np.ndarray, logarithms: np.ndarray, n: int) -> bool:
    """Whether values, which fall as they do until n, or rise as they do from n + 1 on, may be zero between: lines
    through the two on a side reach zero within REACH distances.  The last pivot may be that of another row until then.
    """
    distances = np.abs(np.diff(t[max(n - 1, 0) : n + 3]))
    reach = REACH * abs(t[n + 1] - t[n])
    with np.errstate(over="ignore"):
        left = np.expm1(logarithms[n - 1] - logarithms[n]) if n > 0 else np.inf
        right = np.expm1(logarithms[n + 2] - logarithms[n + 1]) if n + 2 < len(t) else np.inf
    return bool(distances[0] <= left * reach or distances[-1] <= right * reach)


class _Rows:
    """The rows between two points of the path, as functions of time."""

    def __init__(self, monitor: RankMonitor, n: int) -> None:
        self.monitor, self.state, equations = monitor, int(monitor.state[n]), monitor.equations
        self.span = float(monitor.t[n + 1] - monitor.t[n])
        self.middle = float(monitor.t[n]) + 0.5 * self.span
        self.full = int(equations.work.method[0]["active_count"])
        self.q = monitor.path.between(self.state, equations.compiled.layout.q_count)

    def at(self, t: float) -> np.ndarray:
        """All rows [row, motion], in their natural units."""
        return self.monitor.rows_at(t, self.state, self.q(t))

    def weakest(self, t: float) -> Weakest:
        """The smallest singular value of as many as are independent elsewhere, and its vectors."""
        left, values, right = np.linalg.svd(self.at(t), full_matrices=False)
        return Weakest(float(values[self.full - 1]), left[:, self.full - 1], right[self.full - 1])

    def along(self, t: float, vectors: Weakest) -> float:
        """u^T A w with the vectors of another time."""
        return float(vectors.combination @ self.at(t) @ vectors.motion)

    def geometry(self, t: float) -> np.ndarray:
        """The same whatever the masses."""
        return self.monitor.geometry_at(t, self.state, self.q(t))

    def rank(self, t: float) -> int:
        """At t: singular values that have not vanished beside those a span before and after.

        Where light links are in line, rows become small in the metric of M that geometry tells apart.
        """
        rank = self._left(self.at, t)
        return rank if rank == self.full else max(rank, self._left(self.geometry, t))

    def _left(self, rows: Callable[[float], np.ndarray], t: float) -> int:
        three = (t, t - self.span, t + self.span)
        here, before, after = (np.linalg.svd(rows(s), compute_uv=False)[: self.full] for s in three)
        return int(np.sum(here > VANISHES * np.maximum(before, after)))


class _ManyRows(_Rows):
    """The same without dense matrices: what is left of each row beside those before it, in place of singular values.

    Which of many rows is weak everywhere depends on their order; one that vanishes is small beside what it is a span
    away.
    """

    def _factored(self, t: float, cut: float = REDUNDANT) -> RowSpace:
        self.monitor.evaluate(t, self.state, self.q(t))
        return RowSpace(self.monitor.equations).natural(cut)

    @cached_property
    def beside(self) -> np.ndarray:
        """What is left of the rows a span before or after the middle, the larger of the two; 0 of redundant ones."""
        return np.maximum(*(self._factored(self.middle + side * self.span).left for side in (-1.0, 1.0)))

    def _ratios(self, space: RowSpace) -> np.ndarray:
        """Of what is left that part which is left beside it."""
        known = self.beside > REDUNDANT / VANISHES
        return np.where(known, space.left / np.where(known, self.beside, 1.0), np.inf)

    def weakest(self, t: float) -> Weakest:
        """The row of which least is left, with the combination that vanishes with it."""
        assert len(self.beside)  # before the factorization at t
        space = self._factored(t)
        return space.remainder(int(np.argmin(self._ratios(space))))

    def along(self, t: float, vectors: Weakest) -> float:
        """u^T A w with the vectors of another time."""
        return float(vectors.combination @ self._factored(t).against(vectors.motion))

    def rank(self, t: float) -> int:
        """At t: rows that are left when those that have vanished are dropped; others may take their places."""
        space = self._factored(t, RANK_CUT)
        vanished = self._ratios(space) <= VANISHES
        if not vanished.any():
            return self.full
        most = float(space.left[vanished].max())
        return min((self._factored(t, 1.001 * most) if most > 0.0 else space).rank, self.full)


def _passage(monitor: RankMonitor, n: int) -> dict[str, Any] | None:
    """The singular position between points n and n + 1, or a little beside: its time (s) and rank; if there is one.

    With u and w the singular vectors of the smallest singular value at one time, u^T A w at other times is that value,
    with a sign, theory (11.3): its zero is found by Newton's method, with new vectors each time, as long as the value
    falls.
    """
    rows = (_ManyRows if is_large(monitor.equations) else _Rows)(monitor, n)
    span = rows.span
    low, high = sorted((monitor.t[n] - 2.0 * span, monitor.t[n] + 2.0 * span))
    begin, end = sorted(monitor.path.t[[0, -1]])
    t, found, least = rows.middle, None, np.inf
    for _ in range(ITERATIONS):
        weakest = rows.weakest(t)
        if weakest.value >= least:
            break
        beside = rows.along(t + ASIDE * span, weakest)
        ahead = t + ASIDE * span * weakest.value / ((weakest.value - beside) or np.inf)
        within = max(low, begin) <= ahead <= min(high, end)
        if found is None and not within:
            return None  # the first iteration shows that there is none near
        found, least, t = t, weakest.value, ahead
        if not within or least < ZERO:
            break
    assert found is not None
    rank = rows.rank(found)
    if rank == rows.full:
        return None
    y = np.zeros(len(monitor.equations.work.rate))
    y[: len(rows.q(found))] = rows.q(found)
    joints = loose_joints(monitor.equations, found, y, monitor.path.angles[rows.state])
    return {"t": float(found), "rank": rank, "of": rows.full, "joints": list(joints)}
