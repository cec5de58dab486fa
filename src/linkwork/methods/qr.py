"""Tangent basis by QR (Kim & Vanderploeg 1986; P1): Phi_v^T = [Q1 Q2] [R; 0], Z = Q1, T = Q2.

Householder reflections with pivoting reveal the rank.  The basis is kept and updated by multiplication with the
present Phi_v; it is built anew when alpha = z'.z' / v.v says that the tangent plane has turned.
"""

from __future__ import annotations

from linkwork.methods.partitioned import ROWS, adopt, finish, scaled_rows, stale, update
from linkwork.numerics.jit import part, stage
from linkwork.numerics.rank_revealing import factor_rows


@stage
def factor(system, work):
    """Zh and Th for the kept basis; a new one where a pivot is weak."""
    if stale(work):
        choose(system, work)
    if not update(system, work):
        choose(system, work)
        update(system, work)
    return finish(system, work)


@part
def choose(system, work):
    """Build the basis at the present position."""
    cut = scaled_rows(system, work)
    n = work.dense.shape[1]
    rank = build_qr(work.dense, cut, work.basis[:n, :n], work.small[3], work.small[4], work.small[5], work.order[ROWS])
    adopt(system, work, rank)


@part
def build_qr(rows, cut, basis, scales, squares, diagonal, row_order):
    """The full orthogonal matrix [Q1 Q2]; the rank.  `rows` is used up, `scales` are ones."""
    n = rows.shape[1]
    rank = factor_rows(rows, cut, scales, squares, diagonal, row_order)
    for i in range(n):
        for j in range(n):
            basis[i, j] = 1.0 if i == j else 0.0
    for k in range(rank - 1, -1, -1):
        p = row_order[k]
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
