"""The start of a run, and the starts of mechanisms beside it: of each a System with the same rows, and a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.gradients.stencil import STENCILS, Build, Line, line_of
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_state
from linkwork.analyses.start.assembly import Start
from linkwork.errors import Entry, NumericalError
from linkwork.mechanism import Mechanism
from linkwork.system.break_times import break_times
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import active_at_start, with_active_rows
from linkwork.system.tables import System

SHARE = 2e-4  # of a parameter: the step of differences of starts; rounding and the next order are of the order 1e-12
FINE = 1e-9  # rtol from which on tables are differenced by four places, too: the noise of two makes short steps
CLOSE = 1e-5  # of a parameter: the step of two places; rounding and the next order are of the order 1e-11
Formula = tuple[tuple[int, ...], tuple[float, ...]]  # places in steps, and weights
TWO_PLACES: tuple[Formula, ...] = (  # central, and one-sided ones beside a break time that moves
    ((1, -1), (0.5, -0.5)),
    ((0, 1, 2), (-1.5, 2.0, -0.5)),
    ((0, -1, -2), (1.5, -2.0, 0.5)),
)
STANDING = 1e-9  # of a run: a break time that moves by less with the whole parameter does not
PLACES = (1, -1, 2, -2, 0, 3, -3, 4, -4)


@dataclass(frozen=True)
class Beside:
    """One parameter: mechanisms and Systems beside this one, and the slopes of what a run begins with."""

    line: Line
    compiled: tuple[Compiled, ...]  # of the line
    near: tuple[System, ...]  # nearer, for the rates: at `places`; none where the parameter is in no table
    places: tuple[float, ...]  # in units of the parameter
    weights: np.ndarray  # [formula, place] (integrators/loop/variation.py)
    y: np.ndarray  # dy/dp at the start
    held: np.ndarray  # [row] of what drivers hold, m or rad
    breaks: np.ndarray  # s, of each break time; all per unit of the parameter

    @property
    def scale(self) -> float:
        """The parameter's size: by so much it may well change."""
        return min(abs(place) for place in self.line.places if place) / SHARE


def started(mechanism: Mechanism, options: Options) -> Start:
    """As a run begins."""
    return first_state(mechanism, choose_formulation(options.formulation, mechanism)[0], options.from_equilibrium)


def starts_beside(build: Build, settings: Mapping[str, float], name: str, start: Start, options: Options) -> Beside:
    """The starts along one parameter; refused where the structure is another there."""
    line = line_of(build, settings, name, SHARE)
    found = [_alike(start, mechanism, name, options) for mechanism in line.mechanisms]
    times = [break_times(one.compiled, options.until)["t"] for one in found]
    count = len(break_times(start.compiled, options.until))
    if any(len(one) != count for one in times):
        raise NumericalError(
            f"no derivative here: beside this value of '{name}' expressions jump at other times",
            entry=Entry.NO_DERIVATIVE,
        )
    compiled = tuple(one.compiled for one in found)
    y, breaks = line.slope([one.y for one in found]), line.slope(times)
    held = line.slope([one.system.rows["held"] for one in compiled])
    scale = min(abs(place) for place in line.places if place) / SHARE
    breaks[np.abs(breaks) * scale < STANDING * options.until] = 0.0
    formulas: tuple[Formula, ...]
    formulas, step = (STENCILS, SHARE * scale) if options.rtol < FINE else (TWO_PLACES, CLOSE * scale)
    if 0.0 in line.places:  # it may not pass the middle
        formulas = (formulas[1 if max(line.places) > 0.0 else 2],) * 3
    elif not np.any(breaks):
        formulas = (formulas[0],) * 3
    places = [k for k in PLACES if any(k in formula[0] for formula in formulas)]
    weights = np.array([[dict(zip(*one, strict=True)).get(k, 0.0) for k in places] for one in formulas]) / step
    near: tuple[System, ...] = ()
    if any(_differ(start.compiled.system, one.system) for one in compiled):
        beside = (build({**settings, name: settings[name] + k * step}) for k in places)
        near = tuple(_system(start, mechanism) for mechanism in beside)
    return Beside(line, compiled, near, tuple(k * step for k in places), weights, y, held, breaks)


def _alike(start: Start, mechanism: Mechanism, name: str, options: Options) -> Start:
    """The start of a mechanism beside this one, with the same rows active."""
    found = started(mechanism, options)
    _check_alike(start, found, name)
    system = with_active_rows(found.compiled.system, active_at_start(start.compiled.system))
    return replace(found, compiled=replace(found.compiled, system=system))


def _system(start: Start, mechanism: Mechanism) -> System:
    """Its tables, with the same rows active; what rows hold is state, and not read there."""
    system = compile_mechanism(mechanism, start.compiled.layout.formulation).system
    return with_active_rows(system, active_at_start(start.compiled.system))


def _check_alike(start: Start, other: Start, name: str) -> None:
    """The same coordinates, rows and programs."""
    here, there = start.compiled, other.compiled
    same = (
        here.layout.q_names == there.layout.q_names
        and here.layout.v_names == there.layout.v_names
        and start.rank == other.rank
        and (start.misfit is None) == (other.misfit is None)
        and all(
            getattr(here.system, table).shape == getattr(there.system, table).shape for table in System._fields
        )
    )  # fmt: skip
    if not same:
        raise NumericalError(
            f"no derivative here: beside this value of '{name}' the mechanism has other coordinates, equations or "
            "degrees of freedom, or its loops do not close",
            entry=Entry.NO_DERIVATIVE,
        )


def _differ(a: System, b: System) -> bool:
    """Whether tables differ."""
    return any(getattr(a, name).tobytes() != getattr(b, name).tobytes() for name in System._fields)
