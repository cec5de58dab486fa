"""Cholesky factorization within an envelope: row a is stored from its first possible entry to the diagonal.

The pattern is frozen at compile time (`first_active`, `first_s`); fill-in stays inside the envelope, so that a
chain of loops costs time and memory linear in their number.  Squaring the condition number is forbidden near a
singular position: where a pivot is below its floor, the caller turns to the rank-revealing factorization.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part


@part
def factor_envelope(active, floors, C):
    """C C^T in place, block by block (system/active_rows.py); the smallest pivot in units of its floor.

    At 1 or below the factors must not be used to solve with; where a pivot is negative the rest is not a number.
    """
    least = math.inf
    for head in range(active.shape[0]):
        if active[head].block == 0:
            continue
        first, last = active[head].first_active, head + active[head].block
        for b in range(first, head):
            for a in range(head, last):
                _eliminate(active, first, a, b, C)
        for a in range(head, last):
            for b in range(head, a):
                _eliminate(active, first, a, b, C)
            row = active[a].first_s - first
            s = C[row + a]
            for k in range(first, a):
                s -= C[row + k] * C[row + k]
            least = min(least, s / floors[a])
            C[row + a] = math.sqrt(s)
    return least


@part
def _eliminate(active, first, a, b, C):
    """Entry (a, b) of the factor, b < a; row a begins at `first`."""
    row, first_b = active[a].first_s - first, active[b].first_active
    row_b = active[b].first_s - first_b  # C[row_b + k] is entry (b, k)
    s = C[row + b]
    for k in range(max(first, first_b), b):
        s -= C[row + k] * C[row_b + k]
    C[row + b] = s / C[row_b + b]


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
        s = x[a]
        for k in range(first, a):
            s -= C[row + k] * x[k]
        x[a] = s / C[row + a]


@part
def solve_back(active, C, x):
    """x <- C^-T x."""
    for a in range(active.shape[0] - 1, -1, -1):
        first = active[a].first_active
        row = active[a].first_s - first
        x[a] /= C[row + a]
        for k in range(first, a):
            x[k] -= C[row + k] * x[a]
