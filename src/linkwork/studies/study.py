"""A study: some numbers of a model varied, an analysis of each variant, and a few outputs of each.

The first runs are made here: they find names that do not exist, compile what the model needs, and show what a run
takes.  The others go to an engine (engines/); the table is the same whichever it is.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import Entry, LinkworkError, NumericalError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.studies.answers import check_analysis
from linkwork.studies.engines.choice import Case, check_engine, choose
from linkwork.studies.engines.contract import Chunk, Engine
from linkwork.studies.estimate import Estimate, refuse_too_large
from linkwork.studies.found import Study
from linkwork.studies.one_run import OPTION, Build, Job, Row, Settings, first_run, make_run
from linkwork.studies.outputs import STATISTICS, Output
from linkwork.studies.plan import Correlations, Plan
from linkwork.studies.table import FORMAT, Folder, Memory
from linkwork.studies.vary import variation

TRIED = 3  # runs made here first, of more than WORTH_TRYING
WORTH_TRYING = 8
CHUNK_SECONDS = 1.0  # of work in a chunk
SAVED = 2.0  # s between two files of the table, where runs come one by one


@dataclass(frozen=True)
class Wanted:
    """What a study is to do; the same words in Python, in a study file and on the command line."""

    vary: Mapping[str, Any]  # vary.py has the forms
    outputs: Sequence[str]  # outputs.py has the grammar
    analysis: str = "simulate"
    options: Mapping[str, Any] = field(default_factory=dict)  # of the analysis
    runs: int | None = None  # draws of the numbers that scatter
    sampling: str = "latin-hypercube"  # random, sobol, saltelli
    seed: int = 0
    correlated: Correlations = field(default_factory=dict)
    engine: str = "auto"  # here, threads, processes, dask, gpu
    jobs: int | None = None  # at a time; None: one a core
    scheduler: str | None = None  # address of Dask's
    out: str | Path | None = None  # folder of the table


def run_study(
    build: Build, wanted: Wanted, *, units: Mapping[str, str] | None = None, travels: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
    tell: Callable[[str, float], None] = lambda text, seconds: None,
) -> Study:  # fmt: skip
    """Make the runs that the table does not have yet; Ctrl-C ends the study and keeps those made.

    `units`: SI units of varied names, as far as known.  `travels`: whether `build` can be sent to other processes.
    `tell` gets the estimate and the engine before the start, and the time in seconds.
    """
    plan, job = _plan(wanted), _job(build, wanted)
    out = Path(wanted.out) if wanted.out is not None else None
    disk = refuse_too_large(len(plan), len(plan.vary) + len(wanted.outputs) + 1, out)
    base, options = _first_parts(job, plan.settings(0), wanted.vary)
    header = _header(wanted, plan, base.name, hashlib.sha256(base.model_dump_json().encode()).hexdigest(), units or {})
    found_units: dict[str, str] = {}
    began = time.perf_counter()
    first = first_run(job, 0, plan.settings(0), found_units)
    table: Memory | Folder
    table = Folder(out, header | {"units": found_units}) if out is not None else Memory(wanted.outputs)
    missing = [run for run in range(len(plan)) if run not in table.done]
    try:
        if 0 in missing:
            _keep(table, plan, [first])
        progress(len(table.done), len(plan))
        seconds = time.perf_counter() - began
        tried = [run for run in missing if run != 0][: TRIED - 1] if len(missing) > WORTH_TRYING else []
        for run in tried:
            began = time.perf_counter()
            _keep(table, plan, [make_run(job, run, plan.settings(run))])
            seconds = time.perf_counter() - began
            progress(len(table.done), len(plan))
        left = [run for run in missing if run != 0 and run not in tried]
        if left:
            case = Case(job, plan, base, options, len(left), seconds, travels)
            engine, why = choose(wanted.engine, wanted.jobs, wanted.scheduler, case)
            seconds = engine.seconds(case)
            tell(f"{Estimate(len(left), len(plan), seconds, disk)}: {why}", seconds)
            for rows in gathered(engine.run(job, plan, chunks_of(left, engine)), out is not None):
                _keep(table, plan, rows)
                progress(len(table.done), len(plan))
    except KeyboardInterrupt:
        if not table.done:
            raise
    study = Study.of(header | {"units": found_units}, plan, table.columns())
    if (study.status == "failed").all():
        raise NumericalError(
            f"all {len(study.run)} runs of the study failed; the first: {study.message[0]}", entry=Entry.ALL_FAILED
        )
    return study


def _plan(wanted: Wanted) -> Plan:
    vary = {name: variation(name, given) for name, given in wanted.vary.items()}
    return Plan(vary, wanted.runs, wanted.sampling, wanted.seed, wanted.correlated)


def _job(build: Build, wanted: Wanted) -> Job:
    if not wanted.outputs:
        example = f"'max(crank.angle)' ({', '.join(STATISTICS)})"
        raise OptionError(f"no output is requested; name at least one, as in {example}", element="output")
    varied = [name.removeprefix(OPTION) for name in wanted.vary if name.startswith(OPTION)]
    others = [one.name for one in fields(Wanted) if one.name != "options"]
    check_analysis(wanted.analysis, [*wanted.options, *varied], others)
    check_engine(wanted.engine, wanted.jobs)
    given = {name: value for name, value in wanted.options.items() if value is not None}
    return Job(build, wanted.analysis, given, tuple(Output(text.strip()) for text in wanted.outputs))


def _first_parts(job: Job, settings: Settings, vary: Mapping[str, Any]) -> tuple[Mechanism, dict[str, Any]]:
    """The first variant; where its drawn numbers are refused it is said of what they were drawn."""
    try:
        return job.parts(settings)
    except LinkworkError as failure:
        drawn = [name for name, value in settings.items() if isinstance(value, str) and value in failure.message]
        if drawn:
            failure.located(", ".join(f"'{name}' = {vary[name]!r}" for name in drawn))
        raise


def _header(wanted: Wanted, plan: Plan, model: str, digest: str, units: Mapping[str, str]) -> dict[str, Any]:
    """What the study is, for its folder."""
    return {
        "format": FORMAT, "model": model, "model_digest": digest, "analysis": wanted.analysis,
        "options": {name: repr(value) for name, value in wanted.options.items() if value is not None},
        "vary": {name: {"form": type(one).__name__, **asdict(one)} for name, one in plan.vary.items()},
        "outputs": [text.strip() for text in wanted.outputs],
        "plan": {"runs": plan.runs, "sampling": plan.sampling, "seed": plan.seed,
                 "correlated": [[*pair, value] for pair, value in plan.correlated.items()]},
        "varied_units": {name: one.unit or units.get(name, "") for name, one in plan.vary.items()},
    }  # fmt: skip


def _keep(table: Memory | Folder, plan: Plan, rows: Sequence[Row]) -> None:
    runs = np.array([row.run for row in rows])
    table.append(rows, {name: plan.values(name, runs).tolist() for name in plan.vary})


def chunks_of(runs: Sequence[int], engine: Engine) -> list[Chunk]:
    """Chunks of about a second of work, and several for each worker."""
    most = max(
        1, min(int(CHUNK_SECONDS / max(engine.per_run, 1e-9)), engine.most, -(-len(runs) // (4 * engine.workers)))
    )
    return [runs[k : k + most] for k in range(0, len(runs), most)]


def gathered(parts: Iterator[list[Row]], to_disk: bool) -> Iterator[list[Row]]:
    """On disk a file for each row would be many: rows of some seconds together."""
    if not to_disk:
        yield from parts
        return
    kept: list[Row] = []
    began = time.perf_counter()
    try:
        for rows in parts:
            kept += rows
            if time.perf_counter() - began > SAVED:
                yield kept
                kept, began = [], time.perf_counter()
    except KeyboardInterrupt:
        if kept:
            yield kept
        raise
    if kept:
        yield kept
