"""Verbs and shapes called with arguments that do not fit: a sentence that names the argument, never a TypeError."""

from __future__ import annotations

import contextlib
import inspect
import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter

import numpy as np
import pytest

import linkwork as lw
from linkwork.elements.declarations import DECLARATIONS
from linkwork.mechanism import Mechanism, checked
from linkwork.model.model import model_from_python

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
    with pytest.raises(lw.ModelError, match=r"\(1, 2, 3\) is given without a name; write (\w+=\(1, 2, 3\)|NAME=VALUE)"):
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


ANALYSES = {
    f"{kind.__name__}.{name}": verb
    for kind in (lw.Model, lw.Run)
    for name, verb in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_") and not hasattr(verb, "adds")
}


@pytest.mark.parametrize("name", ANALYSES)
def test_verbs_of_models_and_runs_explain_calls_that_do_not_fit(name):
    """Unknown, missing and too many arguments: never a TypeError."""
    verb, holder = ANALYSES[name], lw.Model("m", gravity=(0, 0, 0)) if name.startswith("Model") else lw.Run(None)
    parameters = list(inspect.signature(verb).parameters.values())[1:]
    kinds = {one.kind for one in parameters}
    needed = [one.name for one in parameters if one.default is Parameter.empty and "VAR" not in one.kind.name]
    if needed:
        with pytest.raises(lw.LinkworkError, match=f"'{needed[0]}' is missing; give it"):
            verb(holder)
    if Parameter.VAR_KEYWORD not in kinds:
        with pytest.raises(lw.LinkworkError, match="unknown key 'nothing_of_that_kind'"):
            verb(holder, nothing_of_that_kind=1)
    if Parameter.VAR_POSITIONAL not in kinds:
        with pytest.raises(lw.LinkworkError, match="99 is given without a name"):
            verb(holder, *["word"] * sum("POSITIONAL" in one.kind.name for one in parameters), 99)


def pendulum() -> lw.Model:
    model = lw.Model("p", gravity=(0, 0, -9.81), duration=0.1)
    model.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.revolute("pin", "ground", "bar", at=(0, 0, 0), axis="y")
    return model


@cache
def pendulum_run() -> lw.Run:
    return pendulum().simulate()


def test_names_that_models_and_runs_do_not_have_get_a_hint():
    model = pendulum()
    run = model.simulate()
    for holder, name, hint in (
        (model, "hinge", "it is called model.revolute"), (model, "run", "it is called model.simulate"),
        (model, "simulat", "did you mean 'simulate'"), (run, "time", "it is called run.t"),
        (run, "postion", "did you mean 'position'"), (run, "zzzzzz", "'Run' has no 'zzzzzz'$"),
    ):  # fmt: skip
        assert not hasattr(holder, name)
        with pytest.raises(AttributeError, match=hint):
            getattr(holder, name)
    for kind, holder in ((lw.Model, model), (lw.Run, run)):  # hints lead to what there is
        for name, there in kind._elsewhere.items():
            assert not hasattr(kind, name)
            assert hasattr(holder, re.split(r"[.(]", there)[0])


def test_a_channel_is_named_by_one_text():
    run = pendulum().simulate()
    for given in (0, ("pin.angle", "energy"), None, ["energy"]):
        with pytest.raises(lw.OptionError, match=r"give the name of one channel, as in run\['energy'\]"):
            run[given]
    with pytest.raises(lw.OptionError, match="name them one by one"):
        run.plot(["energy", "pin.angle"])
    with pytest.raises(lw.OptionError, match="a point has three numbers"):
        run.path("bar", at=(0, 0))


def test_an_error_found_later_names_the_line_that_added_its_element():
    model = pendulum()
    line = inspect.currentframe().f_lineno + 1
    model.revolute("lost", "bar", "rod", at=(1, 0, 0), axis="y")
    with pytest.raises(lw.ModelError, match=rf"^test_calls\.py, line {line}: joint 'lost': there is no body 'rod'"):
        model.check()


def test_an_error_of_a_python_file_names_its_line(tmp_path):
    head = "import linkwork as lw\nm = lw.Model('m', gravity=(0, 0, 0), duration=1)\n"
    for text, sentence in (
        ("m.body('a', lw.rod(mass=-1, length=1))", r"^made\.py, line 3: rod: mass is -1"),
        ("m.body('a', lw.rod(mass=1, length=1))\nm.driver('d', 'pin', 't')", r"^made\.py, line 4: driver 'd': there"),
    ):  # fmt: skip
        (tmp_path / "made.py").write_text(head + text)
        with pytest.raises(lw.LinkworkError, match=sentence):
            model_from_python(tmp_path / "made.py").check()


def test_whole_numbers_serve_as_times():
    for every in (1, 2, 5):
        run = pendulum().simulate(2, every=every)
        assert run.t.dtype == float and run.t[-1] == 2.0


def test_a_force_without_a_law_is_warned_of_where_it_is_added():
    model = pendulum()
    ends = ((0, 0, 1), (1, 0, 0))
    for add in (
        lambda: model.spring_damper("s", "ground", "bar", points=ends), lambda: model.friction("f", "pin"),
        lambda: model.controller("c", "pin", target=0.5), lambda: model.applied_force("a", "bar"),
        lambda: model.torsional_spring_damper("t", "pin"),
    ):  # fmt: skip
        with pytest.warns(UserWarning, match="does nothing; give .* or ") as caught:
            add()
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.spring_damper("real", "ground", "bar", points=ends, stiffness="5 N/mm")
        model.applied_force("push", "bar", force=("sin(t)", 0, 0))


