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


def workshop():
    """A block that slides, a bar and a wheel that turn, a sleeve that does both, a ball in its socket."""
    m = lw.Model("m", gravity=GRAVITY)
    for x, (name, kind, body, axis) in enumerate(
        [("slide", "prismatic", "block", "x"), ("pin", "revolute", "bar", "y"), ("axle", "revolute", "wheel", "y"),
         ("sleeve", "cylindrical", "rod", "z"), ("socket", "spherical", "ball", None)]
    ):  # fmt: skip
        m.body(body, **BAR, at=(x, 0, 0))
        m.joint(kind, name, m.ground, body, at=(x, 0, 0), axis=axis)
    return m


LINK = [(0, 0, 0), (1, 0, 0)]
SECTION = {"modulus": 1e9, "shear_modulus": 1e9, "area": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "J": 1e-9}


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: m.driver("d", "socket", "t"), ("driver 'd'", "'socket' is spherical", "another kind")),
        (lambda m: m.driver("d", "sleeve", "t"), ("driver 'd'", "distance, angle", "name one of them")),
        (lambda m: m.driver("d", body="ground", coordinate="x", motion="t"), ("driver 'd'", "'ground' does not move")),
        (lambda m: m.driver("d", body="bar", motion="t"), ("driver 'd'", "coordinate is None", "x, y or z")),
        (lambda m: m.driver("d", distance="rope", motion="t"), ("driver 'd'", "no distance 'rope'")),
        (lambda m: m.driver("d", "pin", math.nan), ("driver 'd'", "motion is nan", "finite number or an expression")),
        (lambda m: m.driver("d", "pin", "coordinate(slide)"), ("driver 'd'", "how the mechanism moves", "tables")),
        (lambda m: m.driver("d", "pin", "t", since=2.0, until=1.0), ("driver 'd'", "from 2 s until 1 s", "later")),
        (lambda m: m.driver("d", "pin", "sqrt(t - 1)"), ("driver 'd'", "not finite at t = 0 s", "since")),
        (lambda m: [m.driver(f"d{k}", "pin", "t", **when) for k, when in enumerate(
            ({"until": 1.0}, {"since": 3.0}, {"since": 0.5, "until": 0.8}))], ("driver 'd2'", "driven by 'd0'")),
        (lambda m: m.driver("d", body="block", coordinate="y", motion="t"), ("driver 'd'", "contradict", "remove one")),
        (lambda m: m.gear("g", "pin", "pin", 2.0), ("gear 'g'", "'pin.angle' twice", "different")),
        (lambda m: m.gear("g", "pin", "sleeve.distance", 2.0), ("gear 'g'", "slides", "turns")),
        (lambda m: m.coupler("c", ["pin", "pin.angle"], [1, 1]), ("coupler 'c'", "'pin.angle' twice")),
        (lambda m: m.coupler("c", [], []), ("coupler 'c'", "joints", "at least 1")),
        (lambda m: m.rack_and_pinion("r", "pin", "slide", 0), ("rack and pinion 'r'", "radius is 0", "not zero")),
        (lambda m: m.friction("f", "pin", coulomb=-1), ("friction 'f'", "coulomb is -1", ">= 0")),
        (lambda m: m.stop("s", "pin", stiffness=1.0), ("stop 's'", "neither lower nor upper")),
        (lambda m: m.motor("e", "pin", "curve"), ("motor 'e'", "no table 'curve'")),
        (lambda m: m.controller("k", "pin", "1", p=1, limit=0), ("controller 'k'", "limit is 0", "> 0")),
        (lambda m: m.controller("k", "pin", "tt", p=1), ("controller 'k'", "'tt'", "did you mean 't'", "\n    tt\n")),
        (lambda m: m.torsional_spring_damper("k", "slide"), ("torsional spring damper 'k'", "turns")),
        (lambda m: m.spring_damper("k", "bar", "rod", points=LINK[:1]), ("spring damper 'k'", "points", "2 entries")),
        (lambda m: m.table("c", [0], [0]), ("table 'c'", "x is [0]", "at least 2")),
        (lambda m: m.measure("t", "1"), ("measure 't'", "means something else", "another")),
        (lambda m: m.measure("a", "coordinate(sleeve, agle)"), ("measure 'a'", "'agle'", "'angle'")),
        (lambda m: m.measure("a", "distt(bar, rod)"), ("measure 'a'", "'distt'", "'dist'", "^")),
        (lambda m: m.event("e", "x(bar) == 1"), ("event 'e'", "'=='", "'<' or '>'")),
        (lambda m: m.event("e", "x(bar) < 1", "release", driver="d"), ("event 'e'", "no driver 'd'")),
        (lambda m: m.event("e", "x(bar) < 1", "impulse", body="bar"), ("event 'e'", "[0.0, 0.0, 0.0] N s")),
        (lambda m: m.impulse("i", "bar", -1.0, impulse=(1, 0, 0)), ("impulse 'i'", "t is -1", ">= 0")),
        (lambda m: m.impulse("i", "bar", 1.0), ("impulse 'i'", "zero", "give one")),
        (lambda m: m.joint("screw", "j", "bar", "rod", at=(0, 0, 0), axis="z"),
         ("joint 'j'", "pitch is None", "screw")),
        (lambda m: m.universal("j", "bar", "rod", at=(0, 0, 0), axis="z", second_axis="z"), ("joint 'j'", "0 degrees")),
        (lambda m: m.constant_velocity("j", "bar", "rod", at=(0, 0, 0), axis="z", second_axis="-z"),
         ("joint 'j'", "opposite")),
        (lambda m: m.spherical("j", "bar", "rod", at=(0, 0, 0), start=(0, 0, 0, 0)), ("joint 'j'", "not all be zero")),
        (lambda m: m.frame("f", "bar", orientation=(0, 0, 0, 0)), ("frame 'f'", "not all be zero")),
        (lambda m: m.distance("k", "bar", "rod", points=LINK, length=0), ("distance 'k'", "length is 0", "spherical")),
        (lambda m: m.constraint("point-on-line", "k", "bar", "rod", axis="x", second_axis="y"),
         ("constraint 'k'", "second_axis", "drop it")),
        (lambda m: m.constraint("constant-angle", "k", "bar", "rod", axis="x", second_axis="y", angle=4),
         ("constraint 'k'", "angle is 4 rad", "0 to pi")),
        (lambda m: m.rolling_disc("k", "wheel", radius=1, axis="y", against="bar"), ("rolling disc 'k'", "'against'")),
        (lambda m: m.bushing("b", "bar", "rod", at=(0, 0, 0), stiffness=[1, 1, 1, 1, 1, -1]),
         ("bushing 'b'", "eigenvalue -1")),
        (lambda m: m.bushing("b", "bar", "rod", at=(0, 0, 0), stiffness=[[1, 2], 3, 4, 5, 6, 7]),
         ("bushing 'b'", "6 x 6")),
        (lambda m: m.beam("b", "bar", "rod", points=[(0, 0, 0)] * 2, **SECTION), ("beam 'b'", "length is 0", "> 0")),
        (lambda m: m.contact("c", "bar", stiffness=-1), ("contact 'c'", "stiffness is -1")),
        (lambda m: m.applied_force("f", "bar", force=(1, 2)), ("applied force 'f'", "(1, 2)", "3 entries")),
        (lambda m: m.python_force("p", lambda t, x: 1.0), ("python force 'p'", "body or a joint")),
        (lambda m: m.road("r", {"kind": "sine", "length": 1.0, "height": 0.1, "count": 2.25}),
         ("road 'r'", "count is 2.25", "whole or half")),
    ],
)  # fmt: skip
def test_every_element_refuses_what_makes_no_sense(build, words):
    m = workshop()
    with pytest.raises(lw.LinkworkError) as caught:
        build(m)
        m.simulate(0.01, progress=False)
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value)


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
        (model_text("[[impulse]]", 'name = "i"', 'body = "bar"', "t = 1", "impulse = [1, 0]"),
         ("line 17", "impulse 'i'", "[1, 0]", "3 entries")),
        (model_text("[[table]]", 'name = "cam"', 'x = "0 1"', "y = [0, 1]"), ("table 'cam'", "'0 1'", "list")),
        (model_text("[[friction]]", 'name = "f"', 'joint = "pin"', 'coulomb = "2 kg"'), ("'2 kg'", "torque")),
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
        (["run", "four-bar", "--rtol", "1"], ("'rtol' is 1", "0.1 or less")),
        (["run", "four-bar", "--plot", "a.jpg"], ("cannot write a plot", ".png or .svg")),
        (["run", "four-bar", "--out", "a.csv"], ("cannot write a run as HDF5", ".h5")),
        (["view", "four-bar"], ("is a model", "linkwork run four-bar --out run.h5")),
        (["spectrum", "arm.toml", "--channel", "x"], ("is a model", "linkwork run arm.toml --out run.h5")),
        (["export", "four-bar", "--format", "csv"], ("is a model", "--out run.h5")),
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


