"""The study of a model by what users call it (any_model.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.library.any_model import any_model, parameter_units
from linkwork.mechanism import Mechanism
from linkwork.model import Model
from linkwork.model.studying import StudyOptions, study_of
from linkwork.results.result import Result
from linkwork.studies.found import Study
from linkwork.studies.one_run import OPTION
from linkwork.view.page.study_page import runs_to_show

MOST_SHOWN = 100  # runs of a study that a page shows in motion


def any_mechanism(name: str, given: Mapping[str, Setting], settings: Mapping[str, Setting]) -> Mechanism:
    """Its mechanism, with what is given throughout and what varies; a function of the library, which workers have."""
    return any_model(name, {**given, **settings}).mechanism


@explained("study", OptionError)
def study(
    model: Model | str | Path, vary: Mapping[str, object], outputs: Sequence[str], until: float | None = None, *,
    settings: Mapping[str, Setting] | None = None, progress: bool | None = None, **more: Unpack[StudyOptions],
) -> Study:  # fmt: skip
    """Vary numbers of a model, analyse every variant, and tabulate some numbers of each: `Model.study` has the words.

    `model`: a Model, a name of the library or a file; of these parameters may be varied, too.  `settings`: parameters
    and fields that all runs have.
    """
    if isinstance(model, Model):
        one = model.with_settings(settings) if settings else model
        return one.study(vary, outputs, until, progress=progress, **more)
    given = dict(settings or {})
    if Path(model).suffix == ".py":
        return any_model(model, given).study(vary, outputs, until, progress=progress, **more)
    build = partial(any_mechanism, str(model), given)
    return study_of(build, build({}), vary, outputs, until, progress, more, parameter_units(model))


def runs_of(
    study: Study, model: Model | str | Path, settings: Mapping[str, Setting] | None = None, until: float | None = None,
    most: int = MOST_SHOWN,
) -> dict[int, Result]:  # fmt: skip
    """Runs of a study made again, to be looked at: all, or of many the extreme ones and some in between."""
    found = {}
    for run in runs_to_show(study, most):
        given = {**(settings or {}), **study.settings(run)}
        fields = {name: value for name, value in given.items() if not name.startswith(OPTION)}
        options: Any = {name.removeprefix(OPTION): value for name, value in given.items() if name not in fields}
        one = model.with_settings(fields) if isinstance(model, Model) else any_model(model, fields)
        found[run] = one.simulate(until, progress=False, **options).result
    return found
