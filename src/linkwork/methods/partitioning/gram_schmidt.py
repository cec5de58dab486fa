"""Tangent basis by Gram-Schmidt (Liang & Lance 1987): rows of Phi_v (in the metric of M of Phi_v L^-1,
partitioned.py) one after the other, then unit vectors.

Modified Gram-Schmidt with pivoting, each vector orthogonalized twice: then the basis is orthogonal to rounding.
Built at every position anew.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.methods.partitioning.basis import ROWS, adopt_factors, at_most_by_geometry, rows_to_factor
from linkwork.methods.partitioning.method import partitioning_method
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Z spans the rows, T the rest."""
    rows, basis, row_order = work.dense, work.basis, work.order[ROWS]
    cut = rows_to_factor(system, work)
    m, n = rows.shape
    for r in range(m):
        row_order[r] = r
    rank = 0
    for k in range(at_most_by_geometry(work, min(m, n))):
        best, largest = k, -1.0
        for r in range(k, m):
            size = 0.0
            for j in range(n):
                size += rows[row_order[r], j] * rows[row_order[r], j]
            if size > largest:
                best, largest = r, size
        if math.sqrt(max(largest, 0.0)) <= cut:
            break
        row_order[k], row_order[best] = row_order[best], row_order[k]
        p = row_order[k]
        for j in range(n):
            basis[j, k] = rows[p, j]
        _orthogonalize(basis, k, n)
        for r in range(k + 1, m):
            s = 0.0
            for j in range(n):
                s += basis[j, k] * rows[row_order[r], j]
            for j in range(n):
                rows[row_order[r], j] -= s * basis[j, k]
        rank += 1
    complete(basis, rank, n)
    adopt_factors(system, work, rank)
    return OK


@part
def complete(basis, rank, n):
    """Columns from `rank` on: an orthonormal basis of what is orthogonal to those before, from unit vectors."""
    for k in range(rank, n):
        best, largest = 0, -1.0
        for i in range(n):
            size = 1.0
            for c in range(k):
                size -= basis[i, c] * basis[i, c]
            if size > largest:
                best, largest = i, size
        for j in range(n):
            basis[j, k] = 1.0 if j == best else 0.0
        _orthogonalize(basis, k, n)


@part
def _orthogonalize(basis, k, n):
    """Column k of n entries against all before it, twice, then unit length."""
    for _ in range(2):
        for c in range(k):
            s = 0.0
            for j in range(n):
                s += basis[j, c] * basis[j, k]
            for j in range(n):
                basis[j, k] -= s * basis[j, c]
    s = 0.0
    for j in range(n):
        s += basis[j, k] * basis[j, k]
    s = 1.0 / math.sqrt(s)
    for j in range(n):
        basis[j, k] *= s


METHOD = partitioning_method("gram-schmidt", "tangent basis by Gram-Schmidt", factor, Basis.GRAM_SCHMIDT)
