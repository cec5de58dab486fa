"""Articulated bodies with closed loops: each loop is eliminated where it closes, in O(n + m), no matrix at all.

    M v_dot + Phi_v^T lam = Q,   Phi_v v_dot = gamma

From the leaves to the root, what hangs on a motion is to the rest a quadratic form of the acceleration a that it is
carried with, and of the multipliers of the rows that are still open there (system/fronts.py):

    1/2 a . K a - F . a + lam . (k a + c) - 1/2 lam . L lam

A motion with the axis S is eliminated by  D = S . K S, U = K S, h_r = S . k_r + Phi_v[r, j], u = S . F + force of j:

    K -= U U^T / D,   F -= U u / D,   k_r -= U h_r / D,   c_r += h_r u / D,   L_rs += h_r h_s / D       theory (5.8)

(Featherstone 1983 for K and F), and a row where it closes, b, by its pivot p = L_bb, what is left of it beside the
rows before it with that body at rest:

    K += k_b k_b^T / p,  F -= k_b c_b / p,  k_r -= k_b L_rb / p,  c_r -= L_rb c_b / p,  L_rs -= L_rb L_sb / p
                                                                                                        theory (5.9)

Then, from the root to the leaves,

    v_dot = (u - U . a - h . lam) / D,   a += S v_dot,   lam_b = (k_b . a + c_b - L_b . lam) / p

So eliminate Brandl, Johanni & Otter (1987) and Bae & Haug (1987), and by proximal iteration Sathya & Carpentier (2025),
all with rows as forces on bodies; here a row enters by its entries of Phi_v in joint motions, so that gears and drivers
are rows like others.  Since a row moves only what hangs on the motion where it closes, rows that are independent at all
are independent there, with that body at rest: only near a singular position a pivot is unsound.  Then normal_step.py
takes over.
"""

from __future__ import annotations

import math

from linkwork.compiler.argument_types import REAL, SYSTEM, VECTOR, VOID, WORK
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.methods.articulated import dot6, downdate, pack, six, times
from linkwork.methods.natural_rows import natural_square

NOISE = 1e-14  # of the square of its natural size: less of a row is not told from nothing


@kernel
def eliminate(system, work):
    """Eliminate motions and active rows at the position evaluated last: the smallest pivot of a row in units of the
    square of its natural size, of all in `left`; 0 where a motion has no inertia.
    """
    bodies, S, J, K, U, per_D = system.bodies, work.S, work.J, work.composite, work.U, work.per_D
    fronts, rows, closed, k, g, L = work.fronts, work.open_rows, work.closed_rows, work.k, work.g, work.couplings
    inertia, count = work.inertia, bodies.shape[0]
    for i in range(1, count):
        pack(inertia, i, K)
    for n in range(L.shape[0]):
        L[n] = 0.0
    least = math.inf
    for i in range(count - 1, 0, -1):
        b = bodies[i]
        for j in range(b.first_dof + b.dof_count - 1, b.first_dof - 1, -1):
            front = fronts[j]
            first, end = front.first + front.closing, front.first + front.count
            for e in range(front.first, first):
                least = min(least, close_row(system, work, e, first, end))
                add_square(K, i, k, e, work.per_pivot[rows[e].closed])
            s = six(S, j)
            u = times(K, i, s)
            D = dot6(s, u)
            if not D.real > 0.0:
                return 0.0
            inverse = 1.0 / D
            per_D[j] = inverse
            for r in range(6):
                U[j, r] = u[r] * inverse
            for e in range(first, end):
                entry, h = rows[e], 0.0 * D
                if entry.value >= 0:
                    h = J[entry.value]
                if entry.from_below == 1:
                    h += dot6(s, six(k, e))
                share = h * inverse
                g[e] = share
                hand_on(k, e, entry, u, share)
                start = closed[entry.closed].start
                for other in range(first, e + 1):
                    L[start + rows[other].closed] += h * g[other]
            if j > b.first_dof:
                downdate(K, i, u, inverse)
            elif b.parent > 0:
                hand_in(K, i, b.parent, u, inverse)
        if b.dof_count == 0 and b.parent > 0:
            for r in range(21):
                K[b.parent, r] += K[i, r]
    front = fronts[fronts.shape[0] - 1]
    for e in range(front.first, front.first + front.closing):
        least = min(least, close_row(system, work, e, front.first + front.closing, front.first + front.closing))
    return least


@part
def close_row(system, work, e, first, end):
    """Eliminate the row of entry e where it closes, before those from `first` to `end` - 1, which stay open: its pivot
    in units of the square of its natural size.
    """
    rows, closed, k, L = work.open_rows, work.closed_rows, work.k, work.couplings
    n = rows[e].closed
    one = closed[n]
    natural, pivot = natural_square(system, work, one.row), L[one.start + n]
    left = pivot / natural
    work.left[one.active] = max(left, NOISE)
    if not left > NOISE:
        pivot = NOISE * natural
    inverse = 1.0 / pivot
    work.per_pivot[n] = inverse
    behind = one.beyond - n - 1
    count = behind + end - first
    for x in range(count):
        f = partner(e, x, behind, first)
        m = rows[f].closed
        at = closed[m].start
        if closed[m].first > n or L[at + n] == 0.0:
            continue
        ratio = L[at + n] * inverse
        for y in range(x + 1):
            m = rows[partner(e, y, behind, first)].closed
            if closed[m].first <= n:
                L[at + m] -= ratio * L[closed[m].start + n]
        for r in range(6):
            k[f, r] -= ratio * k[e, r]
    for x in range(count):
        m = rows[partner(e, x, behind, first)].closed
        if closed[m].first <= n:
            L[closed[m].start + n] *= inverse
    return left


