"""The start of a run, and the starts of mechanisms beside it: of each a System with the same rows, and a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.gradients.balanced_starts import Balance, balance_of, states_along
from linkwork.analyses.gradients.refusals import refuse
from linkwork.analyses.gradients.stencil import STENCILS, Build, Formula, Line, line_of
from linkwork.analyses.gradients.trace.words import Word, changed_words, moved_along
from linkwork.analyses.simulate.dynamics import Options, choose_formulation, first_state
from linkwork.analyses.start.assembly import Neighbour, Start, assemble
from linkwork.analyses.start.scales import state_scales
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.family import Phase
from linkwork.errors import Entry, NumericalError
from linkwork.mechanism import Mechanism
from linkwork.system.break_times import break_times
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import active_at_start, with_active_rows
from linkwork.system.tables import System

SHARE = 2e-4  # of a parameter: the step of four places; rounding and the next order are of the order 1e-12
FINE = 1e-8  # rtol below which there are four places: the noise of two makes short steps
CLOSE = 1e-5  # of a parameter: the step of two places; rounding and the next order are of the order 1e-11
TWO_PLACES: tuple[Formula, ...] = (  # central, and one-sided ones beside a break time that moves
    ((1, -1), (0.5, -0.5)),
    ((0, 1, 2), (-1.5, 2.0, -0.5)),
    ((0, -1, -2), (1.5, -2.0, 0.5)),
)
FAST = 30.0  # times the scale of a speed
WIDE = 2e-3  # of a parameter: the step of four places along the slopes of words, which have no rounding to speak of
STANDING = 1e-9  # of a run: a break time that moves by less with the whole parameter does not
STILL = 1e-10  # of the state's scales: a start that moves by less with the whole parameter does not
PLACES = (1, -1, 2, -2, 0, 3, -3, 4, -4)


@dataclass(frozen=True)
class Beside:
    """One parameter: mechanisms and Systems beside this one, and the slopes of what a run begins with."""

    line: Line
    compiled: tuple[Compiled, ...]  # of the line
    near: tuple[Compiled, ...]  # for the rates, at `places`; none where the parameter is in no table
    places: tuple[float, ...]  # in units of the parameter
    weights: np.ndarray  # [formula, place] (integrators/sensitivities/variation.py)
    y: np.ndarray  # dy/dp at the start
    held: np.ndarray  # [row] of what drivers hold, m or rad
    breaks: np.ndarray  # s, of each break time; all per unit of the parameter
    scale: float  # the parameter's size: by so much it may well change

    def words(self, system: System) -> dict[Word, float]:
        """The slopes of the words of tables that the parameter changes."""
        return changed_words(system, self.line, [one.system for one in self.compiled])


def start_of(known: Start | None, mechanism: Mechanism, options: Options) -> Start:
    """The known one of a run of this process, else made again; refused where a gradient cannot be."""
    refuse(mechanism, options)
    return started(mechanism, options) if known is None else known


def started(mechanism: Mechanism, options: Options) -> Start:
    """As a run begins."""
    formulation, _ = choose_formulation(options.formulation, mechanism, options.method)
    return first_state(mechanism, formulation, options.from_equilibrium)


def begins_alike(here: Mechanism, there: Mechanism, options: Options) -> bool:
    """Whether runs of both have the same start."""
    return not _balanced(here, options) and assembled_alike(here, there)


def _balanced(mechanism: Mechanism, options: Options) -> bool:
    return mechanism.from_equilibrium if options.from_equilibrium is None else options.from_equilibrium


def assembled_alike(here: Mechanism, there: Mechanism) -> bool:
    """Whether both are assembled alike: all that differs acts on the motion that follows, as gravity and masses do."""
    for key in type(here).model_fields:
        one, other = getattr(here, key), getattr(there, key)
        if key in DECLARATIONS:
            if len(one) != len(other) or not all(a is b or a.begins_like(b) for a, b in zip(one, other, strict=True)):
                return False
        elif key != "gravity" and one != other:
            return False
    return True


def starts_beside(
    build: Build, settings: Mapping[str, float], names: Sequence[str], start: Start, options: Options
) -> list[Beside]:
    """The starts along each parameter; refused where the structure is another there."""
    balance, neighbour = balance_of(start), Neighbour(start)
    return [_along(build, settings, name, neighbour, options, balance) for name in names]


def _along(
    build: Build, settings: Mapping[str, float], name: str, neighbour: Neighbour, options: Options,
    balance: Balance | None,
) -> Beside:  # fmt: skip
    """Those along one of them."""
    start = neighbour.start
    formulas, share = (STENCILS, SHARE) if options.rtol < FINE else (TWO_PLACES, CLOSE)
    line = line_of(build, settings, name, share, formulas)
    found = _starts(neighbour, line, line.step / share, options, balance)
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
    breaks[np.abs(breaks) * line.step / share < STANDING * options.until] = 0.0
    scale = line.step / share
    beside_breaks = line.formula is formulas[0] and bool(np.any(breaks))
    used = formulas if beside_breaks else (line.formula,) * len(formulas)
    places = tuple(k for k in PLACES if any(k in formula[0] for formula in used))
    known = dict(zip(line.formula[0], compiled, strict=True))
    near: tuple[Compiled, ...] = ()
    step = line.step
    if any(_differ(start.compiled.system, one.system) for one in compiled):
        if line.formula is TWO_PLACES[0] and not beside_breaks and _spins(start):
            used, places, step = STENCILS[:1] * len(used), STENCILS[0][0], WIDE * scale
            near = _along_words(start, line, compiled, [k * step for k in places])
        else:
            near = tuple(
                known[k] if k in known else _compiled(start, build({**settings, name: settings[name] + k * step}), name)
                for k in places
            )
    weights = np.array([[dict(zip(*one, strict=True)).get(k, 0.0) for k in places] for one in used]) / step
    return Beside(line, compiled, near, tuple(k * step for k in places), weights, y, held, breaks, scale)


def _spins(start: Start) -> bool:
    """Whether something moves so fast that accelerations are far larger than what a parameter does to them, and nothing
    but inertia, gravity and constraints does: polynomials of the words of tables.
    """
    compiled = start.compiled
    own, scales = compiled.layout.velocities, state_scales(compiled)
    fast = np.abs(start.y[own]) > FAST * np.where(scales[own] > 0.0, scales[own], np.inf)
    return bool(fast.any()) and not any(Phase.FORCES in table.family.kernels for table in compiled.families)


def _along_words(
    start: Start, line: Line, compiled: Sequence[Compiled], changes: Sequence[float]
) -> tuple[Compiled, ...]:  # fmt: skip
    """The tables of the mechanism so far along the slopes of their words."""
    system = start.compiled.system
    slopes = changed_words(system, line, [one.system for one in compiled])
    return tuple(replace(start.compiled, system=moved_along(system, slopes, change)) for change in changes)


def _starts(
    neighbour: Neighbour, line: Line, scale: float, options: Options, balance: Balance | None
) -> list[Start]:  # fmt: skip
    """The starts at the places of a line; where the farthest is this one, all are."""
    start = neighbour.start
    probe = max(range(len(line.places)), key=lambda k: abs(line.places[k]))
    if assembled_alike(start.compiled.mechanism, line.mechanisms[probe]):
        states: list[np.ndarray] | None = [start.y] * len(line.mechanisms)
        if _balanced(start.compiled.mechanism, options):
            states = None if balance is None else states_along(balance, line)
        compiled = [_compiled(start, mechanism, line.name) for mechanism in line.mechanisms] if states else []
        if states and all(one.layout.state_starts == start.compiled.layout.state_starts for one in compiled):
            return [replace(start, compiled=one, y=y) for one, y in zip(compiled, states, strict=True)]
    elif balance is not None:
        assembled = [_assembled_beside(neighbour, mechanism, line.name) for mechanism in line.mechanisms]
        states = states_along(balance, line, assembled)
        if states:
            return [replace(start, compiled=one.compiled, y=y) for one, y in zip(assembled, states, strict=True)]
    first = _alike(neighbour, line.mechanisms[probe], line.name, options)
    still = _is_still(start, first, options.until, STILL * abs(line.places[probe]) / scale)
    return [
        first
        if k == probe
        else replace(start, compiled=_compiled(start, mechanism, line.name))
        if still
        else _alike(neighbour, mechanism, line.name, options)
        for k, mechanism in enumerate(line.mechanisms)
    ]


def _is_still(here: Start, there: Start, until: float, share: float) -> bool:
    """Whether a run begins there as here, to a share of the state's scales; what drivers hold is seen in rows."""
    scales = state_scales(here.compiled)
    times, others = (break_times(one.compiled, until)["t"] for one in (here, there))
    held = [one.compiled.system.rows["held"] for one in (here, there)]
    return bool(
        np.all(np.abs(there.y - here.y) <= share * np.where(scales > 0.0, scales, 1.0))
        and np.array_equal(times, others)
        and not np.any(held)
    )


