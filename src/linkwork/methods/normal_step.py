"""The one linear problem behind position, velocity and acceleration (P5): the least motion that meets the
constraints.

    min 1/2 delta^T M delta   subject to   Phi_v delta = c        =>   M delta = Phi_v^T mu

With M = L^T L and A = L^-T Phi_v^T this is the shortest z with A^T z = c, delta = L^-1 z.  Away from singular
positions A^T A is factored by Cholesky over the rows known to be independent; where a pivot nearly vanishes, all
rows go through a rank-revealing QR of A itself, cut at RANK_CUT: near a singular position the condition number is
never squared.  Where masses differ by many orders, rows that geometry tells apart are small beside others in this
metric; the cut is then lower by as much: at the start (`cut_factor`), and wherever fewer rows are left than geometry
knows to be independent (`cut_between_masses`).

Rows that are redundant but for an error (analyses/start/loop_misfit.py) are met in the sense of least squares, over as
many directions as geometry knows to be independent: whichever rows are taken, the motion is the same.

Dense rows are factored with the strongest of all first; where they would be many, within their envelope, with the
strongest of each constraint first (numerics/envelope_qr.py).
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import kernel, part
from linkwork.formulations.mass import packed_mass
from linkwork.formulations.records import Factors
from linkwork.formulations.workspace import active_rows
from linkwork.methods.geometric_rows import rank_by_geometry
from linkwork.methods.loop_recursion import eliminate, solve_eliminated
from linkwork.methods.natural_rows import all_rows, factor_packed, natural_square, row_scales, weighted_rows
from linkwork.numerics.envelope import factor_envelope, solve_envelope
from linkwork.numerics.rank_revealing import factor_products, factor_rows, least_step, right_sides
from linkwork.numerics.status import CHOOSE_ROWS, OK
from linkwork.numerics.tree_matrix import factor_tree, solve_inner

RANK_CUT = 1e-5  # of a row's natural size: what is left of it beside the others below this is dependent, or vanishes
REGULAR_FROM = 1e-2  # of a row's natural size: below it the rank-revealing factorization takes over
CANCELLATION = REGULAR_FROM**2  # the same for the squared matrix
UNLIKE = 1e4  # ratio of masses from which on the cut may have to be lower
ROUNDING = 1e-14  # of a row's natural size: nothing else is left of it
HIDDEN = 0.1  # of the weakest row that is independent by geometry: the cut below it
PLAIN = 1e-3  # of its natural size: by more a row is plainly independent, by geometry
WELL = 0.02  # weakest pivot, of a row's natural size, at a position that is plainly regular
FLAT = -1e6  # logarithm of a vanishing volume, or pivot; far below that of many rows
SMALL, LARGE = 1e-200, 1e200  # a product of squares beyond them is taken by its logarithm


@kernel
def factorize(system, work):
    """Factor M, then the constraints, at the position evaluated last."""
    method = work.method[0]
    method.factorizations += 1
    method.by_recursion, method.full_rank = 0, method.active_count
    if work.fronts.shape[0] == 0:
        return factorize_whole(system, work)
    least, volume = eliminate(system, work), _log_of_left(work.left, method.active_count)
    if least > CANCELLATION:
        method.factors, method.by_recursion, method.rank = Factors.REGULAR, 1, method.active_count
        method.weakest_pivot, method.other_rows_pivot, method.volume = math.sqrt(least), 0.0, volume
        return OK
    packed_mass(system, work)
    status = factorize_whole(system, work)
    method.volume = volume  # as at positions nearby, where the recursion serves
    return status


@part
def factorize_whole(system, work):
    """Factor M, which is known, and the products of all rows in its metric."""
    method, floors, active = work.method[0], work.x, active_rows(work)
    status = factor_tree(system.dofs, work.M, work.L)
    if status != OK:
        method.factors = Factors.NOTHING
        return status
    weighted_rows(system, active, work.J, work.L, work.Y)
    _products(active, work.Y, work.C)
    _floors(system, active, work, floors)
    least = factor_envelope(active, floors, work.C)
    method.volume = _log_volume(active, floors, work.C, work.left) if least > 0.0 else FLAT
    method.weakest_pivot = math.sqrt(max(least, 0.0) * CANCELLATION)
    if least > 1.0 and work.gram.shape[0] == 0:
        method.factors = Factors.REGULAR
        method.other_rows_pivot = 0.0
        method.rank = active.shape[0]
        return OK
    if work.options[0].regular_only != 0.0:
        method.factors = Factors.NOTHING
        return CHOOSE_ROWS
    method.rank_revealing += 1
    method.factors = Factors.DELICATE
    cut = (work.options[0].rank_cut or RANK_CUT) * system.whole[0].cut_factor
    method.rank, weakest = taken_rows(system, work, cut)
    full = method.rank == method.full_rank
    method.other_rows_pivot = weakest if full else 0.0
    method.weakest_pivot = weakest if full else cut
    return OK


@part
def taken_rows(system, work, cut):
    """Factor all rows, M factored: how many are independent, named in `pivots`, and what is left of the weakest."""
    rank, weakest = 0, math.inf
    if work.dense.shape[0] > 0:
        if work.gram.shape[0] > 0:
            rank = _factor_nearly_redundant(system, work)
        else:
            rank = _factor_dense(system, work, cut)
        if rank < work.method[0].full_rank:
            lower = cut_between_masses(system, work, cut)
            if lower < cut:
                rank = _factor_dense(system, work, lower)
        weakest = abs(work.diagonal[rank - 1]) if rank > 0 else 0.0
        return rank, weakest
    factor_packed(system, work, work.every_row, cut)
    for a in range(work.every_row.shape[0]):
        if work.diagonal[a] > 0.0:
            work.pivots[rank] = work.every_row[a].row
            weakest = min(weakest, work.diagonal[a])
            rank += 1
    return rank, weakest


@part
def _factor_nearly_redundant(system, work):
    """Factor as many rows as geometry knows to be independent, and the products of all for least squares; their rank.

    Where masses hide which rows are independent, only those count that geometry has chosen.
    """
    cut = RANK_CUT * min(system.whole[0].cut_factor, 1.0)
    all_rows(system, work.J, work.L, work.dense)
    row_scales(system, work, work.row_scales)
    if masses_differ(system):
        cut = _leave_out_others(active_rows(work), work.row_scales)
    rank = factor_rows(work.dense, cut, work.row_scales, work.z, work.diagonal, work.pivots)
    rank = min(rank, work.method[0].full_rank)
    if not factor_products(work.dense, rank, work.diagonal, work.pivots, work.gram):
        work.gram[0, 0] = 0.0
    return rank


@part
def _leave_out_others(active, scales):
    """Rows that are not active count for nothing; the cut with which all that are active count."""
    for r in range(scales.shape[0]):
        scales[r] = -scales[r]
    for a in range(active.shape[0]):
        scales[active[a].row] = -scales[active[a].row]
    for r in range(scales.shape[0]):
        scales[r] = max(scales[r], 0.0)
    return ROUNDING


@part
def _factor_dense(system, work, cut):
    """Factor all rows in the metric of M, dense; their rank."""
    all_rows(system, work.J, work.L, work.dense)
    row_scales(system, work, work.row_scales)
    return factor_rows(work.dense, cut, work.row_scales, work.z, work.diagonal, work.pivots)


@part
def masses_differ(system):
    """Whether by so many orders that rows are not told apart in the metric of M."""
    lightest, heaviest = math.inf, 0.0
    for b in range(1, system.bodies.shape[0]):
        mass = system.bodies[b].mass
        if mass > 0.0:
            lightest, heaviest = min(lightest, mass), max(heaviest, mass)
    return heaviest > UNLIKE * lightest


@part
def cut_between_masses(system, work, cut):
    """The cut for rows in the metric of M: lower, if light bodies hide rows that are plainly independent by geometry.

    `work.dense` and `work.row_scales` are spent.
    """
    if not masses_differ(system) or system.whole[0].misfit > 0.0:
        return cut
    known = rank_by_geometry(system, work, PLAIN)
    found = _factor_dense(system, work, 0.0)
    if known == 0 or found < known:
        return cut
    return min(cut, HIDDEN * abs(work.diagonal[known - 1]))


@part
def _products(active, Y, C):
    """A^T A within its envelope: each row with all rows of a block, which are at hand meanwhile."""
    for head in range(active.shape[0]):
        if active[head].block == 0:
            continue
        last, low, high = head + active[head].block, active[head].low, active[head].high
        for b in range(active[head].first_active, last):
            other = active[b]
            yb, first, end = other.first_y - other.low, max(low, other.low), min(high, other.high)
            for a in range(max(head, b), last):
                act = active[a]
                ya = act.first_y - low
                s = 0.0
                for j in range(first, end):
                    s += Y[ya + j] * Y[yb + j]
                C[act.first_s + b - act.first_active] = s


@part
def _floors(system, active, work, floors):
    """The smallest pivot that each active row may have in the squared matrix."""
    for a in range(active.shape[0]):
        floors[a] = CANCELLATION * natural_square(system, work, active[a].row)


@part
def _log_volume(active, floors, C, left):
    """Logarithm of the volume that the active rows span, each in units of its natural size; of each the square of what
    is left.
    """
    for a in range(active.shape[0]):
        pivot = C[active[a].first_s + a - active[a].first_active]
        left[a] = pivot * pivot * CANCELLATION / floors[a]
    return _log_of_left(left, active.shape[0])


@part
def _log_of_left(left, count):
    """Half the logarithm of their product."""
    total, product = 0.0, 1.0
    for a in range(count):
        product *= left[a]
        if not SMALL < product < LARGE:
            total += math.log(product)
            product = 1.0
    return 0.5 * (total + math.log(product))


@part
def normal_step(system, work, c, delta, mu):
    """delta and mu for the right-hand side c (one entry a row), with the factors at hand."""
    method = work.method[0]
    if method.by_recursion == 1:
        for j in range(delta.shape[0]):
            delta[j] = 0.0
        solve_eliminated(system, work, c, delta, mu)
        for r in range(mu.shape[0]):
            mu[r] = -mu[r]
        return
    delicate = method.factors == Factors.DELICATE
    if delicate and work.dense.shape[0] > 0:
        given = c
        if work.gram.shape[0] > 0 and work.gram[0, 0] > 0.0:
            given = work.x
            right_sides(
                work.dense, method.rank, work.row_scales, work.diagonal, work.pivots, work.gram, c, work.z, given
            )
        least_step(work.dense, method.rank, work.row_scales, work.diagonal, work.pivots, given, delta, mu)
        solve_inner(system.dofs, work.L, delta)
        return
    table, x = work.every_row if delicate else active_rows(work), work.x
    for a in range(table.shape[0]):
        x[a] = c[table[a].row]
        if delicate:
            x[a] = x[a] * work.row_scales[table[a].row] if work.diagonal[a] > 0.0 else 0.0
    for k in range(delta.shape[0]):
        delta[k] = 0.0
    solve_envelope(table, work.C, x)
    _add_along_rows(table, x, work.Y, delta, mu)
    if delicate:
        for a in range(table.shape[0]):
            mu[table[a].row] *= work.row_scales[table[a].row]
    solve_inner(system.dofs, work.L, delta)


@part
def constrained_motion(system, work, c, z, mu):
    """z, changed least so that A^T z = c, and then the motion L^-1 z in its place; mu.  With regular factors."""
    active, x, Y = active_rows(work), work.x, work.Y
    for a in range(active.shape[0]):
        act = active[a]
        s = c[act.row]
        for j in range(act.low, act.high):
            s -= Y[act.first_y + j - act.low] * z[j]
        x[a] = s
    solve_envelope(active, work.C, x)
    _add_along_rows(active, x, Y, z, mu)
    solve_inner(system.dofs, work.L, z)


@part
def _add_along_rows(table, x, Y, z, mu):
    """z += A x; mu: x by rows, 0 for those that are not in the table."""
    for r in range(mu.shape[0]):
        mu[r] = 0.0
    for a in range(table.shape[0]):
        act = table[a]
        mu[act.row] = x[a]
        for j in range(act.low, act.high):
            z[j] += x[a] * Y[act.first_y + j - act.low]


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
