"""LU factors of s - J, s real or complex, J the Jacobian of dy/dt for y = (q, v, s).

The rate of a position depends on the positions and speeds of its own joint alone, so that rows of positions are nearly
empty: they are eliminated first, by their diagonal and without the zeros, and leave a full matrix of half the size
(Hairer and Wanner II, IV.8, on equations of second order).  The diagonal, of the size of 1 / h, is large enough where a
step resolves the rotations.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def factor(A, n, first, order, columns):
    """P A = L U in place, of n rows, the first ones of positions; the others are swapped as noted in `order`.

    False where there is no pivot.  columns: as long as `order`, to work with.
    """
    for k in range(first):
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
    for k in range(first, n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        order[k] = best
        if abs(A[best, k]) == 0.0:
            return False
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            f = A[i, k]
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    return True


@part
def solve(A, n, first, order, x):
    """x <- A^-1 x."""
    for k in range(first, n):
        if order[k] != k:
            x[k], x[order[k]] = x[order[k]], x[k]
    for i in range(n):
        s = x[i]
        for j in range(i):
            s -= A[i, j] * x[j]
        x[i] = s
    for i in range(n - 1, -1, -1):
        s = x[i]
        for j in range(i + 1, n):
            s -= A[i, j] * x[j]
        x[i] = s / A[i, i]
