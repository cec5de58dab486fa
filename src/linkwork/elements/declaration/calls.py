"""Calls of verbs and shapes that do not fit: one sentence that names the argument, instead of Python's TypeError."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from linkwork.errors import ModelError, nearest

P = ParamSpec("P")
R = TypeVar("R")
PLACE = "at"  # what three numbers without a name are likely to be


def explained(title: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuses arguments that a function does not have, has twice or lacks, as keys in a file are refused."""

    def marked(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def explaining(*arguments: P.args, **keywords: P.kwargs) -> R:
            try:
                return function(*arguments, **keywords)
            except TypeError:
                _explain(function, title, arguments, keywords)
                raise

        return explaining

    return marked


def _explain(
    function: Callable[..., object], title: str, arguments: Sequence[object], keywords: Mapping[str, object]
) -> None:
    parameters = {key: one for key, one in signature(function).parameters.items() if key != "self"}
    places = [key for key in signature(function).parameters if _has_place(signature(function).parameters[key])]
    by_place = dict(zip(places, arguments, strict=False))
    given = by_place | dict(keywords)
    who = f"{title} '{given['name']}'" if isinstance(given.get("name"), str) else title

    def refusal(what: str) -> ModelError:
        return ModelError(f"{who}: {what}", element=who)

    for key in keywords:
        if key not in parameters:
            raise refusal(f"unknown key '{key}'; {nearest(key, parameters)}") from None
        if key in by_place:
            values = f"by its place and by its name: {by_place[key]!r} and {keywords[key]!r}"
            raise refusal(f"'{key}' is given twice, {values}; give it once") from None
    if len(arguments) > len(places) and not any(one.kind == one.VAR_POSITIONAL for one in parameters.values()):
        extra, missing = arguments[len(places)], [key for key in parameters if key not in given]
        is_place = isinstance(extra, (list, tuple)) and PLACE in missing
        named = PLACE if is_place else next(iter(missing), next(iter(parameters)))
        raise refusal(f"{extra!r} is given without a name; write {named}={extra!r}, or what it is") from None
    for key, one in parameters.items():
        if one.default is Parameter.empty and one.kind != Parameter.VAR_POSITIONAL and key not in given:
            raise refusal(f"'{key}' is missing; give it") from None


def _has_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
