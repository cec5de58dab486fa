"""When a hybrid leaves LU and when it returns, as printed (P1 steps 3 and 13, P3 steps 3 and 12; `literal`).

Leave where the independent set keeps changing within a short time, the total energy fluctuates or the step size
shrinks markedly; return after five steps at the largest step size with LU choosing the same coordinates each time.
The papers give no numbers but the five; each is an option (formulations/records.py).
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.state import KINETIC, energy_balance
from linkwork.methods.partitioning.choice import find_choice, keep_choice
from linkwork.methods.partitioning.conditioning import leave_lu
from linkwork.methods.partitioning.log import change
from linkwork.methods.reasons import Basis, Reason


@part
def judge_as_printed(factor, system, t, h, y, work, control):
    """P1's steps 3 and 13."""
    method = work.method[0]
    if method.basis == Basis.LU:
        why = _reason_to_leave(system, h, y, work)
        if why != Reason.NONE:
            leave_lu(work, t, why, control)
    else:
        _return_to_lu(factor, system, t, h, work, control)
    method.h_largest = max(h, work.options[0].fades * method.h_largest)
    method.balance_last = energy_balance(system, y, work.energy)
    method.exchanged = max(method.exchanged, work.energy[KINETIC])


@part
def _reason_to_leave(system, h, y, work):
    """The first criterion of step 3 that is met."""
    method, options = work.method[0], work.options[0]
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
    """Step 13: enough steps at the largest step size, with LU choosing the same coordinates each time."""
    method, options, before = work.method[0], work.options[0], work.method[0].basis
    if h < options.at_maximum * control[0].h_max:
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
        change(work, t, Reason.CALM_AGAIN, before, control)
