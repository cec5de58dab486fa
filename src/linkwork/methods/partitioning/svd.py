"""Tangent basis by singular values (Mani, Haug & Atkinson 1985): right singular vectors above the cut are Z, in the
metric of M those of Phi_v L^-1 (partitioned.py).

Built at every position anew.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.methods.partitioning.basis import COLUMNS, ROWS, adopt_factors, at_most_by_geometry, rows_to_factor
from linkwork.methods.partitioning.gram_schmidt import complete
from linkwork.methods.partitioning.method import partitioning_method
from linkwork.methods.partitioning.partitioned import ZH
from linkwork.methods.reasons import Basis
from linkwork.numerics.dense import eliminate, jacobi_svd
from linkwork.numerics.status import OK

SWEEPS = 30


@stage
def factor(system, work):
    """Z: the right singular vectors with singular value above the cut, T: the rest.

    The rows that go with Z are chosen by elimination of their products with it.
    """
    rows, basis, products, sizes = work.dense, work.basis, work.matrices[ZH], work.z
    cut = rows_to_factor(system, work)
    m, n = rows.shape
    for r in range(m):
        for j in range(n):
            products[r, j] = rows[r, j]
    jacobi_svd(rows, sizes, SWEEPS)
    rank, cut = 0, cut_for_rank(sizes, m, cut, at_most_by_geometry(work, min(m, n)))
    for r in range(m):
        if sizes[r] > cut:
            for j in range(n):
                basis[j, rank] = rows[r, j] / sizes[r]
            rank += 1
    complete(basis, rank, n)
    for r in range(m):
        for k in range(n):
            s = 0.0
            for j in range(n):
                s += products[r, j] * basis[j, k] if k < rank else 0.0
            rows[r, k] = s
    eliminate(rows, 0.0, work.order[ROWS], work.order[COLUMNS])
    adopt_factors(system, work, rank)
    return OK


@part
def cut_for_rank(sizes, count, cut, most):
    """A cut above which there are at most so many of the sizes."""
    while True:
        above, least = 0, math.inf
        for r in range(count):
            if sizes[r] > cut:
                above += 1
                least = min(least, sizes[r])
        if above <= most:
            return cut
        cut = least


METHOD = partitioning_method("svd", "tangent basis by singular values", factor, Basis.SVD)
