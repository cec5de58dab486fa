"""Settings: `crank.length=0.12` changes a field of an element of a mechanism, whoever made it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel, ValidationError

from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.quantities import QuantityError, Setting, Substitutions, plain
from linkwork.errors import OptionError, nearest
from linkwork.expressions.quantities import units_in
from linkwork.files.writing import given_fields
from linkwork.mechanism import Mechanism, checked
from linkwork.mechanism.wording import sentence

HEAD = ("gravity", "duration", "loop_tolerance")  # numbers of the whole model that may be set
EITHER = {"mass": "density", "density": "mass"}  # what a shape has in place of the other


def setting(text: str) -> tuple[str, Setting]:
    """NAME=VALUE, as on the command line: a number, a text (a quantity, an expression, a name) or a list of them."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        example = "--set angle=20 or --set crank.mass='2 lb'"
        raise OptionError(f"--set {text}: write NAME=NUMBER, as in {example}", element=name)
    try:
        return name.strip(), float(value)
    except ValueError:
        pass
    if not value.lstrip().startswith("["):
        return name.strip(), value.strip()
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        remedy = "write it as in TOML, [1, 2, 3]"
        raise OptionError(f"--set {text}: the list cannot be read; {remedy}", element=name) from None


def changed(
    mechanism: Mechanism, settings: Mapping[str, Setting], parameters: Mapping[str, float] | None = None
) -> Mechanism:
    """The mechanism with fields of its elements changed: 'crank.mass', 'crank.length' (of its shape), 'crank.at.0'.

    Values may use the parameters.  A field that is given comes before one that is not, the element's own before those
    of its parts.  The mechanism is checked once, with all of them changed.
    """
    substitutions, elements = Substitutions(parameters or {}), {one.name: one for one in mechanism.elements()}
    fields: dict[str, list[tuple[list[str], Setting]]] = {}
    for name, value in settings.items():
        owner, _, rest = name.partition(".")
        if owner not in elements and owner in HEAD:
            mechanism = checked(partial(_with_head, mechanism, owner, rest, value, substitutions), f"setting '{name}'")
            continue
        if owner not in elements and not rest:
            raise unknown_parameter(name, ())
        if owner not in elements:
            hint = nearest(owner, elements)
            raise OptionError(f"setting '{name}': there is no element '{owner}'; {hint}", element=owner)
        if not rest:
            raise _whole_element(f"setting '{name}'", elements[owner])
        fields.setdefault(owner, []).append((rest.split("."), value))
    if not fields:
        return mechanism
    changes = {name: _with(elements[name], some, substitutions) for name, some in fields.items()}
    return checked(partial(_replaced, mechanism, changes), "setting " + ", ".join(f"'{name}'" for name in settings))


def _whole_element(what: str, element: Element) -> OptionError:
    known = ", ".join(f"'{element.name}.{key}'" for key in list(given_fields(element))[1:4])
    return OptionError(f"{what}: it is a {element.title()}; name one of its fields, as {known}", element=element.name)


def element_with(element: Element, fields: Mapping[str, Setting]) -> Element:
    """The element made anew with fields changed, 'mass', 'at.0', as it alone can be checked."""
    return _with(element, [(name.split("."), value) for name, value in fields.items()], Substitutions({}))


def unknown_parameter(name: str, parameters: Collection[str]) -> OptionError:
    """A name without a dot that is none of the model's parameters."""
    own = "name a field, as 'crank.mass'; only a model of a file or of the library has parameters, until it is changed"
    hint = nearest(name, parameters) if parameters else own
    return OptionError(f"the model has no parameter '{name}'; {hint}", element=name)


def changed_text(text: str, settings: Mapping[str, Setting]) -> Mechanism:
    """The same of a mechanism as JSON, as it travels."""
    return changed(_mechanism(text), settings)


@lru_cache(maxsize=4)
def _mechanism(text: str) -> Mechanism:
    return Mechanism.model_validate_json(text)


def setting_unit(mechanism: Mechanism, name: str) -> str:
    """SI unit of a field by its name, as `changed` takes it; "" for a number without, and for what is not a field."""
    owner, _, rest = name.partition(".")
    element = next((element for element in mechanism.elements() if element.name == owner), None)
    if element is None and owner in type(mechanism).model_fields:  # a number of the model's own
        units = units_in(type(mechanism).model_fields[owner].description)
        return units[0] if len(units) == 1 else ""
    if element is None or not rest:
        return ""
    parts = {key: type(part) for key in given_fields(element) if isinstance(part := getattr(element, key), BaseModel)}
    where = _path(given_fields(element), type(element), parts, rest.split(".")[0])
    if where is None:
        return ""
    declaration = parts[where[0]] if len(where) == 2 else type(element)
    units = units_in(declaration.model_fields[where[-1]].description)
    return units[0] if len(units) == 1 else ""


def field_value(mechanism: Mechanism, name: str) -> float:
    """The number that a field has, by its name as `changed` takes it; refused where it is not a number."""
    return number_at(mechanism, {element.name: element for element in mechanism.elements()}, name)[2]


