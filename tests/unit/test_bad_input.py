"""Bad input: exit code 2 and one sentence with element, value and remedy; never a traceback."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app

GRAVITY = (0.0, 0.0, -9.81)
BAR = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def bar(**changes):
    return lw.Model("m", gravity=GRAVITY).body("bar", **(BAR | changes))


def hinged(**joint):
    m = lw.Model("m", gravity=GRAVITY)
    m.body("bar", **BAR)
    m.revolute("pin", m.ground, "bar", **({"at": (0, 0, 0), "axis": "y"} | joint))
    return m.mechanism


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: bar(mass=math.nan), ("body 'bar'", "mass", "nan", "finite")),
        (lambda: bar(mass=math.inf), ("body 'bar'", "mass", "inf", "finite")),
        (lambda: bar(mass=0.0), ("body 'bar'", "mass is 0 kg", "> 0")),
        (lambda: bar(mass=-2.0), ("body 'bar'", "mass is -2 kg", "> 0")),
        (lambda: bar(mass="heavy"), ("body 'bar'", "mass", "'heavy'", "number")),
        (lambda: bar(inertia=(1.0, 1.0, 3.0)), ("body 'bar'", "1, 1, 3", "sum of the other two")),
        (lambda: bar(inertia=(1.0, -1.0, 1.0)), ("body 'bar'", "principal value -1", "> 0")),
        (lambda: bar(inertia=((1, 0.5, 0), (0, 1, 0), (0, 0, 1))), ("body 'bar'", "not symmetric")),
        (lambda: bar(orientation=(0, 0, 0, 0)), ("body 'bar'", "orientation", "zero")),
        (lambda: lw.Model("m", gravity=GRAVITY).body("bar"), ("body 'bar'", "no mass", "shape")),
        (lambda: bar(colour="red"), ("body 'bar'", "unknown key 'colour'")),
        (lambda: lw.rod(length=-1.0, mass=1.0), ("rod", "length is -1", "> 0")),
        (lambda: hinged(axis=(0, 0, 0)), ("joint 'pin'", "axis", "[0.0, 0.0, 0.0]", "zero axis")),
        (lambda: hinged(axis="w"), ("joint 'pin'", "axis", "'w'", "'x', 'y', 'z'")),
        (lambda: hinged(axis=None), ("joint 'pin'", "needs an axis")),
        (lambda: hinged(at=None), ("joint 'pin'", "no place")),
        (lambda: hinged(start=(1.0, 2.0)), ("joint 'pin'", "start has 2", "angle")),
    ],
)  # fmt: skip
def test_one_sentence_that_names_element_value_and_remedy(build, words):
    with pytest.raises((lw.ModelError, ValueError)) as caught:
        build()
    text = str(caught.value)
    for word in words:
        assert word in text


def model_text(*more: str, joint: str = '"ground", "bar"') -> str:
    return "\n".join(
        [
            'name = "test"', "gravity = [0, 0, -9.81]",
            "[[body]]", 'name = "bar"', 'shape = {kind = "rod", mass = 1.0, length = 1.0}', "at = [0.5, 0, 0]",
            "[[joint]]", 'name = "pin"', 'kind = "revolute"', f"between = [{joint}]", "at = [0, 0, 0]", 'axis = "y"',
            *more,
        ]
    )  # fmt: skip


DRIVER = ("[[driver]]", 'name = "motor"', 'joint = "pin"')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (model_text(joint='"ground", "bra"'), ("joint 'pin'", "no body 'bra'", "did you mean 'bar'?")),
        (model_text(joint='"bar", "bar"'), ("joint 'pin'", "with itself")),
        (model_text("[[body]]", 'name = "bar"', "mass = 1", "inertia = [1, 1, 1]"), ("body 'bar'", "taken")),
        (model_text("[[body]]", 'name = "ground"', "mass = 1", "inertia = [1, 1, 1]"), ("'ground'", "world")),
        (model_text("[[boddy]]", 'name = "x"'), ("unknown key 'boddy'", "did you mean 'body'")),
        (model_text("[[body]]", 'name = "x"', "mass = nan", "inertia = [1, 1, 1]"), ("body 'x'", "mass", "nan")),
        (model_text(*DRIVER, 'motion = "sin(t"'), ("driver 'motor'", "^")),
        (model_text(*DRIVER, 'motion = "sin(x)"'), ("driver 'motor'", "x", "^")),
        (model_text(*DRIVER, "motion = \"__import__('os')\""), ("driver 'motor'", "^")),
        (model_text(*DRIVER, 'motion = "t"', *DRIVER[:1], 'name = "m2"', *DRIVER[2:], 'motion = "2*t"'),
         ("driver 'm2'", "already driven by 'motor'")),
        (model_text("[[driver]]", 'name = "d"', 'joint = "pinn"', 'motion = "t"'), ("no joint 'pinn'", "'pin'")),
        (model_text(*DRIVER, 'coordinate = "angel"', 'motion = "t"'), ("'angel'", "did you mean 'angle'")),
        ("name = 'x'\ngravity = [0, 0", ("not valid TOML", "line")),
        ("name = 'x'", ("'gravity' is missing",)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["run", "check"])
def test_the_command_line_exits_with_2_and_the_same_sentence(command, text, words, tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(text)
    more = ["--until", "0.01"] if command == "run" else []
    answer = CliRunner().invoke(app, [command, str(path), *more, "--json"])
    assert answer.exit_code == 2, answer.output
    told = json.loads(answer.stdout)
    assert told["error"]["message"]
    for word in words:
        assert word in told["error"]["message"]
    assert "Traceback" not in answer.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "four-bra"], ("no model 'four-bra'", "four-bar")),
        (["run", "nowhere.toml"], ("no file 'nowhere.toml'",)),
        (["run", "four-bar", "--method", "parametrisation"], ("no method", "'parametrization'")),
        (["run", "four-bar", "--method", "articulated"], ("open trees only", "auto")),
        (["run", "pendulum", "--method", "parametrization"], ("has none", "auto")),
        (["run", "four-bar", "--integrator", "rk5"], ("no integrator 'rk5'", "'rk4'")),
        (["run", "four-bar", "--integrator", "rk4"], ("fixed step", "step")),
        (["run", "four-bar", "--formulation", "joints"], ("no formulation 'joints'", "'joint'")),
        (["run", "four-bar", "--until", "-1"], ("'until' is -1", "> 0")),
        (["run", "four-bar", "--rtol", "nan"], ("'rtol' is nan",)),
        (["run", "four-bar", "--until", "0.01", "--channel", "coupler.position.w"], ("no channel", "coupler.position")),
        (["run", "four-bar", "--set", "angel=3"], ("no parameter 'angel'", "'angle'")),
        (["run", "four-bar", "--set", "angle"], ("NAME=NUMBER",)),
        (["run", "four-bar", "--method", "lu", "--option", "rank_cot=1"], ("no option 'rank_cot'", "'rank_cut'")),
        (["run", "four-bar", "--method", "lu", "--option", "rank_cut"], ("--option rank_cut", "NAME=NUMBER")),
        (["compare", "four-bar", "--method", "lu", "--option", "alpha=1"], ("option 'alpha'",)),
    ],
)
def test_bad_options_exit_with_2(arguments, words):
    answer = CliRunner().invoke(app, [*arguments, "--json"])
    assert answer.exit_code == 2, answer.output
    message = json.loads(answer.stdout)["error"]["message"]
    for word in words:
        assert word in message


def test_an_impossible_assembly_says_what_stays_open(tmp_path):
    m = lw.Model("short", gravity=GRAVITY)
    m.body("a", **BAR, at=(0.5, 0, 0))
    m.body("b", **BAR, at=(1.5, 0, 0))
    m.frame("a end", "a", at=(0.5, 0, 0))
    m.frame("b start", "b", at=(-0.5, 0, 0))
    m.frame("b end", "b", at=(0.5, 0, 0))
    m.frame("wall", m.ground, at=(5.0, 0, 0))
    m.spherical("pin", m.ground, "a", at=(0, 0, 0))
    m.spherical("elbow", "a", "b", frames=("a end", "b start"))
    m.spherical("far", "b", m.ground, frames=("b end", "wall"))
    with pytest.raises(lw.AssemblyError) as caught:
        m.simulate(0.1)
    assert "far" in str(caught.value) or "elbow" in str(caught.value)
    assert "by 3 m" in str(caught.value)
