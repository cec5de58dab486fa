"""Study files: what `linkwork study` is to do, in TOML, YAML or JSON.

model = "slider-crank"            # a name of the library, or a file beside this one
outputs = ["peak(slider.velocity.x)", 'max(abs(reaction("wrist pin").force))']
until = 0.3                       # s; further keys are options of the study and of its analysis
runs = 200
[vary]
"slider.mass" = "2 kg +/- 0.1"
[correlated]
"slider.mass, rod.mass" = 0.8
[settings]                        # what all runs have
crank = 0.12
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from linkwork.errors import FileError, OptionError
from linkwork.files.source import FORMATS, read_source


class StudyFile(NamedTuple):
    """What a study file says."""

    model: str
    vary: dict[str, Any]
    outputs: list[str]
    settings: dict[str, Any]
    more: dict[str, Any]  # options of the study and of its analysis


def is_study_file(name: str) -> bool:
    """Whether a file says what to vary."""
    path = Path(name)
    return path.suffix in FORMATS and path.is_file() and "vary" in read_source(path).data


def read_study_file(path: Path) -> StudyFile:
    """The content, with the types that a study takes; a table is beside its file."""
    data = dict(read_source(path).data)
    model, outputs = data.pop("model", None), data.pop("outputs", [])
    vary, settings = data.pop("vary", {}), data.pop("settings", {})
    pairs = data.pop("correlated", {})
    if not isinstance(model, str):
        raise FileError(f"'{path.name}': model is {model!r}; name a model of the library or a file")
    for key, value, kind, what in (
        ("vary", vary, dict, "a table of names"), ("settings", settings, dict, "a table of names"),
        ("correlated", pairs, dict, "a table of pairs"), ("outputs", outputs, list, "a list of texts"),
    ):  # fmt: skip
        if not isinstance(value, kind):
            raise FileError(f"'{path.name}': {key} is {value!r}; it must be {what}")
    beside = path.parent / model
    if pairs:
        data["correlated"] = {pair_of(text): float(value) for text, value in pairs.items()}
    if "out" in data:
        data["out"] = path.parent / str(data["out"])
    return StudyFile(str(beside) if beside.is_file() else model, vary, [str(o) for o in outputs], settings, data)


def pair_of(text: str) -> tuple[str, str]:
    """Two names with a comma between."""
    a, comma, b = text.partition(",")
    if not comma or not a.strip() or not b.strip() or "," in b:
        raise OptionError(f"correlated '{text}': write two names with a comma between, 'a, b'", element=text)
    return a.strip(), b.strip()
