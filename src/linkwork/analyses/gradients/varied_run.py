"""A run with its sensitivities: the compiled loop of every run, over y and S = dy/dp in one vector.

S counts as auxiliary states of the mechanism; their rates are one more kernel of the workspace
(integrators/sensitivities/slopes_of_rates.py).  So the error of S is controlled as that of y, in units of the state's
scale over the parameter's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.gradients.resets import Instant, slopes_after
from linkwork.analyses.gradients.starts import Beside
from linkwork.analyses.gradients.trace.equations import filled_of, given_of, trace, traceable
from linkwork.analyses.gradients.trace.numbers import NotTracedError
from linkwork.analyses.gradients.trace.words import numbers_of
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.simulate.events import watch_from_start
from linkwork.analyses.simulate.failures import failure_of
from linkwork.analyses.simulate.samples import columns_of
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.like_bodies import alike_for_changes
from linkwork.analyses.start.scales import state_scales
from linkwork.compiler.addresses import kernel_address
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.compiler.references import Reference
from linkwork.elements.family import FAMILY_KERNEL, Phase
from linkwork.errors import Entry, NumericalError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.plane.detection import plane_tables
from linkwork.formulations.plane.records import PlaneTables, in_space
from linkwork.formulations.workspace import Work
from linkwork.integrators import stages
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.changes import OCCURRENCE
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS
from linkwork.integrators.loop.locate import EVENT_LOCATION, NO_EVENT
from linkwork.integrators.registry import INTEGRATORS
from linkwork.integrators.sensitivities.corrected_slopes import slopes_of_change
from linkwork.integrators.sensitivities.saltation import (
    GRAZING,
    LEAPS,
    RESET,
    TROUBLE,
    UNKNOWN,
    slopes_of_watch,
    state_before,
    step,
)
from linkwork.integrators.sensitivities.slopes_of_rates import slopes_of_rates
from linkwork.integrators.sensitivities.tape import new_program
from linkwork.integrators.sensitivities.variation import TapePlaces, Variation, new_variation
from linkwork.methods.registry import choose_method
from linkwork.numerics.status import Status
from linkwork.system.break_times import begin_of_segment, break_times, stops_between
from linkwork.system.compile import Compiled

INTEGRATOR = INTEGRATORS["adams"]
OCCURRENCES = 64
MOST_TAPES = 8  # for so many ways that branches go
PAYS = 100  # steps of a run times parameters, for each number of the state, from which on a tape pays for its writing
EVALUATIONS = 2  # of a step
ASIDE = 1e-7  # of the state's scales: the first is written so far from the start, where more may vanish than later on
CHUNK = 256  # steps between two looks at Ctrl-C and at how many there are,
FIRST_CHUNK = 8  # at first, and where a further tape may be needed
MANY = 200  # times the steps of the run, and FEW: then the sensitivities are stiffer than their integrator bears
FEW = 10_000
REASONS = {
    GRAZING: "a contact or a condition grazes its threshold",
    UNKNOWN: "the motion jumps, and it is not known how the instant depends on the parameters",
    LEAPS: "velocities jump",
}
DIRECT = ("Phi", "nu", "J", "M", "gamma", "Q", "energy", "rate")
OWN = ("Q", "gamma", "v_dot", "lam", "c", "delta", "Phi", "nu", "v", "F", "tau", "composite", "U", "energy")


def planes_of(equations: Equations, beside: Sequence[Beside]) -> tuple[PlaneTables, list[list[PlaneTables]]]:
    """The tables of a mechanism that moves in a plane, and of those beside it, which do so too; else none."""
    own = plane_tables(equations)
    if not len(own.plane):
        return in_space(), []
    planes = [[plane_tables(equations.beside(near)) for near in one.near] for one in beside]
    return (own, planes) if all(len(plane.plane) for some in planes for plane in some) else (in_space(), [])


@dataclass(frozen=True)
class Sensitivities:
    """Samples of a run, and their slopes along each parameter, per unit of it (integrators/loop/rows.py)."""

    t: np.ndarray  # s
    rows: np.ndarray  # [sample, number]
    slopes: np.ndarray  # [parameter, sample, number]
    reasons: tuple[str, ...]  # why there is none from some time on


class VariedRun:
    """One pass: the extended workspace, the structures of the kernel, and the loop."""

    def __init__(
        self, start: Start, beside: Sequence[Beside], options: Options, times: np.ndarray, steps: int = 0
    ) -> None:  # fmt: skip
        """`times`: of the samples, s; `steps`: of the run itself."""
        self.start, self.beside, self.options, self.times = start, beside, options, times
        self.steps, self.most = steps, MANY * steps + FEW
        self.method, _ = choose_method("auto", start.compiled.system)
        self.plain = Equations(start.compiled)
        self.plane, self.planes = planes_of(self.plain, beside) if options.planar else (in_space(), [])
        if len(self.plane.plane):
            self.plain = Equations(start.compiled, plane=self.plane)
        self.columns, self.count = columns_of(self.plain), len(start.y)
        self.pays = len(beside) * steps >= PAYS * self.count and traceable(self.plain)  # a tape
        self.equations = Equations(self._extended(), plane=self.plane)
        self.alike = alike_for_changes(self.equations)
        self.work: Work = self.equations.work
        self.y = np.concatenate([start.y, *(one.y for one in beside)])
        self.angles = start.angles.copy()
        self.breaks = break_times(start.compiled, options.until)
        self._add_kernel()
        self._set_scales()
        self._set_control()
        watch_from_start(self.equations, self.y, self.angles, self.options.rtol)
        self.write_first_tape()

    def _extended(self) -> Compiled:
        """The mechanism with room for S among its auxiliary states, and for the slopes of a sample among its signals.

        `flexible`: the workspace keeps the coordinates, which the kernel reads.
        """
        system = self.start.compiled.system
        whole = system.whole.copy()
        whole["s_count"] += len(self.beside) * self.count
        whole["signal_count"] += len(self.beside) * self.columns.width
        whole["stage_count"] += 2
        whole["flexible"] = 1
        return replace(self.start.compiled, system=system.changed(whole=whole))

    # -- the kernel ---------------------------------------------------------------------------------------------
    def _add_kernel(self) -> None:
        """The last two of the workspace's kernels."""
        self.variation = self._variation()
        self._layout = Reference(new_program())  # which the kernel knows, whether there is a tape or not
        self._refer()

    def _refer(self) -> None:
        self._reference = Reference(self.variation)
        kernels = ((Phase.FOLLOWED, slopes_of_change), (Phase.LOADS, slopes_of_rates))
        for stage, (phase, kernel) in zip(self.work.stages[-2:], kernels, strict=True):
            stage["phase"], stage["address"] = phase, kernel_address(kernel, FAMILY_KERNEL)
            stage["first"] = self._reference.address

    # -- the tape -----------------------------------------------------------------------------------------------
    def write_first_tape(self) -> None:
        """The equations as a list of operations, for the branches and rows of the present state, if that can be."""
        self._tapes: list[Reference] = []
        vary, place = self.variation, given_of(self.plain, len(self.words))
        self.variation = vary._replace(programs=np.zeros(0, np.int64), program_cells=vary.program_cells[:0])
        self._refer()
        if not self.pays:
            return
        equations = Equations(self.start.compiled, row_state=self.work.row_state)
        self._traced = equations
        given = vary.given
        aside = ASIDE * state_scales(self.start.compiled) * np.random.default_rng(0).uniform(0.5, 1.0, self.count)
        given[0] = float(self.control[0]["t"]) + ASIDE * self.options.until
        given[place.y], given[place.angles] = self.y[: self.count] + aside, self.angles
        given[place.held], vary.cells[:] = self.work.row_state["held"], self.work.switches["cell"]
        self._write_tape()

    def _write_tape(self) -> None:
        """One more, for the numbers and cells last met."""
        vary = self.variation
        vary.missing[0] = 0
        try:
            program = trace(self._traced, vary.given, list(self.words), vary.cells, len(self.beside))
        except NotTracedError:
            return
        self._tapes.append(Reference(program))
        self.variation = vary._replace(
            programs=np.array([one.address for one in self._tapes], np.int64),
            program_cells=np.vstack([vary.program_cells, vary.cells[None]]),
        )
        self._refer()

    def _variation(self) -> Variation:
        compiled, work, n = self.start.compiled, self.work, self.count
        self._steps = Equations(compiled, np.complex128, plane=self.plane)
        own = {name: np.zeros_like(getattr(work, name)) for name in OWN}
        plain = self.plain.work
        changed = [one.words(compiled.system) for one in self.beside] if self.pays else []
        self.words = tuple(dict.fromkeys(word for one in changed for word in one))
        place, filled = given_of(self.plain, len(self.words)), filled_of(self.plain)
        self._side = Reference(work._replace(rate=np.zeros(n), signals=np.zeros_like(plain.signals), **own))
        vary = new_variation(
            n, self.columns.width, len(work.row_state), len(plain.signals), len(work.switches), len(self.beside),
            max((len(one.places) for one in self.beside), default=0), len(self.breaks), place.words.stop,
            len(self.words),
        )  # fmt: skip
        self._direct = Reference(plain._replace(**{name: np.zeros_like(getattr(plain, name)) for name in DIRECT}))
        references = self._steps.work_ref, self._side, self.plain.system_ref, self.plain.work_ref, self._direct
        vary.addresses[:] = [one.address for one in references]
        vary.breaks[:] = self.breaks["t"]
        vary.tape_places[:] = [
            *(getattr(place, name).start for name in ("y", "angles", "v_dot", "lam", "held", "words")),
            *(filled.parts[name].start for name in TapePlaces._fields[6:]),
        ]
        numbers = numbers_of(compiled.system)
        vary.given[place.words] = [numbers[name][at // 8] for name, at in self.words]
        for k, word in enumerate(self.words):
            vary.word_slopes[k] = [one.get(word, 0.0) for one in changed]
        self._near = [[Reference(near.system) for near in one.near] for one in self.beside]
        self._works = [[Reference(plain._replace(**plane._asdict())) for plane in planes] for planes in self.planes]
        vary.works[:] = self.plain.work_ref.address
        for d, one in enumerate(self.beside):
            used = slice(len(one.places))
            vary.weights[:, d, used], vary.places[d, used] = one.weights, one.places
            vary.systems[d, : len(one.near)] = [system.address for system in self._near[d]]
            if self._works:
                vary.works[d, : len(one.near)] = [work.address for work in self._works[d]]
            vary.held[d], vary.break_slopes[:, d] = one.held, one.breaks
        return vary

    # -- what the loop works with -------------------------------------------------------------------------------
    def _set_scales(self) -> None:
        scales = state_scales(self.start.compiled)
        work, options = self.work, self.options
        sizes = np.where(scales > 0.0, np.maximum(scales, np.abs(self.start.y)), scales)
        work.error_scales[:] = work.scales[:] = np.concatenate([scales, *(sizes / one.scale for one in self.beside)])
        work.options[:] = self.method.options_record({}, options.hmax or options.until / 1000.0)
        work.method["basis"], work.method["other_basis"] = self.method.basis, self.method.other
        work.method["rebuild"] = 1

    def _set_control(self) -> None:
        options, segment = self.options, self.work.segment[0]
        self.control, self.progress = np.zeros(1, CONTROL), np.zeros(1, PROGRESS)
        control = self.control[0]
        control["rtol"], control["atol"] = options.rtol, options.atol or options.rtol
        control["h_limit"] = control["h_max"] = segment["h_limit"] = options.hmax or options.until / 10.0
        control["h_min"], control["followers"] = 1e-14 * options.until, len(self.beside) * self.count
        segment["tolerance"] = options.rtol
        self.stops = stops_between(self.breaks, 0.0, options.until, options.until)
        segment["t_low"] = begin_of_segment(self.breaks, 0.0, options.until)
        segment["t_high"] = self.stops[0]["before"]
        control["t_stop"], control["fresh"] = self.stops[0]["t"], 1
        self.samples = np.zeros((len(self.times) + 1, columns_of(self.equations).width))
        self.history, self.path = np.zeros(CHUNK, HISTORY), np.zeros((CHUNK, 2 * len(self.y) + len(self.angles)))
        self.progress["keeps"] = 1
        self.memory = INTEGRATOR.memory(len(self.y))
        self.event_location = np.array([(0.0, NO_EVENT)], EVENT_LOCATION)
        self.occurrences = np.zeros(len(self.equations.system.changes) + OCCURRENCES, OCCURRENCE)

    # -- what changes at an instant -----------------------------------------------------------------------------
    def _jump(self, row_state: np.ndarray, switches: np.ndarray) -> None:
        """A lock, a release or a blow has happened: S+ without f+ dtau, which the loop takes away."""
        vary, n = self.variation, self.count
        changes = self.occurrences["change"][: int(self.progress[0]["occurred"])]
        happened = range(int(changes.min()), int(changes.max()) + 1)
        t = float(self.control[0]["t"])
        state_before(t, self._reference.address)
        instant = Instant(
            t, vary.y.copy(), vary.y_rate.copy(), self.angles, row_state, switches, happened
        )  # fmt: skip
        self._slopes_of_instant(t, happened.start)
        for d, one in enumerate(self.beside):
            own = slice(n + d * n, 2 * n + d * n)
            self.y[own], vary.held[d] = slopes_after(instant, one, self.y[own], float(vary.instant[d]), vary.held[d])
            if np.any(vary.held[d]) and not one.near:  # from here on a parameter of the start alone is in the rows
                vary.systems[d, : len(one.places)] = self.plain.system_ref.address
        vary.status[RESET] = 1
        if not np.isfinite(self.y[n:]).all():
            vary.status[TROUBLE] = UNKNOWN
        if vary.status[TROUBLE] and np.isnan(vary.trouble[0]):
            vary.trouble[0] = t
        if vary.status[TROUBLE]:
            self.y[n:] = 0.0

    def _slopes_of_instant(self, t: float, change: int) -> None:
        """dtau of a change that is scheduled, or of the event that brings it."""
        vary, system = self.variation, self.equations.system
        if system.changes[change]["t"] >= 0.0:
            for d, one in enumerate(self.beside):
                vary.instant[d] = one.line.slope([other.system.changes[change]["t"] for other in one.compiled])
            return
        watch = change - (len(system.changes) - len(self.start.compiled.layout.events))
        vary.before[:] = vary.y_rate
        if self.work.watch[watch]["late"]:
            vary.status[TROUBLE] = UNKNOWN
            return
        slopes_of_watch(self.equations.work_ref, self.angles, t, watch, self._reference.address)

    # -- the loop -----------------------------------------------------------------------------------------------
    def go(self) -> Sensitivities:
        """From start to end."""
        method = self.method
        for stage, contract in (
            (evaluate, stages.EVALUATE), (method.factor, stages.FACTOR), (method.solve, stages.SOLVE),
            (method.correct, stages.CORRECT), (method.accept, stages.ACCEPT), (step, stages.STEP),
            (INTEGRATOR.interpolate, stages.INTERPOLATE),
        ):  # fmt: skip
            bind(stage, contract)
        bind_loop(advance, stages.ADVANCE)
        status, self.limit = Status.CHUNK_DONE, FIRST_CHUNK
        while status in (Status.CHANGED, Status.CHUNK_DONE):
            self._begin_chunk()
            before = self.work.row_state.copy(), self.work.switches.copy()
            status = self._advance()
            if status == Status.CHANGED:
                self._jump(*before)
                self.write_first_tape()
            elif status == Status.CHUNK_DONE and self._another_pays():
                self._write_tape()
                self.limit = FIRST_CHUNK
            self.limit = min(2 * self.limit, CHUNK)
        if status not in (Status.FINISHED, Status.STOPPED):
            t, h = float(self.control[0]["t"]), float(self.control[0]["h"])
            raise failure_of(status, t, h, self.equations, self.y, self.angles, True)
        return self._found()

    def _another_pays(self) -> bool:
        """Whether what no tape fits has cost by now as much as the writing of another."""
        missing = int(self.variation.missing[0]) * len(self.beside)
        return missing >= EVALUATIONS * PAYS * self.count and len(self._tapes) < MOST_TAPES

    def _begin_chunk(self) -> None:
        """Room for further steps; the record of one that is going back to an event stays."""
        progress, last = self.progress[0], int(self.progress[0]["history"])
        if self.event_location[0]["number"] != NO_EVENT:
            self.history[0], self.path[0] = self.history[last], self.path[last]
        progress["history"] = progress["occurred"] = 0
        if self.control[0]["steps"] > self.most:
            raise NumericalError(
                f"no gradient within {self.most} steps, at t = {self.control[0]['t']:.6g} s: the sensitivities are "
                "stiff, and explicit steps make no progress; soften the stiffest force, or put a joint in its place",
                t=float(self.control[0]["t"]),
                entry=Entry.TOO_MANY_STEPS,
            )

    def _advance(self) -> Status:
        method = self.method
        return Status(
            advance(
                evaluate, method.factor, method.solve, method.correct, method.accept, step, INTEGRATOR.interpolate,
                self.equations.system_ref, self.y, self.angles, self.equations.work_ref,
                self.memory, self.control, self.progress, self.stops, self.times, self.samples,
                self.history[: self.limit],
                self.path, self.alike.system_ref, self.event_location, np.zeros_like(self.y), self.occurrences,
            )
        )  # fmt: skip

    def _found(self) -> Sensitivities:
        """The samples cut into those of the run and their slopes."""
        filled = self.samples[: int(self.progress[0]["next_sample"])]
        more, width = len(self.y) - self.count, self.columns.width
        rows = np.concatenate([filled[:, : self.count], filled[:, len(self.y) : width + more]], axis=1)
        slopes = filled[:, width + more :].reshape(len(filled), len(self.beside), width).transpose(1, 0, 2)
        slopes, t = np.ascontiguousarray(slopes), float(self.variation.trouble[0])
        reasons: tuple[str, ...] = ()
        if not np.isnan(t):
            slopes[:, self.times[: len(filled)] > t] = np.nan
            why = REASONS[int(self.variation.status[TROUBLE])]
            reasons = (f"no derivative here: at t = {t:.6g} s {why}",)
        return Sensitivities(self.times[: len(filled)], rows, slopes, reasons)
