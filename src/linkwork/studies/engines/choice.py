"""The engines, and which one a study takes unless one is requested; the choice says why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.errors import OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.studies.engines.contract import Engine, cores
from linkwork.studies.engines.dask_workers import DaskWorkers
from linkwork.studies.engines.gpu import gpu_engine
from linkwork.studies.engines.here import Here
from linkwork.studies.engines.processes import START, Processes
from linkwork.studies.engines.threads import Threads, entries_of
from linkwork.studies.one_run import Job
from linkwork.studies.plan import Plan

ENGINES = ("auto", "here", "threads", "processes", "dask", "gpu")


@dataclass(frozen=True)
class Case:
    """What there is to do."""

    job: Job
    plan: Plan
    base: Mechanism  # of the first run
    options: Mapping[str, Any]  # of the first run
    runs: int  # to make
    seconds: float  # that one takes here
    travels: bool  # whether the model can be sent to other processes


def check_engine(name: str, jobs: int | None) -> None:
    """A name that there is not, and no workers, are refused."""
    if name not in ENGINES:
        raise OptionError(f"there is no engine '{name}'; {nearest(name, ENGINES)}", element=name)
    if jobs is not None and not jobs >= 1:
        raise OptionError(f"jobs is {jobs}; it must be at least 1", element="jobs")


def choose(name: str, jobs: int | None, scheduler: str | None, case: Case) -> tuple[Engine, str]:
    """The engine, and why."""
    count = jobs or cores()
    if scheduler is not None or name == "dask":
        _refuse_code(case, "dask")
        dask = DaskWorkers(case, count, scheduler)
        where = f"the cluster at {scheduler}" if scheduler else f"a cluster of {count} processes here"
        return dask, f"by Dask on {where}, as requested"
    if name == "gpu":
        found = gpu_engine(case)
        if not isinstance(found, str):
            return found, "on the GPU, as requested (equal to the CPU to rounding, not to the bit)"
        instead, why = choose("auto", jobs, None, case)
        return instead, f"not on the GPU ({found}); {why}"
    if name == "here" or (name == "auto" and (count == 1 and jobs is not None)):
        return Here(case), "one after the other, as requested"
    if name == "processes":
        _refuse_code(case, "processes")
        return Processes(case, count), f"in {count} processes, as requested"
    entries = entries_of(case)
    if not isinstance(entries, str):
        return Threads(case, count, entries), f"on {count} threads (the structure stays: the numbers are table entries)"
    if name == "threads":
        return Threads(case, count, None), f"on {count} threads, whole runs ({entries})"
    if not case.travels:
        return Here(case), "one after the other (the model has Python functions, which cannot travel)"
    count = min(count, max(1, int(case.runs * case.seconds / START)))
    if count == 1:
        return Here(case), "one after the other (too short for processes)"
    return Processes(case, count), f"in {count} processes ({entries})"


def _refuse_code(case: Case, engine: str) -> None:
    if not case.travels:
        raise OptionError(
            f"engine '{engine}': the model has Python functions, and models travel as data, never as code; write the "
            "force as an expression, or take engine 'here'",
            element=engine,
        )
