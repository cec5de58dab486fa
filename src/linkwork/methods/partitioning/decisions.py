"""What a partitioning method decides after each accepted step: keep the basis, build it anew, switch to another.

P1's steps 3, 12 and 13, P3's likewise; every criterion is an option (options.py), every decision is in the log.

* LU checks its choice when the step size has shrunk or has stayed the same 5 times; a set that is hardly better is
  left alone (the printed method changes at every tie).
* QR and projection measure alpha = z'.z' / v.v, the share of the motion within the kept tangent plane.
* A hybrid leaves LU when its independent set keeps changing, when the energy balance jumps, when the step size
  collapses, or when the constraints lose rank; it returns after some steps at the largest step size with an unchanged
  LU choice.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.workspace import BASIS, CALM, CHANGES, FULL, KIND, RANK, REBUILD, REQUEST, SAME
from linkwork.methods import options as o
from linkwork.methods.partitioning.partitioned import MASS, count_all, note
from linkwork.methods.reasons import (
    CALM_AGAIN,
    COLLAPSE,
    ENERGY,
    LU,
    PROJECTION,
    QR,
    REGULAR,
    SET_CHANGES,
    SINGULAR,
    START,
    STEP_CHECK,
    TURNED,
)

SHRUNK = 0.9  # of the step before
STEADY = 5  # steps of the same size, after which LU checks its choice
AT_MAXIMUM = 0.99  # of the largest step


@stage
def accept(factor, system, t, y, work, control):
    """Called once after every accepted step."""
    _note_rank(work, t)
    basis = work.counts[BASIS]
    if basis in (QR, PROJECTION):
        _check_tangent(system, t, work, control)
    h = control[0].h_last
    if basis == LU:
        _check_choice(factor, system, t, h, work, control)
    if work.settings[o.OTHER] >= 0.0:
        if work.counts[BASIS] == LU:
            _leave_lu(t, h, y, work, control)
        else:
            _return_to_lu(factor, system, t, h, work, control)
    _remember(h, y, work)


@stage
def accept_nothing(factor, system, t, y, work, control):
    """For methods without decisions."""


@part
def _note_rank(work, t):
    """A row was dropped, or taken up again."""
    singular = work.counts[RANK] < work.counts[FULL]
    if singular and work.counts[SAME] >= 0:
        note(work, t, SINGULAR, work.counts[BASIS])
        work.counts[SAME] = -1
    elif not singular and work.counts[SAME] < 0:
        note(work, t, REGULAR, work.counts[BASIS])
        work.counts[SAME] = 0


@part
def _change(work, t, why, before, control):
    """Note a decision; the printed method restarts its integrator after it."""
    note(work, t, why, before)
    work.counts[KIND] = 0
    if work.settings[o.LITERAL] != 0.0:
        control[0].fresh = 1
        control[0].h = 0.0


@part
def _check_tangent(system, t, work, control):
    """alpha = |z'|^2 / |v|^2 (P1 step 12); 1 while the kept tangent plane is the present one.

    z' = T^T M v in the metric of M, T^T v as printed.
    """
    n, rank, v = work.v_dot.shape[0], work.counts[RANK], work.v
    momentum, M = work.small[0], work.matrices[MASS]
    inside, total = 0.0, 0.0
    for j in range(n):
        s = v[j]
        if work.settings[o.LITERAL] == 0.0:
            s = 0.0
            for k in range(n):
                s += M[j, k] * v[k]
        momentum[j] = s
        total += v[j] * s
    for c in range(rank, n):
        s = 0.0
        for j in range(n):
            s += work.basis[j, c] * momentum[j]
        inside += s * s
    if total > 0.0 and total - inside > work.settings[o.ALPHA_LIMIT] * total:
        work.counts[REBUILD] = 1
        _change(work, t, TURNED, work.counts[BASIS], control)


@part
def _lu_choice(factor, system, work):
    """LU's choice of independent coordinates at this position, as a number; asked of the factor stage."""
    work.counts[REQUEST] = 1
    factor(system, work)
    return work.settings[o.CHOICE]


