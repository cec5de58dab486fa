"""The one linear problem behind position, velocity and acceleration (P5): the least motion that meets the
constraints.

    min 1/2 delta^T M delta   subject to   Phi_v delta = c        =>   M delta = Phi_v^T mu

With M = L^T L and A = L^-T Phi_v^T this is the shortest z with A^T z = c, delta = L^-1 z.  Away from singular
positions A^T A is factored by Cholesky over the rows known to be independent; where a pivot nearly vanishes, all
rows go through a rank-revealing QR of A itself, cut at RANK_CUT: near a singular position the condition number is
never squared.  Where masses differ by many orders, rows that geometry tells apart are small beside others in this
metric; the cut is then lower by as much (`cut_factor`, found at the start).

The natural size of a row is what it would have if its two bodies were free.  Not its own size: in joint coordinates a
row may vanish at a singular position, and in a plane loop it may be nothing but rounding noise.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.bodies.rigid_inertia import free_mobility
from linkwork.formulations.records import Factors
from linkwork.formulations.workspace import active_rows
from linkwork.numerics.envelope import factor_envelope, solve_envelope
from linkwork.numerics.rank_revealing import factor_rows, least_step
from linkwork.numerics.status import MASS_SINGULAR, OK
from linkwork.numerics.tree_matrix import factor_tree, solve_inner

RANK_CUT = 1e-5  # of a row's natural size: what is left of it beside the others below this is dependent, or vanishes
REGULAR_FROM = 1e-2  # of a row's natural size: below it the rank-revealing factorization takes over
CANCELLATION = REGULAR_FROM**2  # the same for the squared matrix
WELL = 0.02  # weakest pivot, of a row's natural size, at a position that is plainly regular
FLAT = -1e6  # logarithm of a vanishing volume, or pivot; far below that of many rows


@kernel
def factorize(system, work):
    """Factor M, then the constraints, at the position evaluated last."""
    method, floors, active = work.method[0], work.x, active_rows(work)
    method.factorizations += 1
    method.full_rank = active.shape[0]
    status = factor_tree(system.dofs, work.M, work.L)
    if status != OK:
        method.factors = Factors.NOTHING
        return status
    _weighted_rows(system, active, work.J, work.L, work.Y)
    _products(active, work.Y, work.C)
    _floors(system, active, work, floors)
    least = factor_envelope(active, floors, work.C)
    method.volume = _log_volume(active, floors, work.C) if least > 0.0 else FLAT
    method.weakest_pivot = math.sqrt(max(least, 0.0) * CANCELLATION)
    if least > 1.0:
        method.factors = Factors.REGULAR
        method.other_rows_pivot = 0.0
        method.rank = active.shape[0]
        return OK
    if work.dense.shape[0] == 0:
        method.factors = Factors.NOTHING
        return MASS_SINGULAR
    method.rank_revealing += 1
    _all_rows(system, work.J, work.L, work.dense)
    row_scales(system, work, work.row_scales)
    cut = RANK_CUT * system.whole[0].cut_factor
    rank = factor_rows(work.dense, cut, work.row_scales, work.z, work.diagonal, work.pivots)
    full = rank == method.full_rank
    method.factors = Factors.DELICATE
    method.rank = rank
    method.other_rows_pivot = abs(work.diagonal[rank - 1]) if full else 0.0
    method.weakest_pivot = method.other_rows_pivot if full else cut
    return OK


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
def _weighted_rows(system, active, J, L, Y):
    """Rows of A^T = Phi_v L^-1 for the active rows."""
    Y[:] = 0.0
    for a in range(active.shape[0]):
        act = active[a]
        x = Y[act.first_y : act.first_y + act.high - act.low]
        _spread(system, J, act.row, act.constraint, x, act.low)
        _outer_range(system.dofs, L, x, act.low, act.high)


@part
def _products(active, Y, C):
    """A^T A within its envelope."""
    for a in range(active.shape[0]):
        act = active[a]
        for b in range(act.first_active, a + 1):
            other = active[b]
            s = 0.0
            ya = act.first_y - act.low
            yb = other.first_y - other.low
            for j in range(max(act.low, other.low), min(act.high, other.high)):
                s += Y[ya + j] * Y[yb + j]
            C[act.first_s + b - act.first_active] = s


@part
def _natural_square(system, work, r):
    """Square of the natural size of row r: W . (mass of the two bodies)^-1 W."""
    W = work.W
    con = system.constraints[system.rows[r].constraint]
    on_a = free_mobility(
        system.bodies, work.R, work.inertia, con.body_a, (W[r, 0], W[r, 1], W[r, 2]), (W[r, 3], W[r, 4], W[r, 5])
    )
    on_b = free_mobility(
        system.bodies, work.R, work.inertia, con.body_b, (W[r, 6], W[r, 7], W[r, 8]), (W[r, 9], W[r, 10], W[r, 11])
    )
    square = on_a + on_b
    return square if square > 0.0 else 1.0  # a row that holds nothing at present


@part
def _floors(system, active, work, floors):
    """The smallest pivot that each active row may have in the squared matrix."""
    for a in range(active.shape[0]):
        floors[a] = CANCELLATION * _natural_square(system, work, active[a].row)


@part
def _log_volume(active, floors, C):
    """Logarithm of the volume that the active rows span, each in units of its natural size."""
    total = 0.0
    for a in range(active.shape[0]):
        pivot = C[active[a].first_s + a - active[a].first_active]
        total += math.log(pivot) - 0.5 * math.log(floors[a] / CANCELLATION)
    return total


@part
def row_scales(system, work, scales):
    """1 / natural size of every row."""
    for r in range(system.rows.shape[0]):
        scales[r] = 1.0 / math.sqrt(_natural_square(system, work, r))


@part
def _all_rows(system, J, L, dense):
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
        _all_rows(system, work.J, work.L, dense)
    return status


@part
def normal_step(system, work, c, delta, mu):
    """delta and mu for the right-hand side c (one entry a row), with the factors at hand."""
    method = work.method[0]
    if method.factors == Factors.DELICATE:
        least_step(work.dense, method.rank, work.row_scales, work.diagonal, work.pivots, c, delta, mu)
    else:
        x, active = work.x, active_rows(work)
        for a in range(active.shape[0]):
            x[a] = c[active[a].row]
        solve_envelope(active, work.C, x)
        for r in range(mu.shape[0]):
            mu[r] = 0.0
        for k in range(delta.shape[0]):
            delta[k] = 0.0
        for a in range(active.shape[0]):
            act = active[a]
            mu[act.row] = x[a]
            for j in range(act.low, act.high):
                delta[j] += x[a] * work.Y[act.first_y + j - act.low]
    solve_inner(system.dofs, work.L, delta)


@part
def violation_rate(system, J, v, target, c):
    """c = target - Phi_v v."""
    for k in range(system.constraints.shape[0]):
        con = system.constraints[k]
        for r in range(con.first_row, con.first_row + con.row_count):
            s = target[r]
            value = system.rows[r].first_value
            for j in range(con.column_count):
                s -= J[value + j] * v[system.columns[con.first_column + j].dof]
            c[r] = s
