"""A GPU, one run a thread: the batch of studies/gpu.py, for outputs that the state at the end of a run gives.

The numbers are those of the CPU to rounding, not to the bit: a GPU multiplies and adds in one operation.  A run that
does not come to a regular end is made on the CPU.  The checks of a single run - energy, branches, stiffness - are not
made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.compiler.gpu.driver import why_not
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.results.channels import MOTION
from linkwork.results.result import Certificate, Result
from linkwork.studies.answers import Answer, Value
from linkwork.studies.batch import Batch, Ends
from linkwork.studies.engines.contract import Chunk
from linkwork.studies.engines.entries import Entries, words_of
from linkwork.studies.engines.threads import entries_of, numbers, options_of
from linkwork.studies.gpu import run_on_gpu
from linkwork.studies.one_run import Job, Row, make_run
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case

UNCHECKED = "on the GPU: energy and branches are not checked"
GUESS = 1e-5  # s a run, of a small mechanism


class Gpu:
    """The engine `gpu`."""

    name, workers, per_run, most = "gpu", 1, GUESS, 100_000

    def __init__(self, case: Case, entries: Entries) -> None:
        self.entries, self.options = entries, options_of(case)
        self.sampler = Equations(entries.start.compiled)

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
        varied = sorted({table for some in self.entries.words.values() for table, _ in some})
        system = start.compiled.system
        tables = {name: np.repeat(getattr(system, name)[None], count, axis=0) for name in varied}
        for k, run in enumerate(chunk):
            self.entries.put({name: words_of(rows[k]) for name, rows in tables.items()}, numbers(plan, run))
        return Batch(start, np.tile(start.y, (count, 1)), self.options, tables)

    def rows_of(self, job: Job, plan: Plan, chunk: Chunk, ends: Ends) -> list[Row]:
        """Outputs at the ends; runs that failed are made on the CPU."""
        rows = []
        for k, run in enumerate(chunk):
            if ends.failed[k]:
                rows.append(make_run(job, run, plan.settings(run)))
                continue
            answer = end_answer(self.sampler, float(ends.t[k]), ends.states[k])
            values = tuple(output.of(answer).data for output in job.outputs)
            rows.append(Row(run, "finished", UNCHECKED, float("nan"), values))
        return rows


def end_answer(sampler: Equations, t: float, y: np.ndarray) -> Answer:
    """What a state gives: coordinates, velocities, the motion of the bodies."""
    row = np.full((1, columns_of(sampler).width), np.nan)
    row[0, : len(y)] = y
    result = samples_as_result(sampler, np.array([t]), row, np.zeros(0), {}, Certificate())
    known = _of_state(result)

    def number(name: str) -> Value:
        if name not in known:
            raise OptionError(f"'{name}' is not known at the end of a run on a GPU", element=name)
        return Value(result.channel(name), result.unit(name))

    return Answer(result.t, lambda: known, number)


def _of_state(result: Result) -> list[str]:
    moved = [
        f"{body}.{what}.{axis}"
        for body in result.names["bodies"]
        for what, (_, axes) in MOTION.items()
        for axis in axes
    ]
    return [*result.names["q"], *result.names["v"], *moved]


def gpu_entries(case: Case) -> Entries | str:
    """Where the varied numbers are in the tables, or why the study cannot run on a GPU."""
    if missing := why_not():
        return missing
    entries = entries_of(case)
    if isinstance(entries, str):
        return entries
    wanting = [output.text for output in case.job.outputs if not output.text.startswith("end(")]
    if wanting:
        return f"'{wanting[0]}': only outputs end(...) are known there"
    try:
        answer = end_answer(Equations(entries.start.compiled), 0.0, entries.start.y)
        for output in case.job.outputs:
            output.of(answer)
    except OptionError as refused:
        return refused.message
    return entries
