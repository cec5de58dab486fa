"""One singular position between two points of a path, compiled: its time, and the rank there.

With u and w the singular vectors of the smallest singular value of the rows A at one time, u^T A w at other times is
that value, with a sign, theory (11.3): its zero is that of a parabola, with new vectors each time, as long as the value
falls by half.  Zeros that are known are divided out.

Of very many rows, which are not written down densely, what is left of each row beside those before it stands in place
of singular values: which of them is weak everywhere depends on their order; one that vanishes is small beside what it
is a span away.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.analyses.certificate.singular.between_states import interpolation_buffers, pass_through, position_at
from linkwork.analyses.certificate.singular.conditioning import REDUNDANT
from linkwork.analyses.certificate.singular.loose_joints import rows_by_geometry
from linkwork.compiler.argument_types import Structure
from linkwork.compiler.kernels import part
from linkwork.methods.natural_rows import factor_packed, natural_packed
from linkwork.methods.normal_step import RANK_CUT
from linkwork.numerics.envelope import solve_back
from linkwork.numerics.singular_values import singular_rows
from linkwork.numerics.status import LEVEL_POSITION, OK
from linkwork.numerics.tree_matrix import factor_tree

NONE = -1  # no rank: there is no passage
VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
SAME = 0.01  # of the distance of points: passages nearer to each other are one
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
LEAST_SHARE = 1e-6  # of a combination: with less than this in some rows it is not theirs
NEAR = 2.0  # distances of points, within which a passage is sought
ITERATIONS = 8  # for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope


class Sought(NamedTuple):
    """Where passages are sought: the states of a path, and points along it (rank_monitor.py)."""

    t: np.ndarray  # [state]
    y: np.ndarray  # [state, entry]
    rate: np.ndarray
    angles: np.ndarray
    state: np.ndarray  # [point] the state before
    time: np.ndarray  # [point]
    conditioning: np.ndarray  # [point, column]
    largest: np.ndarray  # [column] of the conditioning
    doubtful: np.ndarray  # [interval, column] whether it may vanish there
    column: np.ndarray  # [row]
    units: np.ndarray  # of motions, by geometry
    sizes: np.ndarray  # of rows


class Room(NamedTuple):
    """What the search for one passage works in."""

    nodes: np.ndarray
    differences: np.ndarray
    dense: np.ndarray  # [row, motion]; nothing of very many rows
    turned: np.ndarray  # [row, row]
    values: np.ndarray  # [4, row]
    kept: np.ndarray  # [1] interval of which this is kept, in whose middle all columns are looked for first:
    first: np.ndarray  # singular values and vectors there, as in `dense`,
    first_turned: np.ndarray  # `turned`,
    first_values: np.ndarray  # the first of `values`
    order: np.ndarray  # and their order;
    before: np.ndarray  # the rows a little before it
    after: np.ndarray  # and after


SOUGHT, ROOM = Structure("Sought"), Structure("Room")


def room_to_search(coordinates: int, rows: int, dofs: int, small: bool) -> Room:
    """For a mechanism of so many rows; `small`: they are written down densely."""
    few, motions = (rows, dofs) if small else (0, dofs)
    dense, before, after, first = np.zeros((4, few, motions))
    turned, first_turned = np.zeros((2, few, few))
    return Room(
        *interpolation_buffers(coordinates), dense, turned, np.zeros((4, rows)), np.full(1, -1), first, first_turned,
        np.zeros(few), np.zeros(few, np.int64), before, after,
    )  # fmt: skip


@part
def find_passage(evaluate, rows_of, system, work, sought, room, n, column, known, found):
    """The singular position of a column between points n and n + 1, or a little beside, but for those at times that are
    `known`; its rank, NONE where there is none.  Time into `found`, coordinates into work.rate.
    """
    state, begin, span = sought.state[n], sought.time[n], sought.time[n + 1] - sought.time[n]
    count = pass_through(sought.t, sought.y, sought.rate, state, room.nodes, room.differences)
    for k in range(sought.y.shape[1]):
        work.rate[k] = sought.y[state, k]
    work.segment[0].t_accepted = sought.t[state]
    middle, aside = begin + 0.5 * span, ASIDE * span
    if room.dense.shape[0] == 0:
        _note_beside(evaluate, system, work, sought.angles[state], room, count, middle, span)
    now, passage, first, least = _far_from(known, middle, 0.25 * span), middle, 0.0, math.inf
    for k in range(ITERATIONS):
        if k == 0 and known.shape[0] == 0 and room.dense.shape[0] > 0:
            _look_at_middle(evaluate, rows_of, system, work, sought.angles[state], room, count, n, middle, aside)
            size = _weakest_of(
                work, sought.column, column, room.first, room.first_turned, room.first_values, room.order
            )
            value, before, after = size, _product_with(work, room.before), _product_with(work, room.after)
        else:
            _evaluate_at(evaluate, system, work, now, sought.angles[state], room, count)
            size = _weakest(rows_of, system, work, sought.column, column, room)
            value = size / _product(known, now, span)
            if abs(value) > 0.5 * least:
                break
            _evaluate_at(evaluate, system, work, now - aside, sought.angles[state], room, count)
            before = _along(rows_of, system, work, room.dense) / _product(known, now - aside, span)
            _evaluate_at(evaluate, system, work, now + aside, sought.angles[state], room, count)
            after = _along(rows_of, system, work, room.dense) / _product(known, now + aside, span)
        passage, least = now, abs(value)
        first = first if first > 0.0 else least
        if size < ZERO:
            break
        now += aside * _zero_of_parabola(before, value, after)
        if not _is_near(now, begin, span, sought.t):
            return NONE  # mostly the first iteration shows that there is none near
    if least > max(VANISHES * first, RANK_CUT):
        return NONE
    for k in range(known.shape[0]):
        if abs(passage - known[k]) < SAME * abs(span):
            return NONE
    found[0] = passage
    if room.dense.shape[0] == 0:
        return _rank_of_many(evaluate, system, work, passage, sought.angles[state], room, count)
    return _rank(evaluate, rows_of, system, work, passage, span, sought, state, room, count)


@part
def _evaluate_at(evaluate, system, work, time, angles, room, count):
    """The equations at a time behind the state."""
    position_at(time, count, room.nodes, room.differences, work.rate)
    evaluate(system, time, work.rate, angles, work, LEVEL_POSITION)


@part
def _look_at_middle(evaluate, rows_of, system, work, angles, room, count, n, middle, aside):
    """The rows in the middle of interval n, and a little before and after it: the same for all columns."""
    if room.kept[0] == n:
        return
    room.kept[0] = n
    _evaluate_at(evaluate, system, work, middle, angles, room, count)
    rows_of(system, work, room.first)
    singular_rows(room.first, room.first_turned, room.first_values, room.order)
    _evaluate_at(evaluate, system, work, middle - aside, angles, room, count)
    rows_of(system, work, room.before)
    _evaluate_at(evaluate, system, work, middle + aside, angles, room, count)
    rows_of(system, work, room.after)


@part
def _far_from(known, middle, aside):
    """The middle, or a time beside it, whichever is farthest from those that are known."""
    best, farthest = middle, -1.0
    for side in range(3):
        time = middle + (0.0, -aside, aside)[side]
        nearest = math.inf
        for k in range(known.shape[0]):
            nearest = min(nearest, abs(time - known[k]))
        if nearest > farthest:
            best, farthest = time, nearest
    return best


@part
def _product(known, time, span):
    """What the zeros that are known make of a value."""
    product = 1.0
    for k in range(known.shape[0]):
        product *= (time - known[k]) / span
    return product


@part
def _zero_of_parabola(before, here, after):
    """The zero nearest to 0 of the parabola through values at -1, 0 and 1, or its vertex where it has none."""
    slope, curvature = 0.5 * (after - before), before - 2.0 * here + after
    discriminant = slope * slope - 2.0 * here * curvature
    if discriminant < 0.0:
        return -slope / curvature
    below = slope + math.copysign(math.sqrt(discriminant), slope)
    return -2.0 * here / below if below != 0.0 else 0.0


@part
def _is_near(time, begin, span, t):
    """Whether a time is between two points or within NEAR of their distance beside, and on the path."""
    last, first, end = t.shape[0] - 1, begin - NEAR * span, begin + (1.0 + NEAR) * span
    low, high = min(first, end), max(first, end)
    return max(low, min(t[0], t[last])) <= time <= min(high, max(t[0], t[last]))


# -- the weakest combination of rows ----------------------------------------------------------------------------------
@part
def _weakest(rows_of, system, work, columns, column, room):
    """At the position evaluated last: the smallest singular value of as many rows as are independent elsewhere, its
    vectors in work.c and work.delta; of several that are small the one with most of the rows of the column.
    """
    dense, turned, values = room.dense, room.turned, room.values
    if dense.shape[0] == 0:
        return _weakest_of_many(system, work, columns, column, values)
    rows_of(system, work, dense)
    singular_rows(dense, turned, values[0], work.pivots)
    return _weakest_of(work, columns, column, dense, turned, values[0], work.pivots)


@part
def _weakest_of(work, columns, column, dense, turned, values, order):
    """The same of rows that are turned."""
    best, least = 0, math.inf
    for k in range(work.method[0].active_count):
        place, share = order[k], 0.0
        for r in range(columns.shape[0]):
            if columns[r] == column:
                share += turned[r, place] ** 2
        size = (values[place] + ZERO) / max(share, LEAST_SHARE)
        if size < least:
            best, least = place, size
    for r in range(dense.shape[0]):
        work.c[r] = turned[r, best]
    for j in range(dense.shape[1]):
        work.delta[j] = dense[best, j] / values[best] if values[best] > 0.0 else 0.0
    return values[best]


@part
def _along(rows_of, system, work, dense):
    """u^T A w at the position evaluated last, with the vectors of another time."""
    s = 0.0
    if dense.shape[0] == 0:
        factor_tree(system.dofs, work.M, work.L)
        natural_packed(system, work, work.every_row)
        for a in range(work.every_row.shape[0]):
            act = work.every_row[a]
            for j in range(act.low, act.high):
                s += work.c[act.row] * work.Y[act.first_y + j - act.low] * work.delta[j]
        return s
    rows_of(system, work, dense)
    return _product_with(work, dense)


@part
def _product_with(work, dense):
    s = 0.0
    for r in range(dense.shape[0]):
        for j in range(dense.shape[1]):
            s += work.c[r] * dense[r, j] * work.delta[j]
    return s


@part
def _rank(evaluate, rows_of, system, work, time, span, sought, state, room, count):
    """At a time: singular values that have not vanished beside those a span before and after.

    Where light links are in line, rows become small in the metric of M that geometry tells apart.
    """
    dense, values, angles = room.dense, room.values, sought.angles[state]
    full, rank = work.method[0].active_count, 0
    for by_geometry in range(2):
        for side in range(3):
            at = time + (0.0, -span, span)[side]
            _evaluate_at(evaluate, system, work, at, angles, room, count)
            if by_geometry == 1:
                rows_by_geometry(system, work, sought.units, sought.sizes, dense)
            else:
                rows_of(system, work, dense)
            singular_rows(dense, room.turned, values[3], work.pivots)
            for k in range(full):
                values[side, k] = values[3, work.pivots[k]]
        left = 0
        for k in range(full):
            if values[0, k] > VANISHES * max(values[1, k], values[2, k]):
                left += 1
        rank = max(rank, left)
        if rank == full:
            break
    _evaluate_at(evaluate, system, work, time, angles, room, count)
    return rank


# -- the same of very many rows ---------------------------------------------------------------------------------------
@part
def _left_of_many(system, work, cut):
    """Factor all rows at the position evaluated last: their rank; what is left of each in work.diagonal."""
    if factor_tree(system.dofs, work.M, work.L) != OK:
        return 0
    return factor_packed(system, work, work.every_row, cut)


@part
def _note_beside(evaluate, system, work, angles, room, count, middle, span):
    """What is left of the rows a span before or after the middle, the larger of the two; 0 of redundant ones."""
    values = room.values
    values[0, :] = 0.0
    for side in (-1.0, 1.0):
        _evaluate_at(evaluate, system, work, middle + side * span, angles, room, count)
        _left_of_many(system, work, REDUNDANT)
        for a in range(values.shape[1]):
            values[0, a] = max(values[0, a], work.diagonal[a])


@part
def _ratio(work, values, a):
    """Of what is left of a row that part which is left beside."""
    return work.diagonal[a] / values[0, a] if values[0, a] > REDUNDANT / VANISHES else math.inf


@part
def _weakest_of_many(system, work, columns, column, values):
    """The row of which least is left, with the combination that vanishes with it: it is that long, theory (11.3)."""
    _left_of_many(system, work, REDUNDANT)
    table, parts = work.every_row, values[1]
    best, least = -1, math.inf
    for a in range(table.shape[0]):
        if columns[table[a].row] == column and _ratio(work, values, a) < least:
            best, least = a, _ratio(work, values, a)
    parts[:] = 0.0
    if best >= 0 and work.diagonal[best] > 0.0:
        parts[best] = 1.0
    solve_back(table, work.C, parts)
    square = 0.0
    for a in range(table.shape[0]):
        square += parts[a] * parts[a]
    work.delta[:] = 0.0
    work.c[:] = 0.0
    if square == 0.0:
        return 0.0
    for a in range(table.shape[0]):
        act = table[a]
        work.c[act.row] = parts[a] / math.sqrt(square)
        for j in range(act.low, act.high):
            work.delta[j] += parts[a] * work.Y[act.first_y + j - act.low]
    return 1.0 / math.sqrt(square)


@part
def _rank_of_many(evaluate, system, work, time, angles, room, count):
    """At a time: rows that are left when those that have vanished are dropped; others may take their places."""
    values = room.values
    full, most = work.method[0].active_count, -1.0
    _evaluate_at(evaluate, system, work, time, angles, room, count)
    rank = _left_of_many(system, work, RANK_CUT)
    for a in range(work.every_row.shape[0]):
        if _ratio(work, values, a) <= VANISHES:
            most = max(most, work.diagonal[a])
    if most < 0.0:
        return full
    if most > 0.0:
        rank = _left_of_many(system, work, 1.001 * most)
    return min(rank, full)