def number_at(
    mechanism: Mechanism, elements: Mapping[str, Element], name: str
) -> tuple[Element | Mechanism, tuple[str, ...], float]:
    """Where the number of a field is, its owner and the path in it, and the number; `elements`: by their names."""
    owner, _, rest = name.partition(".")
    if owner not in elements and owner == "gravity":
        if rest not in ("0", "1", "2"):
            raise OptionError(f"'{name}' is no number; write gravity.0, gravity.1 or gravity.2", element=owner)
        return mechanism, (owner, rest), float(mechanism.gravity[int(rest)])
    if owner not in elements:
        raise OptionError(f"there is no element '{owner}'; {nearest(owner, elements)}", element=owner)
    element = elements[owner]
    if not rest:
        raise _whole_element(f"'{name}'", element)
    given, path = given_fields(element), rest.split(".")
    parts = {key: type(part) for key in given if isinstance(part := getattr(element, key), BaseModel)}
    where = (*(_path(given, type(element), parts, path[0]) or path[:1]), *path[1:])
    value: Any = given
    for key in where:
        inside = key.isdigit() and isinstance(value, list) and int(key) < len(value)
        value = value[int(key)] if inside else value.get(key) if isinstance(value, dict) else None
    if value is None:
        known = {*type(element).model_fields, *(key for part in parts.values() for key in part.model_fields)}
        if path[0] in known:
            raise OptionError(f"'{name}' is not given, so that it cannot be moved; give it a number", element=name)
        raise OptionError(f"'{owner}' has no number '{rest}'; {nearest(rest, known)}", element=name)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise OptionError(f"'{name}' is {value!r}, not a number that can be moved; name another field", element=name)
    return element, where, float(value)


def _with_head(mechanism: Mechanism, key: str, rest: str, value: Setting, substitutions: Substitutions) -> Mechanism:
    """A number of the whole model: 'gravity.2', 'duration'."""
    fields = {name: getattr(mechanism, name) for name in mechanism.model_fields_set}
    given: Any = value
    if rest:
        given = list(getattr(mechanism, key) or ()) if key == "gravity" else None
        if given is None or not rest.isdigit() or int(rest) >= len(given):
            raise OptionError(
                f"setting '{key}.{rest}': there is no entry '{rest}'; write gravity.0 to gravity.2", element=key
            )
        given[int(rest)] = value
    try:
        return Mechanism.model_validate(fields | plain(Mechanism, {key: given}, substitutions))
    except QuantityError as failure:
        raise OptionError(f"setting '{key}': {failure}", element=key) from None


def _replaced(mechanism: Mechanism, changes: Mapping[str, Element]) -> Mechanism:
    """With other elements in place of those of the same names."""
    fields = {key: getattr(mechanism, key) for key in mechanism.model_fields_set}
    for key, kind in {one.key: type(one) for one in changes.values()}.items():
        fields[key] = tuple(changes.get(each.name, each) for each in mechanism.of(kind))
    return Mechanism.model_validate(fields)


def _with(element: Element, changes: Sequence[tuple[list[str], Setting]], substitutions: Substitutions) -> Element:
    """The element with fields changed, by their paths."""
    given = given_fields(element)
    parts = {name: part for name in given if isinstance(part := getattr(element, name), BaseModel)}
    for path, value in changes:
        where = _path(given, type(element), {name: type(part) for name, part in parts.items()}, path[0])
        if where is None:
            known = {*type(element).model_fields, *(key for part in parts.values() for key in type(part).model_fields)}
            raise _refusal(element, path, f"'{element.name}' has no '{path[0]}'; {nearest(path[0], known)}")
        given.pop(element.replaces.get(where[0], ""), None)
        if len(where) == 2 and where[1] in EITHER:  # of a shape, of which one of the two is given
            given[where[0]].pop(EITHER[where[1]], None)
        if len(path) > 1 and where[0] not in given:
            given[where[0]] = element.model_dump()[where[0]]
        _put(element, given, [*where, *path[1:]], value, ".".join(path))
    try:
        return type(element).model_validate(given, context={"substitutions": substitutions})
    except ValidationError as failure:
        raise OptionError(sentence(failure, f"setting '{element.name}'"), element=element.name) from None


def _path(
    given: dict[str, Any], own: type[BaseModel], parts: dict[str, type[BaseModel]], key: str
) -> tuple[str, ...] | None:
    """The path to a field: given in the element, given in one of its parts, known in the element, known in a part; what
    a part has in place of the element is known there first.
    """
    in_element = [(key,)] if key in own.model_fields else []
    in_parts = [(name, key) for name, part in parts.items() if key in part.model_fields]
    places: list[tuple[str, ...]] = [
        *([(key,)] if key in given else []),
        *((name, key) for name in parts if key in given[name]),
        *([*in_parts, *in_element] if key in getattr(own, "of_parts", ()) else [*in_element, *in_parts]),
    ]
    return places[0] if places else None


def _put(element: Element, given: Any, path: list[str], value: Any, whole: str) -> None:
    """Set one value; numbers in the path count the entries of a list from 0."""
    key: Any = path[0]
    if isinstance(given, list):
        if not key.isdigit() or int(key) >= len(given):
            raise _refusal(element, [whole], f"there is no entry '{key}'; count from 0 to {len(given) - 1}")
        key = int(key)
    elif not isinstance(given, dict):
        raise _refusal(element, [whole], f"{given!r} has no '{key}' in it; leave it out")
    if len(path) == 1:
        given[key] = value
        return
    inner = given[key] if isinstance(given, list) else given.get(key)
    given[key] = list(inner) if isinstance(inner, tuple) else inner
    _put(element, given[key], path[1:], value, whole)


def _refusal(element: Element, path: list[str], why: str) -> OptionError:
    return OptionError(f"setting '{element.name}.{'.'.join(path)}': {why}", element=element.name)
