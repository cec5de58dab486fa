"""Hybrids (P1, P3): LU partitioning, and QR or projection around singular positions (conditioning.py, printed.py)."""

from __future__ import annotations

from linkwork.compiler.kernels import stage
from linkwork.methods.partitioning.basis import adopt_factors
from linkwork.methods.partitioning.lu import partition
from linkwork.methods.partitioning.method import HYBRID, PROJECTION, partitioning_method
from linkwork.methods.partitioning.projection import right_inverse
from linkwork.methods.partitioning.qr import orthogonal_factors
from linkwork.methods.partitioning.sparse.kept_rows import keep_rows
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Build the basis in use at the present position; or, on request, only find how LU would partition."""
    method = work.method[0]
    if method.basis == Basis.LU or method.choice_requested != 0:
        return partition(system, work)
    if is_sparse(work):
        keep_rows(work)
        return OK
    rank, volume = orthogonal_factors(system, work), 0.0
    if method.basis == Basis.PROJECTION:
        volume = right_inverse(work, rank)
    adopt_factors(system, work, rank)
    method.basis_volume += volume
    return OK


HYBRID_QR = partitioning_method(
    "hybrid-qr", "LU, and QR around singular positions (P1)", factor, Basis.LU, HYBRID, Basis.QR
)
HYBRID_PROJECTION = partitioning_method(
    "hybrid-projection",
    "LU, and projection around singular positions (P3)",
    factor,
    Basis.LU,
    HYBRID | PROJECTION,
    Basis.PROJECTION,
)
