"""Projection matrices (P3): right inverse I_R = Phi_v^T (Phi_v Phi_v^T)^-1 and tangent projector P_T = I - I_R Phi_v.

Theory (3.2), (3.3).  Z = the columns of I_R over the independent rows, each made a unit vector, and T = an orthonormal
basis of the range of P_T.  Built from a rank-revealing QR, I_R = Q1 R^-T, so that the condition number is not squared.
In the metric of M I_R = M^-1 Phi_v^T (Phi_v M^-1 Phi_v^T)^-1 (qr.py).
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.methods.partitioning.basis import ROWS, adopt_factors
from linkwork.methods.partitioning.method import PROJECTION, partitioning_method
from linkwork.methods.partitioning.qr import orthogonal_factors
from linkwork.methods.partitioning.sparse.kept_rows import keep_rows
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Build the basis at the present position."""
    if is_sparse(work):
        keep_rows(work)
        return OK
    rank = orthogonal_factors(system, work)
    volume = right_inverse(work, rank)
    adopt_factors(system, work, rank)
    work.method[0].basis_volume += volume
    return OK


@part
def right_inverse(work, rank):
    """Z = Q1 R^-T, its columns of unit length, from [Q1 Q2] and R; the logarithm of the volume that it spans."""
    rows, basis, order, diagonal = work.dense, work.basis, work.order[ROWS], work.diagonal
    n = rows.shape[1]
    for i in range(n):  # row i of Z solves R z = (row i of Q1), R[a, b] = rows[order[b], a] above the diagonal
        for k in range(rank - 1, -1, -1):
            s = basis[i, k]
            for b in range(k + 1, rank):
                s -= rows[order[b], k] * basis[i, b]
            basis[i, k] = s / diagonal[k]
    volume = 0.0
    for k in range(rank):
        square = 0.0
        for i in range(n):
            square += basis[i, k] * basis[i, k]
        shrink = 1.0 / math.sqrt(square)
        volume += math.log(shrink / abs(diagonal[k]))
        for i in range(n):
            basis[i, k] *= shrink
    return volume


METHOD = partitioning_method("projection", "projection matrices (P3)", factor, Basis.PROJECTION, PROJECTION)
