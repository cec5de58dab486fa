"""When a hybrid leaves LU and when it returns: one yardstick for both, in our form of the hybrids.

The yardstick, theory (1.8), is the weakest pivot of the dependent block Phi_u, by elimination of Phi_v with full
pivoting, in units of the rows' natural sizes: small only where every partition has a nearly singular block, hence
where the whole Jacobian has.  It is taken relative to what it was at the best position so far, so that it is near 1 in
regular positions of any mechanism, and proportional to the distance from a singular one; and it is the lesser of now
and after the next step.  Towards a singular position it falls as the determinant D of the block, linearly, so that over
a step h after one of h_last, theory (1.9),

    D(t + h) / D(t) = 1 + (1 - D(t - h_last) / D(t)) h / h_last

Below `leave_below` the hybrid leaves LU; above `return_above`, at both ends of a step, it returns.  The next step is
considered from `foresee_below` on only: farther away D may jump where LU chooses other rows or columns.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part
from linkwork.methods.partitioning.basis import count_all
from linkwork.methods.partitioning.choice import find_choice
from linkwork.methods.partitioning.log import change, note
from linkwork.methods.reasons import Basis, Reason


@part
def judge_lu(factor, system, t, work, control):
    """LU where it is sound, the other basis around a singular position."""
    method, options, before = work.method[0], work.options[0], work.method[0].basis
    first = method.choice_known == 0
    margin = lu_margin(factor, system, work, control)
    if first:
        note(work, t, Reason.START, before)
    if method.basis == Basis.LU:
        dropped = method.rank < method.full_rank
        if dropped or margin < options.leave_below:
            leave_lu(work, t, Reason.SINGULAR if dropped else Reason.NEAR_SINGULAR, control)
        elif method.choice_volume > method.kept_volume + math.log(options.better):
            method.rebuild = 1
            change(work, t, Reason.BETTER_SET, before, control)
        return
    sound = method.rank == method.full_rank and margin > options.return_above
    method.calm_steps = method.calm_steps + 1 if sound else 0
    if method.calm_steps > 1:  # sound at both ends of the last step: samples within it are taken after this decision
        method.basis = Basis.LU
        method.rebuild = 1
        change(work, t, Reason.SOUND_AGAIN, before, control)


@part
def lu_margin(factor, system, work, control):
    """The yardstick: weakest pivot of LU's dependent block, now or after the next step, over the best so far."""
    method, record = work.method[0], control[0]
    find_choice(factor, system, work)
    pivot = method.choice_pivot if method.choice_rank == method.full_rank else 0.0
    best = method.choice_pivot_best = max(method.choice_pivot_best, pivot)
    ahead = 1.0
    if method.choice_known != 0 and pivot < work.options[0].foresee_below * best:
        before = math.exp(method.choice_volume_before - method.choice_volume)  # D(t - h_last) / D(t)
        ahead = min(1.0, 1.0 + (1.0 - before) * min(record.h, record.h_max) / record.h_last)
    method.choice_volume_before = method.choice_volume
    method.choice_known = 1
    return ahead * pivot / best if best > 0.0 else 0.0


@part
def leave_lu(work, t, why, control):
    """To the other basis."""
    method, before = work.method[0], work.method[0].basis
    method.basis = method.other_basis
    method.calm_steps = 0
    method.rebuild = 1
    count_all(work)
    change(work, t, why, before, control)
