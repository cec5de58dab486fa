"""Sweeps: modes over a speed (Campbell diagram) or any parameter (root locus), each followed by its shape.

From value to value the equilibrium is followed by Newton, and every mode is matched with the one of like shape (MAC,
Allemang & Brown 1982) and like eigenvalue.  Between two values where an oscillation meets a multiple of the speed lies
a critical speed; between a stable and an unstable one a stability limit: both are found to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analyses.steady.balancing import balanced, find, plain_newton, polished
from linkwork.analyses.steady.equilibrium import balance, judged
from linkwork.analyses.steady.floating_parts import carried
from linkwork.analyses.steady.independent import running_coordinates
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.steadiness import unsteady
from linkwork.analyses.vibration.linearization import about_point
from linkwork.analyses.vibration.mode_tracking import followed_modes
from linkwork.analyses.vibration.modes import RIGID_BODY, Mode, modes_of
from linkwork.errors import NumericalError, OptionError
from linkwork.mechanism import Mechanism

HALVINGS = 60  # of an interval with a stability limit in it
FINE = 1e-12  # of the value: where halving ends
DAMPED = 1e-5  # of the largest |s|: a decay that is more than noise

Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Spot:
    """One value of the sweep: where it is balanced, and its modes."""

    value: float
    point: Point
    reduction: Reduction
    modes: tuple[Mode, ...]
    M: np.ndarray
    stable: bool


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


@dataclass
class Sweep:
    """Modes over a speed or parameter.  Branch b is one mode, followed; NaN where it does not exist."""

    model: str
    name: str
    unit: str
    is_speed: bool
    values: np.ndarray
    independent: tuple[str, ...]
    eigenvalues: np.ndarray  # [value, branch] complex, 1/s
    stable: np.ndarray  # [value]
    coordinates: list[dict[str, float]]  # the equilibrium at each value
    critical: list[Critical] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For a JSON answer."""
        return {
            "name": self.name, "unit": self.unit, "values": self.values,
            "eigenvalues": [[[s.real, s.imag] for s in row] for row in self.eigenvalues.tolist()],
            "stable": self.stable, "critical": [asdict(c) for c in self.critical],
            "limits": [asdict(limit) for limit in self.limits], "coordinates": self.coordinates,
        }  # fmt: skip

    @property
    def frequencies(self) -> np.ndarray:
        """Im s, rad/s, [value, branch]."""
        return self.eigenvalues.imag

    @property
    def damping(self) -> np.ndarray:
        """-Re s / |s|, [value, branch]."""
        with np.errstate(all="ignore"):
            return -self.eigenvalues.real / np.abs(self.eigenvalues)


class Path:
    """The family of mechanisms along the sweep: one whose speed varies, or one built anew for each value."""

    def __init__(
        self,
        mechanism: Mechanism | Callable[[float], Mechanism],
        name: str,
        speeds: Mapping[str, float],
        independent: Sequence[str] | None,
    ) -> None:
        self.mechanism, self.name, self.speeds, self.independent = mechanism, name, dict(speeds), independent
        self.reduction: Reduction | None = None
        self.place = -1
        if isinstance(mechanism, Mechanism):
            chosen = running_coordinates(mechanism, {name: 0.0})[0].name
            self.speeds = {k: v for k, v in self.speeds.items() if k not in (name, chosen, chosen.split(".")[0])}
            self.place = len(self.speeds)
            running = running_coordinates(mechanism, {**self.speeds, name: 0.0})
            self.mechanism = carried(mechanism, [c.joint for c in running])  # also where the sweep begins at rest

    @property
    def unit(self) -> str:
        """Of the swept value."""
        if self.place < 0 or self.reduction is None:
            return ""
        units = self.reduction.mechanism.coordinate_units()
        return f"{units[self.reduction.running[self.place].name]}/s"

    def at(self, value: float) -> Reduction:
        """The reduction for a value."""
        if isinstance(self.mechanism, Mechanism):
            if self.reduction is None:
                speeds = {**self.speeds, self.name: value}
                self.reduction = Reduction(self.mechanism, speeds, independent=self.independent)
            self.reduction.speeds[self.place] = value
            return self.reduction
        names = self.independent or (self.reduction.names if self.reduction is not None else None)
        made = self.mechanism(value)
        self.reduction = Reduction(getattr(made, "mechanism", made), self.speeds, independent=names)
        return self.reduction

    def spot(self, value: float, before: Spot | None) -> Spot:
        """Balanced at a value, from where the last one was; and its modes."""
        reduction = self.at(value)
        if before is None:
            point = balance(reduction, reduction.rough).point
        else:
            point = followed(reduction, before)
        reduction.automatic = False  # from here on the same coordinates, so that shapes can be compared
        linear = about_point(reduction, reduction.point(point.y, point.angles))
        found = modes_of(linear)
        every = np.array([s for mode in found for s in (mode.eigenvalue, np.conj(mode.eigenvalue))])
        return Spot(value, linear.point, reduction, found.modes, linear.M, judged(every)[0])

    def unsteady(self, spots: Sequence[Spot | None]) -> list[str]:
        """Whether the first and the last spot that move are steady; what changes then changes all along."""
        moving = [spot for spot in spots if spot is not None and np.any(spot.point.v)]
        for spot in (*moving[:1], *moving[-1:]):
            if self.place >= 0:
                spot.reduction.speeds[self.place] = spot.value
            notes = [f"{self.name} = {spot.value:g}: {note}" for note in unsteady(spot.reduction, spot.point)]
            if notes:
                return notes
        return []


