"""Gaussian elimination that passes over zeros: for matrices with few entries, as that of the augmented equations."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.numerics.dense import bring_pivot


@part
def eliminate_sparse(A, n, order, places):
    """P A = L U of the leading n x n block, in place, as `factor_lu` (dense.py) leaves it for `solve_lu`; False where a
    column has nothing left.  `places`: scratch, the columns in which a pivot's row has entries.
    """
    for k in range(n):
        if not bring_pivot(A, n, k, order):
            return False
        count = 0
        for j in range(k + 1, n):
            if A[k, j] != 0.0:
                places[count] = j
                count += 1
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                f = A[i, k] / A[k, k]
                A[i, k] = f
                for c in range(count):
                    A[i, places[c]] -= f * A[k, places[c]]
    return True
