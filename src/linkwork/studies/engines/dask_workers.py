"""Dask: chunks of runs on the workers of a cluster, here or on many machines.

A worker that is killed costs the chunk that it was making: Dask gives it to another.  What is sent is data: the model
as text, settings, options; workers need linkwork, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_module
from linkwork.studies.engines.contract import OUTSTANDING, Chunk, settings_of
from linkwork.studies.engines.main_module import script_left_out
from linkwork.studies.one_run import Job, Row, make_runs
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    import distributed

    from linkwork.studies.engines.choice import Case
else:
    distributed = lazy_module("distributed")

PATIENCE = 10.0  # s, for a scheduler to answer
START = 3.0  # s, in which a cluster of this machine starts
KILLED = "the workers that made it were killed, each time; make it alone to see why"


class DaskWorkers:
    """The engine `dask`; without the address of a scheduler a cluster of this machine, for the time of the study."""

    name, most = "dask", 1000

    def __init__(self, case: Case, workers: int, scheduler: str | None = None) -> None:
        self.per_run, self.scheduler = case.seconds, scheduler
        _need_dask()
        self.client = self._connected(PATIENCE) if scheduler is not None else self._own(workers)
        self.workers = max(1, int(sum(self.client.nthreads().values())))

    def _own(self, workers: int) -> Any:
        with script_left_out():
            self.cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
            )
        return distributed.Client(self.cluster)

    def _connected(self, patience: float) -> Any:
        self.cluster = None
        try:
            return distributed.Client(self.scheduler, timeout=patience)
        except (OSError, TimeoutError, ValueError) as failure:
            raise OptionError(
                f"the scheduler at '{self.scheduler}' cannot be reached within {patience:g} s "
                f"({type(failure).__name__}); check that it runs and that its port is open, or run on this machine: "
                "leave the scheduler out, with engine = 'processes'",
                element="scheduler",
            ) from None

    def seconds(self, case: Case) -> float:
        """What all runs take."""
        return case.runs * case.seconds / self.workers

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """Chunks as they are done; a few for each worker are on their way."""
        with script_left_out():  # workers of ours that are killed are started again
            yield from self._run(job, plan, chunks)

    def _run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        waiting = list(reversed(chunks))
        try:
            running = distributed.as_completed()
            made: dict[str, Chunk] = {}
            while waiting or made:
                while waiting and len(made) < OUTSTANDING * self.workers:
                    chunk = waiting.pop()
                    future = self.client.submit(make_runs, job, settings_of(plan, chunk), pure=False, retries=2)
                    made[future.key] = chunk
                    running.add(future)
                future = next(running)
                yield _rows(future, job, made.pop(future.key))
        finally:
            self.close()

    def close(self) -> None:
        """A cluster of our own ends; another goes on."""
        self.client.close()
        if self.cluster is not None:
            self.cluster.close()


def _rows(future: Any, job: Job, chunk: Chunk) -> list[Row]:
    """What a worker found; of a chunk whose workers were killed again and again why it has nothing."""
    try:
        rows: list[Row] = future.result()
        return rows
    except distributed.KilledWorker:
        nothing = (float("nan"),) * len(job.outputs)
        return [Row(run, "failed", KILLED, float("nan"), nothing) for run in chunk]


def _need_dask() -> None:
    try:
        _ = distributed.Client
    except ImportError:
        raise OptionError(
            "engine 'dask' needs dask.distributed, which is not installed: pip install 'linkwork[study]', or take "
            "engine = 'processes'",
            element="engine",
        ) from None