def _alike(neighbour: Neighbour, mechanism: Mechanism, name: str, options: Options) -> Start:
    """The start of a mechanism beside this one, with the same rows active."""
    if not _balanced(mechanism, options):
        return _assembled_beside(neighbour, mechanism, name)
    return _with_rank_of(neighbour.start, started(mechanism, options), name)


def _assembled_beside(neighbour: Neighbour, mechanism: Mechanism, name: str) -> Start:
    """A mechanism beside this one, assembled, with the same rows active."""
    formulation = neighbour.start.compiled.layout.formulation
    return _with_rank_of(neighbour.start, assemble(mechanism, formulation, beside=neighbour), name)


def _with_rank_of(start: Start, found: Start, name: str) -> Start:
    """A start with the same rows active; refused where it has another rank."""
    if start.rank != found.rank or (start.misfit is None) != (found.misfit is None):
        raise _other(name)
    return replace(found, compiled=_with_rows_of(start, found.compiled, name))


def _compiled(start: Start, mechanism: Mechanism, name: str) -> Compiled:
    """Its tables, with the same rows active; what rows hold is state, and not read there."""
    known = start.compiled
    return _with_rows_of(start, compile_mechanism(mechanism, known.layout.formulation, like=known), name)


def _with_rows_of(start: Start, there: Compiled, name: str) -> Compiled:
    """With the same rows active; refused where it has not the same coordinates, rows and programs."""
    here = start.compiled
    same = (
        here.layout.q_names == there.layout.q_names
        and here.layout.v_names == there.layout.v_names
        and all(
            getattr(here.system, table).shape == getattr(there.system, table).shape for table in System._fields
        )
    )  # fmt: skip
    if not same:
        raise _other(name)
    return replace(there, system=with_active_rows(there.system, active_at_start(here.system)))


def _other(name: str) -> NumericalError:
    return NumericalError(
        f"no derivative here: beside this value of '{name}' the mechanism has other coordinates, equations or "
        "degrees of freedom, or its loops do not close",
        entry=Entry.NO_DERIVATIVE,
    )


def _differ(a: System, b: System) -> bool:
    """Whether tables differ."""
    return any(getattr(a, name).tobytes() != getattr(b, name).tobytes() for name in System._fields)
