"""Messages made from failed validations: the element, the value and the remedy in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from linkwork.elements.bodies.flexibility import BeamFlexibility, ModalFlexibility
from linkwork.elements.bodies.lumped_beam import LumpedBeam
from linkwork.elements.declaration.quantities import keys_at
from linkwork.elements.declaration.wrong_types import AXES, EXAMPLES, wrong_type
from linkwork.elements.declarations import DECLARATIONS
from linkwork.errors import ModelError, nearest
from linkwork.mechanism.mechanism import Mechanism

T = TypeVar("T")


def checked(build: Callable[[], T], what: str) -> T:
    """Build a declaration; a failed validation becomes one sentence: the element, the value and the remedy."""
    try:
        return build()
    except ValidationError as failure:
        raise ModelError(sentence(failure, what), element=what or None) from None


def finding(failure: ValidationError) -> Any:
    """What to report of a failed validation: an unknown key, which may be what is missing elsewhere, or the first."""
    found = failure.errors()
    return next((entry for entry in found if entry["type"] == "extra_forbidden"), found[0])


def sentence(failure: ValidationError, what: str) -> str:
    """The finding of a failed validation, as a sentence."""
    first = finding(failure)
    message = first["msg"].removeprefix("Value error, ")
    named = [part for part in first["loc"] if isinstance(part, str)]
    where = [part for part in named if part not in ("str", "float") and "[" not in part]  # those are types
    field = where[-1] if where else ""
    kind, value = first["type"], first.get("input")
    example = f", as in {EXAMPLES[field]}" if field in EXAMPLES else ""
    shown = f" is {value!r}" if isinstance(value, (str, int, float, bool, list, tuple)) else ""
    if kind == "extra_forbidden":
        keys = keys_at(_declaration(failure.title), first["loc"][:-1])
        return f"{what}: unknown key '{field}'; {nearest(field, keys)}"
    if kind in ("missing", "too_short", "too_long") and (count := _entries(failure, first)):
        return f"{what}: {field}{shown}; give {count} entries{example}"
    if kind in ("tuple_type", "list_type"):
        return f"{what}: {field}{shown}; {'give it' if field in AXES else 'give a list'}{example or ', [...]'}"
    if (wrong := wrong_type(first, field)) and "str" not in first["loc"]:
        return f"{what}: {field} {wrong}{example if field == 'shape' else ''}"
    if first["loc"] and first["loc"][-1] == "str":
        shown = shown or f" is a {type(value).__name__}"
        return f"{what}: {field}{shown}; it must be a finite number or an expression"
    if kind == "missing":
        return f"{what}: '{field}' is missing; give it{f', as in {field} = {EXAMPLES[field]}' if example else ''}"
    if kind in ("literal_error", "union_tag_invalid"):
        context = first["ctx"]
        known = re.findall(r"'([^']*)'", str(context.get("expected", context.get("expected_tags"))))
        given = value.get("kind") if isinstance(value, dict) else value
        return f"{what}: {field} is {given!r}; {nearest(str(given), known)}"
    if kind == "union_tag_not_found":
        return f"{what}: {field} has no kind; give it"
    if kind == "value_error":
        if message.startswith(("is ", "'")) and field:
            return f"{what}: {field} {message}"
        if message.startswith("is "):
            return f"{what} {message}"
        return message if "'" in message.split(":")[0] else f"{what}: {message}"
    return f"{what}: {field}{shown}; {message[0].lower()}{message[1:]}"


def _entries(failure: ValidationError, first: Any) -> str:
    """How many entries a list needs that has too few or too many; "": it is not about the entries of a list."""
    if first["type"] == "too_short":
        return f"at least {first['ctx']['min_length']}"
    if first["type"] == "too_long":
        return str(first["ctx"]["max_length"])
    *owner, last = first["loc"]
    same = [entry["loc"][-1] for entry in failure.errors() if list(entry["loc"][:-1]) == owner]
    return str(1 + max(k for k in same if isinstance(k, int))) if isinstance(last, int) else ""


def _declaration(title: str) -> type[BaseModel]:
    """The declaration that a failed validation is about, by its title."""
    parts: tuple[type[BaseModel], ...] = (Mechanism, BeamFlexibility, ModalFlexibility, LumpedBeam)
    return next(kind for kind in (*parts, *DECLARATIONS.values()) if kind.__name__ == title)
