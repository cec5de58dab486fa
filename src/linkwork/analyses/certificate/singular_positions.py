"""Singular positions that a run passed.

Where the conditioning of the constraints is worst (rank_monitor.py) singular values of their rows may vanish: then the
position is singular, and as many rows are dependent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analyses.certificate.rank_monitor import RankMonitor
from linkwork.analyses.certificate.weak_direction import weak_direction

VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
REACH = 5.0  # distances of points, within which the conditioning must seem to vanish
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
ITERATIONS = 8  # of Newton's method for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope


def singular_positions(monitor: RankMonitor, known: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, the rank there, of how many, and the joints that are loose then;
    but for those that are known.
    """
    found: list[dict[str, Any]] = []
    t = monitor.t
    for n in monitor.minima:
        distance = abs(t[n + 1] - t[n])
        passed = found[-1:] or known[-1:]
        if (passed and abs(passed[0]["t"] - t[n]) < distance) or not _may_vanish(t, monitor.conditioning, n):
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


def _passage(monitor: RankMonitor, n: int) -> dict[str, Any] | None:
    """The singular position between points n and n + 1, or a little beside: its time (s) and rank; if there is one.

    With u and w the singular vectors of the smallest singular value at one time, u^T A w at other times is that value,
    with a sign, theory (11.3): its zero is found by Newton's method, with new vectors each time, as long as the value
    falls.
    """
    full, state = int(monitor.equations.work.method[0]["active_count"]), int(monitor.state[n])
    q = monitor.path.between(state, monitor.equations.compiled.layout.q_count)
    span = float(monitor.t[n + 1] - monitor.t[n])
    low, high = sorted((monitor.t[n] - 2.0 * span, monitor.t[n] + 2.0 * span))
    begin, end = sorted(monitor.path.t[[0, -1]])

    def rows(t: float) -> np.ndarray:
        return monitor.rows_at(t, state, q(t))

    t, found, least = float(monitor.t[n]) + 0.5 * span, None, np.inf
    for _ in range(ITERATIONS):
        left, values, right = np.linalg.svd(rows(t), full_matrices=False)
        if values[full - 1] >= least:
            break
        beside = float(left[:, full - 1] @ rows(t + ASIDE * span) @ right[full - 1])
        ahead = t + ASIDE * span * values[full - 1] / ((values[full - 1] - beside) or np.inf)
        within = max(low, begin) <= ahead <= min(high, end)
        if found is None and not within:
            return None  # the first iteration shows that there is none near
        found, least, t = t, values[full - 1], ahead
        if not within or least < ZERO:
            break
    assert found is not None
    here, before, after = (np.linalg.svd(rows(s), compute_uv=False)[:full] for s in (found, found - span, found + span))
    rank = int(np.sum(here > VANISHES * np.maximum(before, after)))
    if rank == full:
        return None
    y = np.zeros(len(monitor.equations.work.rate))
    y[: len(q(found))] = q(found)
    weak = weak_direction(monitor.equations, found, y, monitor.path.angles[state])
    return {"t": float(found), "rank": rank, "of": full, "joints": list(weak.joints) if weak else []}
