"""Model files: one schema in three formats, parameters, quantities, includes, settings; errors with line and key."""

from __future__ import annotations

import json
import math
import tomllib
import warnings

import jsonschema
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.files.schema import schema
from linkwork.library import LIBRARY

MODEL = """\
name = "wiper"
gravity = [0, 0, "-g"]
duration = "500 ms"

[parameters]
g = 9.81
L = "25 cm"
rho = "2 kg/m"
amplitude = "10 deg"
half = "L/2"

[parameters.crank]
mass = "2*rho*L"

[[body]]
name = "bar"
shape = {kind = "rod", mass = "crank.mass", length = "L"}
at = ["half", 0, 0]
orientation = {axis = "y", angle = 0}

[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = "y"

[[driver]]
name = "motor"
joint = "pin"
motion = "amplitude*sin(2*pi*t)"
"""


def written(folder, text=MODEL, name="model.toml"):
    path = folder / name
    path.write_text(text)
    return path


# ------------------------------------------------------------------------------------------------ what files can say


def test_parameters_quantities_and_expressions_become_si_numbers(tmp_path):
    m = lw.Model.read(written(tmp_path)).mechanism
    bar = m.body[0]
    assert m.gravity == (0.0, 0.0, -9.81)
    assert m.duration == 0.5
    assert (bar.shape.length, bar.shape.mass, bar.at) == (0.25, 1.0, (0.125, 0.0, 0.0))
    assert m.driver[0].motion == f"({math.radians(10)})*sin(2*pi*t)"


def test_the_three_formats_say_the_same(tmp_path):
    data = tomllib.loads(MODEL)
    toml = lw.Model.read(written(tmp_path)).mechanism
    assert lw.Model.read(written(tmp_path, json.dumps(data), "m.json")).mechanism == toml
    assert lw.Model.read(written(tmp_path, yaml.safe_dump(data), "m.yaml")).mechanism == toml


def test_a_driver_with_parameters_moves_the_joint(tmp_path):
    run = lw.Model.read(written(tmp_path)).simulate(0.25, progress=False)
    assert run["pin.angle"][-1] == pytest.approx(math.radians(10), abs=1e-9)


@pytest.mark.parametrize(
    ("said", "si"),
    [
        ("2 lb", 0.90718474), ("1.5 t", 1500.0), ("3e2 g", 0.3), ("1/4", 0.25), ("-2 + 3", 1.0), ("sqrt(4)", 2.0),
    ],
)  # fmt: skip
def test_the_python_interface_takes_quantities_too(said, si):
    model = lw.Model("m", gravity=(0, 0, "-32.174 ft/s2"))
    model.body("bar", lw.rod(mass=said, length="10 in"), at=("5 in", 0, 0), angle="30 deg", axis="y")
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y", rate="1500 rpm")
    model.torsional_spring_damper("spring", "pin", stiffness="1 N*m/deg", free_angle="0.25 turn")
    m = model.mechanism
    assert m.gravity[2] == pytest.approx(-32.174 * 0.3048, rel=1e-15)
    assert (m.body[0].shape.mass, m.body[0].shape.length) == pytest.approx((si, 0.254), rel=1e-15)
    assert 2.0 * math.acos(m.body[0].orientation[0]) == pytest.approx(math.pi / 6, rel=1e-12)
    assert m.joint[0].rate == pytest.approx(50.0 * math.pi, rel=1e-15)
    spring = m.torsional_spring_damper[0]
    assert (spring.stiffness, spring.free_angle) == pytest.approx((180.0 / math.pi, math.pi / 2), rel=1e-15)


