"""Gaussian elimination of sparse rows, each with a pivot column of its own: the columns are chosen, or those of before
are kept.

The rows a of `table` (system/active_rows.py), each with values in `Y` for its columns low..high-1, are eliminated last
row first, as a tree is from its leaves.  Row a meets only rows with which it shares an envelope:

    row a  <-  row a - sum of l_ab (row b),   b > a,   first_active of b <= a

What is left of it, its row of U, goes to `values` and `columns` one row after the other; the l_ab stand in `lower` by
envelope.  Among the columns with entries of nearly the largest size the pivot is that which the fewest rows ahead
touch (Markowitz 1957, with the threshold of Duff & Reid 1974): then U stays as sparse as the rows are.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part

NEARLY = 0.3  # of the largest entry of a row: one as large may be its pivot
NO_PIVOT, NO_ROOM = -1.0, -2.0  # in place of the weakest pivot


@part
def eliminate_rows(table, Y, taken, pivots, choose, uses, seen, met, x, lower, values, columns, first, last):
    """Eliminate the rows that are `taken` (1, by row): the weakest pivot and the logarithm of the product of all.

    `pivots` [row]: the pivot columns, to be chosen or kept.  `first`, `last` [place in the table]: where a row of U
    begins, with its pivot, and ends.  Scratch [column]: uses, seen, met, x.  A row without an entry left, or kept
    without its pivot, ends it with NO_PIVOT; more entries of U than there is room for with NO_ROOM.
    """
    count, weakest, volume, end = table.shape[0], math.inf, 0.0, 0
    for j in range(x.shape[0]):
        uses[j], seen[j], x[j] = 0, -1, 0.0
    for a in range(count):
        _count_uses(table[a], Y, taken, uses, 1)
    reach = count - 1
    for a in range(count - 1, -1, -1):
        one, row = table[a], table[a].row
        first[a] = last[a] = end
        if taken[row] == 0:
            continue
        while reach > a and table[reach].first_active > a:
            reach -= 1
        _count_uses(one, Y, taken, uses, -1)
        entries = _spread(one, Y, a, seen, met, x)
        for b in range(reach, a, -1):
            if taken[table[b].row] == 0:
                continue
            place, pivot = table[b].first_s + a - table[b].first_active, pivots[table[b].row]
            lower[place] = 0.0
            if x[pivot] != 0.0:
                lower[place] = f = x[pivot] / values[first[b]]
                entries = _subtract(f, values, columns, first[b], last[b], a, seen, met, x, entries)
        if choose:
            pivots[row] = _best_column(met, entries, x, uses)
        pivot = pivots[row]
        if pivot < 0 or x[pivot] == 0.0:
            return NO_PIVOT, 0.0
        if end + entries > values.shape[0]:
            return NO_ROOM, 0.0
        weakest, volume = min(weakest, abs(x[pivot])), volume + math.log(abs(x[pivot]))
        values[end], columns[end] = x[pivot], pivot
        end += 1
        for k in range(entries):
            j = met[k]
            if j != pivot and x[j] != 0.0:
                values[end], columns[end] = x[j], j
                end += 1
            x[j] = 0.0
        last[a] = end
    return weakest, volume


@part
def _count_uses(one, Y, taken, uses, change):
    """One row more, or less, that touches its columns."""
    if taken[one.row] != 0:
        for j in range(one.low, one.high):
            if Y[one.first_y + j - one.low] != 0.0:
                uses[j] += change


@part
def _spread(one, Y, a, seen, met, x):
    """The row at place a into x; its columns into `met`, how many there are."""
    entries = 0
    for j in range(one.low, one.high):
        if Y[one.first_y + j - one.low] != 0.0:
            x[j] = Y[one.first_y + j - one.low]
            seen[j], met[entries] = a, j
            entries += 1
    return entries


@part
def _subtract(f, values, columns, begin, end, a, seen, met, x, entries):
    """x <- x - f (row of U); its pivot, at the beginning, vanishes."""
    x[columns[begin]] = 0.0
    for k in range(begin + 1, end):
        j = columns[k]
        if seen[j] != a:
            seen[j], met[entries] = a, j
            entries += 1
        x[j] -= f * values[k]
    return entries


@part
def _best_column(met, entries, x, uses):
    """Among the entries of nearly the largest size that whose column the fewest rows ahead touch; -1: there is none."""
    most, best = 0.0, -1
    for k in range(entries):
        most = max(most, abs(x[met[k]]))
    for k in range(entries):
        j = met[k]
        if abs(x[j]) < NEARLY * most or x[j] == 0.0:
            continue
        if best < 0 or uses[j] < uses[best] or (uses[j] == uses[best] and abs(x[j]) > abs(x[best])):
            best = j
    return best


@part
def solve_rows(table, taken, pivots, lower, values, columns, first, last, y, x):
    """The x with entries in the pivot columns alone that gives the rows taken the values y [place in the table]."""
    count = table.shape[0]
    for j in range(x.shape[0]):
        x[j] = 0.0
    reach = count - 1
    for a in range(count - 1, -1, -1):
        if taken[table[a].row] == 0:
            continue
        while reach > a and table[reach].first_active > a:
            reach -= 1
        for b in range(reach, a, -1):
            if taken[table[b].row] != 0:
                y[a] -= lower[table[b].first_s + a - table[b].first_active] * y[b]
    for a in range(count):
        if taken[table[a].row] != 0:
            s = y[a]
            for k in range(first[a] + 1, last[a]):
                s -= values[k] * x[columns[k]]
            x[pivots[table[a].row]] = s / values[first[a]]
