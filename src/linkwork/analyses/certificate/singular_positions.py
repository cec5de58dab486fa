"""Singular positions that a run passed.

Where the conditioning of the constraints is worst (rank_monitor.py) singular values of their rows may vanish: then the
position is singular, and as many rows are dependent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.analyses.certificate.conditioning import REDUNDANT
from linkwork.analyses.certificate.rank_monitor import RankMonitor
from linkwork.analyses.certificate.weak_direction import loose_joints
from linkwork.analyses.start.row_space import RowSpace, Weakest, is_large
from linkwork.methods.normal_step import RANK_CUT

Checking = Callable[[str, int, int], None]  # what is being checked, how many are done, of how many

VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
SAME = 0.01  # of the distance of points: passages nearer to each other are one
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
LEAST_SHARE = 1e-6  # of a combination: with less than this in some rows it is not theirs
MISSES = 10  # columns in doubt, the most fallen first, that prove not to vanish: then the others do not either
NEAR = 2.0  # distances of points, within which a passage is sought
ITERATIONS = 8  # for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope


def singular_positions(
    monitor: RankMonitor, known: Sequence[dict[str, Any]] = (), checking: Checking | None = None
) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, the rank there, of how many, and the joints that are loose then;
    but for those that are known.  `checking` hears how many of the positions in doubt have been looked at.
    """
    found: list[dict[str, Any]] = []
    intervals = np.flatnonzero(monitor.doubtful.any(axis=1))
    vanished: list[list[float]] = [[] for _ in range(monitor.columns)]  # when each column has, s
    if monitor.columns == 1:
        vanished[0] += [entry["t"] for entry in known]
    for done, n in enumerate(intervals):
        if checking is not None:
            checking("singular positions", done, len(intervals))
        for here in _passages(monitor, int(n), vanished):
            if all(_apart(monitor, int(n), here, entry) for entry in (*known, *found)):
                found.append(here)
    return sorted(found, key=lambda entry: monitor.place(entry["t"]))


