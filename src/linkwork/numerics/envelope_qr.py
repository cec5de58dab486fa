"""Rank-revealing QR of sparse rows within an envelope, by Givens rotations (George and Heath 1980): R alone, never
squared.

The rows a of `table` (system/active_rows.py), each with values in `Y` for its motions low..high-1, are the columns of

    Y^T = Q R

R keeps the pattern of the Cholesky factor of Y Y^T, so that a chain of loops costs time and memory linear in their
number; R^T stands packed by envelope in `C`, where numerics/envelope.py solves with it.  For the shortest z with
Y z = c that is as accurate as with Q (Paige 1973: z = Y^T R^-1 R^-T c).

The rows of one constraint share their motions: among them the strongest is taken first, and what is left of a row
beside all those before it is compared with `cut`.  Where it is less the row is dropped, as dependent or vanishing; what
R has in its place goes to the rows behind (Heath 1982).  A constraint is settled as soon as no further motion touches
it: so what goes on to the rows behind finds empty places there, and never travels far.  Rows are given in units of
their natural size.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.numerics.rounding import TIE

NEGLIGIBLE = 1e-17  # of a row's natural size: below rounding; rotated on, it would reach the end of any chain


@part
def factor_within_envelope(table, motions, Y, C, x, cut, left):
    """R^T into C; the rank.  `left`: of each row what was left of it, 0 of rows that are dropped; `x`: scratch [row].

    Rows of one constraint may change their places in the table.
    """
    count = table.shape[0]
    C[:] = 0.0
    for a in range(count):
        x[a] = 0.0
    first, last, done, rank = 0, 0, 0, 0
    for j in range(motions):
        while first < count and table[first].high <= j:
            first += 1
        while last < count and table[last].low <= j:
            last += 1
        end = _end_of_constraint(table, done)
        while done < end <= first:
            rank += _reveal(table, C, x, done, end, cut, left)
            done = end
            end = _end_of_constraint(table, done)
        for a in range(first, last):
            if j < table[a].high:
                x[a] = Y[table[a].first_y + j - table[a].low]
        _rotate_in(table, C, x, first, last)
    while done < count:
        end = _end_of_constraint(table, done)
        rank += _reveal(table, C, x, done, end, cut, left)
        done = end
    return rank


@part
def _end_of_constraint(table, a):
    """One place behind the last row of the constraint whose first row is at place a."""
    end = a
    while end < table.shape[0] and table[end].constraint == table[a].constraint:
        end += 1
    return end


@part
def _rotate_in(table, C, x, first, last):
    """Rotate a row x of Y^T, with entries from `first` to `last` - 1, into R; x is zero afterwards."""
    count, b = table.shape[0], first
    while b < last:
        if abs(x[b]) > NEGLIGIBLE:
            diagonal = C[table[b].first_s + b - table[b].first_active]
            length = math.hypot(diagonal, x[b])
            c, s = diagonal / length, x[b] / length
            a = b
            while a < count and table[a].first_active <= b:
                place = table[a].first_s + b - table[a].first_active
                r = C[place]
                C[place], x[a] = c * r + s * x[a], c * x[a] - s * r
                a += 1
            last = max(last, a)
        x[b] = 0.0
        b += 1


@part
def _reveal(table, C, x, a, end, cut, left):
    """Among the rows a..end-1 of a constraint bring the strongest to the front, and drop those of which no more than
    `cut` is left; how many are taken.
    """
    rank = 0
    while a < end:
        best, most = a, 0.0
        for k in range(a, end):
            square = 0.0
            for b in range(a, k + 1):
                square += C[table[k].first_s + b - table[k].first_active] ** 2
            if square > TIE * most:
                best, most = k, square
        if math.sqrt(most) <= cut:
            break
        for k in range(best - 1, a - 1, -1):
            _exchange(table, C, k)
        left[a] = math.sqrt(most)
        rank += 1
        a += 1
    for k in range(a, end):
        _drop(table, C, x, k, end)
        left[k] = 0.0
    return rank


@part
def _exchange(table, C, a):
    """Rows a and a + 1 of the table, which share their motions, change places; R stays triangular."""
    one, other = table[a], table[a + 1]
    one.row, other.row = other.row, one.row
    one.first_y, other.first_y = other.first_y, one.first_y
    first = one.first_active
    row, row_other = one.first_s - first, other.first_s - first
    for b in range(first, a + 1):
        C[row + b], C[row_other + b] = C[row_other + b], C[row + b]
    below = C[row_other + a + 1]
    length = math.hypot(C[row + a], below)
    c, s = (C[row + a] / length, below / length) if length > 0.0 else (1.0, 0.0)
    C[row + a] = length
    C[row_other + a], C[row_other + a + 1] = c * C[row_other + a], -s * C[row_other + a]
    k = a + 2
    while k < table.shape[0] and table[k].first_active <= a:
        place = table[k].first_s + a - table[k].first_active
        u, w = C[place], C[place + 1]
        C[place], C[place + 1] = c * u + s * w, c * w - s * u
        k += 1


@part
def _drop(table, C, x, a, end):
    """Row a is no part of R: its column vanishes, and the rest of its line goes to the rows from `end` on."""
    k = a + 1
    while k < table.shape[0] and table[k].first_active <= a:
        place = table[k].first_s + a - table[k].first_active
        if k >= end:
            x[k] = C[place]
        C[place] = 0.0
        k += 1
    for b in range(table[a].first_active, a):
        C[table[a].first_s + b - table[a].first_active] = 0.0
    C[table[a].first_s + a - table[a].first_active] = 1.0
    _rotate_in(table, C, x, end, max(k, end))