@part
def _check_choice(factor, system, t, h, work, control):
    """LU's choice, looked at again when the step size has shrunk or stayed the same (P1 step 3)."""
    if work.settings[o.SIGNATURE] == 0.0:
        work.settings[o.SIGNATURE] = _lu_choice(factor, system, work)
        note(work, t, START, LU)
        return
    same = abs(h - work.settings[o.LAST_H]) < 1e-12 * h
    if work.counts[SAME] >= 0:
        work.counts[SAME] = work.counts[SAME] + 1 if same else 0
    if not (h < SHRUNK * work.settings[o.LAST_H] or work.counts[SAME] >= STEADY):
        return
    work.counts[SAME] = min(work.counts[SAME], 0)
    signature = _lu_choice(factor, system, work)
    better = work.settings[o.CHOICE_VOLUME] > work.settings[o.KEPT_VOLUME] + math.log(work.settings[o.BETTER])
    if signature != work.settings[o.SIGNATURE] and (better or work.settings[o.LITERAL] != 0.0):
        work.settings[o.SIGNATURE] = signature
        work.counts[CHANGES] = (
            work.counts[CHANGES] + 1 if control[0].steps - work.settings[o.LAST_CHANGE] < work.settings[o.WINDOW] else 1
        )
        work.settings[o.LAST_CHANGE] = control[0].steps
        work.counts[REBUILD] = 1
        _change(work, t, STEP_CHECK, LU, control)


@part
def _leave_lu(t, h, y, work, control):
    """P1 step 3: change to the other basis when one of the criteria says so."""
    balance = work.energy[0] + work.energy[1] - y[y.shape[0] - 1]
    why = -1
    if work.counts[RANK] < work.counts[FULL] or work.settings[o.WEAKEST] < work.settings[o.HOLD]:
        why = SINGULAR
    elif work.counts[CHANGES] >= work.settings[o.CHANGES]:
        why = SET_CHANGES
    elif h < work.settings[o.COLLAPSE] * work.settings[o.LARGEST_H]:
        why = COLLAPSE
    elif work.settings[o.EXCHANGED] > 0.0 and (
        abs(balance - work.settings[o.LAST_BALANCE]) > work.settings[o.ENERGY_JUMP] * work.settings[o.EXCHANGED]
    ):
        why = ENERGY
    if why >= 0:
        work.counts[BASIS] = int(work.settings[o.OTHER])
        work.counts[REBUILD] = 1
        work.counts[CALM] = 0
        count_all(work)
        _change(work, t, why, LU, control)


@part
def _return_to_lu(factor, system, t, h, work, control):
    """P1 step 13: enough steps at the largest step size, with LU choosing the same coordinates each time."""
    weak = work.counts[RANK] < work.counts[FULL] or work.settings[o.WEAKEST] < 2.0 * work.settings[o.HOLD]
    if weak or h < AT_MAXIMUM * control[0].h_max:
        work.counts[CALM] = 0
        return
    signature = _lu_choice(factor, system, work)
    work.counts[CALM] = work.counts[CALM] + 1 if signature == work.settings[o.SIGNATURE] else 0
    work.settings[o.SIGNATURE] = signature
    if work.counts[CALM] >= work.settings[o.RETURN_STEPS]:
        before = work.counts[BASIS]
        work.counts[BASIS] = LU
        work.counts[REBUILD] = 1
        work.counts[CHANGES] = 0
        work.settings[o.LARGEST_H] = h
        _change(work, t, CALM_AGAIN, before, control)


@part
def _remember(h, y, work):
    """Step size and energy balance for the next look."""
    balance = work.energy[0] + work.energy[1] - y[y.shape[0] - 1]
    work.settings[o.LAST_H] = h
    work.settings[o.LARGEST_H] = max(h, 0.98 * work.settings[o.LARGEST_H])
    work.settings[o.LAST_BALANCE] = balance
    work.settings[o.EXCHANGED] = max(work.settings[o.EXCHANGED], work.energy[0])
