"""Design files: what `linkwork optimize` and `linkwork fit` are to do, in TOML, YAML or JSON.

model = "linkage.toml"            # a name of the library, or a file beside this one
analysis = "kinematics"           # further keys are options of the search and of its analysis
minimize = "max(abs(reaction('A').force))"
subject_to = ["span(slider.position.x) >= 0.2"]
[vary]
crank = "0.05 .. 0.2 m"
[settings]                        # what all trials have
speed = 10

For a fit `data` names a CSV file, [unknown] is written as [vary], and [channels] and [noise] are tables of names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from linkwork.errors import FileError
from linkwork.files.source import FORMATS, read_source


class DesignFile(NamedTuple):
    """What a design file says."""

    model: str
    vary: dict[str, Any]  # or unknown
    settings: dict[str, Any]
    more: dict[str, Any]


def is_design_file(name: str, table: str) -> bool:
    """Whether a file says what to vary (`table`: vary), or what is unknown."""
    path = Path(name)
    return path.suffix in FORMATS and path.is_file() and table in read_source(path).data


def read_design_file(path: Path, table: str) -> DesignFile:
    """The content, with the types that the verbs take; files named in it are beside it."""
    data = dict(read_source(path).data)
    model, vary, settings = data.pop("model", None), data.pop(table, {}), data.pop("settings", {})
    if not isinstance(model, str):
        raise FileError(f"'{path.name}': model is {model!r}; name a model of the library or a file")
    tables = {table: vary, "settings": settings} | {key: data[key] for key in ("channels", "noise") if key in data}
    for key, value in tables.items():
        if not isinstance(value, dict):
            raise FileError(f"'{path.name}': {key} is {value!r}; it must be a table of names")
    for key in ("out", "data"):
        if key in data:
            data[key] = path.parent / str(data[key])
    beside = path.parent / model
    return DesignFile(str(beside) if beside.is_file() else model, vary, settings, data)
