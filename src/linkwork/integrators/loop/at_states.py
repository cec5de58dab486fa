"""Samples at given states, as they are: not brought onto the constraints, which say by how much they are missed.

Gradients of driven motion (analyses/gradients/kinematics.py) go along straight lines of states, which touch the
constraints in one point.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import rate
from linkwork.integrators.loop.follow import write_position
from linkwork.integrators.vectors import copy
from linkwork.methods.normal_step import violation_rate
from linkwork.numerics.status import FACTOR, LEVEL_POSITION, MOVE, OK


@kernel
def samples_at(evaluate, factor, solve, system, times, states, angles, work, control, samples, Phi, rest):
    """The sample of every state, and what the constraints miss there: Phi and nu - Phi_v v, [sample, row]."""
    first = first_velocity(system)
    for k in range(times.shape[0]):
        work.segment[0].t_accepted = times[k]
        work.method[0].factors = Factors.NOTHING
        status = rate(evaluate, factor, solve, system, times[k], states[k], angles, work, control)
        if status != OK:
            return status
        call_families(Phase.OUTPUT, system, times[k], angles, work)
        write_position(system, states[k], work, samples[k])
        copy(work.Phi, Phi[k])
        violation_rate(system, work.J, states[k, first:], work.nu, rest[k])
        copy(work.angle, angles)
    return OK


@kernel
def moves_at(evaluate, factor, solve, system, times, states, angles, work, c, delta):
    """The motions with Phi_v delta = c at every state, [sample, motion]."""
    for k in range(times.shape[0]):
        work.segment[0].t_accepted = times[k]
        work.method[0].factors = Factors.NOTHING
        evaluate(system, times[k], states[k], angles, work, LEVEL_POSITION)
        status = solve(factor, system, work, FACTOR)
        if status != OK:
            return status
        copy(c[k], work.c)
        status = solve(factor, system, work, MOVE)
        if status != OK:
            return status
        copy(work.delta, delta[k])
        copy(work.angle, angles)
    return OK
