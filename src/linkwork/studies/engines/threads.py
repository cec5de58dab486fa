"""Threads of this machine: the compiled loop lets the others go on while it runs.

Where the varied numbers are entries of tables (entries.py), each thread prepares one run and repeats it with other
numbers (many_alike.py); a run a chunk is made as a whole, too, to see that both are the same.  Else runs are whole
ones, of which only the loop is parallel: processes are faster then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING

from linkwork.analyses.simulate.dynamics import Options, finer
from linkwork.analyses.simulate.failures import immobile
from linkwork.elements.forces.python_force import PythonForce
from linkwork.errors import Entry, LinkworkError, OptionError
from linkwork.studies.engines.contract import OUTSTANDING, Chunk
from linkwork.studies.engines.entries import Entries, find_entries
from linkwork.studies.engines.many_alike import ManyAlike
from linkwork.studies.one_run import Job, Row, make_run
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case

PLAIN = ("simulate", "loads")
TIMED = 3  # runs, to see what one takes


class Threads:
    """The engine `threads`."""

    name, most = "threads", 1000

    def __init__(self, case: Case, workers: int, entries: Entries | None) -> None:
        self.workers, self.entries, self.stopping = workers, entries, False
        self.per_run = case.seconds
        self.idle: SimpleQueue[ManyAlike] = SimpleQueue()
        if entries is not None:
            alike = [ManyAlike(entries, options_of(case), case.job.outputs) for _ in range(workers)]
            for run in range(TIMED):
                began = time.perf_counter()
                alike[0].make(run, numbers(case.plan, run % len(case.plan)))
                self.per_run = time.perf_counter() - began
            for one in alike:
                self.idle.put(one)

    def seconds(self, case: Case) -> float:
        """What all runs take."""
        return case.runs * self.per_run / self.workers

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """Chunks as they are done."""
        waiting, running = list(reversed(chunks)), set[Future[list[Row]]]()
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < OUTSTANDING * self.workers:
                        running.add(pool.submit(self._chunk, job, plan, waiting.pop()))
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                self.stopping = True
                pool.shutdown(wait=False, cancel_futures=True)

    def _chunk(self, job: Job, plan: Plan, chunk: Chunk) -> list[Row]:
        if self.entries is None:
            return [make_run(job, run, plan.settings(run)) for run in chunk if not self.stopping]
        alike = self.idle.get()
        try:
            rows = [self._row(alike, job, plan, run) for run in chunk if not self.stopping]
        finally:
            self.idle.put(alike)
        if rows and repr(make_run(job, chunk[0], plan.settings(chunk[0]))) != repr(rows[0]):
            raise LinkworkError(
                f"run {chunk[0]} on threads differs from the same run by itself; take engine = 'processes', and please "
                "report this",
                entry=Entry.ALL_FAILED,
            )
        return rows

    @staticmethod
    def _row(alike: ManyAlike, job: Job, plan: Plan, run: int) -> Row:
        row = alike.make(run, numbers(plan, run))
        return make_run(job, run, plan.settings(run)) if row is None else row


def numbers(plan: Plan, run: int) -> dict[str, float]:
    """The varied numbers of a run."""
    return {name: float(plan.value(name, run)) for name in plan.vary}


def options_of(case: Case) -> Options:
    """The options of a run, with the end of the model."""
    end = case.options.get("until") or case.base.duration or 0.0
    return Options.requested(end, finer(case.options) if case.job.analysis == "loads" else case.options)


def entries_of(case: Case) -> Entries | str:
    """Where the varied numbers are in the tables, or why runs have to be made as a whole."""
    found = table_entries(case)
    if isinstance(found, str):
        return found
    try:
        first = ManyAlike(found, options_of(case), case.job.outputs).make(0, numbers(case.plan, 0))
    except OptionError as refused:
        return refused.message
    return found if first is not None else "runs have events, or need a closer look"


def table_entries(case: Case) -> Entries | str:
    """Where the varied numbers are in the tables, or why they are not, or the compiled loop is not enough for a run."""
    mechanism = case.base
    if case.job.analysis not in PLAIN:
        return f"the analysis is '{case.job.analysis}'"
    if mechanism.of(PythonForce) or any(body.modal is not None for body in mechanism.body):
        return "the model has Python functions or flexible bodies"
    try:
        options = options_of(case)
        if options.verify or options.max_steps is not None:
            return "its options need whole runs"
        found = find_entries(case.job, case.plan, mechanism, options)
    except OptionError as refused:
        return refused.message
    if isinstance(found, str):
        return found
    if found.start.notes or found.start.compiled.layout.blocks or immobile(found.start) is not None:
        return "the start has notes, or FMUs"
    return found
