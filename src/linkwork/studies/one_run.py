"""One run of a study: the variant is built, analysed, and its outputs are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from linkwork.analyses.loads import registered as _registered  # noqa: F401
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import LinkworkError, NumericalError
from linkwork.mechanism import Mechanism
from linkwork.studies.answers import analyse
from linkwork.studies.outputs import Output

Settings = Mapping[str, Setting]
Build = Callable[[Settings], Mechanism]  # the model with these settings; it travels: a function of linkwork with data
OPTION = "options."  # begins the name of an option that is varied: options.rtol


class Row(NamedTuple):
    """What a run came to: how it ended (`message`: why not well, or its warnings) and its outputs, SI units."""

    run: int
    status: str  # finished | suspect | stopped | failed
    message: str
    energy_drift: float
    outputs: tuple[float, ...]  # NaN of a run that failed


@dataclass(frozen=True)
class Job:
    """What is done for each run; plain data, sent to whoever does it."""

    build: Build
    analysis: str
    options: Mapping[str, Any]
    outputs: tuple[Output, ...]

    def parts(self, settings: Settings) -> tuple[Mechanism, dict[str, Any]]:
        """The variant, and the options of its analysis."""
        options = {name.removeprefix(OPTION): value for name, value in settings.items() if name.startswith(OPTION)}
        fields = {name: value for name, value in settings.items() if not name.startswith(OPTION)}
        return self.build(fields), {**self.options, **options}


def make_run(job: Job, run: int, settings: Settings, units: dict[str, str] | None = None) -> Row:
    """One run; bad input that shows here is the run's own, its message is kept.  `units` gets those of the outputs."""
    try:
        return first_run(job, run, settings, units)
    except LinkworkError as failure:
        return Row(run, "failed", failure.message, float("nan"), (float("nan"),) * len(job.outputs))


def first_run(job: Job, run: int, settings: Settings, units: dict[str, str] | None = None) -> Row:
    """The run by which a study begins: bad input ends the study."""
    mechanism, options = job.parts(settings)
    try:
        answer = analyse(job.analysis, mechanism, options)
    except NumericalError as failure:
        return Row(run, "failed", failure.message, float("nan"), (float("nan"),) * len(job.outputs))
    values = [output.of(answer) for output in job.outputs]
    if units is not None:
        units |= {output.text: value.unit for output, value in zip(job.outputs, values, strict=True)}
    missing = answer.doubts if any(np.isnan(value.data) for value in values) else []
    message = "; ".join(text for text in (answer.message, *missing) if text)
    return Row(run, answer.status, message, answer.energy_drift, tuple(value.data for value in values))


def make_runs(job: Job, runs: Sequence[tuple[int, Settings]]) -> list[Row]:
    """A chunk of runs, one after the other."""
    return [make_run(job, run, settings) for run, settings in runs]
