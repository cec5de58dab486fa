"""Tangent basis by QR (Kim & Vanderploeg 1986; P1): Phi_v^T = [Q1 Q2] [R; 0], Z = Q1, T = Q2, theory
(1.3); in the metric of M, where M = L^T L, the factors of L^-T Phi_v^T, Z = L^-1 Q1, T = L^-1 Q2.

Householder reflections with pivoting reveal the rank.  The basis is kept and updated by multiplication with the
present Phi_v; it is built anew when alpha = z'.z' / v.v shows that the tangent plane has turned.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.methods.partitioning.basis import ROWS, adopt_factors, at_most_by_geometry, rows_to_factor
from linkwork.methods.partitioning.method import KEPT_BASIS, partitioning_method
from linkwork.methods.partitioning.sparse.kept_rows import keep_rows
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.reasons import Basis
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Build the basis at the present position."""
    if is_sparse(work):
        keep_rows(work)
        return OK
    adopt_factors(system, work, orthogonal_factors(system, work))
    return OK


@part
def orthogonal_factors(system, work):
    """[Q1 Q2] in the basis; reflectors and R stay in `work.dense`, R's diagonal in `work.diagonal`.  The rank."""
    rows, basis, order = work.dense, work.basis, work.order[ROWS]
    cut = rows_to_factor(system, work)
    found = factor_rows(rows, cut, work.row_scales, work.z, work.diagonal, order)
    rank = at_most_by_geometry(work, found)
    n = rows.shape[1]
    for i in range(n):
        for j in range(n):
            basis[i, j] = 1.0 if i == j else 0.0
    for k in range(rank - 1, -1, -1):
        p = order[k]
        length = 0.0
        for j in range(k, n):
            length += rows[p, j] * rows[p, j]
        for c in range(n):
            s = 0.0
            for j in range(k, n):
                s += rows[p, j] * basis[j, c]
            s *= 2.0 / length
            for j in range(k, n):
                basis[j, c] -= s * rows[p, j]
    return rank


METHOD = partitioning_method("qr", "kept tangent basis by QR (P1)", factor, Basis.QR, KEPT_BASIS)