@part
def partner(e, x, behind, first):
    """The x-th entry with which that of a row that closes may be coupled: the next that close, then those open."""
    return e + 1 + x if x < behind else first + x - behind


@part
def add_square(K, i, k, e, per_pivot):
    """K[i] += k k^T / p; k[e] then is k / p."""
    n = 0
    for r in range(6):
        f = k[e, r] * per_pivot
        for c in range(r, 6):
            K[i, n] += f * k[e, c]
            n += 1
    for r in range(6):
        k[e, r] *= per_pivot


@part
def hand_on(k, e, entry, u, share):
    """k of an open row behind a motion, to its entry at the next."""
    o = entry.onward
    if entry.adds == 1:
        for r in range(6):
            k[o, r] += (k[e, r] if entry.from_below == 1 else 0.0) - u[r] * share
    elif entry.from_below == 1:
        for r in range(6):
            k[o, r] = k[e, r] - u[r] * share
    else:
        for r in range(6):
            k[o, r] = -u[r] * share


@part
def hand_in(K, i, p, u, inverse):
    """The inertia that body i has after its last motion, added to its inboard body."""
    n = 0
    for r in range(6):
        f = u[r] * inverse
        for c in range(r, 6):
            K[p, n] += K[i, n] - f * u[c]
            n += 1


# -- with the factors at hand -----------------------------------------------------------------------------------------
@kernel
def solve_eliminated(system, work, target, motion, lam):
    """M x + Phi_v^T lam = f, Phi_v x = target; f in `motion`, where x is left; lam 0 of rows that are not active."""
    for r in range(lam.shape[0]):
        lam[r] = 0.0
    for n in range(work.method[0].active_count):
        work.of_closed[n] = -target[work.closed_rows[n].row]
    to_the_root(system, work, motion)
    to_the_leaves(system, work, motion, lam)


@part
def to_the_root(system, work, motion):
    """u / D of the motions, and c / p less couplings with rows that are still open, of the rows."""
    bodies, S, F, U, per_D, k = system.bodies, work.S, work.spatial, work.U, work.per_D, work.k
    fronts, rows, g, x = work.fronts, work.open_rows, work.g, work.of_closed
    for i in range(bodies.shape[0]):
        for r in range(6):
            F[i, r] = 0.0
    for i in range(bodies.shape[0] - 1, 0, -1):
        b = bodies[i]
        for j in range(b.first_dof + b.dof_count - 1, b.first_dof - 1, -1):
            front = fronts[j]
            first, end = front.first + front.closing, front.first + front.count
            for e in range(front.first, first):
                c = close_side(work, e, first, end)
                for r in range(6):
                    F[i, r] -= k[e, r] * c
            u = motion[j] + dot6(six(S, j), six(F, i))
            motion[j] = u * per_D[j]
            for r in range(6):
                F[i, r] -= U[j, r] * u
            for e in range(first, end):
                x[rows[e].closed] += g[e] * u
        if b.parent > 0:
            for r in range(6):
                F[b.parent, r] += F[i, r]
    front = fronts[fronts.shape[0] - 1]
    end = front.first + front.closing
    for e in range(front.first, end):
        close_side(work, e, end, end)


@part
def close_side(work, e, first, end):
    """Eliminate the row of entry e from the right-hand sides of those that are coupled with it: its own, before it is
    divided by the pivot.
    """
    rows, closed, L, x = work.open_rows, work.closed_rows, work.couplings, work.of_closed
    n = rows[e].closed
    c, behind = x[n], closed[n].beyond - n - 1
    for y in range(behind + end - first):
        m = rows[partner(e, y, behind, first)].closed
        if closed[m].first <= n:
            x[m] -= L[closed[m].start + n] * c
    x[n] = c * work.per_pivot[n]
    return c


@part
def to_the_leaves(system, work, motion, lam):
    """Multipliers where their rows close, and the motions, from what is known towards the root."""
    bodies, S, a, U, k = system.bodies, work.S, work.spatial, work.U, work.k
    fronts, rows, g, x = work.fronts, work.open_rows, work.g, work.of_closed
    front = fronts[fronts.shape[0] - 1]
    end = front.first + front.closing
    for e in range(end - 1, front.first - 1, -1):
        multiplier(work, e, end, end, lam, 0.0)
    for r in range(6):
        a[0, r] = 0.0
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        present = six(a, b.parent)
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            front = fronts[j]
            first, end = front.first + front.closing, front.first + front.count
            v = motion[j] - dot6(six(U, j), present)
            for e in range(first, end):
                v -= g[e] * x[rows[e].closed]
            motion[j] = v
            s = six(S, j)
            present = (
                present[0] + s[0] * v,
                present[1] + s[1] * v,
                present[2] + s[2] * v,
                present[3] + s[3] * v,
                present[4] + s[4] * v,
                present[5] + s[5] * v,
            )
            for e in range(first - 1, front.first - 1, -1):
                multiplier(work, e, first, end, lam, dot6(six(k, e), present))
        for r in range(6):
            a[i, r] = present[r]


@part
def multiplier(work, e, first, end, lam, carried):
    """That of the row of entry e; `carried`: what the acceleration of the body where it closes makes of it."""
    rows, closed, L, x = work.open_rows, work.closed_rows, work.couplings, work.of_closed
    n = rows[e].closed
    value, behind = x[n] + carried, closed[n].beyond - n - 1
    for y in range(behind + end - first):
        m = rows[partner(e, y, behind, first)].closed
        if closed[m].first <= n:
            value -= L[closed[m].start + n] * x[m]
    x[n] = lam[closed[n].row] = value


def exports() -> Exports:
    """For the native library."""
    yield export(eliminate, REAL, SYSTEM, WORK)
    yield export(solve_eliminated, VOID, SYSTEM, WORK, VECTOR, VECTOR, VECTOR)
