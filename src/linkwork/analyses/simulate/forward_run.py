"""One simulation: segments between break times, each in compiled chunks, with progress, Ctrl-C and events between."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.certificate.open_constraints import ConstraintWatch, allowed_violation
from linkwork.analyses.certificate.resolution import Resolution
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.analyses.certificate.verdict import doubts, judge
from linkwork.analyses.simulate.checkpoint import Checkpoints, restore
from linkwork.analyses.simulate.chunk_buffers import ChunkBuffers
from linkwork.analyses.simulate.communication import Communication
from linkwork.analyses.simulate.events import EventLog, chattering, watch_from_start
from linkwork.analyses.simulate.failures import driver_apart, failure_of, immobile, undecided
from linkwork.analyses.simulate.interrupts import checks_may_be_stopped, interrupts_held_back
from linkwork.analyses.simulate.literal import as_printed, is_printed
from linkwork.analyses.simulate.post_check import PostCheck
from linkwork.analyses.simulate.recording import Recording, count_effort
from linkwork.analyses.simulate.stiffness import IntegratorChoice, too_many_steps
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.checks import check_jumps
from linkwork.analyses.start.like_bodies import alike_for_changes
from linkwork.analyses.start.scales import energy_scale, state_scales
from linkwork.compiler.kernels import bind, bind_loop
from linkwork.elements.forces.callbacks import pass_on_interrupt
from linkwork.errors import Entry, NumericalError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.plane.detection import described, plane_tables
from linkwork.formulations.plane.records import in_space
from linkwork.formulations.workspace import Work
from linkwork.integrators import stages
from linkwork.integrators.contract import Integrator
from linkwork.integrators.loop.advance import advance
from linkwork.methods.contract import Method
from linkwork.numerics.status import Status
from linkwork.results.modal import bent_too_far
from linkwork.results.result import INTERRUPTED, Certificate, Recorder, Result
from linkwork.system.break_times import begin_of_segment, break_times, stops_between
from linkwork.system.compile import Compiled
from linkwork.system.connections import given
from linkwork.system.effort import recursion_pays

if TYPE_CHECKING:
    from linkwork.analyses.simulate.dynamics import Options
    from linkwork.results.disk.resumable import Resumed

CHUNK_SECONDS = 0.1  # of wall time between two checks of progress, Ctrl-C and saving
FIRST_CHUNK = 64  # steps
RECURSION = "; loops are eliminated where they close, by the articulated-body recursion"
ALONE = 0.003  # of the tolerance of the work integral, where nothing else is integrated


class ForwardRun:
    """One simulation: the stages, the state, and the checks and records beside them."""

    def __init__(
        self, start: Start, method: Method, integrator: Integrator, options: Options, certificate: Certificate,
        recorders: Sequence[Recorder], times: np.ndarray, planar: bool = False,
        refusals: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """`planar`: by the kernels for the plane, where the mechanism moves in one, unless it runs as printed.  Who
        varies its tables varies those of the plane, too (studies/engines/in_plane.py).  `refusals`: of implicit
        integrators (stiffness.py).
        """
        planar = planar and not is_printed(start.compiled.mechanism, options)
        method, options = as_printed(start.compiled.mechanism, method, options)
        self.method, self.integrator, self.options, self.certificate = method, integrator, options, certificate
        self.times, self.start = times, start
        self.compiled: Compiled = start.compiled
        self.y, self.angles = start.y.copy(), start.angles.copy()
        self.breaks = break_times(self.compiled, options.until)
        check_jumps(self.compiled.mechanism, self.breaks)
        sampler = Equations(self.compiled)  # beside the run
        plane = plane_tables(sampler) if planar else in_space()
        recursive = method.may_recur and not method.dense
        self.recursion = recursive and recursion_pays(self.compiled.system, in_plane=len(plane.plane) > 0)
        self.plane = plane = in_space() if self.recursion else plane
        self.equations = Equations(
            self.compiled, partitioned=method.partitions, dense=method.dense, plane=plane, recursion=self.recursion
        )
        certificate.why += described(plane) + (RECURSION if self.recursion else "")
        self.alike = alike_for_changes(self.equations)
        self.rows_held = self.work.row_state.copy()  # what the rows hold in the steps of the present chunk
        self._set_method()
        measures = method.conditioning and not self.work.options[0]["literal"]
        self.measured = len(self.compiled.system.constraints) if measures else 0  # constraints, by the loop
        memory = integrator.memory(len(self.y))
        self.buffers = ChunkBuffers(self.equations, memory, times, self.y, self.angles, self.measured)
        self._set_control()
        scales = self.work.scales.copy()
        trajectory = Trajectory(sampler, scales, 0.0, self.y, self.angles, self.measured)
        width = self.buffers.path.shape[1]
        self.post_check = PostCheck(
            trajectory, self.compiled, scales, width, integrator.adaptive, self.breaks, certificate, recorders, plane,
            self.recursion,
        )  # fmt: skip
        allowed = allowed_violation(method, float(self.work.options[0]["constraint_tolerance"]), start.misfit)
        self.constraints = ConstraintWatch(self.compiled, allowed)
        layout = self.compiled.layout
        self.resolution = Resolution((*layout.q_names, *layout.v_names), scales)
        self.events = EventLog(certificate)
        self.communication = Communication(self.equations)
        given = {f.name: getattr(options, f.name) for f in fields(options)}
        self.recording = Recording(sampler, given, certificate, recorders, len(times), self.buffers.most_samples)
        self.checkpoints = Checkpoints(recorders)
        self.choice = IntegratorChoice(self, refusals or {})

    @property
    def work_share(self) -> float:
        """Of the tolerance of the work integral: where drivers determine the motion, it is all that is integrated, and
        may be the small difference of what forces give and drivers take.
        """
        return ALONE if self.compiled.layout.v_count == self.start.rank else 1.0

    def _set_method(self) -> None:
        """Scales of the state, options of the method, and the basis with which it begins."""
        work, method, options = self.work, self.method, self.options
        work.error_scales[:] = work.scales[:] = state_scales(self.compiled)
        places = [self.compiled.layout.velocities.stop + one for one in self.compiled.layout.works]
        work.error_scales[places] *= self.work_share
        work.scales[places] *= self.work_share
        fixed = None if self.integrator.adaptive else options.step
        largest = fixed or options.hmax or options.until / 1000.0
        work.options[:] = method.options_record(options.method_options, largest)
        work.method["basis"], work.method["other_basis"], work.method["rebuild"] = method.basis, method.other, 1

    def _set_control(self) -> None:
        options, control, segment = self.options, self.buffers.control[0], self.work.segment[0]
        control["rtol"], control["atol"] = options.rtol, options.atol or options.rtol
        control["h_limit"] = options.hmax or (options.until / 10.0 if self.integrator.adaptive else options.until)
        control["h_max"] = segment["h_limit"] = control["h_limit"]
        control["h"] = options.step or 0.0
        control["h_fixed"] = 0.0 if self.integrator.adaptive else control["h"]
        control["h_min"] = 1e-14 * options.until
        segment["tolerance"] = options.rtol

    # -- stages -------------------------------------------------------------------------------------------------
    def bind(self) -> None:
        """Compile each stage alone, then the loop; what the cache holds is only loaded."""
        bind(evaluate, stages.EVALUATE)
        bind(self.method.factor, stages.FACTOR)
        bind(self.method.solve, stages.SOLVE)
        bind(self.method.correct, stages.CORRECT)
        bind(self.method.accept, stages.ACCEPT)
        bind(self.integrator.step, stages.STEP)
        bind(self.integrator.interpolate, stages.INTERPOLATE)
        bind_loop(advance, stages.ADVANCE)

    # -- the run ------------------------------------------------------------------------------------------------
    def go(self, resumed: Resumed | None = None) -> NumericalError | None:
        """From one change that is scheduled to the next, chunk by chunk; the failure, if one ends it.

        `resumed`: what was computed before, and the state in which to go on.
        """
        self.recording.begin()
        structure = immobile(self.start)
        if structure is not None:
            return self._failed(structure)
        try:
            return self._go(resumed)
        finally:
            self.communication.end()

    def _go(self, resumed: Resumed | None) -> NumericalError | None:
        tolerance = self.options.rtol if self.integrator.adaptive else None
        watch_from_start(self.equations, self.y, self.angles, tolerance)
        if resumed is not None:
            restore(self, resumed.checkpoint)
            self.recording.take_up(resumed.result)
            self.checkpoints.offer(self)
        status = Status.FINISHED
        try:
            self.communication.begin(self.equations, self.y, self.angles)
            previous, begun = 0.0, float(self.buffers.control[0]["t_stop"])
            for end in self._ends():
                if end < begun:  # of a run that goes on
                    previous = end
                    continue
                self.begin(previous, end)
                with interrupts_held_back() as raise_interrupt:
                    status = self._segment(raise_interrupt)
                if status != Status.FINISHED:
                    break
                self.communication.at(self.equations, end, self.y, self.angles)
                previous = end
        except KeyboardInterrupt:
            self.certificate.status = "stopped"
            self.certificate.warnings.append(
                f"{INTERRUPTED} at t = {self.buffers.t:.6g} s; results until then are kept"
            )
        except NumericalError as failure:
            return self._failed(failure)
        if status in (Status.FINISHED, Status.STOPPED):
            return None
        h = float(self.buffers.control[0]["h"])
        stopped = failure_of(status, self.buffers.t, h, self.equations, self.y, self.angles, self.integrator.adaptive)
        return self._failed(undecided(self.start, stopped, self.y))

    def _failed(self, failure: NumericalError) -> NumericalError:
        self.certificate.status, self.certificate.error = "failed", failure.as_dict()
        return failure

    def _ends(self) -> list[float]:
        """The times (s) at which Python has something to do: communication with FMUs, the end."""
        until = self.options.until
        return [*self.compiled.layout.regular_times(until), until]

    def begin(self, previous: float, end: float) -> None:
        """From the previous of these times to `end`, by way of the breaks between: they are hit exactly, and the run
        begins afresh there.  A run that goes on is on its way to one of them.
        """
        self.stops = stops_between(self.breaks, previous, end, self.options.until)
        if self.buffers.control[0]["t_stop"] in self.stops["t"]:
            return
        self.buffers.progress[0]["next_stop"] = 0
        self._begin_afresh()

    def _begin_afresh(self) -> None:
        """The present instant, in which something has changed, begins a segment up to the next stop."""
        control, segment = self.buffers.control[0], self.work.segment[0]
        stop = self.stops[int(self.buffers.progress[0]["next_stop"])]
        if control["t"] > 0.0:
            control["h"] = control["h_fixed"]
        segment["t_low"] = begin_of_segment(self.breaks, float(control["t"]), self.options.until)
        segment["t_high"] = stop["before"]
        control["t_stop"], control["fresh"] = stop["t"], 1

    def _segment(self, raise_interrupt: Callable[[], None]) -> Status:
        """To the last stop, in chunks of about CHUNK_SECONDS; a chunk never clips a step."""
        limit = FIRST_CHUNK
        while True:
            began, processor = time.perf_counter(), time.thread_time()
            status = self.chunk(self._steps_of_chunk(limit))
            spent = time.perf_counter() - began
            self.certificate.loop_s += spent
            self.certificate.cpu_s += time.thread_time() - processor
            self.collect(status)
            raise_interrupt()
            pass_on_interrupt(self.compiled.callbacks)
            status = self.choice.look(status)
            if status not in (Status.OK, Status.CHUNK_DONE, Status.CHANGED):
                return status
            self.checkpoints.offer(self)
            if spent < 0.5 * CHUNK_SECONDS:
                limit = min(2 * limit, len(self.buffers.history))
            elif spent > 2.0 * CHUNK_SECONDS:
                limit = max(limit // 2, 1)

    def _steps_of_chunk(self, limit: int) -> int:
        """At most `limit`, no more than `max_steps` in all, and up to the next look at the integrator."""
        most, done = self.options.max_steps, int(self.buffers.control[0]["steps"])
        if most is not None and done >= most:
            raise too_many_steps(self.buffers.t, most, float(self.buffers.control[0]["h_last"]), self.options.until)
        limit = min(limit, self.choice.until_look(done))
        return limit if most is None else min(limit, most - done)

    def chunk(self, limit: int) -> Status:
        """At most so many steps."""
        buffers = self.buffers
        buffers.begin_chunk()
        buffers.samples = self.recording.next_rows()
        arguments = (
            evaluate, self.method.factor, self.method.solve, self.method.correct, self.method.accept,
            self.integrator.step, self.integrator.interpolate,
            self.equations.system_ref, self.y, self.angles, self.equations.work_ref, buffers.memory, buffers.control,
            buffers.progress, self.stops, self.times, buffers.samples, buffers.history[:limit], buffers.path,
            self.alike.system_ref, buffers.event_location, buffers.event_state, buffers.occurrences,
        )  # fmt: skip
        return Status(advance(*arguments))

    def collect(self, status: Status) -> None:
        """What the chunk has filled: counts into the certificate, samples to the record, steps to the check; and what
        has happened.
        """
        count_effort(self.certificate, self.buffers, self.work, self.compiled.layout.v_names, self.choice.switches)
        rows, steps, path = self.buffers.taken()
        self.choice.append(steps)
        done = int(self.buffers.progress[0]["next_sample"])
        self.recording.append(self.times[done - len(rows) : done], steps)
        self.post_check.append(steps, path, self.rows_held)
        if not self.integrator.adaptive:
            self.resolution.append(steps["t"], path)
        self._check_constraints(steps, path)
        self._write_down(status)

    def _check_constraints(self, steps: np.ndarray, path: np.ndarray) -> None:
        """A constraint or driver that the steps of the chunk do not meet ends the run."""
        progress = self.buffers.progress[0]
        if self.constraints.in_doubt(float(progress["worst_position"]), float(progress["worst_velocity"])):
            beside = Equations(self.compiled, row_state=self.rows_held)
            beside.work.segment[:] = self.work.segment
            found = self.constraints.first_open(beside, steps["t"], path)
            if found is not None:
                raise found.failure(self.compiled)

    # -- what changes at an instant -----------------------------------------------------------------------------
    def _write_down(self, status: Status) -> None:
        """What has happened, for the certificate; and what the rows hold from here on."""
        changes = self.compiled.layout.changes
        for entry in self.buffers.taken_occurrences():
            change = changes[int(entry["change"])]
            if status == Status.DRIVER_APART:
                raise driver_apart(self.compiled, change, entry)
            self.events.log(change, entry)
        if status == Status.STOPPED:
            self.times = self.times[: self.buffers.progress[0]["next_sample"]]
        if status == Status.CHANGED:
            self.post_check.check(self.rows_held)
            self.post_check.trajectory.begin(self.buffers.t, self.y, self.angles)
            self.resolution.begin()
        self.rows_held = self.work.row_state.copy()

    @property
    def work(self) -> Work:
        """The workspace of the run."""
        return self.equations.work

    # -- the end ------------------------------------------------------------------------------------------------
    def result(self) -> Result:
        """The whole run, checked and judged."""
        whole, certificate = self.recording.whole(), self.certificate
        with checks_may_be_stopped(certificate):
            self._check(whole)
        return whole

    def _check(self, whole: Result) -> None:
        """Singular positions, branches, deflections, energy: the verdict."""
        certificate = self.certificate
        self.post_check.check(self.rows_held)
        certificate.warnings += chattering(self.work.switches, self.compiled.layout)
        bodies = (self.compiled.mechanism.body[k] for k in given(self.compiled.connections.body.flexible))
        flexible = [body.modal for body in bodies if body.modal is not None]
        certificate.warnings += bent_too_far(flexible, whole.q, self.compiled.layout.q_names)
        tolerance = self.options.rtol if self.integrator.adaptive else None
        misfit = self.start.misfit.worst if self.start.misfit else 0.0
        found = doubts(certificate, Entry.BRANCH_LEFT, self.post_check.warnings)
        found += doubts(certificate, Entry.UNRESOLVED, self.resolution.warnings())
        judge(whole, energy_scale(self.compiled), tolerance, found, misfit)
