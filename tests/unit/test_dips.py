"""Signs of what is known by its size alone."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.certificate.singular.dips import settle
from linkwork.analyses.certificate.singular.minima import minima


def settled(t: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where f is seen to cross zero, and where it may still have any minimum; of two columns alike."""
    logarithms = np.log(np.abs(np.column_stack([f, 3.0 * f])))
    lowest = minima(t, logarithms)
    crosses = settle(t, logarithms, lowest)
    assert np.array_equal(crosses[:, 0], crosses[:, 1]) and np.array_equal(lowest[:, 0], lowest[:, 1])
    return crosses[:, 0], lowest[:, 0]


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points from -2 to 2, some 0.2 apart, and positive values there."""
    t = np.cumsum(0.2 * (1.0 + 0.3 * rng.uniform(-1.0, 1.0, 21)))
    t += 0.2 * rng.uniform(-0.5, 0.5) - t[10]
    bend = rng.uniform(-0.3, 0.3, 3)
    return t, np.exp(bend[0] * t + bend[1] * np.sin(t + bend[2]))


def changes(f: np.ndarray) -> np.ndarray:
    """Intervals in which f changes its sign."""
    return np.flatnonzero(np.sign(f[1:]) != np.sign(f[:-1]))


@pytest.mark.parametrize("seed", range(10))
def test_a_zero_is_seen_as_one_or_not_settled(seed: int) -> None:
    """Most of them are seen; one nearly at a point may be seen on its other side."""
    rng, seen = np.random.default_rng(seed), 0
    for _ in range(40):
        t, shape = drawn(rng)
        f = np.sin(rng.uniform(0.3, 1.2) * t) * shape
        crosses, lowest = settled(t, f)
        (zero,) = changes(f)
        at_point = min(abs(f[zero]), abs(f[zero + 1])) < 1e-3
        assert crosses[zero] or lowest[zero] or at_point
        assert list(np.flatnonzero(crosses)) in ([], [zero]) or at_point
        seen += crosses.sum()
    assert seen > 30


@pytest.mark.parametrize("seed", range(10))
def test_a_minimum_above_zero_is_never_seen_as_one(seed: int) -> None:
    rng, cleared = np.random.default_rng(seed), 0
    for _ in range(40):
        t, shape = drawn(rng)
        crosses, lowest = settled(t, (rng.uniform(0.3, 1.0) + t**2) * shape)
        assert not crosses.any()
        cleared += not lowest[2:-2].any()
    assert cleared > 30


def test_two_zeros_are_never_taken_for_one_or_none() -> None:
    """Whichever the interval between points is in which they lie, both, or another way is left open."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(2000):
        t, shape = drawn(rng)
        half = 0.5 * rng.uniform(0.0, 0.5)
        crosses, lowest = settled(t, (t - half) * (t + half) * shape)
        inside = (t[:-1] < half) & (t[1:] > -half)
        wrong += not (lowest[inside].any() or crosses[inside].sum() == 2)
    assert wrong <= 2  # in a thousand
