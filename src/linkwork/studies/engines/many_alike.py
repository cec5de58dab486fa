"""Many runs of one structure: the compiled loop of a single run, prepared once and called again with other numbers.

All that a run writes lies in one block of memory (studies/room.py): a run is begun by filling it with what it held at
the start and putting its numbers into its tables. The loop is that of a single run, so its samples are those of a run
by itself, bit for bit.  Whatever is not plain - an event, a doubt about the constraints, stiff forces, a branch, an
energy balance that does not close - sends a run to be made as a whole. The checks are those of a single run, or
stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwork.analyses.certificate.branches import branches_left
from linkwork.analyses.certificate.singular.rank_monitor import RankMonitor
from linkwork.analyses.certificate.trajectory import Trajectory
from linkwork.analyses.certificate.verdict import STILL, energy_warnings
from linkwork.analyses.simulate.dynamics import Options, first_integrator, sample_times
from linkwork.analyses.simulate.events import chattering, watch_from_start
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.simulate.stiffness import FIRST_LOOK, LOW_ORDER, WINDOW
from linkwork.analyses.start.scales import energy_scale
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.plane.records import PlaneTables
from linkwork.formulations.workspace import Work
from linkwork.integrators.loop.advance import advance
from linkwork.methods.registry import choose_method
from linkwork.numerics.status import Status
from linkwork.results.result import Certificate
from linkwork.studies.answers import Answer, Value
from linkwork.studies.batch import by_reference
from linkwork.studies.engines.entries import Entries, words_of
from linkwork.studies.engines.in_plane import TablesInPlane
from linkwork.studies.engines.jumps import may_have_jumped
from linkwork.studies.engines.sample_view import SampleView, View
from linkwork.studies.one_run import Row
from linkwork.studies.outputs import Output
from linkwork.studies.room import Room

STATE = ("event_location", "event_state", "occurrences", "control", "progress", "memory")


class ManyAlike:
    """The runs of one thread."""

    def __init__(self, entries: Entries, options: Options, outputs: tuple[Output, ...]) -> None:
        self.entries, self.options, self.outputs = entries, options, outputs
        compiled = entries.start.compiled
        tables = {name: getattr(compiled.system, name).copy() for some in entries.words.values() for name, _ in some}
        self.own = {name: words_of(table) for name, table in tables.items()}
        start = replace(entries.start, compiled=replace(compiled, system=compiled.system._replace(**tables)))
        method, _ = choose_method(options.method, compiled.system)
        times = sample_times(options.until, options.every)
        self.run = run = ForwardRun(
            start, method, first_integrator(options.integrator), options, Certificate(), (), times, options.planar,
        )  # fmt: skip
        run.bind()
        run.begin(0.0, options.until)
        self.adaptive, self.until = run.integrator.adaptive, options.until
        self.tolerance = options.rtol if self.adaptive else None
        self.works = bool(np.any(run.work.scales[self._places]))
        self.velocities = compiled.layout.velocities
        own = run.post_check.scales[self.velocities]
        self.scales = np.where(own > 0.0, own, np.inf)
        self.first_speed = float(np.abs(run.y[self.velocities] / self.scales).max(initial=0.0))
        self.seen = np.zeros((2, len(run.buffers.history) + 2))  # room, to look for jumps
        self.harmless = run.constraints.harmless
        same = {"bodies", "whole"}.isdisjoint(self.own)  # all bodies weigh as much, and fall as fast
        self.energy = energy_scale(run.compiled) if same else None
        self._prepare()
        self.view = SampleView(Equations(run.compiled), times)
        self.in_plane = TablesInPlane(entries, run.plane, self.view.sampler, self.work)
        self.examiner = Equations(run.compiled, row_state=run.rows_held, plane=run.plane)
        held = run.rows_held if run.recursion else None
        self.recursive = None if held is None else Equations(run.compiled, row_state=held, recursion=True)

    @cached_property
    def _places(self) -> np.ndarray:
        """Places of the work integrals in y, whose scale is an energy."""
        layout = self.run.compiled.layout
        return np.array([layout.velocities.stop + work for work in layout.works], np.int64)

    def _prepare(self) -> None:
        """The block that a run writes, and the arguments of the loop, which refer to it."""
        run, buffers = self.run, self.run.buffers
        written = {name: getattr(buffers, name) for name in STATE} | {"y": run.y, "angles": run.angles}
        self.room = Room(written | {f"work.{name}": array for name, array in run.work._asdict().items()})
        self.block = self.room.begun.copy()
        own = self.room.views(self.block)
        run.y, run.angles = own["y"], own["angles"]
        for name in STATE:
            setattr(buffers, name, own[name])
        self.work = Work(**{name: own[f"work.{name}"] for name in Work._fields})
        alike = run.alike.system
        method, scheme = run.method, run.integrator
        stages = (
            evaluate, method.factor, method.solve, method.correct, method.accept, scheme.step,
            scheme.interpolate,
        )  # fmt: skip
        given = (
            run.equations.system, run.y, run.angles, self.work, buffers.memory, buffers.control, buffers.progress,
            run.stops, run.times, buffers.samples, buffers.history, buffers.path, alike, buffers.event_location,
            buffers.event_state, buffers.occurrences,
        )  # fmt: skip
        self.arguments = (*stages, *by_reference(given))

    # -- a run --------------------------------------------------------------------------------------------------
    def make(self, number: int, settings: Mapping[str, float]) -> Row | None:
        """A run; None: it has to be made as a whole."""
        self.entries.put(self.own, settings)
        if not self.in_plane.fits:
            return None
        self.block[:] = self.room.begun
        self.in_plane.put()
        run, buffers = self.run, self.run.buffers
        energy = energy_scale(run.compiled) if self.energy is None else self.energy
        if self.works:
            self.work.error_scales[self._places] = self.work.scales[self._places] = run.work_share * energy
        if len(self.work.watch):
            run.equations.work = self.work
            watch_from_start(run.equations, run.y, run.angles, self.tolerance)
        status = advance(*self.arguments)
        progress = buffers.progress[0]
        samples, steps = buffers.samples[: progress["filled"]], buffers.history[: progress["history"]]
        path = buffers.path[: len(steps)]
        if (
            status != Status.FINISHED
            or progress["occurred"]
            or len(samples) != len(run.times)
            or progress["worst_position"] > self.harmless[0]
            or progress["worst_velocity"] > self.harmless[1]
            or self._stiff(steps)
            or (len(self.work.switches) and chattering(self.work.switches, run.compiled.layout))
            or (self._may_have_jumped(steps, path) and self._left_its_branch(steps, path))
        ):
            return None
        return self._row(number, samples, energy)

    def _stiff(self, steps: np.ndarray) -> bool:
        """Whether a single run might have tried another integrator (analyses/simulate/stiffness.py)."""
        if len(steps) < FIRST_LOOK:
            return False
        low = np.concatenate([[0], np.cumsum(steps["order"] <= LOW_ORDER)])
        return bool((2 * (low[WINDOW:] - low[:-WINDOW]) >= WINDOW).any()) or self.run.integrator.implicit

    # -- branches -----------------------------------------------------------------------------------------------
    def _may_have_jumped(self, steps: np.ndarray, path: np.ndarray) -> bool:
        own, count = self.velocities, len(self.run.y)
        t = np.ascontiguousarray(steps["t"])
        smooth = int(not len(self.run.breaks))
        return bool(
            may_have_jumped(t, path, own.start, count + own.start, self.scales, self.first_speed, smooth, *self.seen)
        )

    def _left_its_branch(self, steps: np.ndarray, path: np.ndarray) -> bool:
        """As a single run decides it."""
        run = self.run
        kept = steps.copy(), path.copy()
        for name in PlaneTables._fields:
            getattr(self.examiner.work, name)[...] = getattr(self.work, name)
        self.block[:] = self.room.begun
        trajectory = Trajectory(self.view.sampler, run.post_check.scales, 0.0, run.y, run.angles, run.measured)
        trajectory.append(*kept)
        monitor = RankMonitor(trajectory.path(), self.examiner, self.recursive)
        return bool(branches_left(monitor, run.post_check.scales[self.velocities], list(run.breaks["t"])))

    # -- outputs ------------------------------------------------------------------------------------------------
    def _row(self, number: int, samples: np.ndarray, energy: float) -> Row | None:
        """The outputs of a run whose energy balance closes and whose samples are numbers, as `judge` has it."""
        if not self.view.finite(samples):
            return None
        certificate = Certificate()
        energies = self.view.energies(samples)
        residual, certificate.energy_drift = self.view.balance(energies)
        if residual <= (self.tolerance or STILL) * energy:
            certificate.energy_drift = min(certificate.energy_drift, residual / energy)
        elif energy_warnings(certificate, self.tolerance, 0.0):
            return None
        view = View(self.view, samples, certificate)
        view.energy = energies.T
        answer = Answer(view.t, lambda: self.view.channels, lambda name: self._number(view, name))
        values = tuple(output.of(answer).data for output in self.outputs)
        return Row(number, "finished", "", certificate.energy_drift, values)

    def _number(self, view: View, name: str) -> Value:
        channel = self.view.channels.get(name)
        if channel is None:
            raise OptionError(f"'{name}' is not among what the samples hold", element=name)
        return Value(channel.read(view), channel.unit)
