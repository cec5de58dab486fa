"""Verbs and shapes called with arguments that do not fit: a sentence that names the argument, never a TypeError."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from inspect import Parameter

import pytest

import linkwork as lw
from linkwork.elements.declarations import DECLARATIONS
from linkwork.mechanism import Mechanism, checked

VERBS = {name: verb for name, verb in inspect.getmembers(lw.Model, callable) if hasattr(verb, "adds")}
SHAPES = {name: getattr(lw, name) for name in ("rod", "box", "cylinder", "sphere", "mesh")}
CALLS = {**VERBS, **SHAPES, "Model": lw.Model}


def called(name: str) -> tuple[Callable[..., object], dict[str, Parameter]]:
    """The function, bound to a model where it is a verb, and its parameters."""
    function = partial(VERBS[name], lw.Model("m", gravity=(0, 0, 0))) if name in VERBS else CALLS[name]
    parameters = inspect.signature(CALLS[name]).parameters
    return function, {key: one for key, one in parameters.items() if key != "self"}


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_is_answered_with_the_nearest(name):
    function, parameters = called(name)
    for key in [key for key, one in parameters.items() if one.kind == Parameter.KEYWORD_ONLY]:
        with pytest.raises(lw.ModelError, match=rf"unknown key '{key}x'; did you mean .*'{key}'"):
            function(**{f"{key}x": 1.0})


@pytest.mark.parametrize("name", CALLS)
def test_what_is_missing_twice_or_without_a_name_is_named(name):
    function, parameters = called(name)
    places = [key for key, one in parameters.items() if one.kind == Parameter.POSITIONAL_OR_KEYWORD]
    needed = [key for key, one in parameters.items() if one.default is Parameter.empty]
    if needed:
        with pytest.raises(lw.ModelError, match=f"'{needed[0]}' is missing; give it"):
            function()
    if places:
        with pytest.raises(lw.ModelError, match=f"'{places[0]}' is given twice"):
            function("first", **{places[0]: "second"})
    if any(one.kind == Parameter.VAR_POSITIONAL for one in parameters.values()):
        return
    with pytest.raises(lw.ModelError, match=r"\(1, 2, 3\) is given without a name; write \w+=\(1, 2, 3\)"):
        function(*["word"] * len(places), (1, 2, 3))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"gravity": 9.81}, "model 'm': gravity is 9.81; give a list"),
        ({"gravity": (0, -9.81)}, r"model 'm': gravity is \(0, -9.81\); give 3 entries"),
        ({"gravity": (0, 0, 0), "plane": "xw"}, "plane is 'xw'; did you mean"),
        ({"gravity": (0, 0, 0), "duration": -1.0}, "duration"),
        ({"gravity": (0, 0, float("nan"))}, "gravity is nan; it must be a finite number"),
    ],
)
def test_what_a_model_cannot_have_is_refused_when_it_is_made(given, sentence):
    with pytest.raises(lw.ModelError, match=sentence):
        lw.Model("m", **given)


WRONG = ({}, {"kind": "x"}, {1: 2}, [], [1], [1, 2, 3, 4, 5], True, "abc", "3 kg", "", 3.5, -1, float("nan"), None,
         [None, None, None], ["a", "b", "c"], [[1]], object(), b"x", 10**400)  # fmt: skip


@pytest.mark.parametrize("kind", [*DECLARATIONS.values(), Mechanism], ids=lambda kind: kind.__name__)
def test_values_of_every_wrong_type_are_refused_in_words_of_ours(kind):
    """In every field of every element; none escapes as another exception, none with the words of pydantic."""
    for field in kind.model_fields:
        for value in WRONG:
            given = {"name": "n", field: value}
            try:
                checked(partial(kind.model_validate, given), "element 'n'")
            except lw.LinkworkError as failure:
                assert not re.search("[Ii]nput should|Field required|[Uu]nable to|pydantic", str(failure)), failure
