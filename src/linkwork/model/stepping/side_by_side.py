"""Steppers side by side: one compiled call a thread takes a share of them through a step."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.compiler.kernels import bind_loop
from linkwork.compiler.references import Reference
from linkwork.formulations.equations import evaluate
from linkwork.integrators import stages
from linkwork.integrators.loop.side_by_side import Prepared, advance_each
from linkwork.numerics.status import Status

if TYPE_CHECKING:
    from linkwork.model.stepping.stepper import Stepper


class ReadyRun:
    """A run as the loop over runs finds it; `row`: of samples, the last that was filled."""

    def __init__(self, run: ForwardRun) -> None:
        buffers, references = run.buffers, (run.equations.system_ref, run.alike.system_ref, run.equations.work_ref)
        self.run, self.row = run, np.zeros(buffers.samples.shape[1])
        self.prepared = Prepared(
            np.array([one.address for one in references]), run.y, run.angles, buffers.memory, buffers.control,
            buffers.progress, run.stops.copy(), run.times, buffers.samples, buffers.history, buffers.path,
            buffers.event_location, buffers.event_state, buffers.occurrences, self.row,
        )  # fmt: skip
        self.reference = Reference(self.prepared)
        bind_loop(advance_each, stages.ADVANCE_EACH)

    def take_stops(self) -> None:
        """Those of the run."""
        stops = self.run.stops
        if len(stops) == len(self.prepared.stops):
            self.prepared.stops[:] = stops
        else:
            self.prepared = self.prepared._replace(stops=stops.copy())
            self.reference = Reference(self.prepared)


def advance_together(steppers: Sequence[Stepper], pool: Executor | None = None, threads: int = 1) -> None:
    """All of one kind, each to the end of its step, which has begun; the first that fails raises its error."""
    run, count = steppers[0].run, len(steppers)
    runs = np.array([one.ready.reference.address for one in steppers])
    status = np.zeros(count, np.int64)

    def some(first: int, last: int) -> None:
        advance_each(
            evaluate, run.method.factor, run.method.solve, run.method.correct, run.method.accept, run.integrator.step,
            run.integrator.interpolate, runs, status, first, last,
        )  # fmt: skip

    if pool is None or min(threads, count) == 1:
        some(0, count)
    else:
        parts = np.linspace(0, count, min(threads, count) + 1).astype(int).tolist()
        list(pool.map(some, parts[:-1], parts[1:]))
    for one, ended in zip(steppers, status.tolist(), strict=True):
        one.end_step(Status(ended))