@pytest.mark.parametrize("verb", ["driver", "joint_force", "measure", "event", "controller", "spring_damper"])
def test_an_expression_that_cannot_be_read_is_refused_when_it_is_given(verb):
    """By every verb that takes one; a name that is not there yet may still come, but not where time alone counts."""
    model = lw.library_model("pendulum")
    given = {
        "driver": ("pin",), "joint_force": ("pin",), "measure": (), "event": (), "controller": ("pin",),
        "spring_damper": ("ground", "bar"),
    }[verb]  # fmt: skip
    key = {"controller": "target", "event": "when", "measure": "of", "driver": "motion"}.get(verb, "force")
    more = {"points": ((0, 0, 1), (0, 0, 0))} if verb == "spring_damper" else {}
    count = len(list(model.mechanism.elements()))
    for text in ("sin(t", "2*", "sinn(t) > 1"):
        with pytest.raises(lw.ModelError, match="new"):
            getattr(model, verb)("new", *given, **{key: text}, **more)
    assert len(list(model.mechanism.elements())) == count
    if verb == "driver":
        with pytest.raises(lw.ModelError, match="unknown name 'T'; did you mean 't'"):
            model.driver("new", "pin", "2*T")


def test_an_angle_of_more_than_a_turn_may_have_been_meant_in_degrees():
    model = lw.Model("m", gravity=(0, 0, 0))
    with pytest.warns(lw.errors.ModelWarning, match="30 rad, more than a turn; write '30 deg'"):
        model.body("b", lw.rod(mass=1.0, length=1.0), angle=30, axis="y")


