"""Small dense matrices inside kernels: LU, Cholesky, full-pivoting elimination, one-sided Jacobi SVD.

Each works in place on arrays that the caller owns, allocates nothing and returns False where it cannot go on.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part


@part
def bring_pivot(A, n, k, order):
    """Swap the row with the largest entry of column k, from row k on, into row k; False where there is none."""
    best = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[best, k]):
            best = i
    order[k] = best
    if A[best, k] == 0.0:
        return False
    if best != k:
        for j in range(n):
            A[k, j], A[best, j] = A[best, j], A[k, j]
    return True


@part
def factor_lu(A, n, order):
    """P A = L U of the leading n x n block, rows swapped in place and noted in `order`."""
    return factor_lu_from(0, A, n, order)


@part
def factor_lu_from(first, A, n, order):
    """The same where the columns before `first` have been eliminated without swaps."""
    for k in range(first, n):
        if not bring_pivot(A, n, k, order):
            return False
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            f = A[i, k]
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    return True


@part
def solve_lu(A, n, order, x):
    """x <- A^-1 x."""
    for k in range(n):
        p = order[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
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


@part
def factor_cholesky(A, n):
    """A = L L^T of the leading n x n block, L in the lower triangle."""
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            if i == j:
                if not s > 0.0:
                    return False
                A[i, i] = math.sqrt(s)
            else:
                A[i, j] = s / A[j, j]
    return True


@part
def solve_cholesky(A, n, x):
    """x <- (L L^T)^-1 x."""
    for i in range(n):
        s = x[i]
        for k in range(i):
            s -= A[i, k] * x[k]
        x[i] = s / A[i, i]
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= A[k, i] * x[k]
        x[i] = s / A[i, i]


@part
def eliminate(A, cut, rows, columns):
    """Gaussian elimination with full pivoting (P1, P5): the rank; rows and columns in the order in which they were
    taken.

    A pivot not above `cut` ends it: what is left of the matrix is dependent.  The caller has scaled the rows.
    """
    m, n = A.shape
    for i in range(m):
        rows[i] = i
    for j in range(n):
        columns[j] = j
    for k in range(min(m, n)):
        best, r, c = 0.0, k, k
        for i in range(k, m):
            for j in range(k, n):
                if abs(A[rows[i], columns[j]]) > best:
                    best, r, c = abs(A[rows[i], columns[j]]), i, j
        if best <= cut:
            return k
        rows[k], rows[r] = rows[r], rows[k]
        columns[k], columns[c] = columns[c], columns[k]
        p, q = rows[k], columns[k]
        for i in range(k + 1, m):
            f = A[rows[i], q] / A[p, q]
            if f != 0.0:
                for j in range(k + 1, n):
                    A[rows[i], columns[j]] -= f * A[p, columns[j]]
                A[rows[i], q] = 0.0
    return min(m, n)


@part
def jacobi_svd(A, sizes, sweeps):
    """One-sided Jacobi (Hestenes 1958): rows of A become orthogonal, A <- V A with V orthogonal; sizes = their lengths.

    The rows of A, normalized, are then the right singular vectors.
    """
    m, n = A.shape
    for _ in range(sweeps):
        turned = False
        for p in range(m - 1):
            for q in range(p + 1, m):
                a, b, c = 0.0, 0.0, 0.0
                for k in range(n):
                    a += A[p, k] * A[p, k]
                    b += A[q, k] * A[q, k]
                    c += A[p, k] * A[q, k]
                if abs(c) <= 1e-15 * math.sqrt(a * b) or c == 0.0:
                    continue
                turned = True
                z = (b - a) / (2.0 * c)
                t = 1.0 / (abs(z) + math.sqrt(1.0 + z * z))
                t = t if z >= 0.0 else -t
                cosine = 1.0 / math.sqrt(1.0 + t * t)
                sine = cosine * t
                for k in range(n):
                    x, y = A[p, k], A[q, k]
                    A[p, k] = cosine * x - sine * y
                    A[q, k] = sine * x + cosine * y
        if not turned:
            break
    for i in range(m):
        s = 0.0
        for k in range(n):
            s += A[i, k] * A[i, k]
        sizes[i] = math.sqrt(s)
