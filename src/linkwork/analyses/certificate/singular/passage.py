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
from linkwork.analyses.certificate.singular.dips import zero_between
from linkwork.analyses.certificate.singular.loose_joints import rows_by_geometry
from linkwork.compiler.argument_types import Structure
from linkwork.compiler.kernels import part
from linkwork.methods.natural_rows import factor_packed
from linkwork.methods.normal_step import RANK_CUT
from linkwork.numerics.envelope import solve_back
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.singular_values import singular_rows
from linkwork.numerics.status import LEVEL_POSITION, OK
from linkwork.numerics.tree_matrix import factor_tree, solve_inner

NONE = -1  # no rank: there is no passage
VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
SAME = 0.01  # of the distance of points: passages nearer to each other are one
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
LEAST_SHARE = 1e-6  # of a combination: with less than this in some rows it is not theirs
NEAR = 2.0  # distances of points, within which a passage is sought
ITERATIONS = 8  # for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope
SMALL = 5e-3  # of the distance of points: behind a step of the parabola no larger than this is the zero


class Sought(NamedTuple):
    """Where passages are sought: the states of a path, and points along it (rank_monitor.py)."""

    t: np.ndarray  # [state]
    y: np.ndarray  # [state, entry]
    rate: np.ndarray
    angles: np.ndarray
    state: np.ndarray  # [point] the state before
    time: np.ndarray  # [point]
    span: np.ndarray  # [interval] s, of its time what is looked at closely
    conditioning: np.ndarray  # [point, column]
    largest: np.ndarray  # [column] of the conditioning
    doubtful: np.ndarray  # [interval, column] whether it may vanish there
    crosses: np.ndarray  # [interval, column] whether it vanishes once there, for all that is known (dips.py)
    column: np.ndarray  # [row]
    units: np.ndarray  # of motions, by geometry
    sizes: np.ndarray  # of rows


class Room(NamedTuple):
    """What the search for one passage works in."""

    nodes: np.ndarray
    differences: np.ndarray
    zero: np.ndarray  # [2, 6] for that of a column between points
    dense: np.ndarray  # [row, motion]; nothing of very many rows
    turned: np.ndarray  # [row, row]
    values: np.ndarray  # [3, row]


SOUGHT, ROOM = Structure("Sought"), Structure("Room")


def room_to_search(coordinates: int, rows: int, dofs: int, small: bool) -> Room:
    """For a mechanism of so many rows; `small`: they are written down densely."""
    few, motions = (rows, dofs) if small else (0, dofs)
    dense, turned = np.zeros((few, motions)), np.zeros((few, few))
    return Room(*interpolation_buffers(coordinates), np.zeros((2, 6)), dense, turned, np.zeros((3, rows)))


@part
def find_passage(evaluate, rows_of, system, work, sought, room, n, column, crosses, known, found):
    """The singular position of a column between points n and n + 1, or a little beside, but for those at times that are
    `known`, or where it `crosses` zero for all that is known; its rank, NONE where there is none.  Time into `found`,
    coordinates into work.rate.
    """
    state, begin, end, span = sought.state[n], sought.time[n], sought.time[n + 1], sought.span[n]
    count = pass_through(sought.t, sought.y, sought.rate, state, room.nodes, room.differences)
    for k in range(sought.y.shape[1]):
        work.rate[k] = sought.y[state, k]
    work.segment[0].t_accepted = sought.t[state]
    middle = 0.5 * (begin + end)
    if crosses:
        middle = zero_between(sought.time, sought.conditioning, n, column, room.zero[0], room.zero[1])
    if room.dense.shape[0] == 0:
        _note_beside(evaluate, system, work, sought.angles[state], room, count, middle, span)
    now, passage, first, least = _far_from(known, middle, 0.25 * span), middle, 0.0, math.inf
    aside = ASIDE * span
    for _ in range(ITERATIONS):
        _evaluate_at(evaluate, system, work, now, sought.angles[state], room, count)
        size = _weakest(rows_of, system, work, sought.column, column, room)
        value = size / _product(known, now, span)
        if abs(value) > 0.5 * least:
            break
        passage, least = now, abs(value)
        first = first if first > 0.0 else least
        if size < ZERO:
            break
        _evaluate_at(evaluate, system, work, now - aside, sought.angles[state], room, count)
        before = _along(system, work) / _product(known, now - aside, span)
        _evaluate_at(evaluate, system, work, now + aside, sought.angles[state], room, count)
        after = _along(system, work) / _product(known, now + aside, span)
        step = _zero_of_parabola(before, value, after)
        now += aside * step
        if not _is_near(now, begin, end, span, sought.t):
            return NONE  # mostly the first iteration shows that there is none near
        if abs(aside * step) < SMALL * abs(span):
            passage, least = now, abs(_on_parabola(before, value, after, step))
            break
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
def _on_parabola(before, here, after, x):
    """The value at x of the parabola through values at -1, 0 and 1."""
    return here + 0.5 * x * (after - before + x * (before - 2.0 * here + after))


