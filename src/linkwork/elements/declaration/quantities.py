"""Quantities and expressions in the fields of declarations: texts in places of numbers become SI numbers.

A declaration's annotations tell where numbers stand, the first words of a field's description their unit ("kg, > 0",
"rad or m, at the start").  A text where only a number can stand is a quantity or an expression of parameters; one where
an expression of time can stand keeps t, with the values of the parameters in it; one that is a name may get a prefix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.config import JsonDict

from linkwork.elements.declaration.parameters import check_parts, use
from linkwork.expressions.error import ExpressionError
from linkwork.expressions.language.grammar import MAX_LENGTH
from linkwork.expressions.quantities import (
    in_any_unit,
    is_quantity,
    number_from_text,
    units_in,
    units_of_column,
    with_names,
    with_values,
)

NUMBER, EXPRESSION, TEXT = "number", "expression", "text"  # what a text may stand for
POWER = "^n"  # in the unit of a field: the field `exponent`
CONDITION: JsonDict = {"condition": True}  # marks a field with a text that is a condition, in its schema
Setting = float | str | Sequence[float | str]  # of a parameter or field: SI numbers, quantities ('12 mm'), other texts
Visit = Callable[[str, str, tuple[int, ...]], Any]  # (text, what it stands for, place in the field) -> new value


@dataclass(frozen=True)
class Substitutions:
    """What texts may use: parameters with their values, and names that get another name (an include's prefix)."""

    parameters: Mapping[str, float] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)


class QuantityError(ValueError):
    """A text that is not what its place needs; `path` leads from the declaration to it."""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path


def plain(declaration: type[BaseModel], given: dict[str, Any], substitutions: Substitutions) -> dict[str, Any]:
    """The fields of one declaration with their texts made plain."""
    texts = {key: value for key, value in given.items() if _has_text(value)}
    who = called(declaration, given)
    power = _exponent(declaration, given, substitutions)
    return given | {key: _field(declaration, key, value, substitutions, who, power) for key, value in texts.items()}


def _exponent(declaration: type[BaseModel], given: Mapping[str, Any], substitutions: Substitutions) -> float | None:
    """The n of units such as N/m^n: the field `exponent`; None: there is none, or it has no value."""
    known = declaration.model_fields.get("exponent")
    if known is None:
        return None
    value = given.get("exponent", known.default)
    try:
        return number_from_text(value, (), substitutions.parameters) if isinstance(value, str) else value
    except (ExpressionError, ValueError):
        return None


def _has_text(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_text, value))
    return isinstance(value, str)


def _field(
    declaration: type[BaseModel], key: str, value: Any, names: Substitutions, who: str, power: float | None
) -> Any:
    known = declaration.model_fields.get(key)
    if known is None or (not names.renamed and _holds_names(declaration, key)):
        return value
    description, needs_power = known.description or "", False
    if isinstance(power, (int, float)) and POWER in description:
        description, needs_power = description.replace(POWER, f"^{power:g}"), power != 1.0
    units = units_of_column(value) if in_any_unit(description) else units_in(description)
    own = getattr(declaration, "own", ())  # names that mean something else in its expressions
    local = names
    if own and names.parameters:
        local = Substitutions({name: v for name, v in names.parameters.items() if name not in own}, names.renamed)

    def made_plain(text: str, role: str, place: tuple[int, ...]) -> Any:
        try:
            role = EXPRESSION if known.json_schema_extra == CONDITION else role
            value = _value(text, role, units, local)
            if role == NUMBER:
                use(text, units, local.parameters, f"{key} of {who}")
            elif role == EXPRESSION:
                check_parts(text, local.parameters)
            return value
        except ExpressionError as failure:
            reason = failure.message.partition(": ")[2]
            needed = f"a number, a quantity such as '3 {units[0]}'" if units else "a number"
            message = f"{who}: {key} is {text!r}; it must be {needed} or an expression of parameters: {reason}"
            raise QuantityError(message, (key, *place)) from None
        except ValueError as failure:
            law = f"; exponent is {power:g}, of a linear law it is 1" if needs_power else ""
            raise QuantityError(f"{who}: {key} {failure}{law}", (key, *place)) from None

    return visited(value, _types_of(declaration, key), made_plain)


