"""How long the step to come of an integrator that chooses its steps may be."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families
from linkwork.integrators.dop853 import NEAR

BESIDE = 0.2  # of a step: nearer to a singular position it shall not end
LOOK_AHEAD = 1.01  # times the step that is planned: a step is never longer


@part
def bound_step(system, angles, work, control):
    """By what forces and expressions can do in it (phase PACE), and so that it ends at no singular position.

    As printed (`literal`) a method takes the steps that its integrator chooses.
    """
    record, segment = control[0], work.segment[0]
    if record.h_fixed > 0.0:
        return
    longest = min(record.h_limit, record.t_stop - record.t)
    if record.h > 0.0:
        longest = min(longest, LOOK_AHEAD * record.h)
    segment.pace = longest
    call_families(Phase.PACE, system, record.t, angles, work)
    record.h_max = segment.pace if segment.pace < longest else record.h_limit
    record.h = min(record.h, record.h_max)
    if work.options[0].literal == 0.0:
        stay_clear(work, record)


@part
def stay_clear(work, record):
    """Half way to a singular position at which the step to come would end, theory (9.12): rounding is large there.

    Ahead the weakest pivot falls in a straight line; the step from half way passes in the middle.
    """
    pivot, before = work.method[0].weakest_pivot, work.segment[0].pivot
    work.segment[0].pivot = pivot
    if record.fresh == 1 or not (pivot < NEAR and pivot < before):
        return
    distance = pivot / (before - pivot) * record.h_last
    if abs(distance - record.h) < BESIDE * record.h:
        record.h = 0.5 * distance
