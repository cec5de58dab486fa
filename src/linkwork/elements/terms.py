"""Rows of terms: constraint equations that are sums, Phi = sum of c_k x_k - f(t), over numbers between bodies.

A gear train, a coupler, a rack and pinion, a screw that is cut, a constant-velocity joint and a link of given length
are such rows.  The terms between the bodies of the first one make the row's wrench W, from which its entries of Phi_v
and gamma follow as for any other row; the further terms, between other bodies, add theirs.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.constraints import IDLE, POSITION
from linkwork.elements.families import COLUMNS, GAMMA, REACTIONS, ROWS, Family
from linkwork.elements.pairs import (
    PAIR,
    add_effort,
    direction,
    ends,
    heading,
    number,
    relative_motion,
    rest_of_acceleration,
)
from linkwork.numerics.codes import T_ACCEPTED
from linkwork.numerics.jit import kernel, part
from linkwork.numerics.vectors import cross, sub, vector

TERM = np.dtype(
    [
        ("row", np.int32),
        ("in_wrench", np.int32),  # 1: begins the wrench W of its row, 2: adds to it, 0: is between other bodies
        ("kind", np.int32),
        ("i", np.int32),
        ("j", np.int32),
        ("angle", np.int32),  # which counted angle, or -1
        ("factor", np.float64),
        *PAIR,
    ],
    align=True,
)


@kernel
def term_positions(system, t, angles, work, first, last):
    """Phi += c x, and the wrench of the first terms of each row."""
    terms = system.block[first:last].view(TERM)
    R, p, O, W = work.R, work.p, work.O, work.W
    since = t - work.settings[T_ACCEPTED]
    for k in range(terms.shape[0]):
        term = terms[k]
        mode = system.rows[term.row].mode
        turn = heading(angles, term.angle, since) if term.angle >= 0 else 0.0
        x = number(term.kind, term.i, term.j, R, p, term, turn)
        if term.angle >= 0:
            work.angle[term.angle] = x.real
        if mode == POSITION:
            work.Phi[term.row] += term.factor * x
        if term.in_wrench > 0 and mode != IDLE:
            _, p_M = ends(R, p, term)
            f, n = direction(term.kind, term.i, term.j, R, p, term)
            kept = term.in_wrench - 1.0
            _add_wrench(W, term.row, 0, kept, term.factor, f, n, sub(p_M, vector(O, term.body_a)))
            _add_wrench(W, term.row, 6, kept, term.factor, f, n, sub(p_M, vector(O, term.body_b)))


@part
def _add_wrench(W, r, first, kept, factor, f, n, arm):
    """The force f at `arm` from the reference point, and the moment n; `kept`: 1 adds to what is there, 0 begins."""
    moment = cross(arm, f)
    for k in range(3):
        W[r, first + k] = kept * W[r, first + k] + factor * f[k]
        W[r, first + 3 + k] = kept * W[r, first + 3 + k] + factor * (moment[k] + n[k])


@kernel
def term_columns(system, t, angles, work, first, last):
    """Phi_v of the further terms: c (f . v + n . w) of each motion on the way to B less those on the way to A."""
    terms = system.block[first:last].view(TERM)
    R, p = work.R, work.p
    for k in range(terms.shape[0]):
        term = terms[k]
        if term.in_wrench > 0 or system.rows[term.row].mode == IDLE:
            continue
        _, p_M = ends(R, p, term)
        f, n = direction(term.kind, term.i, term.j, R, p, term)
        _add_way(system, work, term.row, term.body_b, p_M, f, n, term.factor)
        _add_way(system, work, term.row, term.body_a, p_M, f, n, -term.factor)


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
        for j in range(record.first_dof, record.first_dof + record.dof_count):
            for c in range(con.column_count):
                if columns[con.first_column + c].dof == j:
                    along = f[0] * S[j, 0] + f[1] * S[j, 1] + f[2] * S[j, 2]
                    about = (moment[0] + n[0]) * S[j, 3] + (moment[1] + n[1]) * S[j, 4] + (moment[2] + n[2]) * S[j, 5]
                    J[value + c] += factor * (along + about)
        b = record.parent


@kernel
def term_accelerations(system, t, angles, work, first, last):
    """gamma -= c (rest), and of the further terms also c (f . a + n . alpha) at v_dot = 0."""
    terms = system.block[first:last].view(TERM)
    R, p, O, V, A = work.R, work.p, work.O, work.V, work.A
    count = angles.shape[0] // 2
    for k in range(terms.shape[0]):
        term = terms[k]
        _, p_M = ends(R, p, term)
        f, n = direction(term.kind, term.i, term.j, R, p, term)
        if term.angle >= 0:
            work.angle[count + term.angle] = relative_motion(V, O, term, p_M, f, n).real
        if system.rows[term.row].mode == IDLE:
            continue
        more = rest_of_acceleration(term.kind, term.i, term.j, R, p, O, V, term)
        if term.in_wrench == 0:
            more += relative_motion(A, O, term, p_M, f, n)
        work.gamma[term.row] -= term.factor * more


@kernel
def term_reactions(system, t, angles, work, first, last):
    """F of the further terms' multipliers: -lam c (f, n) on B, the reverse on A."""
    terms = system.block[first:last].view(TERM)
    for k in range(terms.shape[0]):
        term = terms[k]
        if term.in_wrench == 0:
            _, p_M = ends(work.R, work.p, term)
            f, n = direction(term.kind, term.i, term.j, work.R, work.p, term)
            add_effort(work.F, work.O, term, p_M, work.lam[term.row] * term.factor, f, n)


def term_records(places) -> list[tuple]:
    """The terms that constraints have left behind while their rows were made."""
    return list(places.terms)


TERMS = Family(
    "terms", TERM,
    {ROWS: term_positions, COLUMNS: term_columns, GAMMA: term_accelerations, REACTIONS: term_reactions}, term_records,
)  # fmt: skip
