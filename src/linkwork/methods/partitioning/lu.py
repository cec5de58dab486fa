"""Generalized coordinate partitioning by LU (Wehage & Haug 1982; P1): pivot columns dependent, the rest independent.

Gaussian elimination of Phi_v with full pivoting, theory (1.1); Z and T are then columns of the unit matrix, each in the
unit of its motion.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.methods.geometric_rows import unit_of_motion
from linkwork.methods.partitioning.basis import (
    COLUMNS,
    OTHER_COLUMNS,
    OTHER_ROWS,
    ROWS,
    adopt,
    at_most_by_geometry,
    count_errors,
    scaled_rows,
)
from linkwork.methods.partitioning.method import CHOICE, partitioning_method
from linkwork.methods.partitioning.sparse.pivot_columns import partition_columns
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.reasons import Basis
from linkwork.numerics.dense import eliminate
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Partition at the present position; or, on request of decisions.py, only find how LU would."""
    return partition(system, work)


@part
def partition(system, work):
    """Z: motions of the pivot columns, each a unit of its own, T: of the others.  On request only LU's choice, beside
    the one in use.
    """
    if is_sparse(work):
        return partition_columns(system, work)
    method, n = work.method[0], work.dense.shape[1]
    requested = method.choice_requested != 0
    rows = work.order[OTHER_ROWS if requested else ROWS]
    columns = work.order[OTHER_COLUMNS if requested else COLUMNS]
    cut = scaled_rows(system, work)
    rank = at_most_by_geometry(work, eliminate(work.dense, cut, rows, columns))
    if requested:
        volume, weakest = 0.0, math.inf
        for k in range(rank):
            pivot = abs(work.dense[rows[k], columns[k]])
            volume += math.log(pivot)
            weakest = min(weakest, pivot)
        method.choice_rank, method.choice_volume, method.choice_pivot = rank, volume, weakest
        method.choice_requested = 0
        return OK
    basis, volume = work.basis, 0.0
    for j in range(n):
        unit = unit_of_motion(system, work, columns[j])
        for k in range(n):
            basis[k, j] = unit if columns[j] == k else 0.0
        volume += math.log(unit)
    adopt(system, work, rank)
    work.method[0].basis_volume = volume
    count_errors(system, work)
    return OK


METHOD = partitioning_method("lu", "generalized coordinate partitioning (P1)", factor, Basis.LU, CHOICE)
