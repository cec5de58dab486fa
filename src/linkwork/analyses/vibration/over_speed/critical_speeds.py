"""Between the values of a sweep: critical speeds and stability limits, found to rounding.

Between two values where an oscillation meets a multiple of the speed lies a critical speed, Im s = order x speed (by
Brent 1973); between a stable and an unstable one a stability limit (by halving).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from linkwork.analyses.vibration.over_speed.sweep_path import SweepPath, SweepPoint

HALVINGS = 60  # of an interval with a stability limit in it
FINE = 1e-12  # of the value: where halving ends
DAMPED = 1e-5  # of the largest |s|: a decay that is more than noise


@dataclass(frozen=True)
class Critical:
    """Where an oscillation meets a multiple of the speed."""

    value: float  # rad/s
    branch: int
    order: int
    omega: float  # rad/s


@dataclass(frozen=True)
class Limit:
    """Where stability changes side."""

    value: float
    becomes: str  # stable | unstable
    how: str  # of the unstable side


def stability_limits(path: SweepPath, points: Sequence[SweepPoint | None]) -> list[Limit]:
    """Between neighbours of which one is stable; none across a gap without an equilibrium."""
    damped = any(point.growth < -DAMPED for point in points if point is not None)
    neighbours = [(a, b) for a, b in pairwise(points) if a is not None and b is not None]
    return [_limit(path, a, b, damped) for a, b in neighbours if a.stable != b.stable]


def _limit(path: SweepPath, low: SweepPoint, high: SweepPoint, damped: bool) -> Limit:
    """By halving: by the sign of det A where an eigenvalue passes zero, else by that of Re s where damping makes it
    change plainly, else by what is beyond noise."""
    passes_zero = low.side != high.side and not (low.rigid or high.rigid)
    becomes, fastest = "stable" if high.stable else "unstable", high.modes[-1].omega
    for _ in range(HALVINGS):
        if high.value - low.value <= FINE * max(abs(high.value), abs(low.value)):
            break
        middle = path.point(0.5 * (low.value + high.value), low)
        if passes_zero:
            like_low = middle.side == low.side
        else:
            like_low = (middle.growth < 0.0) == low.stable if damped else middle.stable == low.stable
        middle = replace(middle, stable=low.stable if like_low else high.stable)
        low, high = (middle, high) if like_low else (low, middle)
    growing = max((high if low.stable else low).modes, key=lambda mode: mode.eigenvalue.real)
    how = "flutter" if abs(growing.eigenvalue.imag) > 1e-6 * fastest else "divergence"
    return Limit(0.5 * (low.value + high.value), becomes, how)


def critical_speeds(
    path: SweepPath, points: Sequence[SweepPoint | None], eigenvalues: np.ndarray, values: np.ndarray,
    orders: Sequence[int],
) -> list[Critical]:  # fmt: skip
    """Im s = order x speed on each branch of `eigenvalues` [value, branch], by growing speed."""
    found = []
    for b in range(eigenvalues.shape[1]):
        for order in orders:
            for n in _crossings(eigenvalues[:, b].imag, order * np.abs(values)):
                start = points[n]
                if start is not None:
                    ends = {float(values[k]): complex(eigenvalues[k, b]) for k in (n, n + 1)}
                    value, omega = _meet(path, start, ends, order)
                    found.append(Critical(value, b, order, omega))
    return sorted(found, key=lambda c: c.value)


def _crossings(omega: np.ndarray, excitation: np.ndarray) -> Iterator[int]:
    """Intervals [n, n + 1] in which a frequency meets the excitation; an exponential motion has none to be met."""
    gap = omega - excitation
    for n in range(len(gap) - 1):
        meets = gap[n] > 0.0 >= gap[n + 1] or gap[n] < 0.0 <= gap[n + 1]
        if meets and min(omega[n], omega[n + 1]) > 0.0:
            yield n


def _meet(path: SweepPath, last: SweepPoint, known: dict[float, complex], order: int) -> tuple[float, float]:
    """The value at which a branch meets order x value, and its frequency (rad/s); `known`: s at both ends."""
    from scipy.optimize import brentq

    def gap(value: float) -> float:
        nonlocal last
        if value not in known:
            low, high = max(v for v in known if v < value), min(v for v in known if v > value)
            share = (value - low) / (high - low)
            expected = known[low] + share * (known[high] - known[low])
            last = path.point(value, last)
            known[value] = min((mode.eigenvalue for mode in last.modes), key=lambda s: abs(s - expected))
        return known[value].imag - order * abs(value)

    ends = sorted(known)
    if gap(ends[1]) == 0.0:
        return ends[1], known[ends[1]].imag
    met = float(brentq(gap, *ends, xtol=FINE * max(map(abs, ends)), rtol=1e-14))
    gap(met)
    return met, known[met].imag
