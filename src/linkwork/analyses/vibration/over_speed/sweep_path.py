"""The points of a sweep: equilibrium and modes at each value of a speed or parameter, followed from value to value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.steady.equilibrium import balance, stability
from linkwork.analyses.steady.floating_parts import attach_floating_parts
from linkwork.analyses.steady.independent import running_coordinates
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.balancing import find_balance
from linkwork.analyses.steady.search.newton import plain_newton, polished
from linkwork.analyses.steady.search.residual import balanced
from linkwork.analyses.steady.steadiness import unsteady
from linkwork.analyses.vibration.linearization import about_point
from linkwork.analyses.vibration.modes import RIGID_BODY, Mode, modes_of
from linkwork.mechanism import Mechanism
from linkwork.system.units import rate_unit


@dataclass(frozen=True)
class SweepPoint:
    """One value of the sweep: where it is balanced, and its modes."""

    value: float
    point: Point
    reduction: Reduction
    modes: tuple[Mode, ...]
    M: np.ndarray
    stable: bool
    side: float  # sign of the product of all eigenvalues, det A: it changes where one of them is zero

    @property
    def rigid(self) -> bool:
        """Whether there are motions without stiffness."""
        return any(mode.kind == RIGID_BODY for mode in self.modes)

    @property
    def growth(self) -> float:
        """The largest Re s, of the modes that are no rigid-body modes, over the largest |s|."""
        largest = max(mode.omega for mode in self.modes)
        return max((m.eigenvalue.real for m in self.modes if m.kind != RIGID_BODY), default=0.0) / max(largest, 1e-300)


class SweepPath:
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
            self.mechanism = attach_floating_parts(mechanism, [c.joint for c in running])  # also if it begins at rest

    @property
    def is_speed(self) -> bool:
        """Whether the swept value is the speed of a coordinate."""
        return self.place >= 0

    @property
    def unit(self) -> str:
        """Of the swept value."""
        if not self.is_speed or self.reduction is None:
            return ""
        return rate_unit(self.reduction.running_units[self.place])

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

    def point(self, value: float, before: SweepPoint | None) -> SweepPoint:
        """Balanced at a value, from where the last one was; and its modes."""
        reduction = self.at(value)
        point = balance(reduction).point if before is None else _followed(reduction, before)
        reduction.automatic = False  # from here on the same coordinates, so that shapes can be compared
        linear = about_point(reduction, reduction.point(point.y, point.angles))
        found = modes_of(linear)
        every = np.array([s for mode in found for s in (mode.eigenvalue, np.conj(mode.eigenvalue))])
        side = float(np.linalg.slogdet(linear.A)[0])
        return SweepPoint(value, linear.point, reduction, found.modes, linear.M, stability(every)[0], side)

    def unsteady(self, points: Sequence[SweepPoint | None]) -> list[str]:
        """Whether the first and the last point that move are steady; what changes then changes all along."""
        moving = [point for point in points if point is not None and np.any(point.point.v)]
        for point in (*moving[:1], *moving[-1:]):
            if self.is_speed:
                point.reduction.speeds[self.place] = point.value
            notes = [f"{self.name} = {point.value:g}: {note}" for note in unsteady(point.reduction, point.point)]
            if notes:
                return notes
        return []


def _followed(reduction: Reduction, before: SweepPoint) -> Point:
    """The equilibrium near the last one, of whatever kind; else the one that is found from there."""
    start = reduction.closed(before.point.y, before.point)
    point, _ = plain_newton(reduction, start)
    if balanced(reduction, point):
        return polished(reduction, point)
    return find_balance(reduction, start)[0]
