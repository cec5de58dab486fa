"""One simulation in compiled chunks, with progress, Ctrl-C and events between them, and what it says of itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import typeof, types

from linkwork.analyses.certificate.rank_monitor import Survey
from linkwork.analyses.certificate.trajectory import Trail, room_for_steps
from linkwork.analyses.certificate.verdict import branches_left, doubts, singular_positions
from linkwork.analyses.simulate.driver_phases import set_driver
from linkwork.analyses.simulate.failures import failure_of
from linkwork.analyses.simulate.impacts import Change, change_of, go_on, jump, own_tables, scheduled
from linkwork.analyses.simulate.interrupts import interrupts_held_back
from linkwork.analyses.simulate.samples import row_width, samples_as_result
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.independent_rows import independent_rows
from linkwork.analyses.start.scales import energy_scale, speed_scale, state_scales
from linkwork.compiler.kernels import METER, bind, bind_loop
from linkwork.elements.forces.python_force import pass_on_interrupt
from linkwork.elements.signals.signals import signals
from linkwork.errors import NumericalError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.workspace import BASIS, EVENTS, FACTORIZATIONS, KIND, RANK, REBUILD
from linkwork.integrators.control import CONTROL, error_norm
from linkwork.integrators.implicit.balance import imbalance
from linkwork.integrators.loop.chunks import HISTORY, PROGRESS, run_chunk
from linkwork.integrators.loop.locate import run_to_event
from linkwork.integrators.registry import Integrator, integrator
from linkwork.methods.reasons import BASES, REASONS
from linkwork.methods.registry import ACCEPT, SOLVES, Method, settings_of
from linkwork.numerics import status as codes
from linkwork.numerics.status import T_ACCEPTED, T_HIGH, T_LOW
from linkwork.results.modal import bent_too_far
from linkwork.results.result import INTERRUPTED, Certificate, Recorder, Result, energy_drift, energy_residual, joined
from linkwork.system.compile import Compiled
from linkwork.system.pattern import with_active_rows

if TYPE_CHECKING:
    from linkwork.analyses.simulate.dynamics import Options

CHUNK_SECONDS = 0.1  # of wall time between two looks at progress, Ctrl-C and saving
CHUNK_ROWS = 4096  # most samples of a chunk
PATH_NUMBERS = 2**22  # that the states of the way may fill, before it is looked at
INSIDE = 1e-15  # of a break time: how far from it an expression is read


class ForwardRun:
    """One simulation: the stages, their memory, and the samples collected."""

    def __init__(
        self, start: Start, method: Method, how: Integrator, options: Options, certificate: Certificate,
        recorders: Sequence[Recorder], times: np.ndarray,
    ) -> None:  # fmt: skip
        self.method, self.how, self.options, self.certificate = method, how, options, certificate
        self.recorders = recorders
        self.compiled: Compiled = own_tables(start.compiled)
        self.y, self.angles = start.y.copy(), start.angles.copy()
        self.equations = Equations(self.compiled, partitioned=method.dense)
        self.looking = Equations(self.compiled)  # at samples, beside the run
        self.happened: dict[str, int] = {}
        self.where = np.array([0.0, -1.0])  # time and number of an event that has been found; -1: none
        self.room = np.zeros_like(self.y)
        self.doubt: list[str] = []  # about the way so far
        self.work = self.equations.work
        self.work.typical[:] = self.work.sizes[:] = state_scales(self.compiled)
        self.hmax = options.hmax or (options.until / 10.0 if how.adaptive else options.until)
        largest = options.hmax or options.until / 1000.0
        for place, value in settings_of(method, options.method_options, largest).items():
            self.work.settings[place] = value
        self.work.counts[BASIS], self.work.counts[REBUILD] = method.basis, 1
        self.memory = np.zeros(how.memory_size(len(self.y)))
        self.control = np.zeros(1, CONTROL)
        self.progress = np.zeros(1, PROGRESS)
        self.times = times
        self.buffer = np.zeros((min(len(self.times), CHUNK_ROWS) + 1, row_width(self.equations)))
        self.path = room_for_steps(self.y, self.angles)
        self.history = np.zeros(len(self.path), HISTORY)
        self.trail = Trail(self.looking, self.work.sizes, 0.0, self.y, self.angles)
        self.longest = max(PATH_NUMBERS // self.path.shape[1], 100)  # of the trail, in states
        self.parts: list[Result] = []
        self.parts = [self._part(self.buffer[:0], self.history[:0])]

    # -- stages -------------------------------------------------------------------------------------------------
    def bind(self) -> None:
        """Compile each stage alone, then the loop; what the cache holds is only loaded."""
        status, real, whole, before = types.int64, types.float64, types.int64, METER.count
        vector = types.float64[::1]
        system, work = typeof(self.equations.system_ref), typeof(self.equations.work_ref)
        control = typeof(self.control)
        E = bind(evaluate, types.void, system, real, vector, vector, work, whole)
        F = bind(self.method.factor, status, system, work)
        S = bind(self.method.solve, status, F, system, work, whole)
        C = bind(self.method.correct, status, E, F, S, system, real, vector, vector, work)
        A = bind(self.method.accept, types.void, F, system, real, vector, work, control)
        T = bind(self.how.step, status, E, F, S, C, system, vector, vector, work, vector, control)
        within = (status, E, F, S, C, system, real, vector, vector, work, vector, control, vector)
        N = bind(self.how.interpolate, *within)
        if METER.count > before:  # then another method, integrator or model is a matter of a second or two
            for solve in SOLVES:
                bind(solve, status, F, system, work, whole)
            bind(ACCEPT, types.void, F, system, real, vector, work, control)
            bind(signals, types.void, system, real, vector, work, whole, whole)
            for name in ("dop853", "generalized-alpha"):
                bind(integrator(name).interpolate, *within)
            bind(error_norm, real, vector, vector, vector, vector, real, real)
            bind(imbalance, types.void, system, work, vector, vector)
        arguments = (E, F, S, C, A, T, N, system, vector, vector, work, vector, control, typeof(self.progress), vector,
                     types.float64[:, ::1], typeof(self.history), types.float64[:, ::1])  # fmt: skip
        bind_loop(run_chunk, status, *arguments)
        if len(self.work.watch):
            bind_loop(run_to_event, status, *arguments, whole, vector, vector)

    # -- the loop -----------------------------------------------------------------------------------------------
    def go(self) -> NumericalError | None:
        """Segment by segment (known break times are hit exactly), chunk by chunk."""
        for recorder in self.recorders:
            recorder.begin(self.parts[0])
        self._set_control()
        self._watch()
        status = codes.FINISHED
        try:
            for stop in self._segments():
                self._begin_segment(stop)
                with interrupts_held_back() as stop_if_asked:
                    status = self._segment(stop_if_asked)
                if status != codes.FINISHED or self.certificate.status == "stopped":
                    break
                self._happen(scheduled(self.compiled.mechanism, stop))
        except KeyboardInterrupt:
            t = self.control[0]["t"]
            self.certificate.status = "stopped"
            self.certificate.warnings.append(f"{INTERRUPTED} at t = {t:.6g} s; results until then are kept")
        except NumericalError as failure:
            return self._failed(failure)
        if status == codes.FINISHED:
            return None
        now = self.control[0]
        return self._failed(failure_of(status, float(now["t"]), float(now["h"]), self.equations, self.y, self.angles))

    def _failed(self, failure: NumericalError) -> NumericalError:
        self.certificate.status, self.certificate.error = "failed", failure.as_dict()
        return failure

    def _begin_segment(self, stop: float) -> None:
        """From here to a known break: expressions are read a little inside of both, on this side of their jumps."""
        control, settings = self.control[0], self.work.settings
        if control["t"] > 0.0 and self.how.adaptive:
            control["h"] = 0.0
        settings[T_LOW] = control["t"] + INSIDE * abs(control["t"])
        settings[T_HIGH] = stop - INSIDE * abs(stop)
        control["t_stop"], control["fresh"] = stop, 1

    def _set_control(self) -> None:
        options, control = self.options, self.control[0]
        control["rtol"], control["atol"] = options.rtol, options.atol or options.rtol
        control["h_max"] = self.hmax
        control["h"] = options.step or 0.0
        control["h_min"] = 1e-14 * options.until

    def _segments(self) -> Iterator[float]:
        until = self.options.until
        yield from (t for t in self.compiled.layout.break_times if 0.0 < t < until * (1.0 - 1e-12))
        yield until

    def _segment(self, stop_if_asked: Callable[[], None]) -> int:
        """To the next stop, in chunks of about CHUNK_SECONDS; a chunk never clips a step."""
        limit = 64
        while True:
            began = time.perf_counter()
            status = self._chunk(limit)
            spent = time.perf_counter() - began
            self.certificate.loop_s += spent
            self._collect()
            stop_if_asked()
            pass_on_interrupt(self.compiled.callbacks)
            if status == codes.CHOOSE_ROWS:
                self._choose_rows(np.sort(self.work.pivots[: self.work.counts[RANK]]))
            elif status == codes.EVENT:
                status = self._event()
                if status != codes.OK:
                    return status
            elif status != codes.CHUNK_DONE:
                return status
            if spent < 0.5 * CHUNK_SECONDS:
                limit = min(2 * limit, len(self.history))
            elif spent > 2.0 * CHUNK_SECONDS:
                limit = max(limit // 2, 1)

    def _chunk(self, limit: int) -> int:
        """At most so many steps; the record of a step that is going back to an event stays at hand."""
        if self.where[1] >= 0.0:
            last = self.progress[0]["history"]
            self.history[0], self.path[0] = self.history[last], self.path[last]
        self.progress[0]["filled"] = self.progress[0]["history"] = 0
        arguments = (
            evaluate, self.method.factor, self.method.solve, self.method.correct, self.method.accept,
            self.how.step, self.how.interpolate,
            self.equations.system_ref, self.y, self.angles, self.equations.work_ref, self.memory, self.control,
            self.progress, self.times, self.buffer, self.history[:limit], self.path,
        )  # fmt: skip
        if len(self.work.watch):
            return int(run_to_event(*arguments, len(self.compiled.layout.events), self.where, self.room))
        return int(run_chunk(*arguments))

    def _watch(self) -> None:
        """Note what holds at the start; contacts matter to integrators that promise a tolerance.

        A contact that begins or ends so slowly that v^2 / 2 is below rtol of its typical value cannot bring an error of
        energy that counts: a body at rest on its corners may let them flicker.
        """
        watch, layout = self.work.watch, self.compiled.layout
        if len(watch):
            self.equations.evaluate(0.0, self.y, self.angles, codes.LEVEL_ALL)
            watch["before"] = watch["sign"] * self.work.signals[watch["signal"]]
            fall = speed_scale(self.compiled)
            speeds = [1.0 if kink.turns else fall for kink in layout.kinks for _ in range(2)]
            slow = np.sqrt(2.0 * self.options.rtol) * np.array(speeds) if self.how.adaptive else np.inf
            watch["slow"][len(layout.events) :] = slow

    def _event(self) -> int:
        """Let happen what the run has come to."""
        event = self.compiled.mechanism.event[int(self.where[1])]
        self.where[1] = -1.0
        again = event.name in self.happened
        self.happened[event.name] = self.happened.get(event.name, 0) + 1
        if not (event.once and again):
            if event.action in ("stop", "log"):
                self._log(event.name, event.action, {})
            else:
                self._happen([change_of(event)])
        if event.action == "stop":
            self.certificate.status = "stopped"
            self.certificate.warnings.append(f"event '{event.name}' stopped the run at t = {self.where[0]:.6g} s")
            self.times = self.times[: self.progress[0]["next_sample"]]
            return codes.FINISHED
        self._begin_segment(float(self.control[0]["t_stop"]))
        return codes.OK

    def _happen(self, changes: list[Change]) -> None:
        """Drivers that begin or let go, and blows: new velocities, new independent rows."""
        if not changes:
            return
        t, mechanism = float(self.control[0]["t"]), self.compiled.mechanism
        self._look_back()
        drivers = {driver.name: driver for driver in mechanism.driver}
        for driver, begins in ((drivers[c.driver], c.action == "lock") for c in changes if c.driver is not None):
            set_driver(self.equations, driver, begins, t, self.y, self.angles)
            if begins and driver.acceleration is not None:
                go_on(self.equations, driver, t, self.y, self.angles)
        self.work.settings[T_ACCEPTED] = t
        blows = [change.blow for change in changes if change.blow is not None]
        brought = jump(self.equations, t, self.y, self.angles, blows)
        for change in changes[:-1]:
            self._log(change.name, change.action, {})
        self._log(changes[-1].name, changes[-1].action, brought)  # the energy of the instant, once
        rows, _ = independent_rows(self.equations, self.y, self.angles, t)
        self._choose_rows(rows)
        self.trail.begin(t, self.y, self.angles)

    def _look_back(self) -> None:
        """Singular positions, and branches left, on the way since the constraints last changed, or were looked at."""
        certificate, survey = self.certificate, Survey(self.trail.path(), Equations(self.compiled))
        certificate.singular += singular_positions(survey, certificate.singular)
        if self.how.adaptive:
            breaks = [*self.compiled.layout.break_times, *(event["t"] for event in certificate.events)]
            left = branches_left(survey, self.work.sizes[self.compiled.layout.velocities], breaks)
            self.doubt += [text for text in left if text not in self.doubt]
        self.trail.shorten()

    def _log(self, name: str, action: str, more: dict[str, float]) -> None:
        self.certificate.events.append({"t": float(self.control[0]["t"]), "name": name, "action": action, **more})

    def _choose_rows(self, rows: np.ndarray) -> None:
        """Make these rows, independent at the present position, the active ones."""
        before = self.work
        system = with_active_rows(self.compiled.system, rows)
        self.compiled = replace(self.compiled, system=system)
        self.equations = Equations(self.compiled, partitioned=self.method.dense)
        self.work = self.equations.work
        for name in ("typical", "sizes", "settings", "counts", "angle", "watch"):
            getattr(self.work, name)[:] = getattr(before, name)
        self.work.counts[KIND] = 0

    def _collect(self) -> None:
        now = self.progress[0]
        self._certify()
        part = self._part(self.buffer[: now["filled"]].copy(), self.history[: now["history"]].copy())
        self.parts.append(part)
        for recorder in self.recorders:
            recorder.append(part)
        self.trail.append(part.steps, self.path[: now["history"]])
        if self.trail.count > self.longest:
            self._look_back()

    def _certify(self) -> None:
        """The counts and measures as they stand."""
        certificate, control, progress = self.certificate, self.control[0], self.progress[0]
        certificate.t_end = float(control["t"])
        certificate.steps, certificate.rejected = int(control["steps"]), int(control["rejected"])
        certificate.evaluations = int(control["evaluations"])
        certificate.factorizations = int(self.work.counts[FACTORIZATIONS])
        certificate.switches = decisions_log(self.work.log[: self.work.counts[EVENTS]], self.compiled.layout.v_names)
        certificate.max_violation = {
            "position": float(progress["worst_position"]), "velocity": float(progress["worst_velocity"])
        }  # fmt: skip

    # -- the end ------------------------------------------------------------------------------------------------
    def _part(self, rows: np.ndarray, history: np.ndarray) -> Result:
        """Samples cut into their columns, with names."""
        done = int(self.progress[0]["next_sample"])
        options = {f.name: getattr(self.options, f.name) for f in fields(self.options)}
        times = self.times[done - len(rows) : done].copy()
        before = next((part.orientation[-1] for part in reversed(self.parts) if len(part.t)), None)
        return samples_as_result(self.looking, times, rows, history, options, self.certificate, before)

    def result(self) -> Result:
        """The whole run."""
        whole = joined(self.parts)
        certificate = self.certificate
        certificate.energy_drift = energy_drift(whole.energy)
        self._look_back()
        flexible = (body.modal for body in self.compiled.mechanism.body if body.modal is not None)
        certificate.warnings += bent_too_far(flexible, whole.q, self.compiled.layout.q_names)
        if self.how.adaptive:
            doubt = self.doubt
            if energy_residual(whole.energy) > self.options.rtol * energy_scale(self.compiled):  # else nothing moves
                doubt = doubt + doubts(certificate.energy_drift, self.options.rtol, certificate.singular)
            certificate.warnings += doubt
            if doubt and certificate.status == "finished":
                certificate.status = "suspect"
        return whole


def decisions_log(events: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    """What the method decided, for people; the independent coordinates by the names of their velocities."""
    return [
        {
            "t": float(event["t"]),
            "from": BASES[event["before"]],
            "to": BASES[event["after"]],
            "why": REASONS[int(event["why"])],
            "rank": int(event["rank"]),
            "coordinates": [names[j] for j in event["independent"] if j >= 0],
        }
        for event in events
    ]
