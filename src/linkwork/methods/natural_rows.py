"""Rows of the constraints in the metric of M: A^T = Phi_v L^-1 with M = L^T L, packed or dense, in their natural units.

The natural size of a row is what it would have if its two bodies were free.  Not its own size: in joint coordinates a
row may vanish at a singular position, and in a plane loop it may be nothing but rounding noise.
"""

from __future__ import annotations

import math

from linkwork.compiler.argument_types import MATRIX, REAL, SYSTEM, VECTOR, VOID, WHOLE, WORK, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.elements.bodies.rigid_inertia import free_mobility
from linkwork.formulations.plane.rows import natural_in_plane
from linkwork.numerics.envelope import solve_back, solve_envelope
from linkwork.numerics.envelope_qr import factor_within_envelope
from linkwork.numerics.status import OK
from linkwork.numerics.tree_matrix import factor_tree
from linkwork.system.active_rows import ACTIVE


@part
def _outer_range(dofs, L, x, low, high):
    """x <- L^-T x on the motions low..high-1, which hold all their ancestors."""
    for k in range(high - 1, low - 1, -1):
        value = x[k - low]
        if value == 0.0:
            continue
        row = dofs[k].row
        value = value / L[row + dofs[k].depth]
        x[k - low] = value
        i = dofs[k].parent
        while i >= 0:
            x[i - low] -= L[row + dofs[i].depth] * value
            i = dofs[i].parent


@part
def _spread(system, J, r, c, x, low):
    """Row r of Phi_v, of constraint c, into x."""
    con = system.constraints[c]
    value = system.rows[r].first_value
    for k in range(con.column_count):
        x[system.columns[con.first_column + k].dof - low] = J[value + k]


@part
def weighted_rows(system, active, J, L, Y):
    """Rows of A^T for some rows, packed."""
    Y[:] = 0.0
    for a in range(active.shape[0]):
        act = active[a]
        x = Y[act.first_y : act.first_y + act.high - act.low]
        _spread(system, J, act.row, act.constraint, x, act.low)
        _outer_range(system.dofs, L, x, act.low, act.high)


@part
def natural_square(system, work, r):
    """Square of the natural size of row r: W . (mass of the two bodies)^-1 W."""
    con = system.constraints[system.rows[r].constraint]
    if work.plane.shape[0] > 0:
        square = natural_in_plane(system, work, r)
    else:
        square = free_mobility(system, work, con.body_a, r, 0) + free_mobility(system, work, con.body_b, r, 6)
    return square if square > 0.0 else 1.0  # a row that holds nothing at present


@part
def row_scales(system, work, scales):
    """1 / natural size of every row."""
    for r in range(system.rows.shape[0]):
        scales[r] = 1.0 / math.sqrt(natural_square(system, work, r))


@part
def all_rows(system, J, L, dense):
    """Rows of A^T for every row, dense."""
    dense[:, :] = 0.0
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            _spread(system, J, r, c, dense[r], 0)
            _outer_range(system.dofs, L, dense[r], 0, system.dofs.shape[0])


@kernel
def natural_rows(system, work, dense):
    """Factor M at the position evaluated last; all rows of A^T, each in units of its natural size."""
    status = mass_weighted_rows(system, work, dense)
    scales = work.row_scales
    row_scales(system, work, scales)
    for r in range(dense.shape[0]):
        for j in range(dense.shape[1]):
            dense[r, j] *= scales[r]
    return status


@part
def mass_weighted_rows(system, work, dense):
    """Factor M at the position evaluated last; rows of A^T for every row, dense."""
    status = factor_tree(system.dofs, work.M, work.L)
    if status == OK:
        all_rows(system, work.J, work.L, dense)
    return status


# -- packed -----------------------------------------------------------------------------------------------------------
@part
def natural_packed(system, work, table):
    """The rows in `table` in their natural units, M factored: in Y, packed."""
    scales = work.row_scales
    row_scales(system, work, scales)
    weighted_rows(system, table, work.J, work.L, work.Y)
    for a in range(table.shape[0]):
        act = table[a]
        for j in range(act.first_y, act.first_y + act.high - act.low):
            work.Y[j] *= scales[act.row]


@part
def factor_packed(system, work, table, cut):
    """Rank-revealing factorization of the rows in `table`, M factored: Y and C filled, what is left in `diagonal`."""
    natural_packed(system, work, table)
    return factor_within_envelope(table, system.dofs.shape[0], work.Y, work.C, work.z, cut, work.diagonal)


@kernel
def factor_natural(system, work, table, cut):
    """Factor M at the position evaluated last, then the natural rows in `table`; their rank, -1 where M is singular."""
    if factor_tree(system.dofs, work.M, work.L) != OK:
        return -1
    return factor_packed(system, work, table, cut)


@kernel
def factor_scaled(system, work, table, units, sizes, cut):
    """Factor the rows in `table` of Phi_v at the position evaluated last, motions in `units` and rows in `sizes`
    instead of in the metric of M; their rank.
    """
    work.Y[:] = 0.0
    for a in range(table.shape[0]):
        act = table[a]
        x = work.Y[act.first_y : act.first_y + act.high - act.low]
        _spread(system, work.J, act.row, act.constraint, x, act.low)
        for j in range(act.low, act.high):
            x[j - act.low] *= units[j] / sizes[act.row]
    return factor_within_envelope(table, system.dofs.shape[0], work.Y, work.C, work.z, cut, work.diagonal)


@kernel
def solve_packed(table, C, left, X):
    """X[k] <- (R^T R)^-1 X[k] over the rows that were taken, 0 for the others."""
    for k in range(X.shape[0]):
        for a in range(table.shape[0]):
            if left[a] == 0.0:
                X[k, a] = 0.0
        solve_envelope(table, C, X[k])


@kernel
def back_packed(table, C, X):
    """X[k] <- R^-1 X[k]."""
    for k in range(X.shape[0]):
        solve_back(table, C, X[k])


@kernel
def combine_packed(table, Y, X, Z):
    """Z[k] = the sum of the rows in the parts X[k]."""
    Z[:, :] = 0.0
    for k in range(X.shape[0]):
        for a in range(table.shape[0]):
            act = table[a]
            for j in range(act.low, act.high):
                Z[k, j] += X[k, a] * Y[act.first_y + j - act.low]


@kernel
def against_packed(table, Y, Z, X):
    """X[k, a] = (row a) . Z[k]."""
    for k in range(Z.shape[0]):
        for a in range(table.shape[0]):
            act, s = table[a], 0.0
            for j in range(act.low, act.high):
                s += Y[act.first_y + j - act.low] * Z[k, j]
            X[k, a] = s


def exports() -> Exports:
    """For the native library."""
    table = records(ACTIVE)
    yield export(factor_natural, WHOLE, SYSTEM, WORK, table, REAL)
    yield export(factor_scaled, WHOLE, SYSTEM, WORK, table, VECTOR, VECTOR, REAL)
    yield export(solve_packed, VOID, table, VECTOR, VECTOR, MATRIX)
    yield export(back_packed, VOID, table, VECTOR, MATRIX)
    yield export(combine_packed, VOID, table, VECTOR, MATRIX, MATRIX)
    yield export(against_packed, VOID, table, VECTOR, MATRIX, MATRIX)
