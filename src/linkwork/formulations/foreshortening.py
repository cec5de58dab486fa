"""Geometric stiffening in the time loop: what bends also shortens, and the mass goes with it.

A point of the body is at  r = x + S eta + a + B x,  a = 1/2 sum eta_i eta_j a_ij,  B = 1/2 sum eta_i eta_j B_ij: the
shift of second order as an affine field, which has the same moments (int dm, int x dm) as the true one, so that the
geometric stiffness of gravity, acceleration and rotation is exact (system/flexible.py).  Mode j moves the point by

    S~_j = S_j + a_j + B_j x,      a_j = sum_i eta_i a_ij,  B_j = sum_i eta_i B_ij

All of this is the motion of some mass: M stays positive definite however far the body bends, which second-order terms
taken alone do not grant.  With P1_j = int x S_j^T, P0 = int x x^T, h = int r of the whole r, and P_j that of
r = x + S eta:

    X   = int r x^T     = (P0 + sum_j eta_j P1_j)^T + a h0^T + B P0
    C~_j = int S~_j     = C_j + m a_j + B_j h0                  E_j = int x S~_j^T = P1_j + h0 a_j^T + P0 B_j^T
    P~_j = int r S~_j^T = P_j + a C_j^T + B P1_j + h a_j^T + X B_j^T
    M~_ij = int S~_i . S~_j = M_ij + C_i . a_j + tr(B_j P1_i) + a_i . C~_j + tr(B_i E_j)

Where a_j and B_j stand: twelve numbers a, B (rows) a mode, then those of a and B, E_j, X, and room for one matrix.
"""

from __future__ import annotations

from linkwork.elements.flexible_tables import C_T, H0, shift_numbers, shift_scratch
from linkwork.numerics.jit import part
from linkwork.numerics.vectors import add, dot


@part
def _three(a, at):
    return a[at], a[at + 1], a[at + 2]


@part
def _row(a, at, r, b):
    """Row r of the matrix at a[at], times b."""
    return a[at + 3 * r] * b[0] + a[at + 3 * r + 1] * b[1] + a[at + 3 * r + 2] * b[2]


@part
def _shift_of(a, at, mass, h0):
    """m a + B h0 of the shift at a[at]: the first moment that it gives."""
    return (
        mass * a[at] + _row(a, at + 3, 0, h0),
        mass * a[at + 1] + _row(a, at + 3, 1, h0),
        mass * a[at + 2] + _row(a, at + 3, 2, h0),
    )


@part
def _trace(a, at_a, b, at_b):
    """tr(A B) of two matrices."""
    s = a[at_a] * b[at_b]
    for r in range(3):
        for c in range(3):
            if r > 0 or c > 0:
                s += a[at_a + 3 * r + c] * b[at_b + 3 * c + r]
    return s


@part
def _product(a, at_a, b, at_b, r, c):
    """Entry (r, c) of A B."""
    return (
        a[at_a + 3 * r] * b[at_b + c] + a[at_a + 3 * r + 1] * b[at_b + 3 + c] + a[at_a + 3 * r + 2] * b[at_b + 6 + c]
    )


@part
def _outer_product(a, at_a, b, at_b, r, c):
    """Entry (r, c) of A B^T."""
    return (
        a[at_a + 3 * r] * b[at_b + 3 * c]
        + a[at_a + 3 * r + 1] * b[at_b + 3 * c + 1]
        + a[at_a + 3 * r + 2] * b[at_b + 3 * c + 2]
    )


@part
def _add_gyration(P, at, G, to):
    """G += tr(P) 1 - P^T."""
    for r in range(3):
        for c in range(3):
            G[to + 3 * r + c] -= P[at + 3 * c + r]
        G[to + 4 * r] += P[at] + P[at + 4] + P[at + 8]


@part
def foreshorten(system, work, flexible, h1):
    """C, G, J in work.scratch from r = x + S eta to those with the shift; returns h, h1 being that without."""
    numbers, keep, q = system.numbers, work.scratch, work.q
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    P0 = d + shift_numbers(m)
    P1, second = P0 + 9, P0 + 9 + 9 * m
    own = s + shift_scratch(m)
    both, E, X = own + 12 * m, own + 12 * m + 12, own + 21 * m + 12
    T = X + 9
    mass, h0 = numbers[d], _three(numbers, d + H0)
    zero = 0.0 * q[flexible.first_q]
    for k in range(12):
        keep[both + k] = zero
    for j in range(m):
        for k in range(12):
            total = zero
            for i in range(m):
                total += numbers[second + 12 * (i * m + j) + k] * q[flexible.first_q + i]
            keep[own + 12 * j + k] = total
            keep[both + k] += 0.5 * total * q[flexible.first_q + j]
    h = add(h1, _shift_of(keep, both, mass, h0))
    a = _three(keep, both)
    for r in range(9):
        total = numbers[P0 + r] + zero
        for j in range(m):
            total += numbers[P1 + 9 * j + r] * q[flexible.first_q + j]
        keep[T + r] = total
    for r in range(3):
        for c in range(3):
            keep[X + 3 * r + c] = keep[T + 3 * c + r] + a[r] * h0[c] + _product(keep, both + 3, numbers, P0, r, c)
    _shift_inertia(keep, s + 12 * m + 3, both, X, T, a, h, h1)
    for j in range(m):
        C, at, t = d + C_T + 3 * j, P1 + 9 * j, own + 12 * j
        for r in range(3):
            for c in range(3):
                keep[E + 9 * j + 3 * r + c] = (
                    numbers[at + 3 * r + c] + h0[r] * keep[t + c] + _outer_product(numbers, P0, keep, t + 3, r, c)
                )
                keep[T + 3 * r + c] = (
                    a[r] * numbers[C + c]
                    + _product(keep, both + 3, numbers, at, r, c)
                    + h[r] * keep[t + c]
                    + _outer_product(keep, X, keep, t + 3, r, c)
                )
        _add_gyration(keep, T, keep, s + 3 * m + 9 * j)
        shifted = add(_three(numbers, C), _shift_of(keep, t, mass, h0))
        for r in range(3):
            keep[s + 3 * j + r] = shifted[r]
    return h


