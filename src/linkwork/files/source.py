"""One text file of a model: its data, and the line on which a key stands.  TOML, JSON or YAML by the file's suffix."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwork.errors import FileError
from linkwork.files.limits import MOST_BYTES, MOST_LEVELS, check_extent, size_of, too_deep, too_large

RESULTS = (".h5", ".hdf5", ".nc")  # suffixes of what is not a model
Keys = Sequence[str | int]  # from the top of the file to a value


@dataclass(frozen=True)
class Source:
    """The content of a file."""

    path: Path
    data: dict[str, Any]
    line_of: Callable[[Keys], int | None]  # counted from 1; None: not known

    def place(self, keys: Keys) -> str:
        """Where a value stands, for messages: the file, the line and the key."""
        line = self.line_of(keys)
        names = [key for key in keys if isinstance(key, str)]
        words = [self.path.name, f"line {line}" if line else "", f"key '{names[-1]}'" if names else ""]
        return ", ".join(word for word in words if word)


def read_source(path: Path) -> Source:
    """The data of a TOML, JSON or YAML file; what is not such a file is refused with the line."""
    if path.suffix not in FORMATS:
        what = "it is the result of a run, which lw.load reads" if path.suffix in RESULTS else ""
        what = what or f"its name has to end with {' or '.join(FORMATS)}"
        raise FileError(f"'{path.name}' is not a model file; {what}")
    text = read_text(path)
    try:
        data, line_of = FORMATS[path.suffix](path.name, text)
    except RecursionError:
        raise too_deep(path.name) from None
    check_extent(path.name, data)
    if not isinstance(data, dict):
        raise FileError(f"'{path.name}': a model file holds keys such as gravity and body, not {type(data).__name__}")
    return Source(path, data, line_of)


def read_text(path: Path) -> str:
    """The text of a file."""
    if size_of(path) > MOST_BYTES:
        raise too_large(path)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise FileError(f"'{path}' cannot be read: {failure}") from None


Parsed = tuple[Any, Callable[[Keys], int | None]]


def _toml(name: str, text: str) -> Parsed:
    if _LONG_KEY.search(text):  # tomllib takes the square of its length
        raise too_deep(name)
    try:
        return tomllib.loads(text), lambda keys: _toml_line(text, keys)
    except ValueError as failure:
        raise FileError(f"'{name}' is not valid TOML: {_in_words(str(failure))}; fix that line") from None


def _in_words(problem: str) -> str:
    """Slips that are often made, in words that name the remedy."""
    twice = re.match(r"Cannot declare \('(\w+)',\) twice", problem)
    if twice:
        where = problem[problem.index("(at ") :]
        return f"the table [{twice[1]}] comes twice {where}; elements are written [[{twice[1]}]], with two brackets"
    return problem.replace("Illegal character '\\n'", "a text without its closing quote")


def _json(name: str, text: str) -> Parsed:
    try:
        data = json.loads(text, object_pairs_hook=_pairs)
    except ValueError as failure:
        raise FileError(f"'{name}' is not valid JSON: {failure}; fix that line") from None
    return data, lambda keys: _yaml_line(text.replace("\t", " "), keys)  # JSON is YAML, but for its tabs


def _yaml(name: str, text: str) -> Parsed:
    import yaml  # 0.1 s: only where there is a YAML file

    class Loader(_loader()):  # type: ignore[misc]
        """Safe, and strict about keys that come twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            _pairs([(key.value, None) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"])
            return super().construct_mapping(node, deep)

    try:
        _check_levels(name, yaml.parse(text, _loader()))
        return yaml.load(text, Loader), lambda keys: _yaml_line(text, keys)
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as failure:
        mark = getattr(failure, "problem_mark", None)
        problem = getattr(failure, "problem", None) or str(failure)
        line = f" (at line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
        raise FileError(f"'{name}' is not valid YAML: {problem}{line}; fix that line") from None


def _loader() -> Any:
    """YAML's safe loader, that of libyaml where it is installed: ten times as fast."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check_levels(name: str, events: Iterable[Any]) -> None:
    """Before nodes are built of them, which is done by recursion."""
    level = 0
    for event in events:
        kind = type(event).__name__
        level += kind.endswith(("SequenceStartEvent", "MappingStartEvent"))
        level -= kind.endswith(("SequenceEndEvent", "MappingEndEvent"))
        if level > MOST_LEVELS:
            raise too_deep(name)


FORMATS: dict[str, Callable[[str, str], Parsed]] = {".toml": _toml, ".json": _json, ".yaml": _yaml, ".yml": _yaml}


class _TwiceError(ValueError):
    """A key that comes twice in one table."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise _TwiceError(f"the key '{key}' comes twice in one table")
        data[key] = value
    return data


def _yaml_line(text: str, keys: Keys) -> int | None:
    """By the marks of YAML's nodes; of the deepest key that there is."""
    import yaml

    try:
        node = yaml.compose(text, _loader())
    except (yaml.YAMLError, ValueError):
        return None
    line = None
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == key), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            node = node.value[key]
            line = node.start_mark.line
        else:
            break
    return None if line is None else line + 1


_LONG_KEY = re.compile(rf"""(?<![\w"'-])[\w"'-]++(?:[ \t]*+\.[ \t]*+[\w"'-]++){{{MOST_LEVELS}}}""")
_HEADER = re.compile(r"\s*(?P<array>\[)?\[(?P<keys>[^\[\]]+)\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"""\s*(?P<keys>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def _toml_line(text: str, keys: Keys) -> int | None:
    """The line of the deepest of `keys` that begins a line: of a [table], a [[table]] of a list, or a 'key ='."""
    wanted = tuple(keys)
    best, depth = None, 0
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        here: tuple[str | int, ...] = ()
        if header := _HEADER.match(line):
            table = _toml_path(header["keys"], counts)
            if header["array"]:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            here = table
        elif assignment := _ASSIGNMENT.match(line):
            here = (*table, *_toml_names(assignment["keys"]))
        shared = min(len(here), len(wanted))
        if shared > depth and wanted[:shared] == here[:shared]:
            best, depth = number, shared
    return best


def _toml_path(dotted: str, counts: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The path of a header; a name of a list stands for its latest entry, but for the last name."""
    path: tuple[str | int, ...] = ()
    names = _toml_names(dotted)
    for name in names:
        path = (*path, name)
        if len(names) > 1 and name is not names[-1] and path in counts:
            path = (*path, counts[path])
    return path


def _toml_names(dotted: str) -> list[str]:
    return [bare or quoted for bare, quoted in re.findall(r"""([\w-]+)|["']([^"']*)["']""", dotted)]
