"""The start of a run, and the starts of mechanisms beside it: of each a System with the same rows, and a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.gradients.stencil import Build, Line, line_of
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_state
from linkwork.analyses.start.assembly import Start
from linkwork.errors import NumericalError
from linkwork.mechanism import Mechanism
from linkwork.system.break_times import break_times
from linkwork.system.pattern import active_at_start, with_active_rows
from linkwork.system.tables import System

SHARE = 2e-4  # of a parameter: the step of the differences; rounding and the next order are both of the order 1e-12


@dataclass(frozen=True)
class Beside:
    """One parameter: the line of mechanisms, their Systems, and the slopes of what a run begins with."""

    line: Line
    systems: tuple[System, ...]  # none where the parameter is in no table
    y: np.ndarray  # dy/dp at the start
    breaks: np.ndarray  # s per unit of the parameter, of each break time

    @property
    def scale(self) -> float:
        """The parameter's size: by so much it may well change."""
        return min(abs(place) for place in self.line.places if place) / SHARE


def started(mechanism: Mechanism, options: Options) -> Start:
    """As a run begins."""
    return first_state(mechanism, choose_formulation(options.formulation)[0], options.from_equilibrium)


def starts_beside(
    build: Build, settings: Mapping[str, float], name: str, start: Start, options: Options
) -> Beside:
    """The starts along one parameter; refused where the structure is another there."""
    line = line_of(build, settings, name, SHARE)
    found = [started(mechanism, options) for mechanism in line.mechanisms]
    for one in found:
        _check_alike(start, one, name)
    active = active_at_start(start.compiled.system)
    systems = tuple(with_active_rows(one.compiled.system, active) for one in found)
    times = [break_times(one.compiled, options.until)["t"] for one in found]
    count = len(break_times(start.compiled, options.until))
    if any(len(one) != count for one in times):
        raise NumericalError(f"no derivative here: beside this value of '{name}' expressions jump at other times")
    return Beside(
        line, systems if any(_differ(start.compiled.system, one) for one in systems) else (),
        line.slope([one.y for one in found]), line.slope(times),
    )  # fmt: skip


def _check_alike(start: Start, other: Start, name: str) -> None:
    """The same coordinates, rows and programs."""
    here, there = start.compiled, other.compiled
    same = (
        here.layout.q_names == there.layout.q_names
        and here.layout.v_names == there.layout.v_names
        and start.rank == other.rank
        and all(
            getattr(here.system, table).shape == getattr(there.system, table).shape for table in System._fields
        )
    )  # fmt: skip
    if not same:
        raise NumericalError(
            f"no derivative here: beside this value of '{name}' the mechanism has other coordinates, rows or degrees of "
            "freedom"
        )


def _differ(a: System, b: System) -> bool:
    """Whether tables differ."""
    return any(getattr(a, name).tobytes() != getattr(b, name).tobytes() for name in System._fields)