def test_warnings_of_a_run_are_at_the_line_that_called_the_verb():
    model = pendulum()
    model.body("loose", lw.rod(mass=1.0, length=1.0))
    model.python_force("slow", lambda t, x: 0.0, ["pin.angle"], joint="pin")
    with pytest.warns(lw.RunWarning) as caught:
        model.simulate()
    assert {one.filename for one in caught if one.category is lw.RunWarning} == {__file__}


@pytest.mark.parametrize("name", [name for name in dir(lw) if name.startswith("plot_")] + ["view_mode"])
def test_what_cannot_be_drawn_is_refused_with_what_can(name):
    if name == "plot_corners":
        return
    for given in (3, "sweep", pendulum(), None):
        with pytest.raises(lw.OptionError, match=rf"{name}: .* is not what model\.\w+\(.*\) returns"):
            getattr(lw, name)(given)


def test_a_name_that_linkwork_does_not_have_gets_a_hint():
    for name, hint in (("Rod", "did you mean 'rod'"), ("revolute", "it is a verb of a model: model.revolute")):
        with pytest.raises(AttributeError, match=hint):
            getattr(lw, name)


def test_one_name_serves_where_a_list_of_names_is_taken():
    model, car = pendulum(), lw.library_model("quarter-car")
    run = model.simulate()
    assert list(run.loads("pin")) == list(run.loads(["pin"]))
    compared = lw.library_model("four-bar").compare(0.01, methods="lu", formulations="joint")
    assert [row.method for row in compared.rows] == ["lu"]
    alike = [run.gradient(one, two).gradient for one, two in (("end(pin.angle)", "bar.mass"),
                                                              (["end(pin.angle)"], ["bar.mass"]))]  # fmt: skip
    assert (alike[0] == alike[1]).all()
    assert list(car.frequency_response("profile", "car.position.z", [1.0, 2.0]).units) == ["car.position.z"]
    assert model.study({"bar.mass": [1.0, 2.0]}, "end(pin.angle)", progress=False)["end(pin.angle)"].shape == (2,)
    assert lw.study("pendulum", {"length": [1.0]}, outputs="end(pin.angle)", until=0.1, progress=False).run.shape == (
        1,
    )


def test_arguments_of_a_wrong_type_are_named_with_what_they_have_to_be():
    model, run = pendulum(), pendulum().simulate()
    for call, sentence in (
        (lambda: model.linearize("pin"), r"linearize: speeds is 'pin'; it must be a dict, \{name: value\}"),
        (lambda: model.equilibrium(["pin"]), r"equilibrium: speeds is \['pin'\]; it must be a dict"),
        (lambda: model.study(["bar.mass"], "end(pin.angle)"), r"study: vary is \['bar.mass'\]; it must be a dict"),
        (lambda: model.optimize(3, "end(pin.angle)"), "optimize: vary is 3; it must be a dict"),
        (lambda: model.sweep("pin", 10), "values is 10; it must be a list"),
        (lambda: model.stepper("a"), "stepper: dt is 'a'; it must be a number"),
        (lambda: run.loads("pin", during=5), r"loads: during is 5; it must be two numbers, \(from, to\)"),
        (lambda: run.plot("energy", against=3), "plot: against is 3; it must be a run or a dict"),
        (lambda: run.export("x.csv", ["energy"]), r"\['energy'\] is not a text; name them one by one"),
        (lambda: lw.load(run), "load: path is <Run of 'p'.*; it must be a text"),
        (lambda: lw.Model.read(model), "read: path is <Model 'p'.*; it must be a text"),
    ):
        with pytest.raises(lw.OptionError, match=sentence):
            call()


NOTHING_FITS = ({1: 2}, [0, "a"], [[1], 2], "abc", object(), b"x", 10**400, [1j], np.zeros((2, 2)))
FITTING = {
    "dt": 0.01, "vary": {"bar.mass": [1.0, 2.0]}, "outputs": ["end(pin.angle)"], "path": "model.toml", "joint": "pin",
    "omega": [1.0, 2.0], "values": [1.0, 2.0], "parameters": ["bar.mass"],
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in ANALYSES if name.split(".")[1] not in ("environment", "view")])
def test_no_value_in_any_argument_of_a_verb_escapes_as_an_error_of_python(name, tmp_path, monkeypatch):
    """A list with a text in it, a dict of wrong keys, an array of two dimensions: refused in words of ours, or used."""
    monkeypatch.chdir(tmp_path)
    model = pendulum()
    verb, holder = ANALYSES[name], model if name.startswith("Model") else pendulum_run()
    parameters = [p for p in list(inspect.signature(verb).parameters.values())[1:] if "VAR" not in p.kind.name]
    needed = {p.name: FITTING.get(p.name, "bar") for p in parameters if p.default is Parameter.empty}
    places = [p.name for p in parameters if p.kind == Parameter.POSITIONAL_ONLY]
    for parameter in parameters:
        for value in NOTHING_FITS:
            with warnings.catch_warnings(), contextlib.suppress(lw.LinkworkError):
                warnings.simplefilter("ignore")
                given = needed | {parameter.name: value}
                verb(holder, *[given.pop(place) for place in places], **given)
