"""LU factors of s - J, s real or complex, J the Jacobian of dy/dt for y = (q, v, s).

The rate of a position depends on the positions and speeds of its own joint alone, so that rows of positions are nearly
empty: they are eliminated first, by their diagonal and without the zeros, and leave a full matrix of half the size
(Hairer and Wanner II, IV.8, on equations of second order).  The diagonal, of the size of 1 / h, is large enough where a
step resolves the rotations.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.numerics.dense import factor_lu_from


@part
def factor_positions_first(A, n, first, order, columns):
    """P A = L U in place, of n rows, the first ones of positions; `order` as for `solve_lu` (numerics/dense.py).

    False where there is no pivot.  columns: as long as `order`, to work with.
    """
    for k in range(first):
        order[k] = k
        if abs(A[k, k]) == 0.0:
            return False
        count = 0
        for j in range(k + 1, n):
            if abs(A[k, j]) > 0.0:
                columns[count] = j
                count += 1
        for i in range(k + 1, n):
            if abs(A[i, k]) > 0.0:
                A[i, k] /= A[k, k]
                f = A[i, k]
                for c in range(count):
                    A[i, columns[c]] -= f * A[k, columns[c]]
    return factor_lu_from(first, A, n, order)
