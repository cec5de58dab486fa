"""Cholesky factorization within an envelope: row a is stored from its first possible entry to the diagonal.

The pattern is frozen at compile time (`first_active`, `first_s`); fill-in stays inside the envelope, so that a
chain of loops costs time and memory linear in their number.  Squaring the condition number is forbidden near a
singular position: a pivot below its floor ends the factorization, and the caller turns to the rank-revealing one.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part


@part
def inner(x, y):
    """x . y in four sums, of which none waits for another: twice as fast as one from 20 numbers on."""
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    quarters = x.shape[0] // 4
    for k in range(quarters):
        i = 4 * k
        s += x[i] * y[i]
        t += x[i + 1] * y[i + 1]
        u += x[i + 2] * y[i + 2]
        v += x[i + 3] * y[i + 3]
    for i in range(4 * quarters, x.shape[0]):
        s += x[i] * y[i]
    return (s + u) + (t + v)


@part
def factor_envelope(active, floors, C):
    """C C^T in place; the smallest pivot in units of its floor.  At 1 or below it must not be used to solve with.

    At zero or below it has stopped there.
    """
    least = math.inf
    for a in range(active.shape[0]):
        first = active[a].first_active
        row = active[a].first_s - first  # C[row + b] is entry (a, b)
        for b in range(first, a):
            first_b = active[b].first_active
            row_b = active[b].first_s - first_b
            low = max(first, first_b)
            s = C[row + b] - inner(C[row + low : row + b], C[row_b + low : row_b + b])
            C[row + b] = s / C[row_b + b]
        s = C[row + a] - inner(C[row + first : row + a], C[row + first : row + a])
        least = min(least, s / floors[a])
        if not s > 0.0:
            break
        C[row + a] = math.sqrt(s)
    return least


@part
def solve_envelope(active, C, x):
    """x <- (C C^T)^-1 x."""
    solve_forward(active, C, x)
    solve_back(active, C, x)


@part
def solve_forward(active, C, x):
    """x <- C^-1 x."""
    for a in range(active.shape[0]):
        first = active[a].first_active
        row = active[a].first_s - first
        x[a] = (x[a] - inner(C[row + first : row + a], x[first:a])) / C[row + a]


@part
def solve_back(active, C, x):
    """x <- C^-T x."""
    for a in range(active.shape[0] - 1, -1, -1):
        first = active[a].first_active
        row = active[a].first_s - first
        x[a] /= C[row + a]
        above, of_row = x[first:a], C[row + first : row + a]
        for k in range(above.shape[0]):
            above[k] -= of_row[k] * x[a]
