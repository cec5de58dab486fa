"""What used to be taken without a word, or answered unclearly: options without effect, options twice, names taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer import BadParameter
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.simulate.dynamics import OF_ADAPTIVE, Options
from linkwork.cli import app
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import LIBRARY

G = 9.81
ROOT = Path(__file__).parents[2]
COMMANDS = get_command(app)
assert isinstance(COMMANDS, TyperGroup)


def refused(*words: str) -> str:
    answer = CliRunner().invoke(app, list(words))
    assert answer.exit_code == 2, answer.output
    return " ".join(answer.output.split())


@pytest.mark.parametrize("integrator", [name for name, one in INTEGRATORS.items() if not one.adaptive])
@pytest.mark.parametrize("option", OF_ADAPTIVE)
def test_options_of_error_control_are_refused_with_a_fixed_step(integrator, option, tmp_path):
    """In Python, in a study and its file, on the command line; also with the value of the default."""
    model, sentence = lw.library_model("pendulum"), f"option '{option}' is 1e-06, but integrator '{integrator}' takes"
    given = {"integrator": integrator, "step": 1e-3, option: 1e-6}
    for call in (
        lambda: model.simulate(0.01, **given),
        lambda: model.compare(0.01, methods=["lu"], **given),
        lambda: model.loads(["pin"], 0.01, **given),
        lambda: model.stepper(0.01, **given),
        lambda: model.study({"bar.mass": [1.0, 2.0]}, "end(pin.angle)", 0.01, progress=False, **given),
    ):
        with pytest.raises(lw.OptionError, match=sentence):
            call()
    if option != "atol":  # which no command has
        assert sentence in refused(
            "run", "pendulum", "--integrator", integrator, "--step", "1e-3", f"--{option}", "1e-6"
        )
    model.loads(["pin"], 0.01, integrator=integrator, step=1e-3)  # whose own tolerance is left out
    model.stepper(0.01, integrator=integrator, step=1e-3)


@pytest.mark.parametrize("rtol", [1e-14, 1e-20, 5e-324])
def test_a_tolerance_below_rounding_is_refused(rtol):
    with pytest.raises(lw.OptionError, match=r"'rtol' is .*; it must be 1e-13 or more \(below it rounding decides"):
        lw.library_model("pendulum").simulate(0.01, rtol=rtol)
    assert "it must be 1e-13 or more" in refused("run", "pendulum", "--until", "0.1", "--rtol", str(rtol))
    assert Options(1.0, rtol=1e-13).rtol == 1e-13


@pytest.mark.parametrize("command", COMMANDS.commands)
def test_an_option_that_takes_one_value_is_refused_twice(command):
    """Every option of every command, whether the two agree or not."""
    context = COMMANDS.make_context("linkwork", [command], resilient_parsing=True)
    named = COMMANDS.get_command(context, command)
    for option in named.params:
        if option.param_type_name == "option" and not option.multiple:
            words = [option.opts[0]] if option.is_flag else [option.opts[0], "1"]
            with pytest.raises(BadParameter, match="it is given twice; give it once"):
                named.make_context(command, [*words, *words], parent=context)


def test_a_setting_is_refused_twice():
    assert "--set: 'length' is given twice" in refused("run", "pendulum", "--set", "length=1", "--set", "length=2")


@pytest.mark.parametrize("kind", ["body", "frame", "joint", "measure", "table"])
def test_a_name_that_is_taken_is_refused_where_the_element_is_made(kind):
    fields = {
        "body": {"mass": 1.0, "inertia": (1, 1, 1)}, "frame": {"body": "bar"}, "measure": {"of": "t"},
        "joint": {"kind": "revolute", "between": ("ground", "bar"), "at": (0, 0, 0), "axis": "y"},
        "table": {"x": [0, 1], "y": [0, 1]},
    }[kind]  # fmt: skip
    model = lw.library_model("pendulum")
    for name, sentence in (("bar", "is taken by a body"), ("pin", "is taken by a joint"), ("ground", "belongs to the")):
        with pytest.raises(lw.ModelError, match=f"'{name}': this name {sentence}"):
            model.add(kind, name, **fields)
    model.add(kind, "new", **fields)
    with pytest.raises(lw.ModelError, match="'new': this name is taken"):
        model.add(kind, "new", **fields)
    model.remove("new")
    model.add(kind, "new", **fields)


def test_what_an_element_names_may_come_later():
    model = lw.Model("p", gravity=(0, 0, -G))
    model.revolute("pin", "ground", "bar", at=(0, 0, 0), axis="y")
    with pytest.raises(lw.ModelError, match=r"test_small_wrongs.py, line \d+: joint 'pin': there is no body 'bar'"):
        model.check()
    model.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    assert model.check().dof == 1


def test_solids_are_parts_of_a_composite_where_they_are():
    rod, ball = lw.rod(mass=1.0, length=1.0), lw.sphere(mass=2.0, radius=0.1)
    shape = lw.composite(rod, lw.part(ball, at=(1, 0, 0)))
    assert shape == lw.composite(lw.part(rod), lw.part(ball, at=(1, 0, 0)))
    assert shape.centre == pytest.approx((2.0 / 3.0, 0, 0))
    for wrong in ([rod, ball], "rod", shape, lw.rod, 3.0):
        with pytest.raises(lw.ModelError, match=r"composite: \w+ is not a solid; give solids, rod\(\.\.\.\), or part"):
            lw.composite(wrong)


@pytest.mark.parametrize("name", LIBRARY)
def test_a_library_model_knows_its_parameters(name):
    """As `lw.study` and `--set` do; fields given before stay, and a changed model has parameters no longer."""
    entry, model = LIBRARY[name], lw.library_model(name)
    for parameter, value in entry.parameters.items():
        other = value * 0.99 if isinstance(value, float) else value
        again = model.with_settings({parameter: other})
        assert again.mechanism == lw.library_model(name, {parameter: other}).mechanism
        assert again.with_settings({parameter: value}).mechanism == model.mechanism
    with pytest.raises(lw.OptionError, match=f"model '{name}' has no parameter 'nothing'"):
        model.with_settings({"nothing": 1.0})
    model.body("one more", mass=1.0, inertia=(1, 1, 1))
    for parameter in entry.parameters:
        with pytest.raises(
            lw.OptionError, match=r"only a model of a file or of the library has parameters, |it is a [\w ]+;"
        ):
            model.with_settings({parameter: 1.0})


def test_models_of_the_library_and_of_files_are_studied_by_their_parameters(tmp_path):
    model, vary, output = lw.library_model("pendulum"), {"length": [0.5, 2.0]}, "end(pin.angle)"
    alike = lw.study("pendulum", vary, output, 0.2, progress=False)
    found = model.study(vary, output, 0.2, progress=False)
    assert (found[output] == alike[output]).all()
    assert found.varied_units["length"] == alike.varied_units["length"] == "m"
    model.save(tmp_path / "swing.toml")
    read = lw.Model.read(tmp_path / "swing.toml")
    assert read.study(vary, output, 0.2, progress=False)[output] == pytest.approx(found[output], rel=1e-9)
    slopes = model.gradient([output], ["length"], until=0.2)
    assert slopes.gradient.shape == (1, 1) and np.isfinite(slopes.gradient).all()
    heavy = model.with_settings({"bar.mass": 3.0})
    assert heavy.with_settings({"length": 2.0}).mechanism.body[0].shape.mass == 3.0


def geared(ratio: float, radius: float) -> lw.Model:
    """A falling weight on a rope around a drum, which a gear couples to a flywheel; a coupler to another weight."""
    model = lw.Model("geared", gravity=(0, 0, -G), duration=0.2)
    model.body("drum", lw.cylinder(radius=radius, length=0.1, mass=4.0, axis="y"))
    model.body("wheel", lw.cylinder(radius=0.2, length=0.1, mass=5.0, axis="y"), at=(1, 0, 0))
    model.body("weight", lw.box((0.1, 0.1, 0.1), mass=3.0), at=(-radius, 0, -1))
    model.body("other", lw.box((0.1, 0.1, 0.1), mass=1.0), at=(2, 0, -1))
    model.revolute("axle", "ground", "drum", at=(0, 0, 0), axis="-y")
    model.revolute("shaft", "ground", "wheel", at=(1, 0, 0), axis="-y")
    model.prismatic("fall", "ground", "weight", at=(-radius, 0, -1), axis="-z")
    model.prismatic("slide", "ground", "other", at=(2, 0, -1), axis="x")
    model.rack_and_pinion("rope", "axle", "fall", radius=radius)
    model.gear("gear", "axle", "shaft", ratio)
    model.coupler("tie", ["slide", "axle"], [2.0, -0.3])
    model.measure("pull", "rope.force")
    return model


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_couplings_have_loads_as_channels(seed, formulation):
    """Against Newton's second law of what hangs on them."""
    random = np.random.default_rng(seed)
    ratio, radius = random.choice([-1, 1]) * random.uniform(0.5, 3.0), random.uniform(0.05, 0.5)
    run = geared(ratio, radius).simulate(formulation=formulation, rtol=1e-9)
    weight = 3.0 * (run["fall.speed.dot"] - G)  # the force on the rack along its coordinate, downwards
    assert run["rope.force"] == pytest.approx(weight, rel=1e-8)
    assert run["pull"] == pytest.approx(weight, rel=1e-8)
    assert run["gear.torque"] == pytest.approx(0.5 * 5.0 * 0.04 * run["shaft.rate.dot"], rel=1e-8)
    assert run["tie.force"] == pytest.approx(1.0 * run["slide.speed.dot"], rel=1e-8)
    units = {name: run.result.unit(name) for name in run.channels}
    assert (units["rope.force"], units["gear.torque"], units["tie.force"]) == ("N", "N m", "N")
    assert not [name for name, unit in units.items() if ".lam." in name and not unit]


