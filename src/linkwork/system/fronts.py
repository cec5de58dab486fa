"""In which order motions and constraint rows are eliminated, from the leaves to the root (methods/loop_recursion.py).

A row is open at a motion if some of the motions that it moves are that one, or hang on it; it closes at the first
motion on the way to the root, or on ground, that carries all of them without being one of them: where the loop is
closed.  The rows that are open at a motion, or close there, are its front (Irons 1970).

Rows that close at a motion are coupled if paths lead from one to the other over motions that hang on it; rows of
different limbs are not.  Coupled rows stand one behind the other in the order in which rows close.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import WHOLE, WHOLE_MATRIX, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.elements.constraints.rows import COLUMN, CONSTRAINT, ROW, ROW_STATE
from linkwork.elements.joints.motions import DOF
from linkwork.system.active_rows import ACTIVE, lay_out
from linkwork.system.tables import System

# The front of a motion, or (the last one) of ground.
FRONT = np.dtype(
    [
        ("first", np.int32),  # of its entries in the table of open rows, in the order in which these close
        ("closing", np.int32),  # how many close there: those at the head,
        ("count", np.int32),  # and how many there are
    ],
    align=True,
)
OPEN_ROW = np.dtype(
    [
        ("closed", np.int32),  # its place in the order in which rows close
        ("value", np.int32),  # of Phi_v for this motion, or -1
        ("onward", np.int32),  # its entry at the next motion towards the root; -1: it closes here
        ("from_below", np.int32),  # 1: it is open at a motion that hangs on this one
        ("adds", np.int32),  # 1: another limb hands something to the same entry before
    ],
    align=True,
)
CLOSED_ROW = np.dtype(
    [
        ("row", np.int32),
        ("active", np.int32),  # its place among the active rows
        ("first", np.int32),  # row with which its couplings begin
        ("start", np.int64),  # coupling (this, other) stands at start + other
        ("beyond", np.int32),  # behind the last row that closes at the same motion and is coupled with it
    ],
    align=True,
)

# Scratch of the layout: numbers of motions and ground,
MARK, CHILD, LIMB, FILLED, LAST, MOTION_NUMBERS = range(6)
# and of rows.
CLOSES, BRANCH, PLACE, ORDER, OTHER, ROW_NUMBERS = range(6)
HANDED = 2  # while it is found which limb is the first to hand something on: one has been there


class Fronts(NamedTuple):
    """The tables and the scratch of their layout; all empty: rows are not eliminated in this order."""

    fronts: np.ndarray  # [motion or ground] FRONT
    open_rows: np.ndarray  # OPEN_ROW
    closed_rows: np.ndarray  # [row] CLOSED_ROW
    front_motions: np.ndarray  # [MOTION_NUMBERS, motion or ground]
    front_rows: np.ndarray  # [ROW_NUMBERS, row]


def no_fronts() -> Fronts:
    """Of mechanisms whose rows are eliminated otherwise."""
    return _empty(0, 0, 0)


def _empty(motions: int, rows: int, entries: int) -> Fronts:
    return Fronts(
        np.zeros(motions, FRONT), np.zeros(entries, OPEN_ROW), np.zeros(rows, CLOSED_ROW),
        np.zeros((MOTION_NUMBERS, motions), np.int64), np.zeros((ROW_NUMBERS, rows), np.int64),
    )  # fmt: skip


def room_for_fronts(system: System) -> tuple[Fronts, int]:
    """Tables laid out for all rows, which have room for those of any choice; how many couplings they have."""
    return laid_out(system, np.ones(len(system.rows), ROW_STATE))


def laid_out(system: System, row_state: np.ndarray, most_entries: int | None = None) -> tuple[Fronts, int]:
    """Tables for rows; with more entries than that only empty ones."""
    active = np.zeros(len(system.rows), ACTIVE)
    active = active[: lay_out(system.spans, row_state, active)]
    given = system.dofs, system.constraints, system.rows, system.columns, row_state
    motions, rows = len(system.dofs) + 1, len(system.rows)
    room = _empty(motions, rows, 0)
    entries = open_entries(*given, room.fronts, room.front_motions, room.front_rows)
    if most_entries is not None and entries > most_entries:
        return no_fronts(), 0
    room = _empty(motions, rows, entries)
    return room, lay_out_fronts(*given, active, *room)


# -- the layout -------------------------------------------------------------------------------------------------------
@kernel
def lay_out_fronts(
    dofs, constraints, rows, columns, row_state, active, fronts, open_rows, closed_rows, front_motions, front_rows
):
    """Fill the tables for the rows that are active; how many couplings these have: no more than all rows, since any two
    close in the same order whichever others are active.
    """
    open_entries(dofs, constraints, rows, columns, row_state, fronts, front_motions, front_rows)
    for a in range(active.shape[0]):
        r = active[a].row
        front_rows[BRANCH, r] = limb_of(front_motions[LIMB], front_rows[BRANCH, r])
        front_rows[PLACE, r] = a
        front_rows[ORDER, a] = r
    ground, count = dofs.shape[0], active.shape[0]
    sort_by(front_rows[BRANCH], ground, front_rows[ORDER], front_rows[OTHER], front_motions[FILLED], count)
    sort_by(front_rows[CLOSES], ground, front_rows[OTHER], front_rows[ORDER], front_motions[FILLED], count)
    for j in range(ground + 1):
        front_motions[FILLED, j], front_motions[MARK, j] = fronts[j].first, -1
        fronts[j].closing = 0
    for n in range(count):
        enter_row(dofs, constraints, rows, columns, fronts, open_rows, front_motions, front_rows, n)
    return couple_rows(fronts, open_rows, closed_rows, front_rows, count)


@kernel
def open_entries(dofs, constraints, rows, columns, row_state, fronts, front_motions, front_rows):
    """Where each row closes, on which limb of that motion, and which limbs are coupled; places of the entries of active
    rows in all fronts: how many there are.
    """
    mark, limbs, ground = front_motions[MARK], front_motions[LIMB], dofs.shape[0]
    for j in range(ground + 1):
        mark[j], limbs[j] = -1, j
        fronts[j].count = 0
    for c in range(constraints.shape[0]):
        con, active = constraints[c], 0
        if con.column_count == 0:
            continue
        for r in range(con.first_row, con.first_row + con.row_count):
            active += row_state[r].active
        closes = closing_motion(dofs, columns, con)
        branch = climb(dofs, columns, con, c, closes, active, fronts, front_motions)
        for r in range(con.first_row, con.first_row + con.row_count):
            front_rows[CLOSES, r], front_rows[BRANCH, r] = closes, branch
    total = 0
    for j in range(ground - 1, -2, -1):
        at = j if j >= 0 else ground
        fronts[at].first = total
        total += fronts[at].count
    return total


@part
def closing_motion(dofs, columns, con):
    """Where the rows of a constraint close; the number of motions stands for ground."""
    meet = columns[con.first_column].dof
    for k in range(1, con.column_count):
        other = columns[con.first_column + k].dof
        while meet != other:
            deep, deep_other = dofs[meet].depth if meet >= 0 else -1, dofs[other].depth if other >= 0 else -1
            if deep >= deep_other:
                meet = dofs[meet].parent
            if deep_other >= deep:
                other = dofs[other].parent
    for k in range(con.column_count):
        if columns[con.first_column + k].dof == meet and meet >= 0:
            meet = dofs[meet].parent
    return meet if meet >= 0 else dofs.shape[0]


@part
def climb(dofs, columns, con, c, closes, count, fronts, front_motions):
    """Enter `count` rows of constraint c into the fronts on the way to where they close, and couple the limbs that they
    join; one of them on the last.
    """
    mark, child, limbs, branch = front_motions[MARK], front_motions[CHILD], front_motions[LIMB], 0
    for k in range(con.column_count):
        j, came_from = columns[con.first_column + k].dof, -1
        while True:
            if mark[j] != c:
                mark[j], child[j] = c, came_from
                fronts[j].count += count
            elif came_from >= 0:
                if child[j] >= 0:
                    couple(limbs, child[j], came_from)
                child[j] = came_from
                break
            else:
                break
            if j == closes:
                branch = came_from
                break
            came_from, j = j, dofs[j].parent
            if j < 0:
                j = dofs.shape[0]
    return branch


@part
def limb_of(limbs, j):
    """The name of the limb, or of the limbs that are coupled, to which a motion leads."""
    while limbs[j] != j:
        j = limbs[j]
    return j


@part
def couple(limbs, i, j):
    """Make the names of two limbs one."""
    a, b = limb_of(limbs, i), limb_of(limbs, j)
    limbs[max(a, b)] = min(a, b)


@part
def sort_by(keys, most, given, ordered, places, count):
    """Rows by falling keys, but `most` last; among equals as they are given."""
    for key in range(most + 1):
        places[key] = 0
    for n in range(count):
        places[keys[given[n]]] += 1
    total = 0
    for step in range(most + 1):
        key = most - 1 - step if step < most else most
        here = places[key]
        places[key] = total
        total += here
    for n in range(count):
        key = keys[given[n]]
        ordered[places[key]] = given[n]
        places[key] += 1


@part
def enter_row(dofs, constraints, rows, columns, fronts, open_rows, front_motions, front_rows, n):
    """The entries of row n in the order of closing, each linked to the one at the next motion."""
    mark, filled, last = front_motions[MARK], front_motions[FILLED], front_motions[LAST]
    row = front_rows[ORDER, n]
    con, closes = constraints[rows[row].constraint], front_rows[CLOSES, row]
    for k in range(con.column_count):
        j, below = columns[con.first_column + k].dof, -1
        while True:
            new = mark[j] != n
            if new:
                mark[j], last[j] = n, filled[j]
                filled[j] += 1
                entry = open_rows[last[j]]
                entry.closed, entry.value, entry.onward, entry.from_below, entry.adds = n, -1, -1, 0, 0
            if below >= 0:
                open_rows[below].onward = last[j]
                open_rows[last[j]].from_below = 1
            else:
                open_rows[last[j]].value = rows[row].first_value + k
            if not new or j == closes:
                break
            below, j = last[j], dofs[j].parent
            if j < 0:
                j = dofs.shape[0]
    fronts[closes].closing += 1


@part
def couple_rows(fronts, open_rows, closed_rows, front_rows, count):
    """Which rows are coupled, and where their couplings stand: how many there are."""
    order, begin = front_rows[ORDER], 0
    for n in range(count):
        if n > 0 and not alike(front_rows, order[n - 1], order[n]):
            begin = n
        one = closed_rows[n]
        one.row, one.active, one.first, one.beyond = order[n], front_rows[PLACE, order[n]], begin, n + 1
    for n in range(count - 2, -1, -1):
        if alike(front_rows, order[n], order[n + 1]):
            closed_rows[n].beyond = closed_rows[n + 1].beyond
    for j in range(fronts.shape[0]):
        front = fronts[j]
        still = front.first + front.closing
        for e in range(still, front.first + front.count):  # one that begins here comes after those that close here
            one = closed_rows[open_rows[e].closed]
            with_first = front.first if open_rows[e].from_below == 1 else still
            one.first = min(one.first, open_rows[with_first].closed)
    total = 0
    for n in range(count):
        one = closed_rows[n]
        one.start = total - one.first
        total += n - one.first + 1
    hand_on_in_turns(fronts, open_rows)
    return total


@part
def alike(front_rows, a, b):
    """Whether two rows close at the same motion and are coupled."""
    return front_rows[CLOSES, a] == front_rows[CLOSES, b] and front_rows[BRANCH, a] == front_rows[BRANCH, b]


@part
def hand_on_in_turns(fronts, open_rows):
    """Of the limbs from which a row comes to the same motion all but the first add to what is there."""
    ground = fronts[fronts.shape[0] - 1]
    for e in range(ground.first):
        onward = open_rows[e].onward
        if onward >= 0:
            open_rows[e].adds = 1 if open_rows[onward].from_below == HANDED else 0
            open_rows[onward].from_below = HANDED
    for e in range(ground.first + ground.count):
        open_rows[e].from_below = 1 if open_rows[e].from_below == HANDED else 0


def exports() -> Exports:
    """For the native library."""
    tables = records(DOF), records(CONSTRAINT), records(ROW), records(COLUMN), records(ROW_STATE)
    scratch = WHOLE_MATRIX, WHOLE_MATRIX
    yield export(open_entries, WHOLE, *tables, records(FRONT), *scratch)
    yield export(
        lay_out_fronts,
        WHOLE,
        *tables,
        records(ACTIVE),
        records(FRONT),
        records(OPEN_ROW),
        records(CLOSED_ROW),
        *scratch,
    )
