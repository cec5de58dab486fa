"""Kinematic analysis: positions, velocities and accelerations of a fully driven mechanism, at times or over an input.

The drivers alone determine the motion; forces only determine what the drivers must give (the multipliers of the
result).  In a sweep t is the input itself, in rad or m: velocities are then derivatives with respect to the input.
Drivers by velocity or acceleration, and rolling discs, determine velocities alone: then the positions are integrated,
to RTOL.  So are those of drivers that take turns; at no time may a degree of freedom be left.
"""

from __future__ import annotations

import time

import numpy as np

from linkwork.analyses.kinematics.following import METHOD, Follower
from linkwork.analyses.kinematics.fully_driven import check_driven, check_driven_in_turn, drivers_in_turn
from linkwork.analyses.kinematics.tasks import Task
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.meter import METER
from linkwork.elements.constraints.rows import VELOCITY
from linkwork.errors import DeadCentreError, OptionError
from linkwork.results.result import Certificate, Result

IDLE = "body '{}' may turn about itself between its joints, which no driver determines and nothing else feels"
RTOL = 1e-10  # of positions that are integrated


def kinematics(task: Task, formulation: str = "auto") -> Result:
    """Phi(q, t) = 0, Phi_v v = nu, Phi_v v_dot = gamma at every t of a task (Haug 1989).

    Refused: a mechanism with degrees of freedom left, whose coordinates are named.  At a dead point the result ends,
    with a warning; a NumericalError carries what was found until no next position is reached.
    """
    began, compiled_before = time.perf_counter(), METER.seconds
    chosen, why = choose_formulation(formulation, task.mechanism)
    partly = drivers_in_turn(task)
    start = assemble(task.mechanism, chosen, task.start)
    idle = check_driven(start, task.start)
    if partly or np.any(start.compiled.system.rows["mode"] == VELOCITY):
        result = integrated(task, chosen)
        check_driven_in_turn(result, start.compiled.layout.v_count, partly)
        return result
    certificate = Certificate(
        formulation=chosen,
        method=METHOD.name,
        integrator="none",
        why=f"{chosen}: {why}; no integrator: the drivers determine every position",
        warnings=[*start.notes, *(IDLE.format(name) for name in idle)],
    )
    run = Follower(start, task, certificate)
    run.bind()
    failure = run.go()
    result = run.result()
    certificate.compile_s = METER.seconds - compiled_before
    certificate.wall_s = time.perf_counter() - began - certificate.compile_s
    if failure is not None:
        failure.partial = result
        raise failure
    return result


def integrated(task: Task, formulation: str) -> Result:
    """Where rows give velocities alone, or change; a dead point ends the run, and what was found till there is kept."""
    if not task.over_time:
        raise OptionError(
            f"sweep of '{task.input}': a rolling disc constrains velocities alone, and its motion must be integrated "
            "over time; drive the coordinate by motion = 't' and give times",
            element=task.input,
        )
    until = float(task.times[-1])
    options = Options(until=until or 1.0, formulation=formulation, rtol=RTOL)
    try:
        result = simulate(task.mechanism, options, times=task.times)
    except DeadCentreError as failure:
        assert isinstance(failure.partial, Result)
        result, certificate = failure.partial, failure.partial.certificate
        certificate.status, certificate.error = "stopped", None
        certificate.singular.append({"t": failure.t, "rank": int(result.rank[-1]) - 1, "dead": True})
        certificate.warnings.append(failure.with_reference)
    result.certificate.why += "; velocities are given, or drivers take turns: positions are integrated"
    return result
