"""Calls that do not fit: one sentence that names the argument, instead of Python's TypeError or AttributeError."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, isfunction, signature, unwrap
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, ForwardRef, NoReturn, ParamSpec, TypeVar

from linkwork.elements.declaration.annotations import classes, needed
from linkwork.elements.declaration.wrong_types import EXAMPLES
from linkwork.errors import LinkworkError, ModelError, OptionError, nearest

P = ParamSpec("P")
R = TypeVar("R")
PLACE = "at"  # what three numbers without a name are likely to be
SETTINGS = "settings"  # the argument that takes parameters of a model by name
UNFIT = (TypeError, AttributeError, ValueError, KeyError, OverflowError)  # where an argument may be of a wrong type
LONGEST = 60  # characters of a value that are shown
OPTIONS = re.compile(r"Unpack\[(\w+)\]")
ARGUMENTS = {  # examples of what is an argument alone, and no field of an element
    "omega": "np.linspace(1, 100, 200) (rad/s)", "values": "np.linspace(0, 100, 11)", "dt": "0.01 (s)",
    "vary": "{'crank.mass': [1, 2]}", "minimize": "'max(pin.force)'", "settings": "{'crank.mass': 2}",
    "pose": "{'collar': 0.12}", "adjust": "['slider.force.y']", "joints": "['input', 'output']", "factors": "[1, -2]",
    "of": "'bar.position.z'", "when": "'pin.angle > 1'", "ratio": "-2.5", "segments": "10",
    "travel": "[-0.05, 0, 0.05]", "unknown": "{'spring.stiffness': (100, 1000)}",
}  # fmt: skip
PACKAGE = str(Path(__file__).parents[2])


def explained(
    title: str, error: type[LinkworkError] = ModelError, first: tuple[str, str] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuses arguments that a function does not have, has twice or lacks, as keys in a file are refused.

    `first`: the class of the first argument, by its name, and what it is in words.
    """

    def marked(function: Callable[P, R]) -> Callable[P, R]:
        call: Callable[..., R] = function
        places = [key for key in signature(function).parameters if _takes_names(function, key)]

        @wraps(function)
        def explaining(*arguments: P.args, **keywords: P.kwargs) -> R:
            if first is not None and arguments and first[0] not in classes(arguments[0]):
                raise error(f"{title}: {_shortened(arguments[0])} is not {first[1]}", element=title)
            try:
                return call(*_listed(function, places, arguments), **_listed_by_name(places, keywords))
            except UNFIT:
                _explain(function, title, arguments, keywords, error)
                raise

        return explaining

    return marked


def _takes_names(function: Callable[..., object], key: str) -> bool:
    """Whether an argument is a list of names, of which one may be given as it is."""
    return str(function.__annotations__.get(key, "")).startswith("Sequence[str]")


def _listed(function: Callable[..., object], lists: Sequence[str], arguments: Sequence[object]) -> list[object]:
    keys = list(signature(function).parameters) if lists else []
    return [[one] if isinstance(one, str) and keys[k : k + 1] and keys[k] in lists else one
            for k, one in enumerate(arguments)]  # fmt: skip


def _listed_by_name(lists: Sequence[str], keywords: Mapping[str, object]) -> dict[str, object]:
    return {key: [one] if isinstance(one, str) and key in lists else one for key, one in keywords.items()}


