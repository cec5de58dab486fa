"""Words of other programs are answered with the name here; what looks like a slip is said, and never a wrong number."""

from __future__ import annotations

import inspect
import warnings

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options
from linkwork.cli import app
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import nearest
from linkwork.other_words import COMMANDS, NAMES, meant


def bar() -> lw.Model:
    model = lw.Model("bar", gravity=(0, 0, -9.81), duration=0.1)
    model.link("bar", (0, 0, 0), (0.5, 0, 0), mass=2.0)
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    return model


def test_every_word_leads_to_a_name_that_something_has():
    """Of a verb, a shape, an option, an answer or an expression; and no word hides the name itself."""
    functions = [verb for _, verb in inspect.getmembers(lw.Model, inspect.isfunction)]
    functions += [getattr(lw, name) for name in ("rod", "box", "cylinder", "sphere", "mesh", "beam", "part")]
    known = {key for one in functions for key in inspect.signature(one).parameters} | set(Options.__dataclass_fields__)
    known |= {"t", "frequency_hz", "between", *JOINTS}  # of an expression, a mode, a file
    known |= {"cylinder", "box", "rod", "sphere"}
    assert {here.partition("=")[0] for here in NAMES} <= known
    for here, elsewhere in NAMES.items():
        for word in elsewhere.split():
            assert here in meant(word.upper(), [here.partition("=")[0]])
            assert (
                nearest(here.partition("=")[0], [here.partition("=")[0]]) == f"did you mean '{here.partition('=')[0]}'?"
            )


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda m: m.table("cam", x=[0, 1, 2], y=[0, 1, 0], periodic=True), "did you mean outside='repeat'?"),
        (lambda m: m.torsional_spring_damper("s", "pin", k=20), "did you mean 'stiffness'?"),
        (lambda m: m.controller("c", "pin", setpoint=1, p=3), "did you mean 'target'?"),
        (lambda m: m.body("b", lw.box(mass=1, size=(1, 1, 1)), position=(0, 0, 1)), "did you mean 'at'?"),
        (lambda m: m.lock("l", "pin", at=0.5), "did you mean 'since'?"),
        (lambda m: m.joint("hinge", "p", "ground", "bar", at=(0, 0, 0), axis="y"), "did you mean 'revolute'?"),
        (lambda m: m.simulate(t_end=1), "did you mean 'until'?"),
        (lambda m: m.simulate(solver="rk4"), "did you mean 'integrator' or 'method'?"),
        (lambda m: m.simulate(verbose=True), "did you mean 'progress'?"),
        (lambda m: m.driver("d", "pin", "sin(time)"), "did you mean 't'?"),
        (lambda m: m.contact("floor", "bar", "ground", stiffness=1e5), "write against='ground', or what it is"),
        (lambda m: m.torsional_spring_damper("s", "ground", "bar", stiffness=1), "it acts along one joint"),
        (lambda m: m.gear("g", "pin", 2.0), "second is 2.0; it must be a text"),
        (lambda m: m.revolute("p", "ground", "bar", at=(0, 0, 0), axis=1), "axis is 1; give it, as in 'x'"),
        (lambda m: lw.live("slider-crank", crank=(0.1, 0.2)), "give it in settings={'crank': ...}"),
    ],
)
def test_a_word_of_another_program_is_answered_with_the_name_here(call, hint):
    with pytest.raises(lw.LinkworkError) as caught:
        call(bar())
    assert hint in str(caught.value)


def test_an_answer_says_what_it_has():
    linear = bar().linearize()
    with pytest.raises(AttributeError, match=r"'Linearization' has no 'eigenvalues'; did you mean 'modes'\?"):
        linear.eigenvalues  # noqa: B018
    with pytest.raises(AttributeError, match=r"'Modes' has no 'frequencies'; did you mean 'omega'\?"):
        linear.modes().frequencies  # noqa: B018
    assert not hasattr(linear, "_ipython_display_")


def test_a_file_of_another_kind_is_named(tmp_path):
    bar().save(tmp_path / "bar.toml")
    bar().simulate(0.1, out=tmp_path / "bar.h5", progress=False)
    with pytest.raises(lw.FileError, match=r"not an HDF5 file; lw\.Model\.read reads models"):
        lw.load(tmp_path / "bar.toml")
    with pytest.raises(lw.FileError, match=r"it is the result of a run, which lw\.load reads"):
        lw.Model.read(tmp_path / "bar.h5")


def test_samples_further_apart_than_the_run_is_long_are_reported():
    with pytest.warns(
        lw.RunWarning, match=r"'every' is 5 s, longer than the run of 1 s: only its start and end are kept"
    ):
        assert len(bar().simulate(1.0, every=5.0, progress=False).t) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(bar().simulate(1.0, every=1.0, progress=False).t) == 2


def test_a_load_that_is_not_unique_is_said_once_and_one_that_is_never():
    run = lw.library_model("four-bar").simulate(0.1, progress=False)
    with pytest.warns(lw.RunWarning, match=r"'A.force.y' is not unique") as heard:
        run["A.force.y"], run["A.force.y"]
    assert len(heard) == 1 and "See 'Load that is not unique'" in str(heard[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run["A.force.x"]


def test_sizes_that_look_like_millimetres_are_reported():
    for shape in (lambda: lw.box(density=7850, size=(100, 100, 20)), lambda: lw.cylinder(mass=2, radius=40, length=90)):
        with pytest.warns(lw.ModelWarning, match=r"numbers are in m, so write '\d+ mm' if that is meant"):
            shape()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.box(density=7850, size=(12, 1, 0.5))
        lw.rod(mass=40, length=30)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (["simulate", "pendulum"], "There is no command 'simulate'; write: linkwork run MODEL"),
        (["run", "pendulum", "--dt", "0.1"], "(Possible options: --every, --hmax, --step)"),
        (["run", "pendulum", "--until", "1s"], "it must be a number, without its unit"),
        (["run", "arm"], "did you mean the file 'arm.toml'?"),
        (["view", "arm.toml"], "or from the model directly: linkwork run arm.toml --view"),
    ],
)
def test_the_command_line_answers_words_of_other_programs(given, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bar().save("arm.toml")
    answer = CliRunner().invoke(app, given)
    assert answer.exit_code == 2 and hint in " ".join(answer.output.split())


def test_what_other_programs_call_a_command_is_none_of_ours():
    ours = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert not set(COMMANDS) & ours and {line.split()[0] for line in COMMANDS.values()} <= ours
