"""A study: one model with some of its numbers varied, a run for every combination, and a few outputs of each run.

Runs are independent.  The first is made here, which compiles what the model needs and finds names that do not exist;
the others may go to processes of their own, one per core: the outputs are the same whatever their number.
"""

from __future__ import annotations

import csv
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import LinkworkError, NumericalError, OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.output_files import cell, writing
from linkwork.results.result import Result
from linkwork.tables import Shown, Table, facts, number_text, table

Settings = Mapping[str, Setting]
Build = Callable[[Settings], Mechanism]  # the model with these settings
MOST = 100_000  # runs
WORTH_A_PROCESS = 4  # runs that repay the second and a half in which a process starts


def _mean(t: np.ndarray, x: np.ndarray) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if len(t) > 1 and t[-1] > t[0] else float(x[-1])


STATISTICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {  # of a history x at the times t
    "max": lambda t, x: float(x.max()), "min": lambda t, x: float(x.min()), "span": lambda t, x: float(np.ptp(x)),
    "peak": lambda t, x: float(np.abs(x).max()), "mean": _mean, "rms": lambda t, x: float(np.sqrt(_mean(t, x * x))),
    "start": lambda t, x: float(x[0]), "end": lambda t, x: float(x[-1]),
}  # fmt: skip


@dataclass(frozen=True)
class Output:
    """A number of each run, as in 'max(crank.angle)': a statistic of a channel; a channel alone is taken at the end."""

    text: str
    statistic: str
    channel: str

    @classmethod
    def read(cls, text: str) -> Output:
        """From its text."""
        found = re.fullmatch(r"\s*(\w+)\((.+)\)\s*", text)
        if found is None:
            return cls(text.strip(), "end", text.strip())
        statistic, channel = found[1], found[2].strip()
        if statistic not in STATISTICS:
            known = nearest(statistic, STATISTICS)
            raise OptionError(f"'{text}': there is no statistic '{statistic}'; {known}", element=statistic)
        return cls(text.strip(), statistic, channel)

    def of(self, result: Result) -> float:
        """Its value, SI units."""
        return STATISTICS[self.statistic](result.t, result.channel(self.channel))


@dataclass(frozen=True)
class Variant:
    """One run of a study: its settings, how it ended (`message`: why not well), and its outputs, SI units."""

    settings: dict[str, Setting]
    status: str
    message: str
    energy_drift: float
    outputs: dict[str, float]
    units: dict[str, str]


@dataclass(frozen=True, repr=False)
class Study(Shown):
    """The runs of a study, in the order of the combinations; the last varied name changes fastest."""

    model: str
    varied: dict[str, list[Setting]]
    outputs: list[str]
    rows: list[Variant]
    planned: int  # runs, of which `rows` were made
    varied_units: dict[str, str] = field(default_factory=dict)  # SI, of names that are varied as plain numbers

    @property
    def units(self) -> dict[str, str]:
        """SI units of the outputs, as far as a run gave any."""
        return next((row.units for row in self.rows if row.units), dict.fromkeys(self.outputs, ""))

    def __getitem__(self, name: str) -> np.ndarray:
        """An output, or a setting, of every run; NaN where a run failed."""
        if name in self.varied:
            return np.array([row.settings[name] for row in self.rows])
        if name not in self.outputs:
            known = [*self.varied, *self.outputs]
            raise OptionError(f"the study has no output '{name}'; {nearest(name, known)}", element=name)
        return np.array([row.outputs.get(name, np.nan) for row in self.rows])

    def tables(self) -> list[Table]:
        """Settings and outputs of every run; why some did not end well."""
        heads = [f"{name}, {self.units[name]}" if self.units[name] else name for name in self.outputs]
        rows = [
            (*(number_text(v) if isinstance(v, float) else str(v) for v in row.settings.values()),
             *(number_text(row.outputs[name]) if name in row.outputs else "" for name in self.outputs),
             row.status, f"{row.energy_drift:.0e}" if row.outputs else "")
            for row in self.rows
        ]  # fmt: skip
        title = f"{self.model}: {len(rows)} of {self.planned} runs"
        found = [table(title, (*self.varied, *heads, "status", "drift"), rows)]
        notes = [
            (", ".join(f"{name} = {value}" for name, value in row.settings.items()), row.message)
            for row in self.rows
            if row.message
        ]
        return [*found, facts("", notes)] if notes else found

    def as_dict(self) -> dict[str, object]:
        """For a JSON answer."""
        rows = [
            {"settings": r.settings, "status": r.status, "message": r.message, "energy_drift": r.energy_drift,
             "outputs": {name: r.outputs.get(name, np.nan) for name in self.outputs}}
            for r in self.rows
        ]  # fmt: skip
        return {
            "varied": self.varied, "outputs": self.outputs, "units": self.units, "planned": self.planned, "rows": rows
        }  # fmt: skip

    def to_csv(self, path: str | Path) -> None:
        """A table: settings, outputs with their units in the heading, status, energy drift, message."""
        heads = [f"{name} [{self.units[name]}]" if self.units[name] else name for name in self.outputs]
        with writing(path), open(path, "w", newline="", encoding="utf-8") as file:
            sheet = csv.writer(file)
            sheet.writerow(map(cell, [*self.varied, *heads, "status", "energy drift", "message"]))
            for row in self.rows:
                outputs = [repr(row.outputs[name]) if name in row.outputs else "" for name in self.outputs]
                drift = repr(row.energy_drift)
                sheet.writerow(map(cell, [*row.settings.values(), *outputs, row.status, drift, row.message]))


