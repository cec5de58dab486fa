"""A model by what users call it: a name of the library, a model file, a Python file; and the study of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import FileError, nearest
from linkwork.files.model_files import SUFFIXES
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.model import Model, model_from_python
from linkwork.model.studying import StudyOptions, study_of
from linkwork.results.result import Result
from linkwork.studies.found import Study
from linkwork.studies.one_run import OPTION
from linkwork.view.page.study_page import runs_to_show

MOST_SHOWN = 100  # runs of a study that a page shows in motion
_GEOMETRY = (
    'it is geometry; a body takes its mass from a mesh, shape = {kind = "mesh", file = "part.stl", density = 7850}'
)
OTHERS = {
    ".h5": "it is the result of a run; view, loads, spectrum and export read it, run --resume goes on with it",
    **dict.fromkeys((".stl", ".obj", ".step", ".stp"), _GEOMETRY),
    **dict.fromkeys((".iges", ".igs"), "it is CAD geometry; export its parts as STEP or STL, then: " + _GEOMETRY),
    ".fmu": "it is a model of another program; [[fmu_block]] takes it into a model here",
    ".csv": 'it is a table; a model takes it in by [[table]] with csv = "NAME.csv"',
    ".adm": "it is a model of ADAMS; 'Coming from other programs' in the docs has the names of its elements here",
    ".slx": "it is a model of Simulink; export it as FMU, or see 'Coming from other programs' in the docs",
}  # by suffix


def any_model(name: str | Path, settings: Mapping[str, Setting] | None = None) -> Model:
    """The model of this name or path, with parameters and fields set."""
    path, values = Path(name), settings or {}
    if path.suffix in SUFFIXES:
        return Model.read(path, values)
    if path.suffix == ".py":
        return model_from_python(path).with_settings(values)
    if path.suffix or path.exists():
        raise FileError(f"'{name}' is no model: {_what_it_is(path)}")
    return library_model(str(name), values)


def _what_it_is(path: Path) -> str:
    """What a file that is no model may be, and what to do with it."""
    if path.suffix in OTHERS:
        return OTHERS[path.suffix]
    if path.is_dir():
        return "it is a folder; name a file in it"
    known = ", ".join((*SUFFIXES, ".py"))
    return f"a model has the suffix {known}; {nearest(path.suffix, (*SUFFIXES, '.py'))}"


def any_mechanism(name: str, given: Mapping[str, Setting], settings: Mapping[str, Setting]) -> Mechanism:
    """Its mechanism, with what is given throughout and what varies; a function of the library, which workers have."""
    return any_model(name, {**given, **settings}).mechanism


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
    return study_of(build, build({}), vary, outputs, until, progress, more)


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