def test_settings_give_parameters_and_fields(tmp_path):
    path = written(tmp_path)
    m = lw.Model.read(path, {"L": "50 cm", "bar.length": "2*L", "pin.at.0": "1 mm", "crank.mass": 3}).mechanism
    assert (m.body[0].shape.length, m.body[0].shape.mass, m.body[0].at[0]) == (1.0, 3.0, 0.25)
    assert m.joint[0].at == (0.001, 0.0, 0.0)
    options = ["--set", "bar.mass=2 lb", "--set", "pin.axis=z", "--set", "bar.at=[0.1, 0, '1 in']", "--out"]
    answer = CliRunner().invoke(app, ["new", str(path), *options, str(tmp_path / "copy.yaml")])
    assert answer.exit_code == 0, answer.output
    copy = lw.Model.read(tmp_path / "copy.yaml").mechanism
    assert (copy.body[0].mass_kg, copy.body[0].at) == (pytest.approx(0.90718474), (0.1, 0.0, 0.0254))
    assert copy.joint[0].axis == (0.0, 0.0, 1.0)


def test_library_models_take_fields_and_expressions():
    model = lw.library_model("four-bar", {"angle": "60/2", "crank.density": "2 g/cm3"})
    assert model.mechanism.body[0].shape.density == pytest.approx(2000.0)
    assert model.mechanism.body[1].shape.density == 8910.0
    plain = lw.library_model("four-bar", {"angle": 30.0})
    assert model.mechanism.joint == plain.mechanism.joint


def test_includes_with_prefixes_and_their_own_parameters(tmp_path):
    (tmp_path / "parts").mkdir()
    written(
        tmp_path,
        'include = [{file = "arm.toml", prefix = "upper ", parameters = {side = 1, reach = "L"}},\n'
        '           {file = "arm.toml", prefix = "lower ", parameters = {side = -1}}]\n'
        "gravity = [0, 0, 0]\n[parameters]\nL = 2\n",
        "parts/pair.toml",
    )
    written(
        tmp_path,
        '[parameters]\nside = 0\nreach = "1 m"\ngain = 5\n[[body]]\nname = "arm"\nmass = 1\ninertia = [1, 1, 1]\n'
        'at = [0, "side*reach", 0]\n[[joint]]\nname = "pin"\nkind = "revolute"\nbetween = ["ground", "arm"]\n'
        'at = [0, "side", 0]\naxis = "z"\n[[driver]]\nname = "motor"\njoint = "pin"\nmotion = "gain*t"\n',
        "parts/arm.toml",
    )
    top = written(tmp_path, 'include = [{file = "parts/pair.toml", prefix = "left_"}]\ngravity = [0, 0, -1]\n'
                            '[parameters]\ngain = 7\n')  # fmt: skip
    m = lw.Model.read(top).mechanism
    assert m.gravity == (0.0, 0.0, -1.0)  # the including file's, not the included one's
    assert [(b.name, b.at[1]) for b in m.body] == [("left_upper arm", 2.0), ("left_lower arm", -1.0)]
    assert [j.between[1] for j in m.joint] == ["left_upper arm", "left_lower arm"]
    assert [(d.joint, d.motion) for d in m.driver] == [("left_upper pin", "(7.0)*t"), ("left_lower pin", "(7.0)*t")]
    assert lw.Model.read(top, {"gain": 9}).mechanism.driver[0].motion == "(9.0)*t"


def test_expressions_of_things_keep_their_names_and_their_own_variables(tmp_path):
    """A parameter replaces neither an element that is spoken of nor q and v of a force; a prefix renames elements."""
    written(
        tmp_path,
        '[parameters]\nA = 2\nv = 3\n[[body]]\nname = "A"\nmass = "v"\ninertia = [1, 1, 1]\n[[frame]]\nname = "far"\n'
        'body = "ground"\nat = ["A", 0, 0]\n[[joint]]\nname = "pin"\nkind = "revolute"\nbetween = ["ground", "A"]\n'
        'at = [0, 0, 0]\naxis = "z"\n[[measure]]\nname = "gap"\nof = "A*dist(A, far)"\n[[joint_force]]\n'
        'name = "brake"\njoint = "pin"\nforce = "-A*v"\n[[event]]\nname = "near"\nwhen = "dist(A, far) < A"\n',
        "part.toml",
    )
    top = written(tmp_path, 'gravity = [0, 0, 0]\ninclude = [{file = "part.toml", prefix = "left "}]\n')
    m = lw.Model.read(top).mechanism
    assert m.measure[0].of == "(2.0)*dist('left A', 'left far')"
    assert (m.joint_force[0].joint, m.joint_force[0].force) == ("left pin", "-(2.0)*v")
    assert m.event[0].when == "dist('left A', 'left far') < (2.0)"
    assert m.body[0].mass == 3.0


