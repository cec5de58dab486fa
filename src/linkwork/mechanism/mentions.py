"""What the expressions of elements refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from linkwork.elements.declaration.base import Element
from linkwork.expressions import Reference, Table, parse, parse_condition

if TYPE_CHECKING:
    from linkwork.mechanism.mechanism import Mechanism


def references(mechanism: Mechanism, element: Element, tables: Mapping[str, Table]) -> Iterator[Reference]:
    """Functions of named things, and measures, in the expressions and conditions of an element."""
    who, of_state = element.who, mechanism.scope((), tables)
    for text, own in element.expressions():
        yield from parse(text, element=who, scope=mechanism.scope(own, tables)).references
    for text in element.conditions():
        yield from parse_condition(text, who, of_state).references


def used_loads(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    """Loads in expressions (numbers.py): the element that uses one, as messages name it, whose it is, and what."""
    tables = mechanism.tables()
    for element in mechanism.answering("expressions", "conditions"):
        if _may_use_loads(element):
            for function, names in references(mechanism, element, tables):
                if function == "load":
                    yield element.who, names[0], names[1]


def joints_with_loads(mechanism: Mechanism) -> set[str]:
    """Joints whose load an expression uses."""
    used = {name for _, name, _ in used_loads(mechanism)}
    return {joint.name for joint in mechanism.joint if joint.name in used} if used else used


def _may_use_loads(element: Element) -> bool:
    texts = (*(text for text, _ in element.expressions()), *element.conditions())
    return any(f".{what}" in str(text) for text in texts for what in ("force", "torque"))
