"""What a finished run says of itself: singular positions that it passed, and doubts about its result.

A singular position shows in the strength of the constraints (the weakest pivot of their factorization, 1 for a row
of natural size): it falls to zero and rises again in a straight line on both sides.  Steps rarely meet the very
position, so that it is found between them, where the two lines meet at zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.results.result import Result

NEAR = 0.3  # of the largest strength: only there a minimum is looked at
AGREE = 0.5  # of a step: how well the two lines must agree on the time
DOUBT = 1e3  # an energy drift above this multiple of the tolerance is no rounding and no truncation error


def singular_positions(result: Result, full_rank: int) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, and the rank there; from the steps or the samples, whichever
    are more.
    """
    if len(result.t) > len(result.steps):
        t, strength, rank = result.t, result.strength, result.rank
    else:
        t, strength, rank = (result.steps[name] for name in ("t", "strength", "rank"))
    found = [
        {"t": float(t[k]), "rank": int(rank[k])}
        for k in np.flatnonzero(rank < full_rank)
        if k == 0 or rank[k - 1] >= full_rank
    ]
    if len(t) < 4 or full_rank == 0:
        return found
    near = NEAR * float(strength.max())
    for k in range(1, len(t) - 2):
        if min(strength[k], strength[k + 1]) < near:
            zero = _crossing(t[k - 1 : k + 3], strength[k - 1 : k + 3])
            if zero is not None and all(abs(zero - other["t"]) > t[k + 2] - t[k - 1] for other in found):
                found.append({"t": zero, "rank": full_rank - 1})
    return sorted(found, key=lambda entry: entry["t"])


def _crossing(t: np.ndarray, s: np.ndarray) -> float | None:
    """Where the line through the first two points and the line through the last two both reach zero, in the middle."""
    if not (s[0] > s[1] and s[3] > s[2]):
        return None
    left = t[1] + s[1] * (t[1] - t[0]) / (s[0] - s[1])
    right = t[2] - s[2] * (t[3] - t[2]) / (s[3] - s[2])
    step = t[2] - t[1]
    inside = t[1] - AGREE * step <= min(left, right) and max(left, right) <= t[2] + AGREE * step
    if not inside or abs(left - right) > AGREE * step:
        return None
    signed = np.array([s[0], s[1], -s[2], -s[3]])  # goes through zero: t as a polynomial of it (inverse interpolation)
    zero = float(np.polynomial.Polynomial.fit(signed, t - t[1], 3)(0.0) + t[1])
    return zero if t[0] < zero < t[3] else float(0.5 * (left + right))


def doubts(energy_drift: float, tolerance: float, singular: list[dict[str, Any]]) -> list[str]:
    """Why the result is not to be trusted, if so: an energy balance that does not close."""
    if energy_drift <= max(DOUBT * tolerance, 1e-9):
        return []
    passed = ", ".join(f"{entry['t']:.4g}" for entry in singular[:4])
    where = f"; it passed singular positions at t = {passed} s and may have left its branch there" if singular else ""
    return [
        f"the energy balance is off by {energy_drift:.2g} of the energy exchanged, far beyond the tolerance{where}; "
        "do not trust this result: try a smaller rtol or hmax, or another method"
    ]
