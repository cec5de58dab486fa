"""Null spaces of small dense matrices, and which rows describe a subspace best; for analyses in Python, not kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

RANK_CUT = 1e-9  # of the largest singular value: a smaller one counts as zero


def null_space(A: np.ndarray, cut: float = RANK_CUT, *, rank: int | None = None) -> np.ndarray:
    """Orthonormal columns z with A z = 0: the right singular vectors beyond the rank (Golub & Van Loan, 2.4).

    The rank is the number of singular values above `cut` times the largest, unless it is given.
    """
    _, sizes, Vt = np.linalg.svd(A)
    if rank is None:
        rank = int(np.sum(sizes > cut * sizes.max(initial=0.0)))
    return Vt[rank:].T


def pivot_rows(basis: np.ndarray, choose: Callable[[np.ndarray], int]) -> list[int]:
    """As many rows of an orthonormal basis [row, column] as it has columns, by pivoting as in a QR factorization.

    `choose` is given the length of what is left of every row (0 of rows already taken) and names the next one; its
    direction is then removed from all rows.
    """
    left, chosen = basis, list[int]()
    for _ in range(basis.shape[1]):
        size = np.linalg.norm(left, axis=1)
        size[chosen] = 0.0
        best = choose(size)
        chosen.append(best)
        direction = left[best] / size[best]
        left = left - np.outer(left @ direction, direction)
    return chosen