# ---------------------------------------------------------------------------------------------- writing, reading back


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("suffix", [".toml", ".yaml", ".json"])
def test_every_library_model_can_be_written_and_read_back(name, suffix, tmp_path):
    path = tmp_path / f"copy{suffix}"
    answer = CliRunner().invoke(app, ["new", name, "--out", str(path), "--json"])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["file"] == str(path)
    model, copy = lw.library_model(name), lw.Model.read(path)
    assert copy.mechanism == model.mechanism
    load = {".toml": tomllib.loads, ".yaml": yaml.safe_load, ".json": json.loads}[suffix]
    jsonschema.validate(load(path.read_text()), schema())
    if suffix == ".toml":
        with warnings.catch_warnings():  # a library model starts without a word
            warnings.simplefilter("error", lw.RunWarning)
            runs = [m.simulate(0.01, progress=False) for m in (model, copy)]
        np.testing.assert_array_equal(runs[0].result.q, runs[1].result.q)


def test_the_schema_takes_what_the_reader_takes_and_knows_the_units():
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    jsonschema.validate(tomllib.loads(MODEL), made)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(MODEL.replace("[[joint]]", "[[jiont]]")), made)
    assert made["$defs"]["Body"]["properties"]["mass"]["unit"] == "kg"
    assert made["$defs"]["Joint"]["properties"]["start"]["unit"] == "rad or m"


