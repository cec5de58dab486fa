"""A study: one model with some of its numbers varied, a run for every combination, and a few numbers told of each run.

Runs are independent.  The first is made here, which compiles what the model needs and finds names that do not exist;
the others may go to processes of their own, one a core: the answers are the same whatever their number.
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
from linkwork.errors import FileError, LinkworkError, NumericalError, OptionError, nearest
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result

Build = Callable[[Mapping[str, Any]], Mechanism]  # settings -> the model with them
MOST = 100_000  # runs
WORTH_A_PROCESS = 4  # runs that repay the second and a half in which a process starts


def _mean(t: np.ndarray, x: np.ndarray) -> float:
    return float(np.trapezoid(x, t) / (t[-1] - t[0])) if len(t) > 1 and t[-1] > t[0] else float(x[-1])


NUMBERS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {  # of a history x at the times t
    "max": lambda t, x: float(x.max()), "min": lambda t, x: float(x.min()), "span": lambda t, x: float(np.ptp(x)),
    "peak": lambda t, x: float(np.abs(x).max()), "mean": _mean, "rms": lambda t, x: float(np.sqrt(_mean(t, x * x))),
    "start": lambda t, x: float(x[0]), "end": lambda t, x: float(x[-1]),
}  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A number told of each run, as in 'max(crank.angle)'; a channel alone is taken at the end."""

    text: str
    number: str
    channel: str

    @classmethod
    def read(cls, text: str) -> Told:
        """From what was written."""
        found = re.fullmatch(r"\s*(\w+)\((.+)\)\s*", text)
        if found is None:
            return cls(text.strip(), "end", text.strip())
        number, channel = found[1], found[2].strip()
        if number not in NUMBERS:
            known = nearest(number, NUMBERS)
            raise OptionError(f"'{text}': there is no number '{number}' of a run; {known}", element=number)
        return cls(text.strip(), number, channel)

    def of(self, result: Result) -> float:
        """The number, SI units."""
        return NUMBERS[self.number](result.t, result.channel(self.channel))


@dataclass(frozen=True)
class Variant:
    """One run of a study: what was set, how it ended (`message`: why not well), and the numbers told, SI units."""

    settings: dict[str, Any]
    status: str
    message: str
    energy_drift: float
    numbers: dict[str, float]
    units: dict[str, str]


@dataclass(frozen=True)
class Study:
    """The runs of a study, in the order of the combinations; the last varied name changes fastest."""

    model: str
    varied: dict[str, list[Any]]
    told: list[str]
    rows: list[Variant]
    planned: int  # runs, of which `rows` were made
    varied_units: dict[str, str] = field(default_factory=dict)  # SI, of what is varied as plain numbers

    @property
    def units(self) -> dict[str, str]:
        """SI units of the numbers told, as far as a run gave any."""
        return next((row.units for row in self.rows if row.units), dict.fromkeys(self.told, ""))

    def __getitem__(self, name: str) -> np.ndarray:
        """A number told, or what was set, of every run; NaN where a run failed."""
        if name in self.varied:
            return np.array([row.settings[name] for row in self.rows])
        if name not in self.told:
            known = [*self.varied, *self.told]
            raise OptionError(f"the study has no number '{name}'; {nearest(name, known)}", element=name)
        return np.array([row.numbers.get(name, np.nan) for row in self.rows])

    def as_dict(self) -> dict[str, Any]:
        """For a JSON answer."""
        rows = [
            {"settings": r.settings, "status": r.status, "message": r.message, "energy_drift": r.energy_drift,
             "numbers": {name: r.numbers.get(name, np.nan) for name in self.told}}
            for r in self.rows
        ]  # fmt: skip
        return {"varied": self.varied, "told": self.told, "units": self.units, "planned": self.planned, "rows": rows}

    def to_csv(self, path: str | Path) -> None:
        """A table: what was set, the numbers with their units in the heading, status, energy drift, message."""
        heads = [f"{name} [{self.units[name]}]" if self.units[name] else name for name in self.told]
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                sheet = csv.writer(file)
                sheet.writerow([*self.varied, *heads, "status", "energy drift", "message"])
                for row in self.rows:
                    numbers = [repr(row.numbers[name]) if name in row.numbers else "" for name in self.told]
                    sheet.writerow([*row.settings.values(), *numbers, row.status, repr(row.energy_drift), row.message])
        except OSError as error:
            raise FileError(f"cannot write '{path}': {error.strerror or error}", element=str(path)) from error


def run_study(
    build: Build, varied: Mapping[str, Sequence[Any]], told: Sequence[str], options: Mapping[str, Any], *,
    until: float | None = None, jobs: int | None = 1, tell: Callable[[int, int], None] = lambda done, total: None,
    units: Mapping[str, str] | None = None,
) -> Study:  # fmt: skip
    """A run for every combination of the varied values; `jobs` processes, None: one a core, if that is worth it.

    `units`: SI units of what is varied, as far as they are known.  Ctrl-C ends the study and keeps the runs made.
    """
    if jobs is not None and jobs < 1:
        raise OptionError(f"jobs is {jobs}; at least one run must be made at a time", element="jobs")
    plan = _plan(varied, told)
    numbers = [Told.read(text) for text in told]
    made = partial(_variant, build, numbers, until, dict(options))
    rows: list[Variant] = []
    model = ""
    try:
        first, model = made(plan[0], True)
        rows.append(first)
        tell(1, len(plan))
        for row in _others(made, plan[1:], jobs):
            rows.append(row)
            tell(len(rows), len(plan))
    except KeyboardInterrupt:
        if not rows:
            raise
    if all(row.status == "failed" for row in rows):
        raise NumericalError(f"all {len(rows)} runs of the study failed; the first: {rows[0].message}")
    values = {name: list(some) for name, some in varied.items()}
    return Study(model, values, list(told), rows, len(plan), dict(units or {}))


def _plan(varied: Mapping[str, Sequence[Any]], told: Sequence[str]) -> list[dict[str, Any]]:
    """The settings of every run."""
    if not varied:
        raise OptionError("nothing is varied; say what, as in crank.length=0.1:0.2:11", element="vary")
    if not told:
        example = f"'max(crank.angle)' ({', '.join(NUMBERS)})"
        raise OptionError(f"no number is told of the runs; name some, as in {example}", element="tell")
    size = int(np.prod([float(len(values)) for values in varied.values()]))
    if not 0 < size <= MOST:
        raise OptionError(f"the study has {size} combinations; it must have 1 to {MOST}", element="vary")
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]


def _others(made: partial[tuple[Variant, str]], plan: list[dict[str, Any]], jobs: int | None) -> Iterator[Variant]:
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
    build: Build, told: Sequence[Told], until: float | None, options: dict[str, Any], settings: dict[str, Any],
    first: bool,
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
        numbers = {entry.text: entry.of(result) for entry in told}
        units = {entry.text: result.unit(entry.channel) for entry in told}
        return Variant(settings, c.status, "; ".join(c.warnings), c.energy_drift, numbers, units), model
    except LinkworkError as failure:
        if first and not isinstance(failure, NumericalError):
            raise
        return Variant(settings, "failed", failure.message, float("nan"), {}, {}), model
