"""A GPU, one run a thread: the batch of studies/gpu.py, and what outputs need of its samples (of_samples.py).

The numbers are those of the CPU to rounding, not to the bit: a GPU multiplies and adds in one operation.  A run that
does not come to a regular end is made on the CPU.  The checks of a single run - energy, branches, stiffness - are not
made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulate.dynamics import sample_times
from linkwork.compiler.gpu.driver import why_not
from linkwork.elements.declaration.quantities import Setting
from linkwork.elements.signals.measures import Measure
from linkwork.errors import LinkworkError
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import Status
from linkwork.studies.batch import Batch, Ends
from linkwork.studies.engines.contract import Chunk
from linkwork.studies.engines.entries import Entries, words_of
from linkwork.studies.engines.of_samples import Measured, OfSamples, measured_for
from linkwork.studies.engines.sample_view import SampleView
from linkwork.studies.engines.threads import numbers, options_of, table_entries
from linkwork.studies.gpu import run_on_gpu
from linkwork.studies.one_run import Job, Row, make_run
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case

UNCHECKED = "on the GPU: energy and branches are not checked"
GUESS = 1e-5  # s a run, of a small mechanism
ENDED = {Status.FINISHED.value: "finished", Status.STOPPED.value: "stopped"}
MOST, MEMORY = 100_000, 2e9  # runs of a chunk, and bytes of what is kept of them


class Gpu:
    """The engine `gpu`."""

    name, workers, per_run = "gpu", 1, GUESS

    def __init__(self, case: Case, entries: Entries, measured: Measured) -> None:
        self.options = options_of(case)
        compiled = entries.start.compiled
        tables = {name: getattr(compiled.system, name).copy() for some in entries.words.values() for name, _ in some}
        self.own = {name: words_of(table) for name, table in tables.items()}
        self.entries, self.varied = entries, sorted(tables)
        read = replace(entries.start, compiled=replace(compiled, system=compiled.system._replace(**tables)))
        times = sample_times(self.options.until, self.options.every)
        self.of_samples = OfSamples(read, case.job.outputs, times, measured)
        self.most = max(1, min(MOST, int(MEMORY / (8 * max(self.of_samples.numbers, 1)))))

    def seconds(self, case: Case) -> float:
        """What all runs take, but for compiling."""
        return case.runs * self.per_run

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """Chunk by chunk, each as one batch."""
        for chunk in chunks:
            yield self.rows_of(job, plan, chunk, run_on_gpu(self.batch(plan, chunk)))

    def batch(self, plan: Plan, chunk: Chunk) -> Batch:
        """The runs of a chunk: a set of rows for each in the tables that vary."""
        start, count = self.entries.start, len(chunk)
        system = start.compiled.system
        tables = {name: np.repeat(getattr(system, name)[None], count, axis=0) for name in self.varied}
        for k, run in enumerate(chunk):
            self.entries.put({name: words_of(rows[k]) for name, rows in tables.items()}, numbers(plan, run))
        return Batch(start, np.tile(start.y, (count, 1)), self.options, tables, self.of_samples.sampling)

    def rows_of(self, job: Job, plan: Plan, chunk: Chunk, ends: Ends) -> list[Row]:
        """Outputs of the samples; runs that failed are made on the CPU."""
        assert ends.samples is not None

        def put(run: int) -> None:
            self.entries.put(self.own, numbers(plan, chunk[run]))

        those = np.flatnonzero(~ends.failed)
        values = self.of_samples.values(ends.samples, ends.t, those, put)
        rows = {
            chunk[k]: Row(chunk[k], ENDED[int(ends.status[k])], UNCHECKED, float("nan"), found)
            for k, found in zip(those.tolist(), values, strict=True)
        }
        return [rows[run] if run in rows else make_run(job, run, plan.settings(run)) for run in chunk]


def gpu_engine(case: Case) -> Gpu | str:
    """The engine for a study, or why it cannot run on a GPU."""
    if missing := why_not():
        return missing
    entries = table_entries(case)
    if isinstance(entries, str):
        return entries
    view = SampleView(Equations(entries.start.compiled), np.zeros(1))
    measured = measured_for(case.base, case.job.outputs, view)
    if measured.names:
        entries = table_entries(replace(case, job=_with_measures(case.job, measured), base=measured.mechanism))
        if isinstance(entries, str):
            return entries
    try:
        return Gpu(case, entries, measured)
    except LinkworkError as refused:
        return refused.message


def _with_measures(job: Job, measured: Measured) -> Job:
    """A job whose variants have the measures, too."""
    own = set(measured.names.values())
    more = [one for one in measured.mechanism.of(Measure) if one.name in own]

    def build(settings: Mapping[str, Setting]) -> Mechanism:
        made = job.build(settings)
        return made.with_elements(Measure, (*made.of(Measure), *more))

    return replace(job, build=build)
