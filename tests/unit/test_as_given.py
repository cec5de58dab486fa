"""Models that are written keep what their file has: parameters, expressions, units, angles."""

from __future__ import annotations

import math
import re
import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.expressions.quantities import PLAIN_UNITS, _registry, number_from_text
from linkwork.installation import _command
from linkwork.library import LIBRARY

FILED = [name for name, entry in LIBRARY.items() if entry.file is not None]
FILE = """
name = "press"
gravity = [0, 0, "-g"]
[parameters]
g = "9.81 m/s2"
r = "5 cm"
tilt = "30 deg"
[parameters.spring]
rate = "2 N/mm"
[[body]]
name = "crank"
shape = {kind = "rod", mass = 0.8, length = "r", width = "15 mm"}
at = ["r/2*cos(tilt)", 0, "r/2*sin(tilt)"]
angle = "-tilt"
axis = "y"
[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "crank"]
at = [0, 0, 0]
axis = "-y"
[[torsional_spring_damper]]
name = "spring"
joint = "pin"
stiffness = "spring.rate*r^2"
"""


@pytest.mark.parametrize("suffix", ["toml", "yaml", "json"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_is_the_same_model_with_its_parameters(seed, suffix, tmp_path):
    """Random settings of parameters and fields, verbs after them: read back it is the same mechanism, and still moves
    with its parameters.
    """
    rng = np.random.default_rng(seed)
    source, target = tmp_path / "press.toml", tmp_path / f"written.{suffix}"
    source.write_text(FILE)
    settings = {"r": f"{rng.uniform(1, 9):.3f} cm", "tilt": f"{rng.uniform(-80, 80):.2f} deg", "spring.rate": 1500.0,
                "crank.mass": float(rng.uniform(0.1, 3.0)), "pin.rate": 1.5}  # fmt: skip
    chosen = {name: settings[name] for name in settings if rng.random() < 0.6}
    model = lw.Model.read(source, chosen)
    if seed % 2:
        model.body("more", mass=1.0, inertia=(1, 1, 1))
        model.replace("crank", velocity=(0.1, 0, 0))
    model.save(target)
    assert lw.Model.read(target).mechanism == model.mechanism
    longer = lw.Model.read(target, {"r": "20 cm"}).mechanism.body[0]
    assert longer.shape.length == pytest.approx(0.2) and np.linalg.norm(longer.at) == pytest.approx(0.1)
    text = target.read_text()
    assert "r/2*cos(tilt)" in text and "-0.0" not in text and not re.search(r"orientation", text)


@pytest.mark.parametrize("name", FILED)
def test_new_keeps_the_parameters_of_library_models(name, tmp_path, monkeypatch):
    """`linkwork new NAME --set ...` writes the value in the file's own unit, and `new NAME` the file itself."""
    monkeypatch.chdir(tmp_path)
    first, *_ = LIBRARY[name].parameters.items()
    value = 1.25 * first[1]
    assert CliRunner().invoke(app, ["new", name, "--set", f"{first[0]}={value}", "-o", "set.toml"]).exit_code == 0
    written = tomllib.loads((tmp_path / "set.toml").read_text())
    assert written["parameters"][first[0]] == f"{value:g} {LIBRARY[name].units[first[0]].name}"
    assert lw.Model.read("set.toml").mechanism == lw.library_model(name, {first[0]: value}).mechanism
    assert CliRunner().invoke(app, ["new", name, "-o", "plain.toml"]).exit_code == 0
    assert (tmp_path / "plain.toml").read_text() == LIBRARY[name].file.read_text()


@pytest.mark.parametrize("name", FILED)
def test_a_plain_number_means_the_same_for_a_library_model_and_its_file(name, tmp_path):
    """A number, or an expression, without a unit is in the unit with which the parameter is defined."""
    path = tmp_path / "model.toml"
    path.write_text(LIBRARY[name].file.read_text())
    for key, value in LIBRARY[name].parameters.items():
        for given in (1.1 * value + 1.0, f"{value!r} + 1", f"{value + 1.0!r} {LIBRARY[name].units[key].name}"):
            assert lw.Model.read(path, {key: given}).mechanism == lw.library_model(name, {key: given}).mechanism
        assert lw.Model.read(path, {key: value}).mechanism == lw.library_model(name).mechanism
        lw.Model.read(path, {key: 1.1 * value + 1.0}).save(tmp_path / "set.toml")
        changed = lw.library_model(name, {key: 1.1 * value + 1.0}).mechanism
        assert lw.Model.read(tmp_path / "set.toml").mechanism == changed


@pytest.mark.parametrize("seed", range(4))
def test_plain_numbers_are_in_the_unit_of_the_file_also_in_includes_and_studies(seed, tmp_path):
    rng = np.random.default_rng(seed)
    (tmp_path / "press.toml").write_text(FILE)
    r, tilt, rate = rng.uniform(1, 9), rng.uniform(-80, 80), rng.uniform(1, 5)
    plain = {"r": r, "tilt": tilt, "spring.rate": rate}
    in_units = {"r": f"{r!r} cm", "tilt": f"{tilt!r} deg", "spring.rate": f"{rate!r} N/mm"}
    meant = lw.Model.read(tmp_path / "press.toml", in_units).mechanism
    assert lw.Model.read(tmp_path / "press.toml", plain).mechanism == meant
    given = f"{{r = {r!r}, tilt = {tilt!r}, spring = {{rate = {rate!r}}}}}"
    (tmp_path / "whole.toml").write_text(f'include = [{{file = "press.toml", parameters = {given}}}]\n')
    assert lw.Model.read(tmp_path / "whole.toml").mechanism.body == meant.body
    (tmp_path / "scaled.toml").write_text(
        f"[parameters]\nlean = {math.radians(tilt)!r}\n[[include]]\n"
        f'file = "press.toml"\nparameters = {{r = "{r!r} cm", tilt = "lean", spring = {{rate = "{rate!r} N/mm"}}}}\n'
    )  # another name for a number of the includer, which is in SI units
    assert np.allclose(lw.Model.read(tmp_path / "scaled.toml").mechanism.body[0].at, meant.body[0].at)
    study = lw.study(tmp_path / "press.toml", {"tilt": [tilt], "r": [r]}, ["max(pin.angle)"], 0.01, progress=False)
    assert study.varied_units == {"tilt": "deg", "r": "cm"}


@pytest.mark.parametrize("name", LIBRARY)
def test_every_library_model_is_written_readably(name, tmp_path):
    """Axes by their names, no negative zeros, no rounding, angles where an axis of the world is turned about."""
    lw.library_model(name).save(tmp_path / "model.toml")
    text = (tmp_path / "model.toml").read_text()
    assert not re.search(r"-0\.0\b(?!\d)", text)
    assert not re.search(r"^axis = \[(0\.0|-?1\.0), (0\.0|-?1\.0), (0\.0|-?1\.0)\]$", text, re.MULTILINE)
    for number in re.findall(r"-?\d+\.\d{13,}(?:e-?\d+)?", text):  # 0.30000000000000004 is written as 0.3
        few, value = float(f"{float(number):.10g}"), float(number)
        assert not 0.0 < abs(few - value) < 100.0 * math.ulp(value), number
    assert lw.Model.read(tmp_path / "model.toml").mechanism == lw.library_model(name).mechanism


@pytest.mark.parametrize("unit", PLAIN_UNITS)
def test_units_without_pint_are_those_of_pint(unit):
    for number in ("1", "-2.5", "1e-7", "89.999"):
        quantity = _registry().Quantity(float(number), re.sub(r"([a-z])(\d)", r"\1**\2", unit).replace(" ", "*"))
        found = quantity.to_base_units()
        assert number_from_text(f"{number} {unit}", None, {}) == found.magnitude
        assert {name: float(power) for name, power in found.unit_items()} == PLAIN_UNITS[unit]


class Installed:
    """A stand-in for the metadata of an installation."""

    requires = ("numpy>=2", 'yourdfpy>=0.0.56; extra == "urdf"', 'trimesh>=4; extra == "urdf"')

    def __init__(self, direct_url: str | None = None) -> None:
        self.direct_url = direct_url

    def read_text(self, _: str) -> str | None:
        return self.direct_url


@pytest.mark.parametrize(
    ("prefix", "direct_url", "command"),
    [
        ("venv", None, "pip install yourdfpy trimesh"),
        ("uv-venv", None, "uv pip install yourdfpy trimesh"),
        ("pipx/venvs/linkwork", None, "pipx inject linkwork yourdfpy trimesh"),
        ("share/uv/tools/linkwork", None, "uv tool install linkwork --with yourdfpy --with trimesh"),
        ("venv", '{"url": "file:///my%20code", "dir_info": {"editable": true}}', "pip install -e '/my code[urdf]'"),
        ("venv", '{"url": "file:///wheels/linkwork.whl", "archive_info": {}}', "pip install yourdfpy trimesh"),
    ],
)
def test_an_install_hint_fits_how_linkwork_was_installed(prefix, direct_url, command, tmp_path):
    folder = tmp_path / prefix
    folder.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("uv = 0.5.1\n" if prefix == "uv-venv" else "home = /usr/bin\n")
    assert _command("urdf", folder, Installed(direct_url)) == command  # type: ignore[arg-type]
