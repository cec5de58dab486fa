"""What must fit together in a mechanism: names, references, each element with the others, expressions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from linkwork.elements.constraints.drivers import check_driven_once
from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.of_coordinate import OfCoordinate
from linkwork.elements.declaration.surroundings import GROUND, Surroundings
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.coordinates import coordinate_named
from linkwork.errors import nearest
from linkwork.expressions import ExpressionError, parse, parse_condition
from linkwork.expressions.language.tokens import token_at

if TYPE_CHECKING:
    from linkwork.mechanism.mechanism import Mechanism


def check(m: Mechanism) -> None:
    """Refuse with a ValueError, or for an expression a ModelError, what does not fit together."""
    check_names(m)
    check_references(m)
    check_elements(m)
    check_expressions(m)


def check_names(m: Mechanism) -> None:
    """Names are unique within the model, and none is 'ground'."""
    seen: dict[str, str] = {}
    for element in m.elements():
        check_name(element, seen)
        seen[element.name] = element.title()


def check_name(element: Element, seen: Mapping[str, str]) -> None:
    """The name of one more element; `seen`: kinds of the others by their names."""
    if element.name == GROUND:
        raise ValueError(f"{element.who}: this name belongs to the world; choose another")
    if element.name in seen:
        raise ValueError(f"{element.who}: this name is taken by a {seen[element.name]}; names must be unique")


def check_references(m: Mechanism) -> None:
    """Every name that an element refers to exists and is of the right kind."""
    joints = {joint.name: joint for joint in m.joint}
    known = _names(m)
    for element in m.elements():
        for what, name in element.refers():
            if what == "coordinate":
                coordinate_named(name, joints, element.who)
            elif name not in known[what]:
                if name == GROUND:
                    raise ValueError(f"{element.who}: '{GROUND}' does not move; name another body")
                needed = what.removeprefix("moving ").replace("_", " ")
                raise ValueError(f"{element.who}: there is no {needed} '{name}'; {nearest(name, known[what])}")


def _names(m: Mechanism) -> dict[str, Collection[str]]:
    """What an element may name, by kind: those of files, and the wider and narrower ones of `Element.refers`."""
    named: dict[str, Collection[str]] = {
        key: dict.fromkeys(element.name for element in m.of(kind)) for key, kind in DECLARATIONS.items()
    }
    bodies = named["body"]
    return named | {"body": {*bodies, GROUND}, "moving body": bodies, "point": {*bodies, GROUND, *named["frame"]}}


def check_elements(m: Mechanism) -> None:
    """Each element fits the others; coordinates are driven once at a time."""
    surroundings = Surroundings(
        bodies={body.name: body for body in m.body},
        frames={frame.name: frame for frame in m.frame},
        joints={joint.name: joint for joint in m.joint},
        plane=m.plane,
    )
    for element in m.elements():
        element.check(surroundings)
        if isinstance(element, OfCoordinate):
            element.check_units(surroundings.joints)
    check_driven_once(m.driver, surroundings.joints)


def check_expressions_of(m: Mechanism, element: Element) -> None:
    """The expressions of one element can be read, as far as they do not name what the model has not got yet."""
    tables, of_time = m.tables(), False
    try:
        for text, variables in element.expressions():
            of_time = variables is None  # where no name may come but that of a table
            parse(text, element=element.who, scope=m.scope(variables, tables))
        of_time = False
        for condition in element.conditions():
            parse_condition(condition, element.who, m.scope((), tables))
    except ExpressionError as failure:
        if not _may_come(m, failure) or (of_time and "there is no table" not in failure.message):
            raise


def _may_come(m: Mechanism, failure: ExpressionError) -> bool:
    """Whether the name that an expression does not know may be made later: no element that is there has it."""
    if "unknown name" not in failure.message and "there is no table" not in failure.message:
        return False
    name = token_at(failure.text, failure.position).text.strip("'\"").partition(".")[0]
    return name not in [one.name for one in m.elements()]


def check_expressions(m: Mechanism) -> None:
    """Every expression can be read; ModelError marks the position."""
    tables = m.tables()
    for element in m.elements():
        for text, variables in element.expressions():
            parse(text, element=element.who, scope=m.scope(variables, tables))
        for condition in element.conditions():
            parse_condition(condition, element.who, m.scope((), tables))
