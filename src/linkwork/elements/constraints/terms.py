"""Rows of terms: constraint equations that are sums, Phi = sum of c_k x_k - f(t), over numbers between bodies.

A gear train, a coupler, a rack and pinion, a screw that is cut, a constant-velocity joint and a link of given length
are such rows.  The first term of a row, and those between the same two bodies, give its wrench W, from which the row's
entries of Phi_v and gamma follow as for any other row; terms between other bodies add theirs.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.constraints.rows import IDLE, POSITION
from linkwork.elements.family import COLUMNS, GAMMA, REACTIONS, ROWS, Family
from linkwork.elements.signals.frame_pairs import (
    PAIR,
    add_effort,
    direction,
    ends,
    heading,
    number,
    pair_of,
    relative_motion,
    rest_of_acceleration,
    write_wrench,
)
from linkwork.numerics.vectors import cross, sub, vector

TERM = np.dtype(
    [
        ("row", np.int32),
        ("is_first", np.int32),  # of its row
        ("in_wrench", np.int32),  # between the same bodies as the first: part of the row's W
        ("kind", np.int32),
        ("i", np.int32),
        ("j", np.int32),
        ("angle", np.int32),  # which counted angle, or -1
        ("factor", np.float64),
        *PAIR,
    ],
    align=True,
)
SIZE = TERM.itemsize


@stage
def term_positions(system, t, angles, work, first, last):
    """Phi += c x, and the wrench of the first term of each row and of those between the same bodies."""
    R, p, O, W = work.R, work.p, work.O, work.W
    since = t - work.segment[0].t_accepted
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        mode = system.rows[term.row].mode
        turn = heading(angles, term.angle, since) if term.angle >= 0 else 0.0
        x = number(term.kind, term.i, term.j, R, p, pair, turn)
        if term.angle >= 0:
            work.angle[term.angle] = x.real
        if mode == POSITION:
            work.Phi[term.row] += term.factor * x
        if term.in_wrench and mode != IDLE:
            _, p_M = ends(R, p, pair)
            f, n = direction(term.kind, term.i, term.j, R, p, pair)
            kept = 0.0 if term.is_first else 1.0
            write_wrench(W, term.row, 0, kept, term.factor, f, n, sub(p_M, vector(O, pair.body_a)))
            write_wrench(W, term.row, 6, kept, term.factor, f, n, sub(p_M, vector(O, pair.body_b)))


@stage
def term_columns(system, t, angles, work, first, last):
    """Phi_v of the further terms: c (f . v + n . w) of each motion on the way to B less those on the way to A."""
    R, p = work.R, work.p
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        if term.in_wrench or system.rows[term.row].mode == IDLE:
            continue
        _, p_M = ends(R, p, pair)
        f, n = direction(term.kind, term.i, term.j, R, p, pair)
        _add_way(system, work, term.row, pair.body_b, p_M, f, n, term.factor)
        _add_way(system, work, term.row, pair.body_a, p_M, f, n, -term.factor)


@part
def _add_way(system, work, r, body, p_M, f, n, factor):
    """Add to row r of Phi_v the motions on the way from the root to a body; those that the row lacks cancel."""
    S, J, columns = work.S, work.J, system.columns
    con = system.constraints[system.rows[r].constraint]
    value = system.rows[r].first_value
    arm = sub(p_M, vector(work.O, body))
    moment = cross(arm, f)
    b = body
    while b > 0:
        record = system.bodies[b]
        for k in range(record.dof_count + record.axis_count):
            j = record.first_dof + k if k < record.dof_count else record.first_axis + k - record.dof_count
            for c in range(con.column_count):
                if columns[con.first_column + c].axis == j:
                    along = f[0] * S[j, 0] + f[1] * S[j, 1] + f[2] * S[j, 2]
                    about = (moment[0] + n[0]) * S[j, 3] + (moment[1] + n[1]) * S[j, 4] + (moment[2] + n[2]) * S[j, 5]
                    J[value + c] += factor * (along + about)
        b = record.parent


@stage
def term_accelerations(system, t, angles, work, first, last):
    """gamma -= c (rest), and of the further terms also c (f . a + n . alpha) at v_dot = 0."""
    R, p, O, V, A = work.R, work.p, work.O, work.V, work.A
    count = angles.shape[0] // 2
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        _, p_M = ends(R, p, pair)
        f, n = direction(term.kind, term.i, term.j, R, p, pair)
        if term.angle >= 0:
            work.angle[count + term.angle] = relative_motion(V, O, pair, p_M, f, n).real
        if system.rows[term.row].mode == IDLE:
            continue
        more = rest_of_acceleration(term.kind, term.i, term.j, R, p, O, V, pair)
        if not term.in_wrench:
            more += relative_motion(A, O, pair, p_M, f, n)
        work.gamma[term.row] -= term.factor * more


@stage
def term_reactions(system, t, angles, work, first, last):
    """F of the terms that W leaves out: a multiplier lam is an effort c lam against the number."""
    R, p = work.R, work.p
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        if not term.in_wrench and system.rows[term.row].mode != IDLE:
            _, p_M = ends(R, p, pair)
            f, n = direction(term.kind, term.i, term.j, R, p, pair)
            add_effort(work.F, work.O, pair, p_M, term.factor * work.lam[term.row], f, n)


def term_records(places) -> list[tuple]:
    """The terms that constraints have left behind while their rows were made."""
    return list(places.terms)


TERMS = Family(
    "terms",
    TERM,
    {ROWS: term_positions, COLUMNS: term_columns, GAMMA: term_accelerations, REACTIONS: term_reactions},
    term_records,
)
