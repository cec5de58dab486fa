"""Many vectors as one array, and places by keys."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np


def as_rows(vectors: Iterable[Iterable[float]], width: int) -> np.ndarray:
    """Vectors as an array [vector, component]; of many tuples this is several times quicker than np.array."""
    return np.fromiter(chain.from_iterable(vectors), float).reshape(-1, width)


def grouped(keys: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of each key 0, 1 .. count - 1, ascending: key k has those from first[k] to first[k + 1]."""
    first = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))])
    return first, np.argsort(keys, kind="stable")
