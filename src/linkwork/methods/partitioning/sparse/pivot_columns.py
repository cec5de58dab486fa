"""LU's partition of very many rows: the pivot columns of an elimination row by row are dependent, the rest independent.

The dependent block Phi_u has its own sparse factors (numerics/row_elimination.py), with motions in their units and rows
in their natural sizes.  Which rows are independent is decided before, by the factorization of methods/normal_step.py.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.methods.geometric_rows import natural_sizes, unit_of_motion
from linkwork.methods.partitioning.basis import COLUMNS, OTHER_COLUMNS, OTHER_ROWS, ROWS, count_errors
from linkwork.methods.partitioning.sparse.places import (
    FIRST,
    LAST,
    LOWER,
    MET,
    NOW,
    OTHER_FIRST,
    OTHER_LAST,
    OTHER_LOWER,
    OTHER_VALUES,
    SEEN,
    SIZES,
    TAKEN,
    USES,
    VALUES,
)
from linkwork.numerics.row_elimination import NO_ROOM, eliminate_rows, solve_rows
from linkwork.numerics.status import FILLED_IN, NEWTON_STALLED, OK


@part
def partition_columns(system, work):
    """Choose the pivot columns at the present position, and factor; or, on request, only find what LU would choose."""
    method = work.method[0]
    _scale_rows(system, work)
    if method.choice_requested != 0:
        weakest, volume = _eliminate(work, True, OTHER_ROWS, OTHER_LOWER, OTHER_VALUES, OTHER_FIRST, OTHER_LAST)
        _put_in_order(work, OTHER_ROWS, OTHER_COLUMNS)
        found = weakest > 0.0
        method.choice_rank = method.rank if found else 0
        method.choice_volume, method.choice_pivot = volume if found else -math.inf, weakest if found else 0.0
        method.choice_requested = 0
        return OK
    weakest, volume = _eliminate(work, True, ROWS, LOWER, VALUES, FIRST, LAST)
    if not weakest > 0.0:
        return FILLED_IN if weakest == NO_ROOM else NEWTON_STALLED
    method.kept_volume = volume
    method.strongest_pivot = max(method.strongest_pivot, weakest)
    _put_in_order(work, ROWS, COLUMNS)
    count_errors(system, work)
    return OK


@part
def factor_columns(system, work):
    """Factor the kept dependent block at the present position; its weakest pivot, 0 where one vanishes."""
    _scale_rows(system, work)
    weakest, volume = _eliminate(work, False, ROWS, LOWER, VALUES, FIRST, LAST)
    work.method[0].kept_volume = volume
    return max(weakest, 0.0)


@part
def along_columns(system, work, c, delta):
    """delta: motions of the dependent coordinates alone that give the rows taken the values c [row]."""
    table, sizes, x = work.every_row, work.matrices[SIZES][0], work.x
    for a in range(table.shape[0]):
        x[a] = c[table[a].row] / sizes[table[a].row]
    order, factors = work.order, work.matrices
    solve_rows(
        table, order[TAKEN], order[ROWS], factors[LOWER][0], factors[VALUES][0], work.fill[0], order[FIRST],
        order[LAST], x, delta,
    )  # fmt: skip
    for j in range(delta.shape[0]):
        delta[j] *= unit_of_motion(system, work, j)


@part
def _scale_rows(system, work):
    """The rows of Phi_v packed, in units of motion and of their natural size."""
    rows, sizes = work.matrices[NOW][0], work.matrices[SIZES][0]
    natural_sizes(system, work, sizes)
    for k in range(work.Y.shape[0]):
        rows[k] = 0.0
    for a in range(work.every_row.shape[0]):
        one = work.every_row[a]
        con, value = system.constraints[one.constraint], system.rows[one.row].first_value
        for k in range(con.column_count):
            j = system.columns[con.first_column + k].dof
            rows[one.first_y + j - one.low] = work.J[value + k] * unit_of_motion(system, work, j) / sizes[one.row]


@part
def _eliminate(work, choose, rows, lower, values, first, last):
    order, factors = work.order, work.matrices
    return eliminate_rows(
        work.every_row, factors[NOW][0], order[TAKEN], order[rows], choose, order[USES], order[SEEN], order[MET],
        work.delta, factors[lower][0], factors[values][0], work.fill[0 if rows == ROWS else 1], order[first],
        order[last],
    )  # fmt: skip


@part
def _put_in_order(work, rows, columns):
    """The pivot columns, then the others, in the order of the motions."""
    pivots, taken, marks, found = work.order[rows], work.order[TAKEN], work.order[SEEN], 0
    n = work.v_dot.shape[0]
    for j in range(n):
        marks[j] = 0
    for r in range(work.Phi.shape[0]):
        if taken[r] != 0 and pivots[r] >= 0:
            work.order[columns][found] = pivots[r]
            marks[pivots[r]] = 1
            found += 1
    for j in range(n):
        if marks[j] == 0 and found < n:
            work.order[columns][found] = j
            found += 1