@pytest.mark.parametrize("analysis", ["check", "simulate", "kinematics", "equilibrium", "linearize", "compare",
                                      "floquet", "stepper", "study"])  # fmt: skip
def test_a_model_without_bodies_is_refused_by_every_analysis(analysis):
    model = lw.Model("empty", gravity=(0, 0, 0))
    given = {
        "simulate": {"until": 1.0}, "kinematics": {"until": 1.0}, "compare": {"until": 1.0}, "floquet": {"period": 1.0},
        "stepper": {"dt": 0.1}, "study": {"vary": {"options.rtol": [1e-5]}, "outputs": ["energy"], "until": 1.0},
    }.get(analysis, {})  # fmt: skip
    with pytest.raises(lw.ModelError, match="'empty': it has no bodies"):
        getattr(model, analysis)(**given)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[body]\nname = 'a'\n[body]\nname = 'b'\n", "the table [body] comes twice (at line 3, column 6); elements"),
        ('name = "a\nduration = 1\n', "a text without its closing quote (at line 1"),
        ("name = 'a'\n", "'gravity' is missing; give it, as in gravity = [0, 0, -9.81]"),
    ],
)
def test_frequent_slips_in_files_are_called_what_they_are(text, words, tmp_path):
    (tmp_path / "m.toml").write_text(text)
    with pytest.raises(lw.LinkworkError) as caught:
        lw.Model.read(tmp_path / "m.toml")
    assert words in str(caught.value)
