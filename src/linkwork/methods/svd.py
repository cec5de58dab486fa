"""Tangent basis by singular values (Mani, Haug & Atkinson 1985): right singular vectors above the cut are Z."""

from __future__ import annotations

from linkwork.methods.gram_schmidt import complete
from linkwork.methods.partitioned import COLUMNS, PIVOTED, ROWS, ZH, adopt, finish, scaled_rows, update
from linkwork.numerics.dense import eliminate, jacobi_svd
from linkwork.numerics.jit import part, stage

SWEEPS = 30


@stage
def factor(system, work):
    """Zh and Th for a basis built at this very position."""
    cut = scaled_rows(system, work)
    n = work.dense.shape[1]
    rank = build_svd(
        work.dense, cut, work.basis[:n, :n], work.matrices[PIVOTED], work.small[4],
        work.order[ROWS], work.order[COLUMNS], work.matrices[ZH],
    )  # fmt: skip
    adopt(system, work, rank)
    update(system, work)
    return finish(system, work)


@part
def build_svd(rows, cut, basis, left, sizes, row_order, column_order, products):
    """Z: the right singular vectors with singular value above the cut; the rank.  `rows` is used up.

    The rows that go with Z are chosen by elimination of their products with it.
    """
    m, n = rows.shape
    for r in range(m):
        for j in range(n):
            products[r, j] = rows[r, j]
    jacobi_svd(rows, left[:m, :m], sizes, SWEEPS)
    rank = 0
    for r in range(m):
        if sizes[r] > cut and rank < n:
            for j in range(n):
                basis[j, rank] = rows[r, j] / sizes[r]
            rank += 1
    complete(basis, rank)
    for r in range(m):
        for k in range(rank):
            s = 0.0
            for j in range(n):
                s += products[r, j] * basis[j, k]
            rows[r, k] = s
    eliminate(rows[:, :rank], 0.0, row_order, column_order)
    return rank
