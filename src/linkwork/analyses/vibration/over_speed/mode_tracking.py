"""Modes followed from value to value of a sweep: which is which, by likeness of shape and of eigenvalue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.analyses.vibration.modes import Mode
from linkwork.analyses.vibration.over_speed.sweep_path import SweepPoint

FOREIGN = 1.2  # cost of a match (0: the same mode) from which two modes are strangers


@dataclass
class _Branch:
    """One mode as it is followed: the latest, and its eigenvalue (1/s) at the values so far."""

    mode: Mode
    values: list[float] = field(default_factory=list)
    eigenvalues: list[complex] = field(default_factory=list)

    def take(self, value: float, mode: Mode) -> None:
        """Go on with a mode at a value."""
        self.mode = mode
        self.values.append(value)
        self.eigenvalues.append(mode.eigenvalue)

    def heading(self, value: float) -> complex:
        """Where the eigenvalue is expected, on the line through its last two."""
        if len(self.values) < 2:
            return self.eigenvalues[-1]
        (v0, v1), (s0, s1) = self.values[-2:], self.eigenvalues[-2:]
        return s1 + (s1 - s0) * (value - v1) / (v1 - v0)


def followed_modes(points: Sequence[SweepPoint | None]) -> list[list[int]]:
    """For each point the mode of each branch, -1 where a branch has none."""
    orders: list[list[int]] = []
    branches: list[_Branch] = []
    for point in points:
        if point is None:
            orders.append([-1] * len(branches))
            continue
        order = _matched(branches, point)
        for k in sorted(set(range(len(point.modes))) - set(order)):
            order.append(k)
            branches.append(_Branch(point.modes[k]))
        for branch, k in zip(branches, order, strict=True):
            if k >= 0:
                branch.take(point.value, point.modes[k])
        orders.append(order)
    return orders


def _matched(branches: Sequence[_Branch], point: SweepPoint) -> list[int]:
    """For each branch the mode that goes on with it, at the least cost altogether; -1 where all are strangers."""
    from scipy.optimize import linear_sum_assignment

    order = [-1] * len(branches)
    if branches:
        cost = _costs(branches, point)
        for b, k in zip(*linear_sum_assignment(cost), strict=True):
            if cost[b, k] < FOREIGN:
                order[b] = int(k)
    return order


def _costs(branches: Sequence[_Branch], point: SweepPoint) -> np.ndarray:
    """How unlike modes are [branch, mode]: by shape, and by how far the eigenvalue is from where it was heading."""
    A = np.array([branch.mode.shape for branch in branches]).T
    B = np.array([mode.shape for mode in point.modes]).T
    expected = np.array([branch.heading(point.value) for branch in branches])
    scale = max(float(np.median([mode.omega for mode in point.modes])), 1e-12)
    off = np.abs(np.subtract.outer(expected, np.array([mode.eigenvalue for mode in point.modes]))) / scale
    return np.asarray(1.0 - mac(A, B, point.M) + np.minimum(off, 1.0))


def mac(A: np.ndarray, B: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Modal assurance criterion of shapes A [n, a] and B [n, b] in the metric of the mass: 1 the same, 0 unlike.

    Two modes in which nothing moves but auxiliary states have the same shape.
    """
    sizes = [np.real(np.einsum("ka,ka->a", np.conj(X), M @ X)) for X in (A, B)]
    size, alike = np.outer(*sizes), np.abs(np.conj(A).T @ M @ B) ** 2
    nothing = np.logical_and.outer(*(each == 0.0 for each in sizes))
    return np.where(nothing, 1.0, alike / np.where(size > 0.0, size, 1.0))
