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


def uneven(rng: np.random.Generator, spread: float) -> np.ndarray:
    """Points from -2 to 2, some 0.2 apart."""
    t = np.cumsum(0.2 * (1.0 + spread * rng.uniform(-1.0, 1.0, 21)))
    return t - t[10] + 0.2 * rng.uniform(-0.5, 0.5)


@pytest.mark.parametrize("seed", range(100))
def test_a_zero_is_never_taken_for_a_minimum(seed: int) -> None:
    """Nor one for two, nor seen where there is none; most simple ones are seen, and most minima that are none."""
    rng = np.random.default_rng(seed)
    seen, passed, cleared, smooth = 0, 0, 0, 0
    for _ in range(40):
        t = uneven(rng, 0.6)
        a, bend = rng.uniform(0.3, 1.2), rng.uniform(-0.3, 0.3, 3)
        shape = np.exp(bend[0] * t + bend[1] * np.sin(t + bend[2]))
        single = np.sin(a * t) * shape
        crosses, lowest = settled(t, single)
        zero = np.flatnonzero(np.sign(single[1:]) != np.sign(single[:-1]))
        near = np.abs(single[[zero[0], zero[0] + 1]]).min() < 1e-3
        assert crosses[zero[0]] or lowest[zero[0]] or near
        assert set(np.flatnonzero(crosses)) <= set(zero) or near
        seen, passed = seen + crosses.any(), passed + 1
        gap = rng.uniform(0.0, 0.5)
        twice = (t - 0.5 * gap) * (t + 0.5 * gap) * shape
        crosses, lowest = settled(t, twice)
        zeros = np.flatnonzero(np.sign(twice[1:]) != np.sign(twice[:-1]))
        inside = (t[:-1] < 0.5 * gap) & (t[1:] > -0.5 * gap)
        assert crosses.sum() == 2 or lowest[inside].any() or (crosses | lowest)[np.unique(zeros)].all(), (gap, t)
        positive = (rng.uniform(0.3, 1.0) + t**2) * shape
        crosses, lowest = settled(t, positive)
        assert not crosses.any()
        cleared, smooth = cleared + (not lowest[2:-2].any()), smooth + 1
    assert seen > 0.7 * passed and cleared > 0.7 * smooth
