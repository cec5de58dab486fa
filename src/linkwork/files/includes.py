"""Includes: other files of the model's folder, with a prefix for their names and values for their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, nearest
from linkwork.files.limits import MOST_INCLUDES, is_file, leads_outside, shown
from linkwork.files.parameters import ParameterError, evaluated, flattened

Refusal = Callable[[str], ModelError]  # the error for a message, with the place of the include in it


@dataclass(frozen=True)
class Include:
    """One entry of `include`."""

    file: str
    prefix: str = ""
    parameters: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)  # of these those that are given as plain numbers


def include_of(entry: Any, refusal: Refusal, outer: Mapping[str, float]) -> Include:
    """An entry: a file name, or a table {file, prefix, parameters}; `outer` are the parameters it may use."""
    given = {"file": entry} if isinstance(entry, str) else entry
    if not isinstance(given, dict) or not isinstance(given.get("file"), str):
        raise refusal(f"include is {entry!r}; write a file name or {{file = '...', prefix = '...'}}")
    for key in given:
        if key not in Include.__dataclass_fields__:
            raise refusal(f"unknown key '{key}'; {nearest(key, Include.__dataclass_fields__)}")
    prefix, parameters = given.get("prefix", ""), given.get("parameters", {})
    if not isinstance(prefix, str):
        raise refusal(f"prefix is {prefix!r}; it must be a text that names begin with")
    if not isinstance(parameters, dict):
        raise refusal(f"parameters is {parameters!r}; it must be a table of names and numbers")
    try:
        flat = flattened(parameters)
        values = {name: evaluated(name, value, outer) for name, value in flat.items()}
    except ParameterError as failure:
        raise refusal(str(failure)) from None
    return Include(given["file"], prefix, values, {name: value for name, value in flat.items() if _is_number(value)})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def included_path(folder: Path, file: str, within: Path, chain: tuple[Path, ...], refusal: Refusal) -> Path:
    """Where an included file is: below the model's folder, and not one of those that are being read (`chain`)."""
    outside = leads_outside(folder, file, within)
    if outside is not None:
        raise refusal(outside)
    path = folder / file
    if not is_file(path):
        there = [str(p.relative_to(folder)) for p in sorted(folder.iterdir()) if p.is_file()] if folder.is_dir() else []
        raise refusal(f"there is no file '{shown(file)}'; {nearest(file, there)}")
    if path.resolve() in chain:
        names = [p.name for p in chain[chain.index(path.resolve()) :]]
        raise refusal(f"files include each other in a cycle: {' -> '.join([*names, path.name])}; take one out")
    if len(chain) > MOST_INCLUDES:
        raise refusal(f"files include each other more than {MOST_INCLUDES} deep; include them side by side")
    return path