@part
def _is_near(time, begin, end, span, t):
    """Whether a time is between two points or within NEAR spans beside, and on the path."""
    last, first, end = t.shape[0] - 1, begin - NEAR * span, end + NEAR * span
    low, high = min(first, end), max(first, end)
    return max(low, min(t[0], t[last])) <= time <= min(high, max(t[0], t[last]))


# -- the weakest combination of rows ----------------------------------------------------------------------------------
@part
def _weakest(rows_of, system, work, columns, column, room):
    """At the position evaluated last: the smallest singular value of as many rows as are independent elsewhere, its
    vectors as a combination of the rows in work.c and a motion in work.delta; of several that are small the one with
    most of the rows of the column.
    """
    dense, turned, values = room.dense, room.turned, room.values[0]
    if dense.shape[0] == 0:
        return _weakest_of_many(system, work, columns, column, room.values)
    rows_of(system, work, dense)
    singular_rows(dense, turned, values, work.pivots)
    best, least = 0, math.inf
    for k in range(work.method[0].active_count):
        place, share = work.pivots[k], 0.0
        for r in range(columns.shape[0]):
            if columns[r] == column:
                share += turned[r, place] ** 2
        size = (values[place] + ZERO) / max(share, LEAST_SHARE)
        if size < least:
            best, least = place, size
    for r in range(dense.shape[0]):
        work.c[r] = turned[r, best] * work.row_scales[r]
    for j in range(dense.shape[1]):
        work.delta[j] = dense[best, j] / values[best] if values[best] > 0.0 else 0.0
    solve_inner(system.dofs, work.L, work.delta)
    return values[best]


@part
def _along(system, work):
    """a^T A b at the position evaluated last, with the vectors of another time."""
    s = 0.0
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            if work.c[r] != 0.0:
                value, rate = system.rows[r].first_value, 0.0
                for k in range(con.column_count):
                    rate += work.J[value + k] * work.delta[system.columns[con.first_column + k].dof]
                s += work.c[r] * rate
    return s


@part
def _rank(evaluate, rows_of, system, work, time, span, sought, state, room, count):
    """At a time: rows of which more is left, beside the stronger ones, than of as many a span before and after.

    Where light links are in line, rows become small in the metric of M that geometry tells apart.
    """
    values, full, rank = room.values, work.method[0].active_count, 0
    values[:2, :] = 0.0
    for side in (-1.0, 1.0, 0.0):
        _evaluate_at(evaluate, system, work, time + side * span, sought.angles[state], room, count)
        for by_geometry in range(2):
            if by_geometry == 1:
                rows_by_geometry(system, work, sought.units, sought.sizes, room.dense)
            else:
                rows_of(system, work, room.dense)
            _what_is_left(work, room.dense, values[2])
            left = 0
            for k in range(full):
                if side == 0.0:
                    left += 1 if values[2, k] > VANISHES * values[by_geometry, k] else 0
                else:
                    values[by_geometry, k] = max(values[by_geometry, k], values[2, k])
            rank = max(rank, left)
    return rank


@part
def _what_is_left(work, dense, left):
    """Of each row beside those before it, the strongest first; the rows are spent."""
    for r in range(dense.shape[0]):
        work.row_scales[r] = 1.0
    rank = factor_rows(dense, 0.0, work.row_scales, work.z, work.diagonal, work.pivots)
    for k in range(dense.shape[0]):
        left[k] = abs(work.diagonal[k]) if k < rank else 0.0


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
def ratio_left(work, values, a):
    """Of what is left of a row that part which is left beside."""
    return work.diagonal[a] / values[0, a] if values[0, a] > REDUNDANT / VANISHES else math.inf


@part
def _weakest_of_many(system, work, columns, column, values):
    """The row of which least is left, with the combination that vanishes with it: it is that long, theory (11.3)."""
    _left_of_many(system, work, REDUNDANT)
    table, parts = work.every_row, values[1]
    best, least = -1, math.inf
    for a in range(table.shape[0]):
        if columns[table[a].row] == column and ratio_left(work, values, a) < least:
            best, least = a, ratio_left(work, values, a)
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
        if parts[a] != 0.0:
            work.c[act.row] = parts[a] / math.sqrt(square) * work.row_scales[act.row]
            for j in range(act.low, act.high):
                work.delta[j] += parts[a] * work.Y[act.first_y + j - act.low]
    solve_inner(system.dofs, work.L, work.delta)
    return 1.0 / math.sqrt(square)


@part
def _rank_of_many(evaluate, system, work, time, angles, room, count):
    """At a time: rows that are left when those that have vanished are dropped; others may take their places."""
    values = room.values
    full, most = work.method[0].active_count, -1.0
    _evaluate_at(evaluate, system, work, time, angles, room, count)
    rank = _left_of_many(system, work, RANK_CUT)
    for a in range(work.every_row.shape[0]):
        if ratio_left(work, values, a) <= VANISHES:
            most = max(most, work.diagonal[a])
    if most < 0.0:
        return full
    if most > 0.0:
        rank = _left_of_many(system, work, 1.001 * most)
    return min(rank, full)
