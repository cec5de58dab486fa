"""L D L^T of a symmetric matrix within its envelope, no row exchanged: always the same operations.

Row i of the lower triangle has entries from `first[i]` on, and keeps them.  D may have both signs: the augmented
equations have as many negative pivots as constraint rows, wherever each row comes after motions that it moves.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def eliminate_row(K, first, i):
    """Row i of L, in place, those before it being done; its pivot, at K[i, i], too."""
    for j in range(first[i], i):
        s = K[i, j]
        for k in range(max(first[i], first[j]), j):
            s -= K[i, k] * K[j, k]
        K[i, j] = s
    pivot = K[i, i]
    for k in range(first[i], i):
        entry = K[i, k] / K[k, k]
        pivot -= entry * K[i, k]
        K[i, k] = entry
    K[i, i] = pivot
    return pivot


@part
def solve_symmetric(K, first, count, x):
    """x <- K^-1 x of the leading `count` rows."""
    for i in range(count):
        s = x[i]
        for k in range(first[i], i):
            s -= K[i, k] * x[k]
        x[i] = s
    for i in range(count):
        x[i] /= K[i, i]
    for i in range(count - 1, -1, -1):
        for k in range(first[i], i):
            x[k] -= K[i, k] * x[i]
