"""Loads as channels: closed forms, agreement with `run.loads`, one grammar in tables, plots and exports."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import OptionError
from linkwork.view.scene.run_scene import scene_of

G = 9.81


def hanging(plane: str | None = None) -> lw.Model:
    """A weight on a massless link, a driven arm, and a slide that a driver lifts."""
    m = lw.Model("loads", gravity=(0, 0, -G), plane=plane)
    m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.2), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "arm", at=(0, 0, 0), axis="-y")
    m.driver("motor", "pin", "0*t")
    m.body("lift", mass=3.0, inertia=(0.1, 0.1, 0.1), at=(5, 0, 0))
    m.prismatic("guide", m.ground, "lift", at=(5, 0, 0), axis="z")
    m.driver("jack", "guide", "0.5*t^2")
    m.body("bob", mass=1.5, inertia=(0.1, 0.1, 0.1), at=(2, 0, -1))
    m.distance("rope", m.ground, "bob", points=((2, 0, 0), (2, 0, -1)))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("plane", [None, "xz"])
def test_statics_and_a_lift(formulation: str, plane: str | None) -> None:
    run = hanging(plane).simulate(0.5, formulation=formulation, progress=False)
    known = {
        "pin.force.z": 2.0 * G, "pin.force": 2.0 * G, "motor.torque": 2.0 * G * 0.5, "jack.force": 3.0 * (G + 1.0),
        "guide.force.z": 3.0 * (G + 1.0), "rope.force": 1.5 * G,
    }  # fmt: skip
    for name, value in known.items():
        assert run[name] == pytest.approx(value, rel=1e-9), name
        assert run.result.unit(name) == ("N m" if "torque" in name else "N")
    assert run["pin.torque"] == pytest.approx(2.0 * G * 0.5, rel=1e-9)


def test_they_are_those_of_loads_and_balance_the_motion() -> None:
    run = lw.library_model("rrc-arm").simulate(0.3, rtol=1e-9, progress=False)
    for joint in ("joint 2", "joint 5"):
        reaction = run.reaction(joint)
        for k, axis in enumerate("xyz"):
            assert np.array_equal(run[f"{joint}.force.{axis}"], reaction.force[:, k], equal_nan=True)
            assert np.array_equal(run[f"{joint}.torque.{axis}"], reaction.torque[:, k], equal_nan=True)
        size = np.linalg.norm(reaction.force, axis=1)
        assert run[f"{joint}.force"] == pytest.approx(size)


def test_rope_of_a_conical_pendulum() -> None:
    """m w^2 r = T sin, m g = T cos: both formulations, in steady rotation."""
    angle, length = 0.5, 1.2
    w = np.sqrt(G / (length * np.cos(angle)))
    r = length * np.sin(angle)
    for formulation in ("joint", "absolute"):
        m = lw.Model("conical", gravity=(0, 0, -G))
        m.body("bob", mass=0.7, inertia=(0.01, 0.01, 0.01), at=(r, 0, -length * np.cos(angle)), velocity=(0, r * w, 0))
        m.distance("rope", m.ground, "bob", points=((0, 0, 0), (r, 0, -length * np.cos(angle))))
        run = m.simulate(1.0, rtol=1e-10, formulation=formulation, progress=False)
        assert run["rope.force"] == pytest.approx(0.7 * G / np.cos(angle), rel=1e-7)


def test_what_is_not_unique_is_not_a_number() -> None:
    """Two ropes side by side share a weight in no way that rigid bodies tell."""
    m = lw.Model("two ropes", gravity=(0, 0, -G))
    m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    for name in ("left", "right"):
        m.distance(name, m.ground, "bob", points=((0, 0, 0), (0, 0, -1)))
    run = m.simulate(0.1, progress=False)
    assert np.isnan(run["left.force"]).all() and np.isnan(run["right.force"]).all()
    assert "'left': force not unique: rigid bodies can share it in other ways" in run.loads().notes()


def test_links_and_couplings_are_among_the_loads(tmp_path) -> None:
    """A weight of 2 kg on a rope, one of 3 kg lifted by the driver of a distance: tables, JSON, CSV, plot."""
    m = lw.Model("two weights", gravity=(0, 0, -G))
    for x, (name, mass) in enumerate((("hung", 2.0), ("lifted", 3.0))):
        m.body(name, mass=mass, inertia=(0.1, 0.1, 0.1), at=(x, 0, -1))
        m.distance(f"{name} rope", m.ground, name, points=((x, 0, 0), (x, 0, -1)))
    m.driver("winch", distance="lifted rope", motion="1 - 0.25*t^2")
    run = m.simulate(0.5, every=0.1, progress=False)
    known = {"hung rope": 2.0 * G, "winch": -3.0 * (G + 0.5)}
    loads = run.loads()
    assert not loads.reactions and loads.along.keys() == known.keys()
    for name, one in loads.along.items():
        assert one.values == pytest.approx(known[name], rel=1e-6) and np.array_equal(one.values, run[f"{name}.force"])
        assert one.peak()[0] == pytest.approx(known[name], rel=1e-6)
    assert {row[0] for row in loads.tables()[0].rows} == known.keys()
    assert run.loads("winch", during=(0.2, 0.4)).t == pytest.approx([0.2, 0.3, 0.4])
    loads.plot(tmp_path / "loads.png")
    shown = {channel.name: channel.values for channel in scene_of(run.result).channels}
    assert all(np.array_equal(shown[f"{name}.force"], run[f"{name}.force"]) for name in known)
    run.save(tmp_path / "run.h5")
    arguments = ["loads", str(tmp_path / "run.h5"), "--joint", "winch", "--csv", str(tmp_path / "loads.csv")]
    answer = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert answer["along"][0]["peak"]["value"] == pytest.approx(known["winch"], rel=1e-6)
    last = (tmp_path / "loads.csv").read_text().splitlines()[-1].split(",")
    assert last[0] == "winch" and float(last[-1]) == pytest.approx(known["winch"], rel=1e-6)
    with pytest.raises(OptionError, match="'frame' is for the loads of joints"):
        run.loads("winch", frame="joint")
    with pytest.raises(OptionError, match="'winch' is no joint; its force is"):
        run.reaction("winch")


def test_one_grammar_in_tables_plots_exports_and_spectra(tmp_path) -> None:
    run = hanging().simulate(0.5, progress=False)
    names = ("motor.torque", "pin.force.z", "rope.force")
    frame = run.to_dataframe(*names)
    assert list(frame.columns) == list(names) and frame.attrs["units"]["motor.torque"] == "N m"
    run.export(tmp_path / "run.csv", *names)
    assert "motor.torque" in (tmp_path / "run.csv").read_text().splitlines()[0]
    run.plot(*names, path=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 5000
    assert run.spectrum("rope.force").unit == "N"
    assert set(names) <= set(run.result.channels()) and not set(names) & set(run.result.recorded())
    with pytest.raises(OptionError, match=r"did you mean 'motor\.torque'"):
        run["motor.torqe"]
    run.save(tmp_path / "run.h5")
    assert lw.load(tmp_path / "run.h5")["motor.torque"] == pytest.approx(run["motor.torque"])


def test_command_takes_the_options_of_a_run(tmp_path) -> None:
    arguments = ["loads", "four-bar", "--joint", "A", "--until", "0.1", "--formulation", "absolute", "--json"]
    peaks = []
    for more in (
        [],
        ["--method", "qr"],
        ["--integrator", "dop853"],
        ["--hmax", "0.001"],
        ["--loads-method", "multipliers"],
    ):
        told = json.loads(CliRunner().invoke(app, [*arguments, *more]).stdout)
        assert told["error"] is None, told["error"]
        peaks.append(told["joints"][0]["peak"]["fz"]["value"])
    assert peaks == pytest.approx(peaks[:1] * 5, rel=1e-5)
    file = tmp_path / "run.h5"
    lw.library_model("four-bar").simulate(0.1, out=file, progress=False)
    for option, value in {
        "--method": "qr",
        "--integrator": "dop853",
        "--formulation": "joint",
        "--hmax": "0.01",
    }.items():
        refused = CliRunner().invoke(app, ["loads", str(file), option, value])
        assert refused.exit_code == 2 and f"{option} is for a model" in refused.output
