"""Processes of this machine, a chunk of runs at a time; one that is killed costs its chunk, which is made again."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING

from linkwork.studies.engines.contract import OUTSTANDING, Chunk, settings_of
from linkwork.studies.engines.main_module import script_left_out
from linkwork.studies.one_run import Job, Row, make_runs
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case

START = 2.0  # s, in which a process starts
WATCHED = 1.0  # s, between two looks at the first process
TRIES = 3  # of a chunk whose process is killed: then its runs are entered as failed
KILLED = "the process that made it was killed, three times; make it alone to see why"


class Processes:
    """The engine `processes`."""

    name, most = "processes", 1000

    def __init__(self, case: Case, workers: int) -> None:
        self.workers, self.per_run = workers, case.seconds

    def seconds(self, case: Case) -> float:
        """What all runs take."""
        return case.runs * case.seconds / self.workers + START

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """Chunks as they are done."""
        with script_left_out():
            yield from self._run(job, plan, chunks)

    def _run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        waiting, tries = list(reversed(chunks)), dict[int, int]()
        pool, running = self._pool(), dict[Future[list[Row]], Chunk]()
        try:
            while waiting or running:
                try:
                    while waiting and len(running) < OUTSTANDING * self.workers:
                        future = pool.submit(make_runs, job, settings_of(plan, waiting[-1]))
                        running[future] = waiting.pop()
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        rows = future.result()
                        del running[future]
                        yield rows
                except BrokenProcessPool:
                    pool.shutdown(wait=False, cancel_futures=True)
                    lost, running, pool = list(running.values()), {}, self._pool()
                    for chunk in lost:
                        tries[chunk[0]] = tries.get(chunk[0], 0) + 1
                        if tries[chunk[0]] < TRIES:
                            waiting.append(chunk)
                        else:
                            nothing = (float("nan"),) * len(job.outputs)
                            yield [Row(run, "failed", KILLED, float("nan"), nothing) for run in chunk]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, get_context("spawn"), initializer=_begin, initargs=(os.getpid(),))


def _begin(first: int) -> None:
    """A worker leaves Ctrl-C to the first process, and ends when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(first,), daemon=True).start()


def _end_with(first: int) -> None:
    while os.getppid() == first:
        time.sleep(WATCHED)
    os._exit(1)
