"""Modes followed from value to value of a sweep: which is which, by likeness of shape and of eigenvalue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.vibration.modes import Mode

FOREIGN = 1.2  # cost of a match (0: the same mode) from which two modes are strangers

Spot = tuple[float, tuple[Mode, ...], np.ndarray]


def mac(A: np.ndarray, B: np.ndarray, M: np.ndarray) -> np.ndarray:
    """Modal assurance criterion of shapes A [n, a] and B [n, b] in the metric of the mass: 1 the same, 0 unlike.

    Two modes in which nothing moves but auxiliary states have the same shape.
    """
    sizes = [np.real(np.einsum("ka,ka->a", np.conj(X), M @ X)) for X in (A, B)]
    size, alike = np.outer(*sizes), np.abs(np.conj(A).T @ M @ B) ** 2
    nothing = np.logical_and.outer(*(each == 0.0 for each in sizes))
    return np.where(nothing, 1.0, alike / np.where(size > 0.0, size, 1.0))


def _costs(last: Sequence[Mode], expected: Sequence[complex], now: Sequence[Mode], M: np.ndarray) -> np.ndarray:
    """How unlike modes are [before, now]: by shape, and by how far the eigenvalue is from where it was heading."""
    A, B = (np.array([mode.shape for mode in modes]).T for modes in (last, now))
    scale = max(float(np.median([mode.omega for mode in now])), 1e-12)
    off = np.abs(np.subtract.outer(np.array(expected), np.array([mode.eigenvalue for mode in now]))) / scale
    return 1.0 - mac(A, B, M) + np.minimum(off, 1.0)


def followed_modes(spots: Sequence[Spot | None]) -> list[list[int]]:
    """For each value the mode of each branch, -1 where a branch has none.  A spot is (value, modes, mass matrix)."""
    from scipy.optimize import linear_sum_assignment

    orders: list[list[int]] = []
    last: list[Mode] = []
    history: list[list[tuple[float, complex]]] = []
    for spot in spots:
        if spot is None:
            orders.append([-1] * len(last))
            continue
        value, modes, M = spot
        order = [-1] * len(last)
        if last:
            cost = _costs(last, [_heading(h, value) for h in history], modes, M)
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
                history[b].append((value, modes[k].eigenvalue))
        orders.append(order)
    return orders


def _heading(history: list[tuple[float, complex]], value: float) -> complex:
    """Where an eigenvalue is expected, on the line through its last two."""
    if len(history) < 2:
        return history[-1][1]
    (v0, s0), (v1, s1) = history[-2:]
    return s1 + (s1 - s0) * (value - v1) / (v1 - v0)
