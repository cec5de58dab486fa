"""The log of a method: every decision with its time and reason."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.records import Factors
from linkwork.methods.partitioning.basis import OTHER_COLUMNS
from linkwork.methods.reasons import Basis


@part
def note(work, t, why, before):
    """Write a decision into the log; with LU the independent motions of its last choice."""
    method = work.method[0]
    if method.decisions == work.log.shape[0]:
        return
    decision = work.log[method.decisions]
    decision.t = t
    decision.why = why
    decision.before = before
    decision.after = method.basis
    decision.rank = method.rank
    for k in range(decision.independent.shape[0]):
        c = method.rank + k
        chosen = method.basis == Basis.LU and c < work.v_dot.shape[0]
        decision.independent[k] = work.order[OTHER_COLUMNS][c] if chosen else -1
    method.decisions += 1


@part
def change(work, t, why, before, control):
    """Note a decision that takes effect with the next step; the printed method restarts its integrator after it."""
    note(work, t, why, before)
    work.method[0].factors = Factors.NOTHING
    if work.options[0].literal != 0.0:
        control[0].fresh = 1
        control[0].h = control[0].h_fixed
