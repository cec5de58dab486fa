"""Generalized coordinate partitioning by LU (Wehage & Haug 1982; P1): pivot columns dependent, the rest independent.

Gaussian elimination of Phi_v with full pivoting; Z and T are then columns of the unit matrix.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.workspace import REQUEST
from linkwork.methods.options import CHOICE, CHOICE_VOLUME
from linkwork.methods.partitioning.partitioned import (
    COLUMNS,
    OTHER_COLUMNS,
    OTHER_ROWS,
    ROWS,
    adopt,
    count_independent_only,
    scaled_rows,
)
from linkwork.numerics.dense import eliminate
from linkwork.numerics.status import OK


@stage
def factor(system, work):
    """Partition at the present position; or, on request of decisions.py, only say how LU would."""
    partition(system, work)
    return OK


@part
def partition(system, work):
    """Z: unit vectors of the pivot columns, T: of the others.  On request only LU's choice, as a number."""
    asked, n = work.counts[REQUEST] != 0, work.dense.shape[1]
    rows, columns = work.order[OTHER_ROWS if asked else ROWS], work.order[OTHER_COLUMNS if asked else COLUMNS]
    cut = scaled_rows(system, work)
    rank = eliminate(work.dense, cut, rows, columns)
    if asked:
        total, volume = 0.0, 0.0
        for c in range(rank, n):
            total += (columns[c] + 1.0) * (columns[c] + 1.0) + 0.001 * columns[c]
        for k in range(rank):
            volume += math.log(abs(work.dense[rows[k], columns[k]]))
        work.settings[CHOICE], work.settings[CHOICE_VOLUME] = total, volume
        work.counts[REQUEST] = 0
        return
    basis = work.basis
    for j in range(n):
        for k in range(n):
            basis[k, j] = 1.0 if columns[j] == k else 0.0
    adopt(system, work, rank)
    count_independent_only(system, work)
