"""One run after the other, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from linkwork.studies.engines.contract import Chunk
from linkwork.studies.one_run import Job, Row, make_run
from linkwork.studies.plan import Plan

if TYPE_CHECKING:
    from linkwork.studies.engines.choice import Case


class Here:
    """The engine `here`."""

    name, workers, most = "here", 1, 100

    def __init__(self, case: Case) -> None:
        self.per_run = case.seconds

    def seconds(self, case: Case) -> float:
        """What all runs take."""
        return case.runs * case.seconds / self.workers

    def run(self, job: Job, plan: Plan, chunks: Sequence[Chunk]) -> Iterator[list[Row]]:
        """Run by run, so that Ctrl-C costs none that is made."""
        for chunk in chunks:
            for run in chunk:
                yield [make_run(job, run, plan.settings(run))]
