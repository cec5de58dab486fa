"""Model files: TOML, JSON or YAML by the schema of Mechanism, with parameters and includes.

A file is read by itself: first its parameters, then what it includes, then its elements, each validated by
itself, so that an error has the file, the line and the key.  At last the elements of all files make one Mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from linkwork.elements.declaration.base import Element
from linkwork.elements.declaration.quantities import QuantityError, Setting, Substitutions, called, plain
from linkwork.elements.declarations import DECLARATIONS
from linkwork.errors import ModelError, OptionError, nearest
from linkwork.expressions.error import ExpressionError
from linkwork.files.as_given import AsGiven, with_values
from linkwork.files.includes import Include, include_of, included_path
from linkwork.files.limits import Budget
from linkwork.files.parameters import ParameterError, flattened, in_unit_of, resolved
from linkwork.files.picture_files import beside, with_pictures_within
from linkwork.files.robots.builder import STOPS
from linkwork.files.settings import changed
from linkwork.files.source import FORMATS, Keys, Source, read_source
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism
from linkwork.mechanism.registration import declaration
from linkwork.mechanism.wording import finding, sentence

if TYPE_CHECKING:
    from linkwork.files.robots.mjcf import mjcf_source
    from linkwork.files.robots.sdf import sdf_source
    from linkwork.files.robots.urdf import urdf_source
else:
    (mjcf_source,) = lazy_functions("linkwork.files.robots.mjcf", "mjcf_source")
    (sdf_source,) = lazy_functions("linkwork.files.robots.sdf", "sdf_source")
    (urdf_source,) = lazy_functions("linkwork.files.robots.urdf", "urdf_source")

ROBOTS = {
    ".urdf": urdf_source,
    ".sdf": sdf_source,
    ".xml": mjcf_source,
}  # other descriptions, as data of the same schema
SUFFIXES = (*FORMATS, *ROBOTS)
FILE_KEYS = ("parameters", "include")  # besides those of Mechanism
HEAD = tuple(key for key in Mechanism.model_fields if key not in DECLARATIONS)
GRAVITY = (0.0, 0.0, -9.81)  # m/s2, of a robot that is run by itself: URDF has no word for it
_OWN = ("name", "format")  # of the head, not taken from an included file


@dataclass(frozen=True)
class Given:
    """An element and where it was given."""

    element: Element
    source: Source
    keys: tuple[str | int, ...]


@dataclass
class Reading:
    """What has been read so far, from all files."""

    folder: Path  # of the model: nothing outside it is included
    settings: Mapping[str, Setting]  # parameters given from outside
    head: dict[str, Any] = field(default_factory=dict)
    elements: list[Given] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)  # of the first file; then those only included files have
    budget: Budget = field(default_factory=Budget)
    as_given: AsGiven = field(default_factory=AsGiven)  # of the first file

    def given(self, name: str) -> Given | None:
        """Where an element was given, by its name; the last of several."""
        return next((given for given in reversed(self.elements) if given.element.name == name), None)


def read_mechanism(path: Path, settings: Mapping[str, Setting] | None = None) -> Mechanism:
    """The mechanism that a model file describes; `settings` give parameters and fields of elements ('crank.mass')."""
    return read_model_file(path, settings)[0]


def read_model_file(path: Path, settings: Mapping[str, Setting] | None = None) -> tuple[Mechanism, AsGiven]:
    """The same, and how the file gives it."""
    given = settings or {}
    reading = Reading(path.parent.resolve(), given)
    source = _opened(path, reading.budget, given)
    _read(reading, source, Include(path.name), {}, (path.resolve(),))
    if path.suffix in ROBOTS:
        reading.head = {"gravity": GRAVITY} | reading.head
    fields = {name: value for name, value in given.items() if name not in reading.parameters}
    for name in fields:
        if "." not in name:
            hint = nearest(name, reading.parameters)
            raise OptionError(f"'{path.name}' has no parameter '{name}'; {hint}", element=name)
    mechanism = _whole(reading, source)
    as_given = reading.as_given
    as_given.head = {key: (getattr(mechanism, key), source.data[key]) for key in HEAD if key in source.data}
    return changed(mechanism, fields, reading.parameters), as_given


def _opened(path: Path, budget: Budget, given: Mapping[str, Setting]) -> Source:
    """A model file or a robot's description, as data; of what is given for its parameters a robot takes its stops."""
    budget.spend(path)
    if path.suffix not in ROBOTS:
        return read_source(path)
    stiffness = given.get(STOPS, 0.0)
    if not isinstance(stiffness, (int, float)) or stiffness < 0.0:
        raise OptionError(
            f"parameter '{STOPS}' is {stiffness!r}; it must be a number >= 0, N m/rad or N/m", element=STOPS
        )
    return ROBOTS[path.suffix](path, float(stiffness))


