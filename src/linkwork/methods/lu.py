"""Generalized coordinate partitioning by LU (Wehage & Haug 1982; P1): pivot columns dependent, the rest independent.

Gaussian elimination of Phi_v with full pivoting; Z and T are then columns of the unit matrix.
"""

from __future__ import annotations

from linkwork.formulations.workspace import KIND, REQUEST
from linkwork.methods.options import CHOICE, LITERAL
from linkwork.methods.partitioned import (
    COLUMNS,
    OTHER_COLUMNS,
    OTHER_ROWS,
    ROWS,
    adopt,
    count_independent_only,
    finish,
    scaled_rows,
    stale,
    update,
)
from linkwork.numerics.codes import NEWTON_STALLED, OK
from linkwork.numerics.dense import eliminate
from linkwork.numerics.jit import part, stage


@stage
def factor(system, work):
    """Zh and Th for the kept partition; a new one where a pivot is weak (the printed method stops there)."""
    if answered(system, work):
        return OK
    if stale(work):
        choose(system, work)
    if not update(system, work):
        if work.settings[LITERAL] != 0.0:
            return NEWTON_STALLED
        choose(system, work)
        update(system, work)
    return finish(system, work)


@part
def choose(system, work):
    """Partition at the present position."""
    cut = scaled_rows(system, work)
    n = work.dense.shape[1]
    adopt(system, work, build_lu(work.dense, cut, work.basis[:n, :n], work.order[ROWS], work.order[COLUMNS]))
    count_independent_only(system, work)


@part
def answered(system, work):
    """On request (decisions.py): only LU's choice of independent coordinates at this position, as a number."""
    if work.counts[REQUEST] == 0:
        return False
    work.counts[REQUEST] = 0
    work.counts[KIND] = 0
    cut = scaled_rows(system, work)
    columns = work.order[OTHER_COLUMNS]
    rank = eliminate(work.dense, cut, work.order[OTHER_ROWS], columns)
    total = 0.0
    for c in range(rank, work.dense.shape[1]):
        total += (columns[c] + 1.0) * (columns[c] + 1.0) + 0.001 * columns[c]
    work.settings[CHOICE] = total
    return True


@part
def build_lu(rows, cut, basis, row_order, column_order):
    """Z: unit vectors of the pivot columns, T: of the others; the rank.  `rows` is used up."""
    n = rows.shape[1]
    rank = eliminate(rows, cut, row_order, column_order)
    for j in range(n):
        for k in range(n):
            basis[k, j] = 1.0 if column_order[j] == k else 0.0
    return rank