@part
def _shift_inertia(keep, J, both, X, T, a, h, h1):
    """int r r^T gains a h1^T + B T + h a^T + X B^T, T = int x (x + S eta)^T; T is used up."""
    for c in range(3):
        column = (
            a[0] * h1[c] + _product(keep, both + 3, keep, T, 0, c),
            a[1] * h1[c] + _product(keep, both + 3, keep, T, 1, c),
            a[2] * h1[c] + _product(keep, both + 3, keep, T, 2, c),
        )
        for r in range(3):
            keep[T + 3 * r + c] = column[r] + h[r] * a[c] + _outer_product(keep, X, keep, both + 3, r, c)
    _add_gyration(keep, T, keep, J)


@part
def modal_mass(system, work, flexible, i, j):
    """M~_ij."""
    numbers, keep = system.numbers, work.scratch
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    own, P1 = s + shift_scratch(m), d + shift_numbers(m) + 9
    E = own + 12 * m + 12
    return (
        dot(_three(numbers, d + C_T + 3 * i), _three(keep, own + 12 * j))
        + _trace(keep, own + 12 * j + 3, numbers, P1 + 9 * i)
        + dot(_three(keep, own + 12 * i), _three(keep, s + 3 * j))
        + _trace(keep, own + 12 * i + 3, keep, E + 9 * j)
    )


@part
def prepare_rates(system, work, flexible):
    """Rates of the shift (a, B) in the place of a, B; its acceleration at eta'' = 0 and int V x^T behind X.

    V = sum_j eta'_j S~_j: what the body's points move by bending.
    """
    numbers, keep, v = system.numbers, work.scratch, work.v
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    P0 = d + shift_numbers(m)
    P1, second = P0 + 9, P0 + 9 + 9 * m
    own = s + shift_scratch(m)
    both, X = own + 12 * m, own + 21 * m + 12
    Z, late = X + 9, X + 18
    zero = 0.0 * v[flexible.first_v]
    for k in range(12):
        keep[both + k] = zero
        keep[late + k] = zero
        for j in range(m):
            rate = v[flexible.first_v + j]
            keep[both + k] += keep[own + 12 * j + k] * rate
            for i in range(m):
                keep[late + k] += numbers[second + 12 * (i * m + j) + k] * rate * v[flexible.first_v + i]
    for r in range(3):
        for c in range(3):
            total = keep[both + r] * numbers[d + H0 + c] + _product(keep, both + 3, numbers, P0, r, c)
            for j in range(m):
                total += numbers[P1 + 9 * j + 3 * c + r] * v[flexible.first_v + j]
            keep[Z + 3 * r + c] = total


@part
def shift_force(system, work, flexible):
    """int u dm and int r x u dm of the shift's acceleration u = a'' + B'' x at eta'' = 0."""
    keep = work.scratch
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    X = s + shift_scratch(m) + 21 * m + 12
    late = X + 18
    push = _shift_of(keep, late, system.numbers[d], _three(system.numbers, d + H0))
    h, a = _three(keep, s + 12 * m), _three(keep, late)
    x = h[1] * a[2] - h[2] * a[1] + _outer_product(keep, X, keep, late + 3, 1, 2)
    y = h[2] * a[0] - h[0] * a[2] + _outer_product(keep, X, keep, late + 3, 2, 0)
    z = h[0] * a[1] - h[1] * a[0] + _outer_product(keep, X, keep, late + 3, 0, 1)
    return push, (
        x - _outer_product(keep, X, keep, late + 3, 2, 1),
        y - _outer_product(keep, X, keep, late + 3, 0, 2),
        z - _outer_product(keep, X, keep, late + 3, 1, 0),
    )


@part
def shift_rate(system, work, flexible, j, moving, w):
    """Of mode j: what the shift adds to 2 w . int V x S~_j, and the work of its acceleration; moving = int V."""
    numbers, keep = system.numbers, work.scratch
    m, d, s = flexible.modes, flexible.data, flexible.scratch
    own, P1 = s + shift_scratch(m), d + shift_numbers(m) + 9 + 9 * j
    both, E, X = own + 12 * m, own + 12 * m + 12 + 9 * j, own + 21 * m + 12
    C, t, Z, late = d + C_T + 3 * j, own + 12 * j, X + 9, X + 18
    spun = 0.0 * w[0]
    for k in range(3):
        r, c = (k + 1) % 3, (k + 2) % 3
        both_ways = _turning(numbers, keep, both, C, P1, t, Z, moving, r, c)
        both_ways -= _turning(numbers, keep, both, C, P1, t, Z, moving, c, r)
        spun += w[k] * both_ways
    return 2.0 * spun + dot(_three(keep, s + 3 * j), _three(keep, late)) + _trace(keep, late + 3, keep, E)


@part
def _turning(numbers, keep, both, C, P1, t, Z, moving, r, c):
    """Entry (r, c) of a' C_j^T + B' P1_j + moving a_j^T + Z B_j^T."""
    return (
        keep[both + r] * numbers[C + c]
        + _product(keep, both + 3, numbers, P1, r, c)
        + moving[r] * keep[t + c]
        + _outer_product(keep, Z, keep, t + 3, r, c)
    )
