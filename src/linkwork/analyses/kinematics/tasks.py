"""What is requested of a kinematic analysis: instants, or values of an input that is swept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.simulate.dynamics import MOST_SAMPLES, sample_times
from linkwork.elements.constraints.drivers import Driver, driven_coordinate
from linkwork.elements.joints.coordinates import coordinate_named
from linkwork.errors import OptionError
from linkwork.expressions import parse, values
from linkwork.mechanism import Mechanism, checked
from linkwork.system.frames import given_poses, joint_frames, start_coordinate

InputSweep = Mapping[str, tuple[float, float, int]]


@dataclass(frozen=True)
class Task:
    """A mechanism with all its drivers, where it starts and at which t it is wanted."""

    mechanism: Mechanism
    start: float
    times: np.ndarray
    input: str = "t"  # what t is: the time, or the coordinate that is swept
    unit: str = "s"  # s; rad or m of a sweep

    @property
    def over_time(self) -> bool:
        """Whether t is the time."""
        return self.unit == "s"


def at_times(
    mechanism: Mechanism, times: Sequence[float] | np.ndarray | None, until: float | None, every: float | None
) -> Task:
    """At given times (s), or from 0 until a time at equal intervals (default: 500 of them)."""
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
    if not isinstance(sweep, Mapping):
        raise OptionError(f"sweep is {sweep!r}; give {{'A.angle': (from, to, how many)}}", element="sweep")
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
    fields = {field: getattr(mechanism, field) for field in Mechanism.model_fields} | {"driver": (*others, driver)}
    swept = checked(lambda: Mechanism.model_validate(fields), f"model '{mechanism.name}'")
    start = start_coordinate(given_poses(mechanism), joint, joint_frames(mechanism)[joint.name], coordinate)
    unit = joint.type.units[coordinate]
    return Task(swept, start, np.linspace(first, last, count), f"{joint.name}.{coordinate}", unit)


def _span(named: str, span: tuple[float, float, int]) -> tuple[float, float, int]:
    """(from, to, how many), checked."""
    try:
        first, last, count = float(span[0]), float(span[1]), int(span[2])
        good = len(span) == 3 and np.isfinite(first) and np.isfinite(last) and first != last and count >= 2
    except (TypeError, ValueError, IndexError):
        good = False
    if not good:
        raise OptionError(f"sweep of '{named}' is {span}; give (from, to, how many >= 2)", element=named)
    if count > MOST_SAMPLES:
        raise OptionError(f"sweep of '{named}' has {count} values; at most {MOST_SAMPLES} are kept", element=named)
    return first, last, count


def held(driver: Driver, mechanism: Mechanism) -> Driver:
    """A driver that stays where it is at t = 0."""
    if driver.motion is None:
        return driver.model_copy(update={"hold": True, "velocity": None, "acceleration": None})
    scope = mechanism.scope(None, mechanism.tables())
    value = values(parse(driver.motion, element=f"driver '{driver.name}'", scope=scope), 0.0)[0]
    return driver.model_copy(update={"motion": value})
