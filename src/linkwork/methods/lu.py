"""Generalized coordinate partitioning by LU (Wehage & Haug 1982; P1): pivot columns are dependent, the rest independent.

Gaussian elimination of Phi_v with full pivoting; Z and T are then columns of the unit matrix.
"""

from __future__ import annotations

from linkwork.numerics.dense import eliminate
from linkwork.numerics.jit import part


@part
def build_lu(rows, cut, basis, row_order, column_order):
    """Z: unit vectors of the pivot columns, T: of the others; the rank.  `rows` is used up."""
    n = rows.shape[1]
    rank = eliminate(rows, cut, row_order, column_order)
    for j in range(n):
        for k in range(n):
            basis[k, j] = 1.0 if column_order[j] == k else 0.0
    return rank
