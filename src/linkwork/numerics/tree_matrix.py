"""Symmetric matrices with the sparsity of a tree: row i has entries only for i and the ancestors of i.

Featherstone (2008), section 6.4: M = L^T L keeps that pattern, so that the cost is linear in the number of rows and
quadratic in the depth.  Row i is packed from the root to i: entry (i, a) stands at `row[i] + depth[a]`.  A star of
free bodies (absolute coordinates) and a tree of joints (joint coordinates) are the same thing here.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.status import MASS_SINGULAR, OK


@part
def factor_tree(dofs, M, L):
    """M = L^T L; where a pivot is not positive the rest is not a number."""
    status = OK
    for k in range(M.shape[0]):
        L[k] = M[k]
    for k in range(dofs.shape[0] - 1, -1, -1):
        row = dofs[k].row
        depth = dofs[k].depth
        pivot = L[row + depth]
        if not pivot.real > 0.0:
            status = MASS_SINGULAR
        pivot = sqrt(pivot)
        L[row + depth] = pivot
        inverse = 1.0 / pivot
        for a in range(depth):
            L[row + a] *= inverse
        i = dofs[k].parent
        while i >= 0:
            row_i = dofs[i].row
            depth_i = dofs[i].depth
            f = L[row + depth_i]
            for a in range(depth_i + 1):
                L[row_i + a] -= f * L[row + a]
            i = dofs[i].parent
    return status


@part
def solve_outer(dofs, L, x):
    """x <- L^-T x, from the leaves to the root."""
    for k in range(dofs.shape[0] - 1, -1, -1):
        row = dofs[k].row
        x[k] = x[k] / L[row + dofs[k].depth]
        i = dofs[k].parent
        while i >= 0:
            x[i] -= L[row + dofs[i].depth] * x[k]
            i = dofs[i].parent


@part
def solve_inner(dofs, L, x):
    """x <- L^-1 x, from the root to the leaves."""
    for k in range(dofs.shape[0]):
        row = dofs[k].row
        s = x[k]
        i = dofs[k].parent
        while i >= 0:
            s -= L[row + dofs[i].depth] * x[i]
            i = dofs[i].parent
        x[k] = s / L[row + dofs[k].depth]


@part
def multiply_tree(dofs, M, x, y):
    """y = M x."""
    for k in range(dofs.shape[0]):
        y[k] = 0.0
    for k in range(dofs.shape[0]):
        row = dofs[k].row
        y[k] += M[row + dofs[k].depth] * x[k]
        i = dofs[k].parent
        while i >= 0:
            value = M[row + dofs[i].depth]
            y[k] += value * x[i]
            y[i] += value * x[k]
            i = dofs[i].parent


@kernel
def scatter(dofs, M, dense):
    """The packed matrix as a dense one."""
    for k in range(dofs.shape[0]):
        for i in range(k):
            dense[k, i] = 0.0
            dense[i, k] = 0.0
        i = k
        while i >= 0:
            value = M[dofs[k].row + dofs[i].depth]
            dense[k, i] = value
            dense[i, k] = value
            i = dofs[i].parent