def test_the_version_is_that_of_the_newest_section_of_the_changelog():
    newest = next(line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    version, unreleased = newest.split()[1], newest.endswith("(unreleased)")
    assert lw.__version__ == (f"{version}.dev0" if unreleased else version)


def test_a_model_file_made_of_a_robot_has_no_parameter_without_effect(tmp_path):
    """Stops are made when the robot is read; in the file that is written they are elements."""
    (tmp_path / "arm.sdf").write_text(
        "<sdf version='1.9'><model name='m'><link name='arm'><inertial><mass>1</mass></inertial></link><joint name='a' "
        "type='revolute'><parent>world</parent><child>arm</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower>"
        "<upper>1</upper></limit></axis></joint></model></sdf>"
    )
    with pytest.warns(lw.ModelWarning):
        lw.Model.read(tmp_path / "arm.sdf").save(tmp_path / "soft.toml")
    lw.Model.read(tmp_path / "arm.sdf", {"stop_stiffness": 1e4}).save(tmp_path / "stopped.toml")
    assert "parameters" not in (tmp_path / "soft.toml").read_text() + (tmp_path / "stopped.toml").read_text()
    assert "stop" in (tmp_path / "stopped.toml").read_text()
    with pytest.raises(lw.OptionError, match="has no parameter 'stop_stiffness'"):
        lw.Model.read(tmp_path / "soft.toml", {"stop_stiffness": 1e4})


@pytest.mark.parametrize("shapes", [{"supports": {"1": "clamped"}}, {"supports": {}}, {"interfaces": ("1", "11")}])
@pytest.mark.parametrize("modes", [-2, 0, (), (0,), (1, -1), (1, 1), (2, 3, 2)])
def test_modes_of_a_flexible_body_that_do_not_exist_are_refused_in_words_of_ours(modes, shapes):
    beam = lw.beam(length=1.0, width=0.01, height=0.01, material="steel", modes=modes, **shapes)
    with pytest.raises(lw.ModelError, match=r"body 'b': .*modes is .*; give how many, 1 or more, or their numbers"):
        lw.Model("m", gravity=(0, 0, 0)).body("b", flexible=beam)


WITH_RESUME = {"channel", "plot", "report", "view", "page", "as_json", "resume", "context"}
ON_THE_LINE = {"model": "pendulum", "settings": "--set bar.mass=2", "option": "--option a=1", "out": "--out b.h5"}


@pytest.mark.parametrize("name", sorted({one.name for one in COMMANDS.commands["run"].params} - WITH_RESUME - {"help"}))
def test_what_a_resumed_run_cannot_heed_is_refused(name, tmp_path):
    """Every option of `run`: it belongs to the file of the run, or it is about what is shown of it."""
    (parameter,) = (one for one in COMMANDS.commands["run"].params if one.name == name)
    given = ON_THE_LINE.get(name, parameter.opts[0] + ("" if getattr(parameter, "is_flag", False) else " 1"))
    assert "with --resume: the run goes on as it began" in refused(
        "run", *given.split(), "--resume", str(tmp_path / "a.h5")
    )


def test_a_run_starts_from_equilibrium_or_not_as_the_command_line_says(tmp_path):
    """A sprung mass: at rest where the spring carries it, or where it is modelled; as in the model without a word."""
    model = lw.Model("sprung", gravity=(0, 0, -G), duration=0.1, from_equilibrium=True)
    model.body("block", lw.sphere(mass=2.0, radius=0.1), at=(0, 0, 0))
    model.prismatic("guide", model.ground, "block", at=(0, 0, 0), axis="z")
    model.spring_damper("spring", model.ground, "block", points=((0, 0, 1), (0, 0, 0)), stiffness=100.0)
    model.save(tmp_path / "sprung.toml")
    for words, moves in (((), False), (("--from-equilibrium",), False), (("--no-from-equilibrium",), True)):
        out = str(tmp_path / "run.h5")
        answer = CliRunner().invoke(app, ["run", str(tmp_path / "sprung.toml"), "--out", out, *words])
        assert answer.exit_code == 0, answer.output
        assert (np.ptp(lw.load(out)["guide.distance"]) > 1e-3) == moves, words