def _apart(monitor: RankMonitor, n: int, one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two passages beside point n are not one and the same."""
    same = VANISHES if monitor.columns > 1 else SAME
    return bool(abs(one["t"] - other["t"]) >= same * abs(monitor.t[n + 1] - monitor.t[n]))


def _passages(monitor: RankMonitor, n: int, vanished: list[list[float]]) -> Iterator[dict[str, Any]]:
    """Singular positions between points n and n + 1, or a little beside, of the columns in doubt one after the other;
    others may vanish with them.  A column may vanish twice there, where the mechanism turns back.
    """
    values, doubtful = monitor.conditioning[n : n + 2], monitor.doubtful[n].copy()
    fallen, misses = values.min(axis=0) - monitor.largest, 0
    while doubtful.any() and misses < MISSES:
        column = int(np.argmin(np.where(doubtful, fallen, np.inf)))
        near = [t for t in vanished[column] if abs(t - monitor.t[n]) < NEAR * abs(monitor.t[n + 1] - monitor.t[n])]
        here = _passage(monitor, n, column, near)
        if here is not None:
            misses, left = 0, monitor.at(np.array([here["t"]]))[0] - values.max(axis=0)
            gone = left < np.log(VANISHES)
            gone[column] = True
            for one in np.flatnonzero(gone):
                vanished[one].append(here["t"])
            doubtful &= ~gone
            doubtful[column] = True
            yield here
        elif near:  # those that vanished with it do not vanish again either
            doubtful &= [times[-1:] != vanished[column][-1:] for times in vanished]
        else:
            doubtful[column], misses = False, misses + 1
            if misses == 1 and doubtful.any():
                doubtful &= monitor.still_doubtful(n)


class _Rows:
    """The rows between two points of the path, as functions of time; looked at are those of a column."""

    def __init__(self, monitor: RankMonitor, n: int, column: int) -> None:
        self.monitor, self.state, equations = monitor, int(monitor.state[n]), monitor.equations
        self.own = monitor.column == column  # which rows are looked at
        self.span = float(monitor.t[n + 1] - monitor.t[n])
        self.middle = float(monitor.t[n]) + 0.5 * self.span
        self.full = int(equations.work.method[0]["active_count"])
        self.q = monitor.path.between(self.state, equations.compiled.layout.q_count)

    def at(self, t: float) -> np.ndarray:
        """All rows [row, motion], in their natural units."""
        return self.monitor.rows_at(t, self.state, self.q(t))

    def weakest(self, t: float) -> Weakest:
        """The smallest singular value of as many as are independent elsewhere, and its vectors; of several that are
        small the one with most of the rows looked at.
        """
        left, values, right = np.linalg.svd(self.at(t), full_matrices=False)
        shares = np.maximum((left[self.own, : self.full] ** 2).sum(axis=0), LEAST_SHARE)
        k = int(np.argmin((values[: self.full] + ZERO) / shares))
        return Weakest(float(values[k]), left[:, k], right[k])

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
        ratios = np.where(self.own[space.table["row"]], self._ratios(space), np.inf)
        return space.remainder(int(np.argmin(ratios)))

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


def _passage(monitor: RankMonitor, n: int, column: int, known: Sequence[float]) -> dict[str, Any] | None:
    """The singular position between points n and n + 1, or a little beside, at which a column vanishes: its time (s)
    and rank; if there is one beside those at times that are known.

    With u and w the singular vectors of the smallest singular value at one time, u^T A w at other times is that value,
    with a sign, theory (11.3): its zero is that of a parabola, with new vectors each time, as long as the value falls
    by half.  Zeros that are known are divided out.
    """
    rows = (_ManyRows if is_large(monitor.equations) else _Rows)(monitor, n, column)
    span, aside = rows.span, ASIDE * rows.span
    low, high = sorted((monitor.t[n] - NEAR * span, monitor.t[n] + NEAR * span))
    begin, end = sorted(monitor.path.t[[0, -1]])

    def divided(t: float, value: float) -> float:
        return value / float(np.prod([(t - one) / span for one in known]))

    t, found, first, least = _far_from(known, rows.middle, 0.25 * span), None, 0.0, np.inf
    for _ in range(ITERATIONS):
        weakest = rows.weakest(t)
        value = divided(t, weakest.value)
        if abs(value) > 0.5 * least:
            break
        before, after = (divided(s, rows.along(s, weakest)) for s in (t - aside, t + aside))
        ahead = t + aside * _zero_of_parabola(before, value, after)
        found, first, least = t, first or abs(value), abs(value)
        if weakest.value < ZERO:
            break
        if not max(low, begin) <= ahead <= min(high, end):
            return None  # mostly the first iteration shows that there is none near
        t = ahead
    assert found is not None
    if least > max(VANISHES * first, RANK_CUT) or any(abs(found - one) < SAME * abs(span) for one in known):
        return None
    rank = rows.rank(found)
    if rank == rows.full:
        return None
    y = np.zeros(len(monitor.equations.work.rate))
    y[: len(rows.q(found))] = rows.q(found)
    joints = loose_joints(monitor.equations, found, y, monitor.path.angles[rows.state])
    return {"t": float(found), "rank": rank, "of": rows.full, "joints": list(joints)}


def _far_from(known: Sequence[float], middle: float, aside: float) -> float:
    """The middle, or a time beside it, whichever is farthest from those that are known."""
    times = (middle, middle - aside, middle + aside)
    return max(times, key=lambda t: min((abs(t - one) for one in known), default=0.0))


def _zero_of_parabola(before: float, here: float, after: float) -> float:
    """The zero nearest to 0 of the parabola through values at -1, 0 and 1, or its vertex where it has none."""
    slope, curvature = 0.5 * (after - before), before - 2.0 * here + after
    discriminant = slope**2 - 2.0 * here * curvature
    if discriminant < 0.0:
        return -slope / curvature
    return -2.0 * here / ((slope + np.copysign(np.sqrt(discriminant), slope)) or np.inf)