def _read(
    reading: Reading, source: Source, as_: Include, outer: Mapping[str, float], chain: tuple[Path, ...]
) -> list[str]:
    """Read one file and what it includes; the names of its elements as it calls them itself."""
    _check_keys(source)
    parameters = _parameters(reading, source, as_, outer)
    names: list[str] = []
    for index, entry in enumerate(_listed(source, "include")):
        refusal = partial(_refusal, source, ("include", index))
        inner = include_of(entry, refusal, parameters)
        path = included_path(source.path.parent, inner.file, reading.folder, chain, refusal)
        deeper = replace(inner, prefix=as_.prefix + inner.prefix)
        opened = _opened(path, reading.budget, {**parameters, **inner.parameters, **reading.settings})
        within = _read(reading, opened, deeper, parameters, (*chain, path.resolve()))
        names += [inner.prefix + name for name in within]
    entries = [(kind, index, entry) for kind in DECLARATIONS for index, entry in enumerate(_listed(source, kind))]
    names += [entry["name"] for *_, entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)]
    substitutions = Substitutions(parameters, {name: as_.prefix + name for name in names} if as_.prefix else {})
    _take_head(reading, source, substitutions, first=len(chain) == 1)
    if len(chain) == 1:
        reading.as_given.parameters = with_values(source.data.get("parameters", {}), reading.settings)
    for kind, index, entry in entries:
        given = _element(source, (kind, index), entry, substitutions, reading.folder)
        if source.path.suffix not in ROBOTS:
            given = replace(given, element=with_pictures_within(given.element, source.path, reading.folder))
            if len(chain) == 1:
                reading.as_given.note(given.element, entry)
        reading.elements.append(given)
    return names


def _check_keys(source: Source) -> None:
    for key in source.data:
        if key not in Mechanism.model_fields and key not in FILE_KEYS and declaration(key) is None:
            hint = nearest(str(key), [*FILE_KEYS, *Mechanism.model_fields])
            raise _refusal(source, (key,), f"unknown key '{key}'; {hint}")


def _parameters(reading: Reading, source: Source, as_: Include, outer: Mapping[str, float]) -> dict[str, float]:
    """Values of a file's parameters: its own, unless the command line, its includer or the include itself give them."""
    table = source.data.get("parameters", {})
    if not isinstance(table, dict):
        raise _refusal(source, ("parameters",), f"parameters is {table!r}; it must be a table of names and numbers")
    try:
        own = flattened(table)
        outside = {name: value for name, value in {**reading.settings, **as_.numbers}.items() if name in own}
        given = {name: in_unit_of(own[name], value) for name, value in outside.items()}
        known = {
            name: value for name, value in {**outer, **as_.parameters}.items() if name not in {*own} & {*as_.numbers}
        }
        values = resolved(own, given, known)
    except ParameterError as failure:
        raise _refusal(source, ("parameters", *failure.name.split(".")), str(failure)) from None
    reading.parameters = {name: values[name] for name in own} | reading.parameters
    return values


def _take_head(reading: Reading, source: Source, substitutions: Substitutions, *, first: bool) -> None:
    """Name, gravity and the like; an included file gives only what is not given yet."""
    head = {key: source.data[key] for key in HEAD if key in source.data}
    try:
        head = plain(Mechanism, head, substitutions)
    except QuantityError as failure:
        raise _refusal(source, failure.path, str(failure)) from None
    if first:
        reading.head |= head
    else:
        reading.head = {key: value for key, value in head.items() if key not in _OWN} | reading.head


