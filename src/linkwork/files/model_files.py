"""Model files: TOML or JSON by the schema of Mechanism; errors name the element, the value and the remedy."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from linkwork.errors import FileError, ModelError
from linkwork.mechanism import ELEMENT_KINDS, Mechanism, sentence

SUFFIXES = (".toml", ".json")


def read_mechanism(path: Path) -> Mechanism:
    """The mechanism that a model file describes."""
    data = _parse(path, _text(path))
    if not isinstance(data, dict):
        raise FileError(f"'{path}': a model file holds keys such as gravity and body, not {type(data).__name__}")
    try:
        return Mechanism.model_validate(data)
    except ValidationError as failure:
        what = _element(failure, data)
        raise ModelError(f"{sentence(failure, what)} (in '{path.name}')", element=what) from None


def write_mechanism(mechanism: Mechanism, path: Path) -> None:
    """Write a model as JSON; what was not said is left out."""
    for force in mechanism.python_force:
        raise FileError(
            f"python force '{force.name}': a Python function cannot be written to a model file; keep the model as a "
            "Python file",
            element=force.name,
        )
    path.write_text(mechanism.model_dump_json(exclude_none=True, indent=1) + "\n", encoding="utf-8")


def schema() -> dict[str, Any]:
    """The JSON schema of model files."""
    return Mechanism.model_json_schema()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}'; check the path") from None
    except (OSError, UnicodeDecodeError) as failure:
        raise FileError(f"'{path}' cannot be read: {failure}") from None


def _parse(path: Path, text: str) -> Any:
    try:
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as failure:
        raise FileError(f"'{path.name}' is not valid {path.suffix[1:].upper()}: {failure}; mend that line") from None


def _element(failure: ValidationError, data: dict[str, Any]) -> str:
    """Which element the first finding is about, by its name if it has one."""
    where = failure.errors()[0]["loc"]
    if len(where) >= 2 and where[0] in ELEMENT_KINDS and isinstance(where[1], int):
        kind = str(where[0]).replace("_", " ")
        entry = data[str(where[0])][where[1]]
        name = entry.get("name") if isinstance(entry, dict) else None
        return f"{kind} '{name}'" if isinstance(name, str) else f"{kind} number {where[1] + 1}"
    return f"model '{data.get('name', 'mechanism')}'"
