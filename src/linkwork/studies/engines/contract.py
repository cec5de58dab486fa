"""What an engine does: it makes the runs of chunks, in whatever order, and yields the rows of each as it is done."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from linkwork.studies.one_run import Job, Row, Settings
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case

Chunk = Sequence[int]  # runs
OUTSTANDING = 2  # chunks a worker, so that memory stays flat however many runs there are


class Engine(Protocol):
    """Makes runs."""

    name: str
    workers: int
    per_run: float  # s of a worker
    most: int  # runs of a chunk

    def seconds(self, case: Case) -> float:
        """What all runs take."""

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """The rows of each chunk."""


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def settings_of(plan: Plan, chunk: Chunk) -> list[tuple[int, Settings]]:
    """The runs of a chunk with their settings."""
    return [(run, plan.settings(run)) for run in chunk]
