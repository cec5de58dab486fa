"""Kinds of elements from other packages."""

from __future__ import annotations

from typing import TypeVar

from linkwork.elements.declaration.base import Element
from linkwork.elements.declarations import DECLARATIONS, declare
from linkwork.elements.plugins import load_plugins
from linkwork.mechanism.mechanism import admit

E = TypeVar("E", bound=type[Element])


def register_element(kind: E) -> E:
    """Make a kind of element known, by its key: to files, the schema, models and settings.  A decorator."""
    declare(kind)
    admit(kind)
    return kind


def declaration(key: str) -> type[Element] | None:
    """The kind of element of this key; plugins are loaded if it is not among those known so far."""
    if key not in DECLARATIONS:
        load_plugins()
    return DECLARATIONS.get(key)