def run_study(
    build: Build, varied: Mapping[str, Sequence[Setting]], outputs: Sequence[str], options: Mapping[str, Any], *,
    until: float | None = None, jobs: int | None = 1, progress: Callable[[int, int], None] = lambda done, total: None,
    units: Mapping[str, str] | None = None,
) -> Study:  # fmt: skip
    """A run for every combination of the varied values; `jobs` processes, None: one per core, if that is worth it.

    `options`: those of a simulation but `until` (s), by name.  `units`: SI units of the varied names, as far as they
    are known.  Ctrl-C ends the study and keeps the runs made.
    """
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs is {jobs}; it must be at least 1", element="jobs")
    plan = _plan(varied, outputs)
    made = partial(_variant, build, [Output.read(text) for text in outputs], until, dict(options))
    rows: list[Variant] = []
    model = ""
    try:
        first, model = made(plan[0], True)
        rows.append(first)
        progress(1, len(plan))
        for row in _others(made, plan[1:], jobs):
            rows.append(row)
            progress(len(rows), len(plan))
    except KeyboardInterrupt:
        if not rows:
            raise
    if all(row.status == "failed" for row in rows):
        raise NumericalError(f"all {len(rows)} runs of the study failed; the first: {rows[0].message}")
    values = {name: list(some) for name, some in varied.items()}
    return Study(model, values, list(outputs), rows, len(plan), dict(units or {}))


def _plan(varied: Mapping[str, Sequence[Setting]], outputs: Sequence[str]) -> list[dict[str, Setting]]:
    """The settings of every run."""
    if not varied:
        raise OptionError("nothing is varied; name what to vary, as in crank.length=0.1:0.2:11", element="vary")
    if not outputs:
        example = f"'max(crank.angle)' ({', '.join(STATISTICS)})"
        raise OptionError(f"no output is requested; name at least one, as in {example}", element="output")
    size = int(np.prod([float(len(values)) for values in varied.values()]))
    if not 0 < size <= MOST:
        raise OptionError(f"the study has {size} combinations; it must have 1 to {MOST}", element="vary")
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]


def _others(made: partial[tuple[Variant, str]], plan: list[dict[str, Setting]], jobs: int | None) -> Iterator[Variant]:
    """The runs of the plan, here or in processes, in its order."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = jobs if jobs is not None else min(cores, len(plan) // WORTH_A_PROCESS)
    if count <= 1:
        for settings in plan:
            yield made(settings, False)[0]
        return
    pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_leave_interrupts_to_the_first)
    try:
        for row, _ in pool.map(made, plan, [False] * len(plan)):
            yield row
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _leave_interrupts_to_the_first() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _variant(
    build: Build, outputs: Sequence[Output], until: float | None, options: dict[str, Any],
    settings: dict[str, Setting], first: bool,
) -> tuple[Variant, str]:  # fmt: skip
    """One run, and the model's name.  Bad input ends the study if it shows at the first run, later only that run."""
    model = ""
    try:
        mechanism = build(settings)
        model = mechanism.name
        end = until if until is not None else mechanism.duration
        if end is None:
            raise OptionError("no end time; give until = ... (s)", element="until")
        result = simulate(mechanism, Options(until=end, **options), [])
        c = result.certificate
        if c.interrupted:
            raise KeyboardInterrupt
        values = {output.text: output.of(result) for output in outputs}
        units = {output.text: result.unit(output.channel) for output in outputs}
        return Variant(settings, c.status, "; ".join(c.warnings), c.energy_drift, values, units), model
    except LinkworkError as failure:
        if first and not isinstance(failure, NumericalError):
            raise
        return Variant(settings, "failed", failure.message, float("nan"), {}, {}), model