def _element(source: Source, keys: tuple[str, int], entry: Any, substitutions: Substitutions, folder: Path) -> Given:
    kind = DECLARATIONS[keys[0]]
    if not isinstance(entry, dict):
        raise _refusal(source, keys, f"{keys[0]} is {entry!r}; it must be a table with name and more")
    what = called(kind, entry) if "name" in entry else f"{kind.title()} number {keys[1] + 1}"
    context = {"substitutions": substitutions, "locate": partial(beside, source.path, folder)}
    try:
        return Given(kind.model_validate(entry, context=context), source, keys)
    except ValidationError as failure:
        first = finding(failure)
        path = getattr(first.get("ctx", {}).get("error"), "path", ())
        inside = _within(entry, (*first["loc"], *path))
        raise _refusal(source, (*keys, *inside), sentence(failure, what), what) from None


def _within(data: Any, loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Of a validation's location the part that is in the data; it also holds the names of alternatives."""
    keys: list[str | int] = []
    for key in loc:
        listed = isinstance(data, list) and isinstance(key, int) and key < len(data)
        if listed or (isinstance(data, dict) and key in data):
            data = data[key]
            keys.append(key)
    return tuple(keys)


def _whole(reading: Reading, source: Source) -> Mechanism:
    """The mechanism of all elements; what is wrong between them is traced back to the element that gives it."""
    elements = {
        key: tuple(given.element for given in reading.elements if isinstance(given.element, kind))
        for key, kind in DECLARATIONS.items()
    }
    what = f"model '{reading.head.get('name', 'mechanism')}'"
    try:
        return Mechanism.model_validate(reading.head | elements)
    except ValidationError as failure:
        keys = tuple(key for key in finding(failure)["loc"] if key in source.data)
        raise _traced(reading, source, keys, sentence(failure, what), None, what) from None
    except ExpressionError as failure:
        hint = _parameter_hint(reading, failure)
        raise _traced(reading, source, (), failure.message + hint, failure.text, failure.element) from None


def _traced(
    reading: Reading, source: Source, keys: Keys, message: str, text: str | None, what: str | None
) -> ModelError:
    """An error with the place of the element that the message begins with, and of the value that it quotes."""
    named = re.match(r"[a-z ]+ '(?P<name>[^']*)': ", message)
    given = reading.given(named["name"]) if named else None
    if named is None or given is None:
        return _refusal(source, keys, message, what)
    rest = message[named.end() :]
    quoted = [text] if text is not None else re.findall(r"'([^']*)'", rest)
    inside = _where(given.element.model_dump(exclude={"name"}), quoted)
    word = re.match(r"\w+", rest)
    if not inside and word and word[0] in type(given.element).model_fields:
        inside = (word[0],)
    return _refusal(given.source, (*given.keys, *inside), message, message[: named.end() - 2])


def _where(data: Any, quoted: list[str]) -> tuple[str | int, ...]:
    """The path to the first value that is one of `quoted`."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, (list, tuple)) else ()
    for key, value in items:
        if isinstance(value, str) and value in quoted:
            return (key,)
        if inside := _where(value, quoted):
            return (key, *inside)
    return ()


def _parameter_hint(reading: Reading, failure: ExpressionError) -> str:
    """For an unknown name in an expression of time: the parameters that are called much the same."""
    name = re.compile(r"[\w.]*").match(failure.text, failure.position)
    hint = nearest(name[0], reading.parameters) if name and name[0] and "unknown name" in failure.message else ""
    if not hint.startswith("did you mean"):
        return ""
    return f"\n    {hint.replace('did you mean', 'or the parameter') if 'did you mean' in failure.message else hint}"


def _listed(source: Source, key: str) -> list[Any]:
    entries = source.data.get(key, [])
    if not isinstance(entries, (list, tuple)):
        how = f"[[{key}]] before each" if source.path.suffix == ".toml" and key != "include" else "a list"
        raise _refusal(source, (key,), f"{key} must be a list; write {how}")
    return list(entries)


def _refusal(source: Source, keys: Keys, message: str, what: str | None = None) -> ModelError:
    return ModelError(f"{source.place(keys)}: {message}", element=what)
