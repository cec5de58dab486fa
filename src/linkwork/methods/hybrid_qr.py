"""Hybrid LU-QR (P1): LU partitioning, and QR where LU is in trouble; decisions.py says when."""

from __future__ import annotations

from linkwork.formulations.workspace import BASIS
from linkwork.methods import lu, qr
from linkwork.methods.options import LITERAL
from linkwork.methods.partitioned import finish, stale, update
from linkwork.methods.reasons import LU
from linkwork.numerics.codes import NEWTON_STALLED, OK
from linkwork.numerics.jit import part, stage


@stage
def factor(system, work):
    """Zh and Th for the kept basis of the method in use; a new one where a pivot is weak."""
    if lu.answered(system, work):
        return OK
    if stale(work):
        choose(system, work)
    if not update(system, work):
        if work.settings[LITERAL] != 0.0 and work.counts[BASIS] == LU:
            return NEWTON_STALLED
        choose(system, work)
        update(system, work)
    return finish(system, work)


@part
def choose(system, work):
    """Build the basis of the method in use at the present position."""
    if work.counts[BASIS] == LU:
        lu.choose(system, work)
    else:
        qr.choose(system, work)