def followed(reduction: Reduction, before: Spot) -> Point:
    """The equilibrium near the last one, of whatever kind; else the one that is found from there."""
    start = reduction.closed(before.point.y, before.point)
    point, _ = plain_newton(reduction, start)
    if balanced(reduction, point):
        return polished(reduction, point)
    return find(reduction, start)[0]


def sweep(
    mechanism: Mechanism | Callable[[float], Mechanism],
    name: str,
    values: Sequence[float] | np.ndarray,
    speeds: Mapping[str, float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    orders: Sequence[int] = (1,),
    model: str = "",
    tell: Tell | None = None,
) -> Sweep:
    """Modes over `values` of the speed of a joint coordinate, or of the parameter of a function that builds models.

    >>> sweep(lambda length: lw.library_model("pendulum", {"length": length}), "length", [1.0, 1.5, 2.0])
    """
    wanted = np.asarray(values, float)
    if len(wanted) < 2 or not np.all(np.isfinite(wanted)) or not np.all(np.diff(wanted) > 0.0):
        raise OptionError(f"sweep of '{name}': give at least two finite values that grow", element=name)
    path = Path(mechanism, name, speeds or {}, independent)
    spots, notes = _march(path, wanted, tell)
    unsteady_notes = path.unsteady(spots)
    notes += unsteady_notes
    branches = followed_modes([(spot.value, spot.modes, spot.M) if spot else None for spot in spots])
    eigenvalues = np.full((len(wanted), max(map(len, branches))), complex(np.nan, np.nan))
    for n, (spot, order) in enumerate(zip(spots, branches, strict=True)):
        for b, k in enumerate(order):
            if k >= 0 and spot is not None:
                eigenvalues[n, b] = spot.modes[k].eigenvalue
    there = [spot for spot in spots if spot is not None]
    found = Sweep(
        model, name, path.unit, path.place >= 0, wanted, there[0].reduction.names, eigenvalues,
        np.array([bool(spot.stable) if spot else False for spot in spots]),
        [spot.reduction.coordinates(spot.point) if spot else {} for spot in spots], notes=notes,
    )  # fmt: skip
    if unsteady_notes:
        return found  # of one instant each: they decide neither stability nor critical speeds
    found.limits = _limits(path, spots)
    if found.is_speed and found.unit == "rad/s":
        found.critical = _critical(path, spots, found, orders)
    return found


def _march(path: Path, values: np.ndarray, tell: Tell | None) -> tuple[list[Spot | None], list[str]]:
    """From value to value; where there is no equilibrium a gap."""
    spots: list[Spot | None] = []
    notes: list[str] = []
    last: Spot | None = None
    for n, value in enumerate(values):
        try:
            last = path.spot(float(value), last)
            spots.append(last)
        except NumericalError as failure:
            if last is None and n == len(values) - 1:
                raise
            spots.append(None)
            notes.append(f"{path.name} = {value:g}: {failure.message}")
        if tell is not None:
            tell(n + 1, len(values))
    return spots, notes


# -- critical speeds and stability limits -----------------------------------------------------------------------------
def _growth(spot: Spot) -> float:
    """The largest Re s, of the modes that are no rigid-body modes, over the largest |s|."""
    largest = max(mode.omega for mode in spot.modes)
    return max((m.eigenvalue.real for m in spot.modes if m.kind != RIGID_BODY), default=0.0) / max(largest, 1e-300)


def _limits(path: Path, spots: Sequence[Spot | None]) -> list[Limit]:
    """Between neighbours of which one is stable; across a gap without an equilibrium nothing is said."""
    plain = any(_growth(spot) < -DAMPED for spot in spots if spot is not None)
    beside = [(a, b) for a, b in pairwise(spots) if a is not None and b is not None]
    return [_limit(path, a, b, plain) for a, b in beside if a.stable != b.stable]


def _limit(path: Path, low: Spot, high: Spot, plain: bool) -> Limit:
    """By halving; where damping makes Re s change its sign plainly, by that sign, otherwise by what is beyond noise."""
    becomes, fastest = "stable" if high.stable else "unstable", high.modes[-1].omega
    for _ in range(HALVINGS):
        if high.value - low.value <= FINE * max(abs(high.value), abs(low.value)):
            break
        middle = path.spot(0.5 * (low.value + high.value), low)
        like_low = (_growth(middle) < 0.0) == low.stable if plain else middle.stable == low.stable
        middle = replace(middle, stable=low.stable if like_low else high.stable)
        low, high = (middle, high) if like_low else (low, middle)
    growing = max((high if low.stable else low).modes, key=lambda mode: mode.eigenvalue.real)
    how = "flutter" if abs(growing.eigenvalue.imag) > 1e-6 * fastest else "divergence"
    return Limit(0.5 * (low.value + high.value), becomes, how)


def _critical(path: Path, spots: Sequence[Spot | None], sweep: Sweep, orders: Sequence[int]) -> list[Critical]:
    """Im s = order x speed, on each branch."""
    found = []
    for b in range(sweep.eigenvalues.shape[1]):
        omega = sweep.eigenvalues[:, b].imag
        for order in orders:
            gap = omega - order * np.abs(sweep.values)
            for n in range(len(gap) - 1):
                if spots[n] is None or not (gap[n] > 0.0 >= gap[n + 1] or gap[n] < 0.0 <= gap[n + 1]):
                    continue
                if min(omega[n], omega[n + 1]) <= 0.0:
                    continue  # an exponential motion has no frequency to be met
                value, at = _meet(path, spots, sweep, n, b, order)
                found.append(Critical(value, b, order, at))
    return sorted(found, key=lambda c: c.value)


def _meet(
    path: Path, spots: Sequence[Spot | None], sweep: Sweep, n: int, branch: int, order: int
) -> tuple[float, float]:
    """The value between n and n + 1 at which a branch meets order x value (Brent 1973)."""
    from scipy.optimize import brentq

    known = {float(sweep.values[k]): complex(sweep.eigenvalues[k, branch]) for k in (n, n + 1)}
    last = spots[n]

    def gap(value: float) -> float:
        nonlocal last
        if value not in known:
            low, high = max(v for v in known if v < value), min(v for v in known if v > value)
            share = (value - low) / (high - low)
            expected = known[low] + share * (known[high] - known[low])
            last = path.spot(value, last)
            known[value] = min((mode.eigenvalue for mode in last.modes), key=lambda s: abs(s - expected))
        return known[value].imag - order * abs(value)

    ends = sorted(known)
    if gap(ends[1]) == 0.0:
        return ends[1], known[ends[1]].imag
    met = float(brentq(gap, *ends, xtol=FINE * max(map(abs, ends)), rtol=1e-14))
    gap(met)
    return met, known[met].imag
