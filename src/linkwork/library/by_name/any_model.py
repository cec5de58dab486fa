"""A model by what users call it: a name of the library, a model file, a Python file."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from linkwork.elements.declaration.quantities import Setting
from linkwork.errors import FileError
from linkwork.files.model_files import SUFFIXES
from linkwork.library import LIBRARY, library_model
from linkwork.model import Model, model_from_python

KNOWN = (*SUFFIXES, ".py")  # of files that are models
_GEOMETRY = 'it is geometry; a body takes its mass from a mesh, shape = {kind = "mesh", file = "FILE", density = 7850}'
OTHERS = {
    ".h5": "it is the result of a run; view, loads, spectrum and export read it, run --resume goes on with it",
    **dict.fromkeys((".stl", ".obj", ".step", ".stp"), _GEOMETRY),
    **dict.fromkeys(
        (".iges", ".igs"), "it is CAD geometry; export its parts as STEP or STL, which bodies take as meshes"
    ),
    ".fmu": "it is a model of another program; [[fmu_block]] takes it into a model here",
    ".csv": 'it is a table; a model takes it in by [[table]] with csv = "FILE"',
    ".adm": "it is a model of ADAMS; 'Coming from other programs' in the docs has the names of its elements here",
    ".slx": "it is a model of Simulink; export it as FMU, or see 'Coming from other programs' in the docs",
}  # by suffix; FILE is its name


def any_model(name: str | Path, settings: Mapping[str, Setting] | None = None) -> Model:
    """The model of this name or path, with parameters and fields set."""
    path, values = Path(name), settings or {}
    if path.suffix in SUFFIXES:
        return Model.read(path, values)
    if path.suffix == ".py":
        return model_from_python(path).with_settings(values)
    if path.suffix or path.exists():
        raise FileError(f"'{name}' is not a model: {_what_it_is(path)}")
    found = next((file for file in map(path.with_suffix, KNOWN) if file.exists()), None)
    if found is not None and str(name) not in LIBRARY:
        raise FileError(f"there is no model '{name}' in the library; did you mean the file '{found}'?")
    return library_model(str(name), values)


def _what_it_is(path: Path) -> str:
    """What a file that is not a model may be, and what to do with it."""
    if path.suffix in OTHERS:
        return OTHERS[path.suffix].replace("FILE", path.name)
    if path.is_dir():
        return "it is a folder; name a file in it"
    close = get_close_matches(path.suffix, KNOWN, n=1, cutoff=0.7)
    return f"a model has the suffix {', '.join(KNOWN)}" + (f"; did you mean '{close[0]}'?" if close else "")