def test_a_copy_does_not_overwrite(tmp_path):
    path = written(tmp_path)
    answer = CliRunner().invoke(app, ["new", "pendulum", "--out", str(path)])
    assert answer.exit_code == 2
    assert "exists already" in answer.output
    assert path.read_text() == MODEL


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ('"ground", "bar"', '"ground", "bra"', ("line 24", "key 'between'", "no body 'bra'", "did you mean 'bar'?")),
        ('length = "L"', 'length = "3 kg"', ("line 17", "key 'length'", "'3 kg'", "a length, e.g. '3 m'")),
        ('length = "L"', 'lenght = "L"', ("line 17", "unknown key 'lenght'", "did you mean 'length'?")),
        ('length = "L"', 'length = "3 mtr"', ("line 17", "no unit 'mtr'", "a length, e.g. '3 m'")),
        ('mass = "crank.mass"', 'mass = "50 Hz"', ("'50 Hz'", "a mass, e.g. '50 kg'")),
        ('half = "L/2"', 'half = "2*more"\nmore = "half + 1"', ("line 10", "half -> more -> half",)),
        ('half = "L/2"', 'half = "L/"', ("line 10", "key 'half'", "^")),
        ('half = "L/2"', 'half = "L*t"', ("line 10", "depends on the time t")),
        ('half = "L/2"', "half = true", ("line 10", "'half' is True", "must be a number")),
        ('half = "L/2"', "pi = 3", ("line 10", "'pi'", "choose another")),
        ('at = ["half"', 'at = ["halv"', ("line 18", "key 'at'", "unknown name 'halv'", "did you mean 'half'?", "^")),
        ('"amplitude*sin', '"amplitud*sin', ("line 31", "key 'motion'", "driver 'motor'", "'amplitude'", "^")),
        ('"amplitude*sin', '"amplitude*sun', ("line 31", "driver 'motor'", "did you mean 'sin'", "^")),
        ("[[joint]]", "[[jiont]]", ("line 21", "unknown key 'jiont'", "did you mean 'joint'")),
        ("[[driver]]", "[driver]", ("line 28", "must be a list", "[[driver]]")),
        ('"revolute"', '"revolut"', ("line 23", "key 'kind'", "joint 'pin'", "did you mean 'revolute'?")),
        ('kind = "rod"', 'kind = "rodd"', ("line 17", "body 'bar'", "'rodd'", "did you mean 'rod'?")),
        ("angle = 0", 'angle = "3 m"', ("line 19", "body 'bar'", "an angle, e.g. '3 rad'")),
        ('axis = "y", angle', 'axes = "y", angle', ("line 19", "unknown key 'axes'", "'axis'")),
        ('name = "motor"', 'name = "bar"', ("line 28", "driver 'bar'", "taken")),
        ('name = "wiper"', 'include = ["/etc/model.toml"]', ("line 1", "outside the model's folder")),
        ('name = "wiper"', 'include = ["../model.toml"]', ("line 1", "outside the model's folder")),
        ('name = "wiper"', 'include = ["modle.yaml"]', ("line 1", "no file 'modle.yaml'", "'model.toml'")),
        ('name = "wiper"', 'include = ["model.toml"]', ("line 1", "model.toml -> model.toml", "cycle")),
    ],
)  # fmt: skip
def test_an_error_names_the_line_the_key_and_the_nearest_name(good, bad, words, tmp_path):
    assert good in MODEL
    answer = CliRunner().invoke(app, ["check", str(written(tmp_path, MODEL.replace(good, bad, 1))), "--json"])
    assert answer.exit_code == 2, answer.output
    message = json.loads(answer.stdout)["error"]["message"]
    assert message.startswith("model.toml")
    for word in words:
        assert word in message


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_lines_are_found_in_yaml_and_json_too(suffix, tmp_path):
    data = tomllib.loads(MODEL)
    data["joint"][0]["between"][1] = "bra"
    text = yaml.safe_dump(data) if suffix == ".yaml" else json.dumps(data, indent="\t")
    path = written(tmp_path, text, f"model{suffix}")
    with pytest.raises(lw.ModelError) as caught:
        lw.Model.read(path)
    line = 1 + next(i for i, row in enumerate(text.splitlines()) if "bra" in row)
    assert f"model{suffix}, line {line}, key 'between': joint 'pin'" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("m.yaml", "name: x\n  bad: [", ("not valid YAML", "line 2")),
        ("m.yaml", "name: x\nname: y\n", ("comes twice", "'name'")),
        ("m.json", '{"name": "x",}', ("not valid JSON", "line 1")),
        ("m.json", '{"name": "x", "name": "y"}', ("comes twice",)),
        ("m.json", "[1, 2]", ("not list",)),
        ("m.toml", "gravity = [0, 0", ("not valid TOML", "line")),
        ("m.yaml", "gravity: [0, 0, 0]\nbody: [3]", ("line 2", "must be a table")),
    ],
)
def test_what_is_no_such_file_is_refused(name, text, words, tmp_path):
    with pytest.raises(lw.LinkworkError) as caught:
        lw.Model.read(written(tmp_path, text, name))
    for word in words:
        assert word in str(caught.value)


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    inside = tmp_path / "model"
    inside.mkdir()
    written(tmp_path, "gravity = [0, 0, 0]\n", "secret.toml")
    (inside / "part.toml").symlink_to(tmp_path / "secret.toml")
    with pytest.raises(lw.ModelError, match="outside the model's folder"):
        lw.Model.read(written(inside, 'include = ["part.toml"]\n'))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("half2=1", ("no parameter 'half2'", "'half'")),
        ("L=1 kgg", ("'L'", "no unit 'kgg'")),
        ("bra.mass=1", ("no element 'bra'", "did you mean 'bar'?")),
        ("bar.masss=1", ("no 'masss'", "'mass'")),
        ("bar.at.3=1", ("no entry '3'", "0 to 2")),
        ("bar.mass=1 m", ("bar", "a mass, e.g. '1 kg'")),
        ("bar.at=[1, 2", ("cannot be read",)),
        ("bar.mass", ("NAME=NUMBER",)),
        ("pin.between=[ground, x]", ("cannot be read",)),
    ],
)
def test_bad_settings_exit_with_2(settings, words, tmp_path):
    answer = CliRunner().invoke(app, ["check", str(written(tmp_path)), "--set", settings, "--json"])
    assert answer.exit_code == 2, answer.output
    message = json.loads(answer.stdout)["error"]["message"]
    for word in words:
        assert word in message


