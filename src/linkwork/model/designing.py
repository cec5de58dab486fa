"""The verbs `optimize` and `fit`: what is given in Python, with progress shown."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linkwork.design.fit import Wanted, identify
from linkwork.design.fitted import Fitted
from linkwork.design.goals import goals
from linkwork.design.measured import measured
from linkwork.design.optimize import Search, search
from linkwork.design.optimum import Optimum
from linkwork.design.trials import Trials, new_folder
from linkwork.design.variables import Variable, variables
from linkwork.files.settings import field_value, setting_unit, unknown_parameter
from linkwork.mechanism import Mechanism
from linkwork.studies.one_run import Build
from linkwork.view.progress import counter

Own = Mapping[str, tuple[float, str]]  # value and unit of the parameters of a model


def found_variables(mechanism: Mechanism, parameters: Own, vary: Mapping[str, object]) -> tuple[Variable, ...]:
    """Variables with the model's own values and units; a name that the model does not have is refused."""
    own: dict[str, tuple[float, str]] = {}
    for name in vary:
        if name in parameters:
            own[name] = parameters[name]
        elif "." in name:
            own[name] = (field_value(mechanism, name), setting_unit(mechanism, name))
        else:
            raise unknown_parameter(name, parameters)
    return variables(vary, own)


def _header(
    mechanism: Mechanism, found: Sequence[Variable], analysis: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What the table of trials is of, for its folder."""
    return {
        "model": mechanism.name, "analysis": analysis,
        "model_digest": hashlib.sha256(mechanism.model_dump_json().encode()).hexdigest(),
        "options": {name: repr(value) for name, value in options.items()},
        "vary": {one.name: [one.low, one.start, one.high] for one in found},
        "varied_units": {one.name: one.unit for one in found},
    }  # fmt: skip


def optimize_of(
    build: Build, parameters: Own, vary: Mapping[str, object], minimize: str | Sequence[str],
    subject_to: str | Sequence[str] = (), *, analysis: str = "simulate", method: str = "auto", starts: int = 1,
    seed: int = 0, iterations: int = 200, out: str | Path | None = None, progress: bool | None = None, **options: Any,
) -> Optimum:  # fmt: skip
    """Search; each trial is counted where progress is shown."""
    mechanism = build({})
    found, wanted = found_variables(mechanism, parameters, vary), goals(minimize, subject_to)
    given = {name: value for name, value in options.items() if value is not None}
    header = _header(mechanism, found, analysis, given) | {"outputs": list(wanted.outputs), "plan": {"seed": seed}}
    with counter(mechanism.name, "trials", progress) as advance:
        trials = Trials(
            build, found, wanted.outputs, analysis, given, new_folder(out, header),
            lambda count: advance(count, max(count, starts)),
        )  # fmt: skip
        return search(mechanism.name, trials, Search(wanted, method, starts, seed, iterations))


def fit_of(
    build: Build, parameters: Own, data: Any, unknown: Mapping[str, object], *,
    channels: Mapping[str, str] | None = None, noise: Mapping[str, float] | None = None, confidence: float = 0.95,
    analysis: str = "simulate", starts: int = 1, seed: int = 0, iterations: int = 100, progress: bool | None = None,
    **options: Any,
) -> Fitted:  # fmt: skip
    """Identify; each trial is counted where progress is shown."""
    mechanism = build({})
    found = found_variables(mechanism, parameters, unknown)
    read = measured(data, channels)
    given = {name: value for name, value in options.items() if value is not None}
    with counter(mechanism.name, "trials", progress) as advance:
        wanted = Wanted(read, dict(noise or {}), confidence, analysis, given, starts, seed, iterations)
        return identify(mechanism.name, build, found, wanted, lambda count: advance(count, max(count, starts)))
