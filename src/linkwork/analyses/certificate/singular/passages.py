"""All singular positions along a path, compiled: interval by interval, column by column of those in doubt there."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.analyses.certificate.singular.conditioning import bind_conditioning, measure_conditioning
from linkwork.analyses.certificate.singular.dips import zero_between
from linkwork.analyses.certificate.singular.loose_joints import LOOSE_ROOM, NAMED, name_loose_joints, room_for
from linkwork.analyses.certificate.singular.minima import find_minima
from linkwork.analyses.certificate.singular.passage import (
    NEAR,
    NONE,
    ROOM,
    SAME,
    SOUGHT,
    VANISHES,
    Sought,
    find_passage,
    ratio_left,
    room_to_search,
)  # fmt: skip
from linkwork.compiler.argument_types import SYSTEM, WHOLE, WHOLES, WORK, Structure, signature
from linkwork.compiler.kernels import Exports, bind_loop, kernel, part
from linkwork.compiler.references import Reference
from linkwork.formulations.motion_rows import EMPTY_TABLE, JOINT_TABLE
from linkwork.integrators import stages
from linkwork.numerics.status import LEVEL_POSITION

MISSES = 10  # columns in doubt, the most fallen first, that prove not to vanish: then the others do not either
PARTS = 16  # of a distance of points, in which columns in doubt are looked at again, and ...
BEYOND = 2  # ... of these on each side
KNOWN = 32  # passages of one column near to each other, after which no more are sought
BEFORE, WITH_ANOTHER, NEW = range(3)  # a passage that is known from before, that of another column, or neither


class Passages(NamedTuple):
    """What is found, in the order in which it is: one row a passage, of columns that vanish there."""

    entered: np.ndarray  # [1] how many
    last: np.ndarray  # [column] the last passage of each, -1: none
    t: np.ndarray  # s
    reach: np.ndarray  # s, the farthest along the path until then
    news: np.ndarray
    gone: np.ndarray  # [passage, column] whether the column vanishes there
    rank: np.ndarray
    q: np.ndarray  # [passage, coordinate]
    state: np.ndarray  # of the path, before the passage
    joints: np.ndarray  # [passage, NAMED]


class Looking(NamedTuple):
    """What the search works in beside the room for one passage."""

    doubtful: np.ndarray  # [column] in the interval
    crosses: np.ndarray  # [column] the same, once for all that is known
    known: np.ndarray  # s
    state: np.ndarray  # of points looked at more closely
    time: np.ndarray
    conditioning: np.ndarray  # [point, column]
    lowest: np.ndarray  # [interval, column]
    found: np.ndarray  # [1] s


PASSAGES, LOOKING = Structure("Passages"), Structure("Looking")
FIND_PASSAGES = signature(
    WHOLE,
    """Append the passages in intervals from place `first` on; the place of the first that is not done, since there is
    no room for what it has.  `in_space`: where joints are found, of a mechanism in a plane; else the same as `work`.
    """,
    evaluate=stages.EVALUATE.stage, factor=stages.FACTOR.stage, rows_of=stages.NATURAL_ROWS.stage,
    factor_rows=stages.FACTOR_ROWS.stage, system=SYSTEM, work=WORK, in_space=WORK, sought=SOUGHT, room=ROOM,
    looking=LOOKING, joints=JOINT_TABLE, loose=LOOSE_ROOM, intervals=WHOLES, first=WHOLE, passages=PASSAGES,
)  # fmt: skip


def bind_passages() -> None:
    """Compile the stages alone, then the search."""
    bind_conditioning()
    bind_loop(find_passages, FIND_PASSAGES)


def no_passages(room: int, columns: int, coordinates: int) -> Passages:
    """Room for so many."""
    return Passages(
        np.zeros(1, np.int64), np.full(columns, -1), np.zeros(room), np.zeros(room), np.zeros(room, np.int64),
        np.zeros((room, columns), bool), np.zeros(room, np.int64), np.zeros((room, coordinates)),
        np.zeros(room, np.int64), np.full((room, NAMED), -1),
    )  # fmt: skip


def looking(columns: int) -> Looking:
    """For so many columns."""
    points = PARTS + 2 * BEYOND + 1
    return Looking(
        np.zeros(columns, bool), np.zeros(columns, bool), np.zeros(KNOWN), np.zeros(points, np.int64), np.zeros(points),
        np.zeros((points, columns)), np.zeros((points - 1, columns), bool), np.zeros(1),
    )  # fmt: skip


@kernel
def find_passages(
    evaluate, factor, rows_of, factor_rows, system, work, in_space, sought, room, looking, joints, loose, intervals,
    first, passages,
):  # fmt: skip
    """Appends what is found: see FIND_PASSAGES."""
    for place in range(first, intervals.shape[0]):
        begun = passages.entered[0]
        if not _find_between(
            evaluate, factor, rows_of, factor_rows, system, work, in_space, sought, room, looking, joints, loose,
            intervals[place], passages,
        ):  # fmt: skip
            _forget_since(passages, begun)
            return place
    return intervals.shape[0]


@part
def _find_between(
    evaluate, factor, rows_of, factor_rows, system, work, in_space, sought, room, looking, joints, loose, n, passages
):
    """Passages between points n and n + 1, or a little beside, of the columns in doubt, the most fallen first; others
    may vanish with one.  A column may vanish twice there, where the mechanism turns back.  Whether there was room.
    """
    doubtful, crosses, misses = looking.doubtful, looking.crosses, 0
    for c in range(doubtful.shape[0]):
        doubtful[c], crosses[c] = sought.doubtful[n, c], sought.crosses[n, c]
    while misses < MISSES:
        column = _most_fallen(sought, doubtful, n)
        if column < 0:
            break
        near = _passages_near(sought, room, passages, n, column, crosses[column], looking.known)
        if crosses[column] and near > 0:
            doubtful[column] = False
            continue
        rank, full = NONE, work.method[0].active_count
        if near < KNOWN:
            known = looking.known[:near]
            rank = _find_of_column(evaluate, rows_of, system, work, sought, room, looking, n, column, known)
        if rank not in (NONE, full):
            if passages.entered[0] == passages.t.shape[0]:
                return False
            misses = 0
            _enter(evaluate, system, work, in_space, sought, room, n, rank, looking.found[0], joints, loose, passages)
            _note_gone(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, n, column, passages)
        elif near > 0:  # those that vanished with it do not vanish again either
            for c in range(doubtful.shape[0]):
                doubtful[c] = doubtful[c] and passages.last[c] != passages.last[column]
        else:
            doubtful[column], misses = False, misses + 1
            if misses == 1 and _count(doubtful) >= MISSES:  # more than are looked at one by one
                _look_again(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, n)
    return True


@part
def _find_of_column(evaluate, rows_of, system, work, sought, room, looking, n, column, known):
    """The rank at a passage of a column in interval n, NONE if there is none.  If it does not vanish where it seemed to
    cross zero, it may do so in any way, there or in the intervals beside.
    """
    found, once, full = looking.found, looking.crosses[column], work.method[0].active_count
    rank = find_passage(evaluate, rows_of, system, work, sought, room, n, column, once, known, found)
    if once and rank in (NONE, full):
        looking.crosses[column], m = False, max(n - 1, 0)
        while m < min(n + 2, sought.span.shape[0]) and rank in (NONE, full):
            rank = find_passage(evaluate, rows_of, system, work, sought, room, m, column, False, known, found)
            m += 1
    return rank


@part
def _most_fallen(sought, doubtful, n):
    """Of the columns in doubt the one that is lowest beside its largest; -1 where there is none."""
    best, least = -1, math.inf
    for c in range(doubtful.shape[0]):
        if doubtful[c]:
            fallen = min(sought.conditioning[n, c], sought.conditioning[n + 1, c]) - sought.largest[c]
            if best < 0 or fallen < least:
                best, least = c, fallen
    return best


@part
def _count(doubtful):
    count = 0
    for c in range(doubtful.shape[0]):
        if doubtful[c]:
            count += 1
    return count


@part
def _direction(sought):
    """1 along a path through growing times, -1 along one that leads backwards."""
    return 1.0 if sought.t[sought.t.shape[0] - 1] >= sought.t[0] else -1.0


@part
def _passages_near(sought, room, passages, n, column, crosses, near):
    """How many passages of a column are within reach of an interval, or of where it crosses zero there; their times in
    `near`.
    """
    span, reach = abs(sought.span[n]), 0.5 * abs(sought.time[n + 1] - sought.time[n]) + NEAR * abs(sought.span[n])
    middle = 0.5 * (sought.time[n] + sought.time[n + 1])
    if crosses:
        middle = zero_between(sought.time, sought.conditioning, n, column, room.zero[0], room.zero[1])
        reach = 0.5 * span
    count, k, along = 0, passages.entered[0] - 1, _direction(sought)
    while k >= 0 and count < near.shape[0] and along * (middle - passages.reach[k]) < reach:
        if passages.gone[k, column] and abs(passages.t[k] - middle) < reach:
            near[count] = passages.t[k]
            count += 1
        k -= 1
    return count


@part
def _enter(evaluate, system, work, in_space, sought, room, n, rank, t, joints, loose, passages):
    """A passage at t, evaluated last, at the coordinates in work.rate; new, unless another is as near as one."""
    k, span, along = passages.entered[0], abs(sought.span[n]), _direction(sought)
    passages.entered[0] = k + 1
    passages.t[k], passages.rank[k], passages.state[k], passages.news[k] = t, rank, sought.state[n], NEW
    passages.reach[k] = t if k == 0 else along * max(along * t, along * passages.reach[k - 1])
    for i in range(passages.q.shape[1]):
        passages.q[k, i] = work.rate[i]
    apart = (VANISHES if sought.largest.shape[0] > 1 else SAME) * span
    for other in range(k - 1, -1, -1):
        if along * (t - passages.reach[other]) >= apart:
            break
        if passages.news[other] != WITH_ANOTHER and abs(t - passages.t[other]) < apart:
            passages.news[k] = WITH_ANOTHER
    if passages.news[k] == NEW and room.dense.shape[0] > 0:
        if work.plane.shape[0] > 0:
            evaluate(system, t, work.rate, sought.angles[sought.state[n]], in_space, LEVEL_POSITION)
        name_loose_joints(system, in_space, joints, loose)
        for i in range(NAMED):
            passages.joints[k, i] = loose.named[i]


@part
def _note_gone(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, n, column, passages):
    """Which columns vanish at the passage entered last: they are in doubt no longer, but for the one looked at, and
    those that may vanish more than once.
    """
    k, once = passages.entered[0] - 1, looking.crosses[column]
    gone = passages.gone[k]
    gone[:] = False
    if room.dense.shape[0] == 0:
        for a in range(work.every_row.shape[0]):
            if ratio_left(work, room.values, a) <= VANISHES:
                gone[sought.column[work.every_row[a].row]] = True
    elif gone.shape[0] > 1:
        for i in range(3):
            looking.time[i] = passages.t[k] + (i - 1) * sought.span[n]
        _measure(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, 3)
        before, at, after = looking.conditioning[0], looking.conditioning[1], looking.conditioning[2]
        for c in range(gone.shape[0]):
            gone[c] = at[c] - max(before[c], after[c]) < math.log(VANISHES)
    gone[column] = True
    for c in range(gone.shape[0]):
        if gone[c]:
            passages.last[c] = k
            again = not looking.crosses[c] and (once or c == column)
            looking.doubtful[c] = looking.doubtful[c] and again


@part
def _look_again(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, n):
    """Columns in doubt that may vanish between points n and n + 1, by points PARTS times as near."""
    distance, count, end = (sought.time[n + 1] - sought.time[n]) / PARTS, 0, sought.t[sought.t.shape[0] - 1]
    low, high = min(sought.t[0], end), max(sought.t[0], end)
    for k in range(-BEYOND, PARTS + BEYOND + 1):
        t = sought.time[n] + distance * k
        if low <= t <= high:
            looking.time[count] = t
            count += 1
    _measure(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, count)
    lowest = looking.lowest[: count - 1]
    find_minima(looking.time[:count], looking.conditioning[:count], True, lowest)
    first = 1 if low < looking.time[0] < high else 0  # what is beyond belongs to other points
    last = count - 2 if low < looking.time[count - 1] < high else count - 1
    for c in range(looking.doubtful.shape[0]):
        seen = False
        for k in range(first, last):
            seen = seen or lowest[k, c]
        looking.doubtful[c] = looking.doubtful[c] and seen


@part
def _measure(evaluate, factor, rows_of, factor_rows, system, work, sought, room, looking, count):
    """The conditioning at the first so many times looked at."""
    along = _direction(sought)
    for i in range(count):
        low, high = 0, sought.t.shape[0] - 1
        while high - low > 1:
            half = (low + high) // 2
            if along * sought.t[half] <= along * looking.time[i]:
                low = half
            else:
                high = half
        looking.state[i] = high if along * sought.t[high] <= along * looking.time[i] else low
    measure_conditioning(
        evaluate, factor, rows_of, factor_rows, system, work, sought.t, sought.y, sought.rate, sought.angles,
        looking.state[:count], looking.time[:count], room.dense, sought.column, looking.conditioning[:count],
    )  # fmt: skip


@part
def _forget_since(passages, count):
    """Only so many passages are kept."""
    passages.entered[0] = count
    for c in range(passages.last.shape[0]):
        k = passages.last[c]
        while k >= 0 and (k >= count or not passages.gone[k, c]):
            k -= 1
        passages.last[c] = k


def exports() -> Exports:
    """For the native library, with the layouts of what they take."""
    none = np.zeros(0)
    table, whole, flags = np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros((0, 0), bool)
    Reference(EMPTY_TABLE)
    Reference(room_for(0, 0, 0, 0, 0))
    Reference(Sought(none, table, table, table, whole, none, none, table, none, flags, flags, whole, none, none))
    Reference(room_to_search(0, 0, 0, True))
    Reference(no_passages(0, 0, 0))
    Reference(looking(0))
    yield find_passages, FIND_PASSAGES
