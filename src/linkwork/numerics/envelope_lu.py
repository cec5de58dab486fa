"""LU factorization of a matrix whose two halves share one envelope, without pivoting: for one that is nearly symmetric
and positive definite, as products of rows with those of a position nearby.

Entry (a, b), b <= a, stands in `lower`, entry (b, a) in `upper`, both at the place of (a, b) in the envelope
(numerics/envelope.py).  L has ones on its diagonal; that of U is in `upper`.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def factor_halves(table, lower, upper):
    """L U in place; False where a pivot vanishes."""
    for a in range(table.shape[0]):
        first = table[a].first_active
        row = table[a].first_s - first
        for b in range(first, a):
            first_b = table[b].first_active
            row_b = table[b].first_s - first_b
            below, above = lower[row + b], upper[row + b]
            for k in range(max(first, first_b), b):
                below -= lower[row + k] * upper[row_b + k]
                above -= lower[row_b + k] * upper[row + k]
            lower[row + b], upper[row + b] = below / upper[row_b + b], above
        s = upper[row + a]
        for k in range(first, a):
            s -= lower[row + k] * upper[row + k]
        upper[row + a] = s
        if not abs(s) > 0.0:
            return False
    return True


@part
def solve_halves(table, lower, upper, x):
    """x <- (L U)^-1 x."""
    for a in range(table.shape[0]):
        first = table[a].first_active
        row = table[a].first_s - first
        for k in range(first, a):
            x[a] -= lower[row + k] * x[k]
    for a in range(table.shape[0] - 1, -1, -1):
        first = table[a].first_active
        row = table[a].first_s - first
        x[a] /= upper[row + a]
        for k in range(first, a):
            x[k] -= upper[row + k] * x[a]