def _value(text: str, role: str, units: tuple[str, ...], substitutions: Substitutions) -> Any:
    if role == TEXT:
        head, dot, rest = text.partition(".")  # 'joint.coordinate' too
        return substitutions.renamed.get(head, head) + dot + rest
    if role == NUMBER or is_quantity(text) or len(text) > MAX_LENGTH:
        return number_from_text(text, units, substitutions.parameters)
    return with_names(with_values(text, substitutions.parameters), substitutions.renamed)


@cache
def _holds_names(declaration: type[BaseModel], key: str) -> bool:
    """Whether its texts stand for nothing but themselves."""
    known = declaration.model_fields[key]
    return known.json_schema_extra != CONDITION and not _holds_numbers(known.annotation)


def _holds_numbers(annotation: Any) -> bool:
    return any(
        option in (float, int) or any(map(_holds_numbers, get_args(option))) for option in alternatives(annotation)
    )


@cache
def _types_of(declaration: type[BaseModel], key: str) -> list[Any]:
    return alternatives(declaration.model_fields[key].annotation)


def called(declaration: type[BaseModel], given: Mapping[str, Any]) -> str:
    """How messages name an element: its kind in words, and its name if it has one."""
    words, name = _in_words(declaration), given.get("name")
    return f"{words} '{name}'" if isinstance(name, str) else words


@cache
def _in_words(declaration: type[BaseModel]) -> str:
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", declaration.__name__).lower()
    return str(getattr(declaration, "key", words)).replace("_", " ")


def keys_at(declaration: type[BaseModel], loc: Sequence[str | int]) -> tuple[str, ...]:
    """The keys of a declaration, or of the one within it to which a validation's location leads."""
    here = [declaration]
    for part in loc:
        fields = [model.model_fields[part] for model in here if part in model.model_fields]
        options = [option for known in fields for option in alternatives(known.annotation)]
        inside = [o for option in options for o in (get_args(option) or (option,)) for o in alternatives(o)]
        tagged = [model for model in here if (tag := model.model_fields.get("kind")) and tag.default == part]
        here = tagged or [o for o in inside if isinstance(o, type) and issubclass(o, BaseModel)] or here
    return tuple(dict.fromkeys(key for model in here for key in model.model_fields))


def visited(value: Any, options: list[Any], visit: Visit, place: tuple[int, ...] = ()) -> Any:
    """A value with every text in it replaced by what `visit` makes of it, where one of its types has a place for it."""
    if isinstance(value, str):
        role = _role(value, options)
        return value if role is None else visit(value, role, place)
    if isinstance(value, (list, tuple)):
        return [visited(item, _of_item(options, i, len(value)), visit, (*place, i)) for i, item in enumerate(value)]
    return value


def _role(text: str, options: list[Any]) -> str | None:
    if any(get_origin(option) is Literal and text in get_args(option) for option in options):
        return None
    number = any(option in (float, int) for option in options)
    if str in options:
        return EXPRESSION if number else TEXT
    return NUMBER if number else None


def alternatives(annotation: Any) -> list[Any]:
    """The members of a union, without their annotations."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return alternatives(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return [one for option in get_args(annotation) for one in alternatives(option)]
    return [annotation]


def _of_item(options: list[Any], index: int, count: int) -> list[Any]:
    """The types of one item of a sequence."""
    found: list[Any] = []
    for option in options:
        arguments = get_args(option)
        if get_origin(option) is list or (get_origin(option) is tuple and arguments[-1:] == (Ellipsis,)):
            found += alternatives(arguments[0])
        elif get_origin(option) is tuple and len(arguments) == count:
            found += alternatives(arguments[index])
    return found
