"""Projection matrices (P3): right inverse I_R = Phi_v^T (Phi_v Phi_v^T)^-1 and tangent projector P_T = I - I_R Phi_v.

Z = I_R over the independent rows and T = an orthonormal basis of the range of P_T.  Built from a rank-revealing QR,
I_R = Q1 R^-T, so that the condition number is not squared.
"""

from __future__ import annotations

from linkwork.methods.partitioned import ROWS, adopt, finish, scaled_rows, stale, update
from linkwork.methods.qr import build_qr
from linkwork.numerics.jit import part, stage


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
    rank = build_projection(
        work.dense, cut, work.basis[:n, :n], work.small[3], work.small[4], work.small[5], work.order[ROWS]
    )
    adopt(system, work, rank)


@part
def build_projection(rows, cut, basis, scales, squares, diagonal, row_order):
    """Z = Q1 R^-T, T = Q2; the rank.  `rows` is used up."""
    n = rows.shape[1]
    rank = build_qr(rows, cut, basis, scales, squares, diagonal, row_order)
    for i in range(n):  # row i of Z solves R z = (row i of Q1), R[a, b] = rows[row_order[b], a] above the diagonal
        for k in range(rank - 1, -1, -1):
            s = basis[i, k]
            for b in range(k + 1, rank):
                s -= rows[row_order[b], k] * basis[i, b]
            basis[i, k] = s / diagonal[k]
    return rank
