"""What a partitioning method decides after each accepted step: keep the basis, build it anew, switch to another.

P1's steps 3, 12 and 13, P3's likewise; every criterion is an option (formulations/records.py), every decision is in
the log.

* LU checks its choice when the step size has shrunk or has stayed the same some times; a set that is hardly better is
  left alone (the printed method changes at every tie).
* QR and projection measure alpha, the share of the free motion within the kept tangent plane; P3 as
  printed has no such test.
* A hybrid is in LU where LU is sound (conditioning.py); as printed, by the papers' criteria (printed.py).
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.methods.partitioning.choice import find_choice, keep_choice
from linkwork.methods.partitioning.conditioning import judge_lu
from linkwork.methods.partitioning.log import change, note
from linkwork.methods.partitioning.partitioned import MASS, along_z, keeps_printed
from linkwork.methods.partitioning.printed import judge_as_printed
from linkwork.methods.partitioning.sparse.places import is_sparse
from linkwork.methods.partitioning.sparse.solution import turned_share
from linkwork.methods.reasons import Basis, Reason

AT_REST = 1e-20  # of v.v: motion beside what is driven that is nothing but rounding
SAME_LENGTH = 1e-12  # relative: steps that differ by less have the same size


@stage
def accept(factor, system, t, y, work, control):
    """Called once after every accepted step."""
    method, h = work.method[0], control[0].h_last
    hybrid, literal = method.other_basis != Basis.NONE, work.options[0].literal != 0.0
    _note_rank(work, t)
    if method.basis == Basis.QR or (method.basis == Basis.PROJECTION and not keeps_printed(work)):
        _check_tangent(system, t, work, control)
    if hybrid and not literal:
        judge_lu(factor, system, t, work, control)
    elif method.basis == Basis.LU:
        _check_choice(factor, system, t, h, work, control)
    if hybrid and literal:
        judge_as_printed(factor, system, t, h, y, work, control)
    method.h_last = h


@part
def _note_rank(work, t):
    """A row was dropped, or taken up again."""
    method = work.method[0]
    singular = method.rank < method.full_rank
    if singular and method.singular == 0:
        note(work, t, Reason.SINGULAR, method.basis)
        method.singular = 1
        method.equal_steps = 0
    elif not singular and method.singular == 1:
        note(work, t, Reason.REGULAR, method.basis)
        method.singular = 0


@part
def _check_tangent(system, t, work, control):
    """alpha = |z'|^2 / |v_f|^2 (P1 step 12, theory (1.7)); v_f = v - Zh nu: without what drivers prescribe, along Z.

    1 while the kept tangent plane is the present one; z' = T^T M v_f and |v_f|^2 = v_f.M v_f in the metric of M,
    T^T v_f and v_f.v_f as printed.
    """
    method, options = work.method[0], work.options[0]
    inside, free, whole = turned_share(system, work) if is_sparse(work) else _turned_share(work)
    if free > AT_REST * whole and free - inside > options.alpha_limit * free:
        method.rebuild = 1
        change(work, t, Reason.TURNED, method.basis, control)


@part
def _turned_share(work):
    """|z'|^2, |v_f|^2 and |v|^2."""
    n, v, v_f, momentum, M = work.v_dot.shape[0], work.v, work.delta, work.x, work.matrices[MASS]
    along_z(work, work.nu, v_f)
    inside, free, whole = 0.0, 0.0, 0.0
    for j in range(n):
        v_f[j] = v[j] - v_f[j]
    for j in range(n):
        p, total = v_f[j], v[j]
        if work.options[0].literal == 0.0:
            p, total = 0.0, 0.0
            for k in range(n):
                p += M[j, k] * v_f[k]
                total += M[j, k] * v[k]
        momentum[j] = p
        free += v_f[j] * p
        whole += v[j] * total
    for c in range(work.method[0].rank, n):
        s = 0.0
        for j in range(n):
            s += work.basis[j, c] * momentum[j]
        inside += s * s
    return inside, free, whole


@part
def _check_choice(factor, system, t, h, work, control):
    """LU's choice, checked again when the step size has shrunk or stayed the same (P1 step 3)."""
    method, options = work.method[0], work.options[0]
    if method.choice_known == 0:
        find_choice(factor, system, work)
        keep_choice(work)
        note(work, t, Reason.START, method.basis)
        return
    if method.singular == 0:
        same_length = abs(h - method.h_last) < SAME_LENGTH * h
        method.equal_steps = method.equal_steps + 1 if same_length else 0
    if not (h < options.shrunk * method.h_last or method.equal_steps >= options.steady):
        return
    method.equal_steps = 0
    another = find_choice(factor, system, work)
    better = method.choice_volume > method.kept_volume + math.log(options.better)
    if another and (better or options.literal != 0.0):
        keep_choice(work)
        recent = control[0].steps - method.choice_changed_at < options.window
        method.choice_changes = method.choice_changes + 1 if recent else 1
        method.choice_changed_at = control[0].steps
        method.rebuild = 1
        change(work, t, Reason.BETTER_SET, method.basis, control)
