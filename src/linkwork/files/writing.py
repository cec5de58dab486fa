"""Writing a model as a file that people can edit: what is not the default, in the order of the declarations."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
from pydantic import BaseModel, TypeAdapter

from linkwork.elements.declaration.base import AXES, Element
from linkwork.elements.declaration.orientations import Quaternion
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.solids.shapes import Mesh
from linkwork.errors import FileError
from linkwork.files.as_given import AsGiven
from linkwork.mechanism import Mechanism

WIDTH = 110  # of a line that holds a whole table
APART = ("parameters",)  # tables of the head
DIRECTIONS = ("axis", "second_axis", "normal")


def write_mechanism(mechanism: Mechanism, path: Path, as_given: AsGiven | None = None) -> None:
    """Write a model as TOML, YAML or JSON, by the suffix; read back it is the same mechanism.

    `as_given`: the file from which it was read, whose parameters and expressions are kept.
    """
    for element in mechanism.elements():
        if not element.in_files:
            raise FileError(
                f"{element.who}: a Python function cannot be written to a model file; keep the model as a Python file",
                element=element.name,
            )
    if path.suffix not in _WRITERS:
        raise FileError(f"'{path.name}': a model is written to a file that ends with {' or '.join(_WRITERS)}")
    try:
        path.write_text(_WRITERS[path.suffix](_tables(mechanism, as_given)), encoding="utf-8")
    except OSError as failure:
        raise FileError(f"'{path}' cannot be written: {failure.strerror}; choose another place") from None


def as_toml(kind: str, element: Element) -> str:
    """One element as a TOML file has it; `kind`: its key."""
    return _toml({kind: [_readable(kind, given_fields(element))]}).strip()


def given_fields(declaration: BaseModel) -> dict[str, Any]:
    """The fields of a declaration that differ from their defaults, and those by which its kind is known."""
    given: dict[str, Any] = {}
    for name, tag, always, default in _fields(type(declaration), tuple(type(declaration).model_fields)):
        value = getattr(declaration, name)
        if value is not None and (always or value != default):
            given[name] = _plain(value)
            if tag:
                given = {name: given.pop(name)} | given
    return given


@cache
def _fields(kind: type[BaseModel], names: tuple[str, ...]) -> list[tuple[str, bool, bool, Any]]:
    """Of each field its name, whether the kind is known by it, whether it is always written, and its default.

    By the names, too: plugins give Mechanism further ones.
    """
    fields = [(name, kind.model_fields[name]) for name in names if not (kind is Mesh and name == "moments")]
    tags = [get_origin(one.annotation) is Literal and len(get_args(one.annotation)) == 1 for _, one in fields]
    return [(name, tag, tag or one.is_required(), one.default) for (name, one), tag in zip(fields, tags, strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return given_fields(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value + 0.0 if isinstance(value, float) else value  # no negative zeros


def _tables(mechanism: Mechanism, as_given: AsGiven | None) -> dict[str, Any]:
    """What the file holds: the head, the parameters, and a table for each element."""
    given = as_given if as_given is not None else AsGiven()
    fields = given_fields(mechanism)
    head = {key: value for key, value in fields.items() if key not in DECLARATIONS} | given.heading(mechanism)
    tables = {
        key: [given.of(element, _readable(key, given_fields(element))) for element in mechanism.of(kind)]
        for key, kind in DECLARATIONS.items()
        if mechanism.of(kind)
    }
    return head | ({"parameters": given.parameters} if given.parameters else {}) | tables


def _readable(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Axes by their names, orientations by an angle about an axis, where reading that gives the same numbers."""
    given = _with_named_axes(given)
    shape = given.get("shape")
    if isinstance(shape, dict) and "parts" in shape:
        given = given | {"shape": shape | {"parts": [_readable("part", part) for part in shape["parts"]]}}
    turn = _turn(given["orientation"]) if "orientation" in given else None
    if turn is None:
        return given
    place = turn if kind == "body" else {"orientation": turn}
    items = (place.items() if key == "orientation" else [(key, value)] for key, value in given.items())
    return dict(chain.from_iterable(items))


def _with_named_axes(given: dict[str, Any]) -> dict[str, Any]:
    """'-y' instead of [0, -1, 0], also in a shape."""
    named = {
        tuple(sign * c for c in axis): text + name
        for sign, text in ((1.0, ""), (-1.0, "-"))
        for name, axis in AXES.items()
    }
    inner = {key: _with_named_axes(value) for key, value in given.items() if isinstance(value, dict)}
    return given | inner | {key: named.get(tuple(given[key]), given[key]) for key in DIRECTIONS if key in given}


def _turn(orientation: list[float]) -> dict[str, Any] | None:
    """The angle and the axis of an orientation about x, y or z."""
    e = np.array(orientation)
    angle = 2.0 * math.atan2(float(np.linalg.norm(e[1:])), e[0])
    signs = [(s, n) for s in (1.0, -1.0) for n, axis in AXES.items() if s * float(e[1:] @ axis) > 0.0]
    for sign, axis in signs:
        for turn in (f"{sign * math.degrees(angle):.10g} deg", sign * angle):
            if TypeAdapter(Quaternion).validate_python({"angle": turn, "axis": axis}) == tuple(orientation):
                return {"angle": turn} | ({} if axis == "z" else {"axis": axis})
    return None


def _toml(given: Mapping[str, Any]) -> str:
    """Head first, then a [[table]] for each element; what is inside an element stands in one line."""
    lines = [f"{key} = {_toml_value(value)}" for key, value in given.items() if key not in (*DECLARATIONS, *APART)]
    for key in APART:
        if key in given:
            lines += [
                "",
                f"[{key}]",
                *(f"{_toml_key(name)} = {_toml_value(value)}" for name, value in given[key].items()),
            ]
    for kind in DECLARATIONS:
        for entry in given.get(kind, ()):
            lines += ["", f"[[{kind}]]", *(f"{key} = {_toml_value(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        whole = "[" + ", ".join(_toml_value(entry) for entry in value) + "]"
        if len(whole) <= WIDTH or not any(isinstance(entry, (list, Mapping)) for entry in value):
            return whole
        return "[\n" + "".join(f"  {_toml_value(entry)},\n" for entry in value) + "]"
    return repr(value)


def _toml_key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if bare else json.dumps(key, ensure_ascii=False)


def _yaml(given: Mapping[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(dict(given), sort_keys=False, allow_unicode=True, default_flow_style=None, width=WIDTH))


def _json(given: Mapping[str, Any]) -> str:
    return json.dumps(given, indent=1, ensure_ascii=False) + "\n"


_WRITERS = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml, ".json": _json}
