"""The study of a model by what users call it (any_model.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import OptionError
from linkwork.library.by_name.any_model import any_model
from linkwork.model import Model
from linkwork.model.motion import StudyOptions
from linkwork.results.result import Result
from linkwork.studies.found import Study
from linkwork.studies.one_run import OPTION
from linkwork.view.page.study_page import runs_to_show

MOST_SHOWN = 100  # runs of a study that a page shows in motion


@explained("study", OptionError)
def study(
    model: Model | str | Path, vary: Mapping[str, object], outputs: Sequence[str], until: float | None = None, *,
    settings: Mapping[str, Setting] | None = None, progress: bool | None = None, **more: Unpack[StudyOptions],
) -> Study:  # fmt: skip
    """Vary numbers of a model, analyse every variant, and tabulate some numbers of each: `Model.study` has the words.

    `model`: a Model, a name of the library or a file; of these parameters may be varied, too.  `settings`: parameters
    and fields that all runs have.
    """
    given = dict(settings or {})
    one = (model.with_settings(given) if given else model) if isinstance(model, Model) else any_model(model, given)
    return one.study(vary, outputs, until, progress=progress, **more)


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
