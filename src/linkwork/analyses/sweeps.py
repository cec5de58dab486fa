"""Sweeps: modes over a speed (Campbell diagram) or any parameter (root locus), each followed by its shape.

From value to value the equilibrium is followed by Newton, and every mode is matched with the one of like shape (MAC,
Allemang & Brown 1982) and like eigenvalue.  Between two values where an oscillation meets a multiple of the speed lies
a critical speed; between a stable and an unstable one a stability limit: both are found to rounding by bisection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.analyses.equilibrium import balance, balanced, find, judged, plain_newton, polished
from linkwork.analyses.independent import running_coordinates
from linkwork.analyses.linearization import about_point
from linkwork.analyses.modes import Mode, modes_of
from linkwork.analyses.reduction import Point, Reduction
from linkwork.errors import NumericalError, OptionError
from linkwork.mechanism import Mechanism

HALVINGS = 60  # of an interval with a critical speed or a stability limit in it
FINE = 1e-12  # of the value: where halving ends
FOREIGN = 1.2  # cost of a match (0: the same mode) from which two modes are strangers

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

    @property
    def unit(self) -> str:
        """Of the swept value."""
        if self.place < 0 or self.reduction is None:
            return ""
        row = self.reduction.running_rows[self.place]
        return "rad/s" if self.reduction.layout.rows[row].equation.split(" = ")[0].endswith("angle") else "m/s"

    def at(self, value: float) -> Reduction:
        """The reduction for a value."""
        if isinstance(self.mechanism, Mechanism):
            if self.reduction is None:
                speeds = {**self.speeds, self.name: value}
                self.reduction = Reduction(self.mechanism, speeds, independent=self.independent)
            self.reduction.speeds[self.place] = value
            return self.reduction
        names = self.independent or (self.reduction.names if self.reduction is not None else None)
        self.reduction = Reduction(self.mechanism(value), self.speeds, independent=names)
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
    """Modes over `values` of the speed of a joint coordinate, or of the parameter of a function that builds models."""
    wanted = np.asarray(values, float)
    if len(wanted) < 2 or not np.all(np.isfinite(wanted)) or not np.all(np.diff(wanted) > 0.0):
        raise OptionError(f"sweep of '{name}': give at least two finite values that grow", element=name)
    path = Path(mechanism, name, speeds or {}, independent)
    spots, notes = _march(path, wanted, tell)
    branches = _branches(spots)
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


# -- following modes --------------------------------------------------------------------------------------------------
def mac(a: np.ndarray, b: np.ndarray, M: np.ndarray) -> float:
    """Modal assurance criterion of two shapes in the metric of the mass: 1 the same, 0 unlike."""
    cross = abs(np.conj(a) @ M @ b) ** 2
    return float(cross / (np.real(np.conj(a) @ M @ a) * np.real(np.conj(b) @ M @ b)))


def _cost(before: Mode, expected: complex, now: Mode, M: np.ndarray, scale: float) -> float:
    """How unlike two modes are: by shape, and by how far the eigenvalue is from where it was heading."""
    return 1.0 - mac(before.shape, now.shape, M) + min(abs(now.eigenvalue - expected) / scale, 1.0)


def _branches(spots: Sequence[Spot | None]) -> list[list[int]]:
    """For each value the mode of each branch, -1 where a branch has none."""
    from scipy.optimize import linear_sum_assignment

    orders: list[list[int]] = []
    last: list[Mode] = []
    history: list[list[tuple[float, complex]]] = []
    for spot in spots:
        if spot is None:
            orders.append([-1] * len(last))
            continue
        modes = spot.modes
        order = [-1] * len(last)
        if last:
            scale = max(float(np.median([mode.omega for mode in modes])), 1e-12)
            expected = [_heading(h, spot.value) for h in history]
            cost = np.array(
                [[_cost(a, e, m, spot.M, scale) for m in modes] for a, e in zip(last, expected, strict=True)]
            )
            for b, k in zip(*linear_sum_assignment(cost), strict=True):
                if cost[b, k] < FOREIGN:
                    order[b] = int(k)
        taken = set(order)
        for k, mode in enumerate(modes):
            if k not in taken:
                order.append(k)
                last.append(mode)
                history.append([])
        for b, k in enumerate(order):
            if k >= 0:
                last[b] = modes[k]
                history[b].append((spot.value, modes[k].eigenvalue))
        orders.append(order)
    return orders


def _heading(history: list[tuple[float, complex]], value: float) -> complex:
    """Where an eigenvalue is expected, on the line through its last two."""
    if len(history) < 2:
        return history[-1][1]
    (v0, s0), (v1, s1) = history[-2:]
    return s1 + (s1 - s0) * (value - v1) / (v1 - v0)


# -- critical speeds and stability limits -----------------------------------------------------------------------------
def _limits(path: Path, spots: Sequence[Spot | None]) -> list[Limit]:
    found = []
    there = [spot for spot in spots if spot is not None]
    for a, b in pairwise(there):
        if a.stable != b.stable:
            low, high = a, b
            for _ in range(HALVINGS):
                if high.value - low.value <= FINE * max(abs(high.value), abs(low.value)):
                    break
                middle = path.spot(0.5 * (low.value + high.value), low)
                low, high = (middle, high) if middle.stable == low.stable else (low, middle)
            growing = max((high if low.stable else low).modes, key=lambda mode: mode.eigenvalue.real)
            how = "flutter" if abs(growing.eigenvalue.imag) > 1e-6 * b.modes[-1].omega else "divergence"
            found.append(Limit(0.5 * (low.value + high.value), "stable" if b.stable else "unstable", how))
    return found


def _critical(path: Path, spots: Sequence[Spot | None], sweep: Sweep, orders: Sequence[int]) -> list[Critical]:
    """Im s = order x speed, on each branch; bisection with the mode nearest in shape and frequency."""
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
    """The value between n and n + 1 at which a branch meets order x value."""
    low, high = float(sweep.values[n]), float(sweep.values[n + 1])
    s_low, s_high = sweep.eigenvalues[n, branch], sweep.eigenvalues[n + 1, branch]
    spot = spots[n]
    above = s_low.imag > order * abs(low)
    for _ in range(HALVINGS):
        if high - low <= FINE * max(abs(high), abs(low)):
            break
        middle = 0.5 * (low + high)
        spot = path.spot(middle, spot)
        share = (middle - low) / (high - low)
        expected = s_low + share * (s_high - s_low)
        s = min((mode.eigenvalue for mode in spot.modes), key=lambda s: abs(s - expected))
        if (s.imag > order * abs(middle)) == above:
            low, s_low = middle, s
        else:
            high, s_high = middle, s
    return 0.5 * (low + high), 0.5 * (s_low.imag + s_high.imag)
