"""Rank-revealing QR of a set of row vectors, by Householder reflections with pivoting (Golub & Van Loan, 5.4.2).

The rows are multiplied by `scales`, which the caller chooses so that a row of natural size gets unit length.  What
is left of a row outside the span of those already taken is compared with `cut`: below it the row is dropped, as
dependent or vanishing. Afterwards row `pivots[k]` of `rows` holds R[0..k-1, k] and the k-th reflector from column k
on; `diagonal[k]` is R[k, k].
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import kernel, part
from linkwork.numerics.dense import factor_cholesky, solve_cholesky
from linkwork.numerics.rounding import TIE


@kernel
def factor_rows(rows, cut, scales, squares, diagonal, pivots):
    """Factor in place; the rank."""
    m, n = rows.shape
    for r in range(m):
        pivots[r] = r
        s = 0.0
        for j in range(n):
            rows[r, j] *= scales[r]
            s += rows[r, j] * rows[r, j]
        squares[r] = s
    for k in range(min(m, n)):
        best = k
        for r in range(k + 1, m):
            if squares[pivots[r]] > TIE * squares[pivots[best]]:
                best = r
        pivots[k], pivots[best] = pivots[best], pivots[k]
        p = pivots[k]
        s = 0.0
        for j in range(k, n):
            s += rows[p, j] * rows[p, j]
        length = math.sqrt(s)
        if length <= cut:
            return k
        alpha = -length if rows[p, k] > 0.0 else length
        diagonal[k] = alpha
        rows[p, k] -= alpha
        factor = 1.0 / (length * (length + abs(rows[p, k] + alpha)))
        for r in range(k + 1, m):
            i = pivots[r]
            s = 0.0
            for j in range(k, n):
                s += rows[p, j] * rows[i, j]
            s *= factor
            for j in range(k, n):
                rows[i, j] -= s * rows[p, j]
            s = 0.0  # what is left of row i, summed anew: downdating would lose the digits that decide the rank
            for j in range(k + 1, n):
                s += rows[i, j] * rows[i, j]
            squares[i] = s
    return min(m, n)


@part
def least_step(rows, rank, scales, diagonal, pivots, c, z, multipliers):
    """The shortest z with (row r) . z = c[r] for the rows taken, and z = sum of multipliers[r] (row r)."""
    n = rows.shape[1]
    for k in range(n):
        z[k] = 0.0
    for k in range(rank):
        p = pivots[k]
        s = c[p] * scales[p]
        for i in range(k):
            s -= rows[p, i] * z[i]
        z[k] = s / diagonal[k]
    for r in range(multipliers.shape[0]):
        multipliers[r] = 0.0
    for k in range(rank):
        multipliers[pivots[k]] = z[k]
    for k in range(rank - 1, -1, -1):
        p = pivots[k]
        mu = multipliers[p] / diagonal[k]
        multipliers[p] = mu * scales[p]
        for i in range(k):
            multipliers[pivots[i]] -= rows[p, i] * mu
    for k in range(rank - 1, -1, -1):
        p = pivots[k]
        s, length = 0.0, 0.0
        for j in range(k, n):
            s += rows[p, j] * z[j]
            length += rows[p, j] * rows[p, j]
        s *= 2.0 / length
        for j in range(k, n):
            z[j] -= s * rows[p, j]


@part
def _component(rows, rank, diagonal, pivots, i, k):
    """Component i < rank, in the span of the rows taken, of row pivots[k]."""
    if k >= rank or i < k:
        return rows[pivots[k], i]
    return diagonal[i] if i == k else 0.0


@part
def factor_products(rows, rank, diagonal, pivots, gram):
    """G = B B^T, B the components of all rows in the span of those taken, factored; whether it could be."""
    for i in range(rank):
        for j in range(i + 1):
            s = 0.0
            for k in range(j, rows.shape[0]):
                s += _component(rows, rank, diagonal, pivots, i, k) * _component(rows, rank, diagonal, pivots, j, k)
            gram[i, j] = s
    return factor_cholesky(gram, rank)


@part
def right_sides(rows, rank, scales, diagonal, pivots, gram, c, z, b):
    """b: for the rows taken what z = B^T's least squares makes of c: (row r) . z = b[r] with least sum (b - c)^2 over
    all rows, each in its scale.  Rows that are dependent but for an error are so met alike, whichever are taken.
    """
    for i in range(rank):
        s = 0.0
        for k in range(rows.shape[0]):
            s += _component(rows, rank, diagonal, pivots, i, k) * scales[pivots[k]] * c[pivots[k]]
        z[i] = s
    solve_cholesky(gram, rank, z)
    for k in range(rank):
        s = 0.0
        for i in range(k + 1):
            s += _component(rows, rank, diagonal, pivots, i, k) * z[i]
        b[pivots[k]] = s / scales[pivots[k]]
