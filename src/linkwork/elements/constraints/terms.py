"""Rows of terms: constraint equations that are sums, Phi = sum of c_k x_k - f(t), over numbers between bodies.

A gear train, a coupler, a rack and pinion, a screw that is cut, a constant-velocity joint and a link of given length
are such rows.  The first term of a row, and those between the same two bodies, give its wrench W, from which the row's
entries of Phi_v and gamma follow as for any other row; terms between other bodies add theirs.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.bodies.tree_paths import along_axis, last_axis
from linkwork.elements.constraints.rows import IDLE, POSITION
from linkwork.elements.family import Family, Phase, record
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
from linkwork.numerics.vectors import add, cross, sub, vector

TERM = record(
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
    ]
)
SIZE = TERM.itemsize


@stage
def term_positions(system, t, angles, work, first, last):
    """Phi += c x, and the wrench of the first term of each row and of those between the same bodies."""
    R, p, O, W = work.R, work.p, work.O, work.W
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        mode = work.row_state[term.row].mode
        x = number(term.kind, term.i, term.j, R, p, pair, heading(term.angle, t, angles, work))
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
    """Phi_v of the further terms: c (f . v + n . w) of each motion on the path to B less those on the path to A."""
    R, p = work.R, work.p
    for at in range(first, last, SIZE):
        term = record_at(system.block, at, TERM)
        pair = pair_of(term)
        if term.in_wrench or work.row_state[term.row].mode == IDLE:
            continue
        _, p_M = ends(R, p, pair)
        f, n = direction(term.kind, term.i, term.j, R, p, pair)
        _add_path(system, work, term.row, pair.body_b, p_M, f, n, term.factor)
        _add_path(system, work, term.row, pair.body_a, p_M, f, n, -term.factor)


@part
def _add_path(system, work, r, body, p_M, f, n, factor):
    """Add to row r of Phi_v the motions on the path from the root to a body; those that the row lacks cancel."""
    con, value = system.constraints[system.rows[r].constraint], system.rows[r].first_value
    moment = add(cross(sub(p_M, vector(work.O, body)), f), n)
    a = last_axis(system.bodies, body)
    while a >= 0:
        for c in range(con.column_count):
            if system.columns[con.first_column + c].axis == a:
                work.J[value + c] += factor * along_axis(work.S, a, f, moment)
        a = system.axes[a].before


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
        if work.row_state[term.row].mode == IDLE:
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
        if not term.in_wrench and work.row_state[term.row].mode != IDLE:
            _, p_M = ends(R, p, pair)
            f, n = direction(term.kind, term.i, term.j, R, p, pair)
            add_effort(work.F, work.O, pair, p_M, term.factor * work.lam[term.row], f, n)


TERMS = Family(
    "terms",
    TERM,
    {
        Phase.ROWS: term_positions,
        Phase.COLUMNS: term_columns,
        Phase.GAMMA: term_accelerations,
        Phase.REACTIONS: term_reactions,
    },
)
