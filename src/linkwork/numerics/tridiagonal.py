"""Tridiagonal equations whose diagonal outweighs the rest, as those of splines."""

from __future__ import annotations

from linkwork.compiler.argument_types import VECTOR, VOID
from linkwork.compiler.kernels import Exports, export, kernel


@kernel
def solve_tridiagonal(below, diagonal, above, x):
    """x <- A^-1 x for A with `below`[k] at (k, k - 1), `diagonal`[k], and `above`[k] at (k, k + 1); the diagonal is
    spent.  Without pivots, which a dominant diagonal does not need (Golub & Van Loan, 4.3.6).
    """
    n = x.shape[0]
    for k in range(1, n):
        factor = below[k] / diagonal[k - 1]
        diagonal[k] -= factor * above[k - 1]
        x[k] -= factor * x[k - 1]
    x[n - 1] /= diagonal[n - 1]
    for k in range(n - 2, -1, -1):
        x[k] = (x[k] - above[k] * x[k + 1]) / diagonal[k]


def exports() -> Exports:
    """For the native library."""
    yield export(solve_tridiagonal, VOID, VECTOR, VECTOR, VECTOR, VECTOR)
