"""Singular values of a few rows by one-sided Jacobi rotations (Hestenes 1958; Demmel and Veselic 1992).

    A = U diag(s) V^T

Two rows at a time are turned until they are orthogonal: what is left of A then has the rows s_k v_k^T, and the turns
make U.  Of rows of very different sizes small values keep their digits, down to rounding beside the largest.
"""

from __future__ import annotations

import math

from linkwork.compiler.argument_types import MATRIX, VECTOR, VOID, WHOLES
from linkwork.compiler.kernels import Exports, export, kernel, part

ORTHOGONAL = 1e-15  # of the product of two lengths
NOTHING = 1e-16  # of the longest row: a row that is rounding and has no direction
SWEEPS = 30  # at most; six to ten are the rule


@kernel
def singular_rows(A, U, values, order):
    """A becomes diag(s) V^T, U its left vectors by columns; s in `values`, `order`: its places, the largest first."""
    m = A.shape[0]
    for i in range(m):
        for j in range(m):
            U[i, j] = 1.0 if i == j else 0.0
        values[i] = _square(A, i)
    for _ in range(SWEEPS):
        if not _sweep(A, U, values):
            break
    for i in range(m):
        values[i] = math.sqrt(_square(A, i))
        order[i] = i
    for i in range(1, m):
        k, j = order[i], i
        while j > 0 and values[order[j - 1]] < values[k]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = k


@part
def _square(A, i):
    s = 0.0
    for k in range(A.shape[1]):
        s += A[i, k] * A[i, k]
    return s


@part
def _sweep(A, U, squares):
    """Turn every pair of rows once; whether any was not orthogonal."""
    m, turned, longest = A.shape[0], False, 0.0
    for i in range(m):
        squares[i] = _square(A, i)
        longest = max(longest, squares[i])
    least = NOTHING * NOTHING * longest
    for i in range(m):
        for j in range(i + 1, m):
            if min(squares[i], squares[j]) <= least:
                continue
            product = 0.0
            for k in range(A.shape[1]):
                product += A[i, k] * A[j, k]
            if abs(product) <= ORTHOGONAL * math.sqrt(squares[i] * squares[j]):
                continue
            turned = True
            ratio = (squares[j] - squares[i]) / (2.0 * product)
            tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
            c = 1.0 / math.sqrt(1.0 + tangent * tangent)
            s = c * tangent
            for k in range(A.shape[1]):
                A[i, k], A[j, k] = c * A[i, k] - s * A[j, k], s * A[i, k] + c * A[j, k]
            for k in range(m):
                U[k, i], U[k, j] = c * U[k, i] - s * U[k, j], s * U[k, i] + c * U[k, j]
            squares[i], squares[j] = _square(A, i), _square(A, j)
    return turned


def exports() -> Exports:
    """For the native library."""
    yield export(singular_rows, VOID, MATRIX, MATRIX, VECTOR, WHOLES)
