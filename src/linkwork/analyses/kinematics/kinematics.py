"""Kinematic analysis: positions, velocities and accelerations of a fully driven mechanism, at times or over an input.

The drivers alone determine the motion; forces only say what the drivers must give (the multipliers of the result).  In
a sweep t is the input itself, in rad or m: velocities are then derivatives with respect to the input.  Drivers by
velocity or acceleration, and rolling discs, determine velocities alone: then the positions are integrated, to RTOL.
Drivers that act for a part of the time take over from each other in such a run too; at no time may a freedom be left.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linkwork.analyses.kinematics.following import METHOD, Follower
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, sample_times, simulate
from linkwork.analyses.start.assembly import Start, assemble, dense_jacobian
from linkwork.compiler.kernels import METER
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.rows import VELOCITY
from linkwork.errors import DeadCentreError, ModelError, OptionError
from linkwork.expressions import parse, values
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism, checked, coordinate_named, driven_coordinate
from linkwork.numerics import status as codes
from linkwork.results.result import Certificate, Result
from linkwork.system.places import Places

RTOL = 1e-10  # of positions that are integrated
InputSweep = Mapping[str, tuple[float, float, int]]


@dataclass(frozen=True)
class Task:
    """A mechanism with all its drivers, where it starts and where it is wanted; t in s, or the input of a sweep."""

    mechanism: Mechanism
    start: float
    times: np.ndarray
    input: str = "t"  # what t is
    unit: str = "s"


def kinematics(task: Task, formulation: str = "auto") -> Result:
    """Assemble, check that it is fully driven, follow, certify."""
    began, compiled_before = time.perf_counter(), METER.seconds
    chosen, why = choose_formulation(formulation)
    partly = drivers_in_turn(task)
    start = assemble(task.mechanism, chosen, task.start)
    check_driven(start, task.start)
    if partly or np.any(start.compiled.system.rows["mode"] == VELOCITY):
        result = integrated(task, chosen)
        check_driven_in_turn(result, start.compiled.layout.v_count, partly)
        return result
    certificate = Certificate(
        formulation=chosen,
        method=METHOD.name,
        integrator="none",
        why=f"{chosen}: {why}; no integrator: the drivers determine every position",
        warnings=list(start.notes),
    )
    run = Follower(start, task.start, task.times, task.input, task.unit, certificate)
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
    if task.unit != "s":
        raise OptionError(
            f"sweep of '{task.input}': a rolling disc holds velocities alone, and its motion must be integrated over "
            "time; drive the coordinate by motion = 't' and ask for times",
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
        certificate.warnings.append(str(failure))
    result.certificate.why += "; velocities are given, or drivers take turns: positions are integrated"
    return result


# -- what is asked --------------------------------------------------------------------------------------------------
def at_times(
    mechanism: Mechanism, times: Sequence[float] | np.ndarray | None, until: float | None, every: float | None
) -> Task:
    """At given times (s), or from 0 until a time at equal distances (default: 500 of them)."""
    if times is None:
        end = until if until is not None else mechanism.duration
        if end is None:
            raise OptionError("no times; give times = ..., until = ... (s), or a sweep of an input", element="until")
        for name, value in (("until", end), ("every", every)):
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise OptionError(f"option '{name}' is {value:g}; it must be a finite number > 0", element=name)
        times = sample_times(end, every)
    wanted = np.asarray(times, float)
    if not len(wanted) or not np.all(np.isfinite(wanted)) or wanted[0] < 0.0 or np.any(np.diff(wanted) <= 0.0):
        raise OptionError("times must be finite, >= 0 and increasing", element="times")
    return Task(mechanism, 0.0, wanted)


def over_input(mechanism: Mechanism, sweep: InputSweep) -> Task:
    """Over values of a joint coordinate: it gets a driver of its own, other drivers stay where they are at t = 0."""
    if len(sweep) != 1:
        raise OptionError(f"sweep names {len(sweep)} coordinates; sweep one and drive the others", element="sweep")
    ((named, span),) = sweep.items()
    joints = {joint.name: joint for joint in mechanism.joint}
    try:
        joint, coordinate = coordinate_named(named, joints, "sweep")
    except ValueError as failure:
        raise OptionError(str(failure), element=named) from None
    first, last, count = _span(named, span)
    others = [held(driver, mechanism) for driver in mechanism.driver
              if driver.joint != joint.name or driven_coordinate(driver, joint) != coordinate]  # fmt: skip
    driver = Driver(name=f"sweep {joint.name} {coordinate}", joint=joint.name, coordinate=coordinate, motion="t")
    said = {field: getattr(mechanism, field) for field in Mechanism.model_fields} | {"driver": (*others, driver)}
    swept = checked(lambda: Mechanism.model_validate(said), f"model '{mechanism.name}'")
    where = Places(mechanism, [body.name for body in mechanism.body]).start_coordinate(joint.name, coordinate)
    unit = joint.type.units[coordinate]
    return Task(swept, where, np.linspace(first, last, count), f"{joint.name}.{coordinate}", unit)


def _span(named: str, span: tuple[float, float, int]) -> tuple[float, float, int]:
    """(from, to, how many), checked."""
    try:
        first, last, count = float(span[0]), float(span[1]), int(span[2])
        good = len(span) == 3 and np.isfinite(first) and np.isfinite(last) and first != last and count >= 2
    except (TypeError, ValueError, IndexError):
        good = False
    if not good:
        raise OptionError(f"sweep of '{named}' is {span}; give (from, to, how many >= 2)", element=named)
    return first, last, count


def held(driver: Driver, mechanism: Mechanism) -> Driver:
    """A driver that stays where it is at t = 0."""
    if driver.motion is None:
        return driver.model_copy(update={"hold": True, "velocity": None, "acceleration": None})
    scope = mechanism.scope(None, mechanism.tables())
    value = values(parse(driver.motion, element=f"driver '{driver.name}'", scope=scope), 0.0)[0]
    return driver.model_copy(update={"motion": value})


# -- what is refused ------------------------------------------------------------------------------------------------
def drivers_in_turn(task: Task) -> list[Driver]:
    """Those that do not act all the time that is asked for; where t is an input and no time they are refused."""
    end = float(task.times[-1])
    partly = [d for d in task.mechanism.driver if d.since > 0.0 or (d.until is not None and d.until < end)]
    if partly and task.unit != "s":
        raise ModelError(
            f"driver '{partly[0].name}': acts for a part of the time only, and a sweep of '{task.input}' has no time; "
            "let it act all the time, or ask for times",
            element=partly[0].name,
        )
    return partly


def check_driven_in_turn(result: Result, motions: int, partly: list[Driver]) -> None:
    """From one driver that begins or lets go to the next, as many independent rows as motions."""
    t, rank = result.steps["t"], result.steps["rank"]
    instants = sorted({t for driver in partly for t in (driver.since, driver.until) if t is not None})
    for first, last in pairwise([*instants, np.inf]):
        within = (t > first) & (t <= last)
        if np.any(within) and np.all(rank[within] < motions):
            name = next((d.name for d in partly if d.until == first), partly[0].name)
            raise ModelError(
                f"driver '{name}': acts for a part of the time only, and from t = {first:.6g} s on the mechanism is "
                "not fully driven; let another driver take over there, or use simulate",
                element=name,
            )


def check_driven(start: Start, t: float) -> None:
    """No coordinate is free; otherwise one sentence names those that are."""
    free = start.compiled.layout.v_count - start.rank
    if free > 0:
        names = free_coordinates(start, t)
        listed = ", ".join(f"'{name}'" for name in names)
        raise ModelError(
            f"the mechanism is not fully driven: {free} free coordinate{'s' if free > 1 else ''}, {listed}; "
            "drive or sweep as many, or use simulate",
            element=names[0],
        )


def free_coordinates(start: Start, t: float) -> list[str]:
    """As many coordinates as there are freedoms, one after the other: the first that a free motion plainly moves."""
    equations = Equations(start.compiled)
    equations.evaluate(t, start.y, start.angles, codes.LEVEL_POSITION)
    J = dense_jacobian(start.compiled.system, equations.work)
    count = J.shape[1] - start.rank
    free = (np.linalg.svd(J)[2] if len(J) else np.eye(J.shape[1]))[J.shape[1] - count :]
    names = coordinate_names(start)
    chosen: list[str] = []
    for _ in range(count):
        moved = np.linalg.norm(free, axis=0)
        first = int(np.argmax(moved > 0.3 * moved.max()))
        chosen.append(names[first])
        direction = free[:, first] / moved[first]
        free = free - np.outer(direction, direction @ free)
    return list(dict.fromkeys(chosen))


def coordinate_names(start: Start) -> list[str]:
    """For each velocity the coordinate that it changes; a ball's three are its joint's rotation."""
    names = []
    for tree in start.compiled.layout.tree:
        names += [f"{tree.name}.{c}" for c in tree.type.changed_by]
    return names