EVENTFUL = """
name = "eventful"
gravity = [0, 0, 0]
duration = "5 s"
[parameters]
blow = "0.1 N m s"
[[body]]
name = "nut"
mass = 0.5
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "thread"
kind = "screw"
between = ["ground", "nut"]
at = [0, 0, 0]
axis = "z"
pitch = "5 mm"
rate = "60 rpm"
[[driver]]
name = "brake"
joint = "thread"
hold = true
since = "100 s"
[[event]]
name = "passed"
when = "turned > 1"
[[event]]
name = "struck"
when = "turned > 2"
action = "impulse"
body = "nut"
moment = [0, 0, "-blow"]
once = true
[[event]]
name = "caught"
when = "turned > 3"
action = "lock"
driver = "brake"
once = true
[[event]]
name = "let go"
when = "t > 4"
action = "release"
driver = "brake"
[[event]]
name = "end"
when = "t > 4.5"
action = "stop"
[[measure]]
name = "turned"
of = "coordinate(thread)/(2*pi)"
unit = "turns"
"""


def test_events_measures_and_units_of_the_catalogue_from_a_file(tmp_path):
    """A nut without forces turns evenly between what happens to it: log, impulse, lock, release, stop."""
    path, picture = tmp_path / "eventful.toml", tmp_path / "turned.png"
    path.write_text(EVENTFUL)
    arguments = ["run", str(path), "--set", "thread.pitch=8 mm", "--channel", "turned", "--channel", "nut.position.z"]
    answer = CliRunner().invoke(app, [*arguments, "--plot", str(picture), "--json"])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    inertia = 0.1 + 0.5 * (0.008 / (2.0 * math.pi)) ** 2
    slower = 1.0 - 0.1 / inertia / (2.0 * math.pi)  # turns/s after the blow
    times = {"passed": 1.0, "struck": 2.0, "caught": 2.0 + 1.0 / slower, "let go": 4.0, "end": 4.5}
    seen = {event["name"]: event["t"] for event in told["events"]}
    assert seen == pytest.approx(times, abs=1e-6)
    assert told["channels"]["turned"][-1] == pytest.approx(3.0, abs=1e-6)
    assert told["channels"]["nut.position.z"][-1] == pytest.approx(3.0 * 0.008, abs=1e-8)
    assert told["units"]["turned"] == "turns" and picture.stat().st_size > 0


def test_columns_of_a_table_take_units_of_one_kind_each():
    model = lw.Model("tabled", gravity=(0, 0, 0))
    model.table("cam", ["0 ms", 0.25, "500 ms"], ["0 deg", 0.1, "0.25 turn"])
    (table,) = model.mechanism.table
    assert table.x == (0.0, 0.25, 0.5) and table.y == pytest.approx((0.0, 0.1, np.pi / 2))
    for x, words in ((["0 s", "2 mm"], "must be a time"), (["0 s", "2 sx"], "no unit 'sx'")):
        with pytest.raises(lw.ModelError, match=words):
            model.table("wrong", x, [0.0, 1.0])
