"""Hybrids (P1, P3): LU partitioning, and QR or projection where LU is in trouble; decisions.py says when."""

from __future__ import annotations

from linkwork.compiler.kernels import stage
from linkwork.formulations.workspace import BASIS, REQUEST
from linkwork.methods.options import BASIS_VOLUME
from linkwork.methods.partitioning.lu import partition
from linkwork.methods.partitioning.partitioned import adopt_factors
from linkwork.methods.partitioning.projection import right_inverse
from linkwork.methods.partitioning.qr import orthogonal_factors
from linkwork.methods.reasons import LU, PROJECTION
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Build the basis in use at the present position; or, on request, only say how LU would partition."""
    if work.counts[BASIS] == LU or work.counts[REQUEST] != 0:
        partition(system, work)
        return OK
    rank, volume = orthogonal_factors(system, work), 0.0
    if work.counts[BASIS] == PROJECTION:
        volume = right_inverse(work, rank)
    adopt_factors(system, work, rank)
    work.settings[BASIS_VOLUME] += volume
    return OK
