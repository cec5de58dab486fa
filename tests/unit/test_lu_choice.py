"""LU's choices of independent coordinates are compared as sets."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.methods.partitioning.choice import same_set

N = 8


def order(independent: list[int]) -> np.ndarray:
    """Columns as elimination leaves them: dependent ones first."""
    return np.array([j for j in range(N) if j not in independent] + independent)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ([0, 4, 5], [5, 0, 4], True),
        ([0, 4, 5], [1, 2, 6], False),  # equal sums, and equal sums of squares
        ([1, 5, 6], [2, 3, 7], False),
        ([0, 4, 5], [0, 4], False),
        ([0, 4], [0, 4, 5], False),
        ([], [], True),
        ([], [3], False),
    ],
)
def test_sets_are_told_apart(one: list[int], other: list[int], same: bool):
    assert same_set.py_func(order(other), N - len(other), N, np.isin(np.arange(N), one).astype(int)) == same
