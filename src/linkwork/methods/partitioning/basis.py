"""A basis of dependent and independent directions: the rows from which it is built, and what adopting one means.

Rows are taken in units of their natural size, and cut at `rank_cut` of it.  As printed (`literal`) they are those of
Phi_v; else those of A^T = Phi_v L^-1, M = L^T L, whose orthogonal factors become a basis by L^-1.  LU takes those of
Phi_v, with each motion in a unit of its own: its choice is the same at any scale.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL, BALL_REST
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.methods.geometric_rows import natural_sizes, spread_rows, unit_of_motion
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.normal_step import cut_between_masses
from linkwork.numerics.tree_matrix import solve_inner

LITERAL_CUT = 1e-13  # of a row's natural size: what the printed method takes for zero

# Rows of `work.order`: orders of rows and columns, swaps of the factored matrix, orders of LU's choice, and marks (1)
# of the independent columns of the choice that others are compared with.
ROWS, COLUMNS, SWAPS, OTHER_ROWS, OTHER_COLUMNS, CHOSEN = range(6)


@part
def scaled_rows(system, work):
    """All rows of Phi_v, dense, in units of motion and of their natural size; the cut below which one is dependent."""
    spread_rows(system, work.J, work.dense)
    sizes, options = work.x, work.options[0]
    natural_sizes(system, work, sizes)
    for r in range(work.dense.shape[0]):
        for j in range(work.dense.shape[1]):
            work.dense[r, j] *= unit_of_motion(system, work, j) / sizes[r]
        work.row_scales[r] = 1.0
    return options.rank_cut * max(system.whole[0].cut_factor, 1.0) if options.literal == 0.0 else LITERAL_CUT


@part
def rows_to_factor(system, work):
    """The rows whose orthogonal factors make a basis: of A^T = Phi_v L^-1, M = L^T L; as printed, of Phi_v."""
    options = work.options[0]
    if options.literal != 0.0:
        return scaled_rows(system, work)
    cut = cut_between_masses(system, work, options.rank_cut * system.whole[0].cut_factor)
    natural_rows(system, work, work.dense)
    for r in range(work.dense.shape[0]):
        work.row_scales[r] = 1.0
    return cut


@part
def adopt_factors(system, work, rank):
    """The orthogonal factors of those rows stand in the basis; with A they become a basis by L^-1."""
    adopt(system, work, rank)
    if work.options[0].literal != 0.0:
        return
    x, n = work.x, work.v_dot.shape[0]
    volume = 0.0
    for c in range(n):
        for j in range(n):
            x[j] = work.basis[j, c]
        solve_inner(system.dofs, work.L, x)
        for j in range(n):
            work.basis[j, c] = x[j]
        volume -= math.log(work.L[system.dofs[c].row + system.dofs[c].depth])
    work.method[0].basis_volume = volume


@part
def at_most_by_geometry(work, rank):
    """The rank, no more than geometry allows anywhere: in a loop that closes only nearly, a row that is dependent but
    for the misfit may have a pivot above the cut, and would hold the mechanism still.
    """
    return min(rank, work.method[0].active_count)


@part
def adopt(system, work, rank):
    """A basis was built, with this rank."""
    method = work.method[0]
    method.rank = rank
    if method.full_rank != method.active_count:  # other rows: the best position so far was one of other constraints
        method.choice_pivot_best = 0.0
    method.full_rank = method.active_count
    method.rebuild = 0
    method.factors = Factors.NOTHING
    method.basis_volume = 0.0  # of an orthonormal basis; another method sets it afterwards


@part
def count_errors(system, work):
    """Error control of every coordinate; as printed (`literal`), of LU's independent ones and their velocities alone.

    The dependent ones count although they follow from the others: an estimate of one coordinate vanishes by chance,
    and 4 % of slider-cranks took a step then that threw them off.
    """
    if work.options[0].literal == 0.0:
        count_all(work)
        return
    n, first = work.v_dot.shape[0], first_velocity(system)
    for k in range(first + n):
        work.error_scales[k] = 0.0
    for c in range(work.method[0].rank, n):
        j = work.order[COLUMNS][c]
        work.error_scales[first + j] = work.scales[first + j]
        dof = system.dofs[j]
        for k in range(4 if dof.kind == BALL or dof.kind == BALL_REST else 1):
            work.error_scales[dof.q + k] = work.scales[dof.q + k]


@part
def count_all(work):
    """Error control of every coordinate."""
    for k in range(work.error_scales.shape[0]):
        work.error_scales[k] = work.scales[k]
