"""Minima of what is measured along a path."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.certificate.singular.minima import minima

UNKNOWN = np.inf


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([3, 2, 1, 1.5, 3], [1, 2]),  # beside the lowest, on both sides
        ([3, 1, 1, 3], [1]),  # between two alike
        ([3, 2, 1], [1]),  # falling to the end
        ([1, 2, 3], [0]),
        ([4, 4.1, 1], [0, 1]),  # the ends alone tell
        ([2, 1], [0]),
        ([2, 2, 2], []),
        ([UNKNOWN, UNKNOWN, 2, 1, UNKNOWN, UNKNOWN], [2]),
        ([1], []),
        ([], []),
    ],
)
def test_where_minima_may_be(values: list[float], found: list[int]) -> None:
    """In a column beside one of which nothing is known."""
    given = np.array(values, float)
    lowest = minima(np.arange(float(len(given))), np.column_stack([given, np.full_like(given, UNKNOWN)]))
    assert np.flatnonzero(lowest[:, 0]).tolist() == found
    assert not lowest[:, 1].any()
