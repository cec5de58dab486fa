"""Kinds of elements and families of forces from other packages."""

from __future__ import annotations

from typing import TypeVar

from linkwork.elements.declaration.base import Element
from linkwork.elements.declarations import DECLARATIONS, declare
from linkwork.elements.family import Family
from linkwork.elements.plugins import load_plugins
from linkwork.elements.registry import FAMILIES, add_family
from linkwork.mechanism.mechanism import admit

E = TypeVar("E", bound=type[Element])


def register_element(kind: E) -> E:
    """Make a kind of element known, by its key: to files, the schema, models and settings.  A decorator."""
    declare(kind)
    admit(kind)
    return kind


def register(family: Family) -> Family:
    """Make a family of forces known: its declarations as by `register_element`, its kernels to evaluations."""
    add_family(family)
    for kind in family.declares:
        register_element(kind)
    return family


def declaration(key: str) -> type[Element] | None:
    """The kind of element of this key; plugins are loaded if it is not among those known so far."""
    if key not in DECLARATIONS:
        for found in load_plugins():
            if isinstance(found, Family) and found not in FAMILIES:
                register(found)
    return DECLARATIONS.get(key)
