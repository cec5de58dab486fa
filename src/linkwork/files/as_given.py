"""A model as its file gives it: parameters, expressions and units, which the numbers of a Mechanism no longer have."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.quantities import Setting
from linkwork.files.parameters import in_unit_of
from linkwork.mechanism import Mechanism

PLACE = ("orientation", "angle", "axis")  # of a body: three keys for one thing
FILES = {"file", "csv", "mesh", "include"}  # keys whose value is relative to the file's folder


@dataclass
class AsGiven:
    """Tables of a file, each beside what was read of it."""

    parameters: dict[str, Any] = field(default_factory=dict)
    head: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # by key: read, given
    elements: dict[tuple[str, str], tuple[Element, dict[str, Any]]] = field(default_factory=dict)  # by kind and name

    def note(self, element: Element, table: dict[str, Any]) -> None:
        """Keep the table of an element; one that names other files is written by its numbers."""
        if not _names_files(table):
            self.elements[element.key, element.name] = element, deepcopy(table)

    def of(self, element: Element, plain: dict[str, Any]) -> dict[str, Any]:
        """The table of an element: as given, but for what has changed since, which is plain."""
        read, table = self.elements.get((element.key, element.name), (None, None))
        return plain if read is None or table is None else _updated(table, read, element, plain)

    def heading(self, mechanism: Mechanism) -> dict[str, Any]:
        """Of the keys at the head of the file those that still hold."""
        return {key: given for key, (read, given) in self.head.items() if getattr(mechanism, key) == read}


def with_values(table: Mapping[str, Any], settings: Mapping[str, Setting], before: str = "") -> dict[str, Any]:
    """The table [parameters] with what `settings` give in the place of its own values."""
    return {
        key: with_values(value, settings, f"{before}{key}.")
        if isinstance(value, Mapping)
        else in_unit_of(value, settings.get(f"{before}{key}", value))
        for key, value in table.items()
    }


def _updated(table: dict[str, Any], read: BaseModel, now: BaseModel, plain: dict[str, Any]) -> dict[str, Any]:
    """The table with the fields that differ taken from `plain`; those of a shape one by one."""
    changed = [key for key in type(now).model_fields if getattr(now, key) != getattr(read, key)]
    gone = {*changed, *(PLACE if PLACE[0] in changed else ())}
    new = {key: plain[key] for key in gone if key in plain}
    for key in changed:
        before, after, inner = getattr(read, key), getattr(now, key), table.get(key)
        if isinstance(after, BaseModel) and type(before) is type(after) and isinstance(inner, dict):
            new[key] = _updated(inner, before, after, plain[key])
    return {key: new.pop(key, value) for key, value in table.items() if key not in gone or key in new} | new


def _names_files(table: Any) -> bool:
    if isinstance(table, Mapping):
        return not FILES.isdisjoint(table) or any(_names_files(value) for value in table.values())
    return isinstance(table, (list, tuple)) and any(_names_files(value) for value in table)
