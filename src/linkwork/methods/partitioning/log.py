"""The log of a method: every decision with its time and reason."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.methods.partitioning.partitioned import OTHER_COLUMNS
from linkwork.methods.reasons import Basis


@part
def note(work, t, why, before):
    """Write a decision into the log; with LU the independent motions of its last choice."""
    counters, method = work.counters[0], work.method[0]
    if counters.decisions == work.log.shape[0]:
        return
    decision = work.log[counters.decisions]
    decision.t = t
    decision.why = why
    decision.before = before
    decision.after = method.basis
    decision.rank = method.rank
    for k in range(decision.independent.shape[0]):
        c = method.rank + k
        chosen = method.basis == Basis.LU and c < work.v_dot.shape[0]
        decision.independent[k] = work.order[OTHER_COLUMNS][c] if chosen else -1
    counters.decisions += 1
