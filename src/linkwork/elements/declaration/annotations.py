"""Values against the annotations of arguments: what an argument has to be, in words, where its value does not fit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

ALIASES = {"Place": "str | Sequence[float]", "InputSweep": "Mapping[str, Sequence[float]]", "Quantity": "float | str",
           "Setting": "object"}  # fmt: skip
NAMED = re.compile(r"([\w.]+)(?:\[(.*)\])?")  # a class, and what stands in brackets after it


def needed(annotation: str, value: object) -> str:
    """What an argument has to be whose value is of no type that its annotation names; "": it may be one of them."""
    words = []
    for one in [one for part in _apart(annotation, "|") for one in _apart(ALIASES.get(part, part), "|")]:
        found = NAMED.fullmatch(one)
        fits, word = KINDS.get(found[1], (_anything, "")) if found else (_anything, "")
        if fits(value, found[2] or "" if found else "") or one in classes(value):
            return ""
        words += [word.format(_many(found[2] if found else ""))] if word else []
    return " or ".join(dict.fromkeys(words))


def classes(value: object) -> set[str]:
    """The names of the classes that a value has."""
    return {kind.__name__ for kind in type(value).__mro__}


def _apart(text: str, sign: str) -> list[str]:
    """What stands between the signs that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == sign and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _many(inside: str | None) -> str:
    """ "of numbers", "of texts": what a list has to hold."""
    word = KINDS[inside][1] if inside in ("float", "int", "str") else ""
    return f" of {word.removeprefix('a ')}s" if word else ""


def _anything(value: object, inside: str) -> bool:
    return True


def _is_number(value: object, inside: str) -> bool:
    if isinstance(value, int):
        return math.log10(abs(value) or 1) < 308.0
    return isinstance(value, float | np.floating | np.integer) or (isinstance(value, np.ndarray) and not value.ndim)


def _is_list(value: object, inside: str) -> bool:
    """Of what is inside the brackets; a single text may stand for a list of texts."""
    if isinstance(value, str):
        return inside == "str"
    if isinstance(value, bytes) or not isinstance(value, Sequence | np.ndarray) or getattr(value, "ndim", 1) != 1:
        return False
    return not any(needed(inside, one) for one in value)


def _is_array(value: object, inside: str) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iuf"


def _is_table(value: object, inside: str) -> bool:
    key, what = _apart(inside, ",")
    return isinstance(value, Mapping) and not any(needed(key, k) or needed(what, v) for k, v in value.items())


def _is_tuple(value: object, inside: str) -> bool:
    parts = _apart(inside, ",")
    if not isinstance(value, tuple | list) or len(value) != len(parts):
        return False
    return not any(needed(part, one) for part, one in zip(parts, value, strict=True))


def _is(*types: type) -> Callable[[object, str], bool]:
    return lambda value, inside: isinstance(value, types)


KINDS: dict[str, tuple[Callable[[object, str], bool], str]] = {  # by what annotations begin with; how it is called
    "Mapping": (_is_table, "a dict, {{name: value}}"), "Sequence": (_is_list, "a list{}"),
    "np.ndarray": (_is_array, ""), "tuple": (_is_tuple, "two numbers, (from, to)"), "Path": (_is(Path), ""),
    "str": (_is(str), "a text"), "float": (_is_number, "a number"), "int": (_is(int, np.integer), "a whole number"),
    "bool": (_is(bool), "True or False"), "None": (_is(type(None)), ""), "Run": (_is(), "a run"),
    "Equilibrium": (_is(), "an equilibrium"), "type": (_is(type), "a class"),
}  # fmt: skip