def _explain(
    function: Callable[..., object], title: str, arguments: Sequence[object], keywords: Mapping[str, object],
    error: type[LinkworkError],
) -> None:  # fmt: skip
    declared = signature(function).parameters
    parameters = {key: one for key, one in declared.items() if key not in ("self", "cls") and _is_named(one)}
    places = [key for key, one in declared.items() if _has_place(one)]
    by_place = dict(zip(places, arguments, strict=False))
    given = by_place | dict(keywords)
    who = f"{title} '{given['name']}'" if isinstance(given.get("name"), str) else title
    kinds = {one.kind for one in declared.values()}

    def refusal(what: str) -> LinkworkError:
        return error(f"{who}: {what}", element=who)

    for key in keywords:
        if key not in parameters and Parameter.VAR_KEYWORD not in kinds:
            hint = f"give it in {SETTINGS}={{'{key}': ...}}" if SETTINGS in parameters else nearest(key, parameters)
            raise refusal(f"unknown key '{key}'; {hint}") from None
        if key in by_place:
            values = f"by its place and by its name: {by_place[key]!r} and {keywords[key]!r}"
            raise refusal(f"'{key}' is given twice, {values}; give it once") from None
    if len(arguments) > len(places) and Parameter.VAR_POSITIONAL not in kinds:
        extra, missing = arguments[len(places)], [key for key in parameters if key not in given]
        fitting = [key for key in missing if _may_be(str(declared[key].annotation), extra)]
        is_place = isinstance(extra, (list, tuple)) and PLACE in missing
        named, shown = PLACE if is_place else next(iter([*fitting, *missing]), None), _shortened(extra)
        remedy = f"write {named}={shown}, or what it is" if named else "write NAME=VALUE, or leave it out"
        if isinstance(extra, str) and places[-1] == "joint":
            remedy = f"it acts along one joint, whose name comes second; of its coordinates one is coordinate={shown}"
        raise refusal(f"{shown} is given without a name; {remedy}") from None
    examples = EXAMPLES | ARGUMENTS
    several = [str(one.annotation) for one in declared.values() if one.kind == Parameter.VAR_POSITIONAL]
    for value in arguments[len(places) :]:
        if what := needed(several[0], value):
            raise refusal(f"{_shortened(value)} is not {what}; name them one by one") from None
    annotations = _options_of(function) | {key: str(one.annotation) for key, one in declared.items()}
    for key, value in given.items():
        if (what := needed(annotations[key], value) if key in annotations else "") and key != "self":
            raise refusal(f"{key} is {_shortened(value)}; it must be {what}") from None
    for key, one in parameters.items():
        if one.default is Parameter.empty and key not in (by_place if one.kind == Parameter.POSITIONAL_ONLY else given):
            example = f", as in {key}={examples[key]}" if key in examples else ""
            raise refusal(f"'{key}' is missing; give it{example}") from None


def _may_be(annotation: str, value: object) -> bool:
    """Whether a value may be what an argument takes; a text is taken for a name, not for a quantity or a choice."""
    if isinstance(value, str):
        return "str" in annotation.split(" | ")
    return not needed(annotation, value)


def _options_of(function: Callable[..., object]) -> dict[str, str]:
    """The annotations of options that are named in a class: **options: Unpack[RunOptions]."""
    several = [one for one in signature(function).parameters.values() if one.kind == Parameter.VAR_KEYWORD]
    named = OPTIONS.fullmatch(str(several[0].annotation)) if several else None
    kind = getattr(unwrap(function), "__globals__", {}).get(named[1]) if named else None
    found = {} if kind is None else kind.__annotations__
    return {key: one.__forward_arg__ if isinstance(one, ForwardRef) else str(one) for key, one in found.items()}


def _shortened(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]} ..."


def _has_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def _is_named(parameter: Parameter) -> bool:
    return parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


class Verbs:
    """A class whose public methods answer calls that do not fit with a sentence; names that it lacks get a hint."""

    _called: ClassVar[str] = ""  # what stands before the dot in a hint
    _elsewhere: ClassVar[Mapping[str, str]] = {}  # names by which other programs call what it has

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, verb in list(vars(cls).items()):
            if isinstance(verb, classmethod):
                setattr(cls, name, classmethod(explained(name, OptionError)(verb.__func__)))
            elif isfunction(verb) and not name.startswith("_") and not hasattr(verb, "__wrapped__"):
                setattr(cls, name, explained(name, OptionError)(verb))

    if not TYPE_CHECKING:  # a checker knows the names itself

        def __getattr__(self: Verbs, name: str) -> NoReturn:
            kind = type(self).__name__
            raise AttributeError(f"'{kind}' has no '{name}'{self._hint(name)}")

    def _hint(self, name: str) -> str:
        if name.startswith("_"):
            return ""
        if name in self._elsewhere:
            return f"; it is called {self._called}.{self._elsewhere[name]}"
        public = [one for one in dir(type(self)) if not one.startswith("_")]
        hint = nearest(name, public)
        return f"; {hint}" if hint.startswith("did you mean") else ""


def stack_level() -> int:
    """Of a warning that a verb gives: that of the line outside of linkwork which called it."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level


def calling_line(verbs: Path) -> tuple[str, int]:
    """File and line of what called a verb; `verbs`: the folder whose functions are not the caller."""
    own = (str(verbs), __file__)
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def line_in_words(line: tuple[str, int]) -> str:
    """As messages have it, "press.py, line 12"; "": it is in no file, or in linkwork itself."""
    path = Path(line[0])
    return "" if str(path).startswith(PACKAGE) or not path.is_file() else f"{path.name}, line {line[1]}"
