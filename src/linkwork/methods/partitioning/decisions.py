"""What a partitioning method decides after each accepted step: keep the basis, build it anew, switch to another.

P1's steps 3, 12 and 13, P3's likewise; every criterion is an option (formulations/records.py), every decision is in
the log.

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
from linkwork.formulations.records import Factors
from linkwork.formulations.state import KINETIC, energy_balance
from linkwork.methods.partitioning.basis import count_all
from linkwork.methods.partitioning.choice import find_choice, keep_choice
from linkwork.methods.partitioning.log import note
from linkwork.methods.partitioning.partitioned import MASS
from linkwork.methods.reasons import Basis, Reason

SHRUNK = 0.9  # of the step before
STEADY = 5  # steps of the same size, after which LU checks its choice
SAME_LENGTH = 1e-12  # relative: steps that differ by less have the same size
AT_MAXIMUM = 0.99  # of the largest step
FADES = 0.98  # of the largest recent step: what a step later is left of it


@stage
def accept(factor, system, t, y, work, control):
    """Called once after every accepted step."""
    method, h = work.method[0], control[0].h_last
    _note_rank(work, t)
    if method.basis == Basis.LU:
        _check_choice(factor, system, t, h, work, control)
    elif method.basis == Basis.QR or method.basis == Basis.PROJECTION:
        _check_tangent(t, work, control)
    if method.other_basis != Basis.NONE:
        if method.basis == Basis.LU:
            _leave_lu(system, t, h, y, work, control)
        else:
            _return_to_lu(factor, system, t, h, work, control)
    _remember(system, h, y, work)


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
def _change(work, t, why, before, control):
    """Note a decision; the printed method restarts its integrator after it."""
    note(work, t, why, before)
    work.method[0].factors = Factors.NOTHING
    if work.options[0].literal != 0.0:
        control[0].fresh = 1
        control[0].h = 0.0


@part
def _check_tangent(t, work, control):
    """alpha = |z'|^2 / |v|^2 (P1 step 12); 1 while the kept tangent plane is the present one.

    z' = T^T M v in the metric of M, T^T v as printed.
    """
    method, options = work.method[0], work.options[0]
    n, v, momentum, M = work.v_dot.shape[0], work.v, work.x, work.matrices[MASS]
    inside, total = 0.0, 0.0
    for j in range(n):
        s = v[j]
        if options.literal == 0.0:
            s = 0.0
            for k in range(n):
                s += M[j, k] * v[k]
        momentum[j] = s
        total += v[j] * s
    for c in range(method.rank, n):
        s = 0.0
        for j in range(n):
            s += work.basis[j, c] * momentum[j]
        inside += s * s
    if total > 0.0 and total - inside > options.alpha_limit * total:
        method.rebuild = 1
        _change(work, t, Reason.TURNED, method.basis, control)


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
    if not (h < SHRUNK * method.h_last or method.equal_steps >= STEADY):
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
        _change(work, t, Reason.STEP_CHECK, method.basis, control)


@part
def _leave_lu(system, t, h, y, work, control):
    """P1 step 3: change to the other basis when one of the criteria is met."""
    method, before = work.method[0], work.method[0].basis
    why = _reason_to_leave(system, h, y, work)
    if why != Reason.NONE:
        method.basis = method.other_basis
        method.rebuild = 1
        method.calm_steps = 0
        count_all(work)
        _change(work, t, why, before, control)


@part
def _reason_to_leave(system, h, y, work):
    """The first criterion that is met."""
    method, options = work.method[0], work.options[0]
    if method.rank < method.full_rank or method.weakest_pivot < options.hold:
        return Reason.SINGULAR
    if method.choice_changes >= options.changes:
        return Reason.SET_CHANGES
    if h < options.collapse * method.h_largest:
        return Reason.COLLAPSE
    jump = abs(energy_balance(system, y, work.energy) - method.balance_last)
    if method.exchanged > 0.0 and jump > options.energy_jump * method.exchanged:
        return Reason.ENERGY
    return Reason.NONE


@part
def _return_to_lu(factor, system, t, h, work, control):
    """P1 step 13: enough steps at the largest step size, with LU choosing the same coordinates each time."""
    method, options, before = work.method[0], work.options[0], work.method[0].basis
    near_singular = method.rank < method.full_rank or method.weakest_pivot < 2.0 * options.hold
    if near_singular or h < AT_MAXIMUM * control[0].h_max:
        method.calm_steps = 0
        return
    another = find_choice(factor, system, work)
    method.calm_steps = 0 if another else method.calm_steps + 1
    keep_choice(work)
    if method.calm_steps >= options.return_steps:
        method.basis = Basis.LU
        method.rebuild = 1
        method.choice_changes = 0
        method.h_largest = h
        _change(work, t, Reason.CALM_AGAIN, before, control)


@part
def _remember(system, h, y, work):
    """Step size and energy balance, for the next decision."""
    method = work.method[0]
    method.h_last = h
    method.h_largest = max(h, FADES * method.h_largest)
    method.balance_last = energy_balance(system, y, work.energy)
    method.exchanged = max(method.exchanged, work.energy[KINETIC])
