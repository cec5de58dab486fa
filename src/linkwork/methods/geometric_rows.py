"""Rows of Phi_v as geometry has them: in units of motion and of their natural size, whatever the masses."""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.elements.constraints.rows import POINT
from linkwork.formulations.state import first_velocity
from linkwork.numerics.rank_revealing import factor_rows

FAINT = 1e-4  # least natural size of a row: in a plane loop all rows of a kind may be rounding noise


@part
def spread_rows(system, J, dense):
    """All rows of Phi_v, dense."""
    dense[:, :] = 0.0
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value = system.rows[r].first_value
            for k in range(con.column_count):
                dense[r, system.columns[con.first_column + k].dof] = J[value + k]


@part
def unit_of_motion(system, work, j):
    """Of the j-th velocity: the mechanism's size for a translation, 1 for a rotation; as printed, 1 for each."""
    return work.scales[first_velocity(system) + j] if work.options[0].literal == 0.0 else 1.0


@part
def natural_sizes(system, work, sizes):
    """The largest row of its kind, at least FAINT: the scale of what is left of a row."""
    point, direction = 0.0, 0.0
    rows, length = system.rows, system.whole[0].length if work.options[0].literal == 0.0 else 1.0
    for r in range(rows.shape[0]):
        con, square = system.constraints[rows[r].constraint], 0.0
        for k in range(con.column_count):
            j = system.columns[con.first_column + k].dof
            square += (work.J[rows[r].first_value + k] * unit_of_motion(system, work, j)) ** 2
        if rows[r].kind == POINT:
            point = max(point, square)
        else:
            direction = max(direction, square)
    for r in range(rows.shape[0]):
        if rows[r].kind == POINT:
            sizes[r] = max(math.sqrt(point), FAINT * length)
        else:
            sizes[r] = max(math.sqrt(direction), FAINT)


@part
def rank_by_geometry(system, work, cut):
    """How many rows are independent by more than `cut`, of motions in units of their own; `work.dense` is spent."""
    spread_rows(system, work.J, work.dense)
    sizes = work.row_scales
    natural_sizes(system, work, sizes)
    for r in range(work.dense.shape[0]):
        sizes[r] = 1.0 / sizes[r]
        for j in range(work.dense.shape[1]):
            work.dense[r, j] *= unit_of_motion(system, work, j)
    return factor_rows(work.dense, cut, work.row_scales, work.z, work.diagonal, work.pivots)
