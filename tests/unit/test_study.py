"""Studies: outputs of runs against closed forms, the same with more processes, tables, plots, and what is refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import NumericalError, OptionError
from linkwork.studies import study
from linkwork.view.plots.studies import plot_study

STATISTICS = ("max", "min", "span", "peak", "mean", "rms", "start", "end")


def invoke(*arguments: str, code: int = 0):
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == code, answer.output
    return answer


def oscillator() -> lw.Model:
    """1 kg on a spring, released at its side: x = 0.1 (1 - cos w t), w = sqrt(k)."""
    model = lw.Model("oscillator", gravity=(0, 0, 0))
    model.body("mass", lw.sphere(mass=1.0, radius=0.05))
    model.prismatic("rail", model.ground, "mass", at=(0, 0, 0), axis="x")
    model.spring_damper("spring", model.ground, "mass", points=((1, 0, 0), (0, 0, 0)), stiffness=1.0, free_length=0.9)
    return model


def test_outputs_are_those_of_the_closed_form():
    w = np.array([2.0, 4.0]) * np.pi  # one and two periods in a second
    outputs = [f"{statistic}(mass.position.x)" for statistic in STATISTICS]
    found = oscillator().study({"spring.stiffness": (w**2).tolist()}, outputs, 1.0, rtol=1e-10, progress=False)
    known = {"max": 0.2, "min": 0.0, "span": 0.2, "peak": 0.2, "mean": 0.1, "rms": 0.1 * np.sqrt(1.5), "start": 0.0,
             "end": 0.0}  # fmt: skip
    for statistic, text in zip(STATISTICS, outputs, strict=True):
        assert found[text] == pytest.approx([known[statistic]] * 2, abs=2e-7), statistic
    assert found.units == dict.fromkeys(outputs, "m")
    assert found["spring.stiffness"] == pytest.approx(w**2)
    asked = {"rtol": 1e-10, "every": 1 / 400}  # with samples where it is fastest
    swift = oscillator().study({"spring.stiffness": (w**2).tolist()}, ["max(rail.speed)"], 1.0, **asked, progress=False)
    assert swift["max(rail.speed)"] == pytest.approx(0.1 * w, rel=1e-7)


def test_processes_change_nothing(tmp_path):
    """Two varied names, all combinations, the last one fastest; the same table from one process and from two."""
    asked = ("study", "slider-crank", "--vary", "rod.mass=500:600:3 g", "--vary", "crank=0.05,0.1", "--until", "0.02",
             "--output", "span(slider.position.x)", "--output", "energy")  # fmt: skip
    tables = []
    for jobs in ("1", "2"):
        told = json.loads(invoke(*asked, "--jobs", jobs, "--json", "--csv", str(tmp_path / f"{jobs}.csv")).stdout)
        tables.append([(row["settings"], row["outputs"]) for row in told["rows"]])
    assert tables[0] == tables[1]
    assert [tuple(s.values()) for s, _ in tables[0]] == [
        ("500 g", 0.05), ("500 g", 0.1), ("550 g", 0.05), ("550 g", 0.1), ("600 g", 0.05), ("600 g", 0.1)
    ]  # fmt: skip
    assert told["units"] == {"span(slider.position.x)": "m", "energy": "J"}
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text()
    head, *rows = csv.reader((tmp_path / "1.csv").open())
    assert head[:4] == ["rod.mass", "crank", "span(slider.position.x) [m]", "energy [J]"]
    assert [float(row[2]) for row in rows] == [numbers["span(slider.position.x)"] for _, numbers in tables[0]]


def test_a_plot_has_a_curve_for_each_value_of_a_second_name(tmp_path):
    vary = {"spring.stiffness": [10.0, 20.0, 30.0], "mass.mass": [1.0, 2.0]}
    found = oscillator().study(vary, ["max(rail.speed)", "max(energy)"], 0.5, progress=False)
    figure = plot_study(found, tmp_path / "study.svg")
    assert [axes.get_ylabel() for axes in figure.axes] == ["velocity [m/s]", "energy [J]"]
    curve = figure.axes[0].get_lines()[1]
    assert curve.get_label() == "max(rail.speed), mass.mass = 2 kg"
    assert figure.axes[-1].get_xlabel() == "spring.stiffness [N/m]"
    said = oscillator().study({"mass.mass": ["1 lb", "2 lb"]}, ["max(energy)"], 0.5, progress=False)
    assert plot_study(said).axes[-1].get_xlabel() == "mass.mass [lb]"
    assert curve.get_ydata() == pytest.approx(found["max(rail.speed)"][1::2])
    assert curve.get_xdata() == pytest.approx([10.0, 20.0, 30.0])
    assert (tmp_path / "study.svg").stat().st_size > 1e4


def test_a_run_that_fails_leaves_the_others():
    """A negative mass in the middle: its reason on a line of its own; the table goes on."""
    asked = ("study", "pendulum", "--vary", "bar.mass=1,-1,2", "--until", "0.1", "--output", "max(pin.rate)")
    rows = json.loads(invoke(*asked, "--json").stdout)["rows"]
    assert [row["status"] for row in rows] == ["finished", "failed", "finished"]
    assert "mass" in rows[1]["message"]
    assert rows[1]["outputs"] == {"max(pin.rate)": None}
    shown = invoke(*asked).stdout
    assert "3 of 3 runs" in shown
    assert "bar.mass = -1.0 │ " in shown


def test_ctrl_c_keeps_the_runs_made(tmp_path, monkeypatch):
    own, made = study.simulate, []

    def interrupted(*arguments):
        made.append(1)
        if len(made) == 3:
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(study, "simulate", interrupted)
    asked = ("--until", "0.1", "--output", "max(pin.rate)", "--jobs", "1", "--csv", str(tmp_path / "s.csv"))
    answer = invoke("study", "pendulum", "--vary", "bar.mass=1:5:5", *asked, code=130)
    assert "2 of 5 runs" in answer.stdout
    assert "stopped" in answer.stderr
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--output", "max(pin.rate)"), "nothing is varied"),
        (("--vary", "angle=1:2:3"), "no output is requested; name at least one"),
        (
            ("--vary", "angle=1:2", "--output", "energy"),
            "--vary angle=1:2: write NAME=FROM:TO:COUNT, as in --vary angle=0.1:0.2:11",
        ),
        (("--vary", "angel=1:2:3", "--output", "energy"), "has no parameter 'angel'; did you mean 'angle'"),
        (("--vary", "bar.mas=1:2:3", "--output", "energy"), "'mas'"),
        (("--vary", "angle=1:2:3", "--output", "most(energy)"), "there is no statistic 'most'"),
        (("--vary", "angle=1:2:3", "--output", "max(pin.angel)", "--until", "0.01"), "there is no channel 'pin.angel'"),
        (("--vary", "angle=0:1:1000000", "--output", "energy"), "it must have 1 to 100000"),
    ],
)
def test_what_is_refused(arguments, told):
    assert told in invoke("study", "pendulum", *arguments, code=2).stderr


def test_studies_without_an_answer(tmp_path):
    with pytest.raises(NumericalError, match="all 2 runs of the study failed; the first: "):
        options = {"integrator": "rk4", "step": 0.1, "progress": False}  # far too long for such springs
        oscillator().study({"spring.stiffness": [1e20, 2e20]}, ["energy"], 100.0, **options)
    found = oscillator().study({"spring.stiffness": [1.0]}, ["energy"], 0.1, progress=False)
    with pytest.raises(OptionError, match="the study has no output 'energie'; did you mean 'energy'"):
        found["energie"]
    wide = oscillator().study({f"mass.at.{k}": [0.0] for k in range(3)}, ["energy"], 0.01, progress=False)
    with pytest.raises(OptionError, match="one or two varied names, not 3"):
        plot_study(wide, tmp_path / "x.png")
