"""Studies: outputs of runs against closed forms, plans, tables on disk, plots, and what is refused."""

from __future__ import annotations

import csv
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest, norm, qmc
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import FileError, NumericalError, OptionError
from linkwork.model import studying
from linkwork.studies import one_run
from linkwork.studies.engines import dask_workers
from linkwork.studies.plan import Plan, latin_hypercube
from linkwork.studies.vary import Scatter, Values, variation
from studied import four_bar

ROCKER = Path(__file__).resolve().parents[2] / "examples" / "crank_rocker.toml"
STATISTICS = ("max", "min", "span", "peak", "mean", "rms", "start", "end", "integral")


def invoke(*arguments: str, code: int = 0):
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == code, answer.output
    return answer


def oscillator() -> lw.Model:
    """1 kg on a spring, released at its side: x = 0.1 (1 - cos w t), w = sqrt(k)."""
    model = lw.Model("oscillator", gravity=(0, 0, 0))
    model.body("mass", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    model.prismatic("rail", model.ground, "mass", at=(0, 0, 0), axis="x")
    model.spring_damper("spring", model.ground, "mass", points=((1, 0, 0), (0, 0, 0)), stiffness=1.0, free_length=0.9)
    return model


# -- what is varied ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("0.1:0.2:3 m", Values((0.1, 0.15, 0.2), "m")),
        ("1, 2,5", Values((1.0, 2.0, 5.0))),
        ("-1e3,2 N/m", Values((-1e3, 2.0), "N/m")),
        ("25 mm +/- 0.05", Scatter("tolerance", 25.0, 0.05, "mm")),
        ("25 +/- 0.05 mm", Scatter("tolerance", 25.0, 0.05, "mm")),
        ("25mm±0.05", Scatter("tolerance", 25.0, 0.05, "mm")),
        ("uniform(0.1, 0.3)", Scatter("uniform", 0.1, 0.3)),
        ("normal(1e4, 200) N/m", Scatter("normal", 1e4, 200.0, "N/m")),
    ],
)
def test_what_is_varied_is_written_as_engineers_do(text, meant):
    assert variation("x", text) == meant


def test_scatter_has_its_distribution(rng):
    u = (np.arange(200_000) + 0.5) / 200_000
    assert Scatter("normal", 3.0, 0.5).at(u).std() == pytest.approx(0.5, rel=1e-4)
    assert kstest(Scatter("normal", 3.0, 0.5).at(rng.random(2000)), norm(3.0, 0.5).cdf).pvalue > 1e-3
    within = Scatter("tolerance", 25.0, 0.05).at(u)
    assert 24.95 <= within.min() < within.max() <= 25.05
    assert within.std() == pytest.approx(0.05 / 3 * np.sqrt(1 - 6 * norm.pdf(3) / (1 - 2 * norm.cdf(-3))), rel=1e-4)
    even = Scatter("uniform", -1.0, 3.0).at(u)
    assert (even.mean(), even.var()) == pytest.approx((1.0, 16 / 12), rel=1e-4)


@pytest.mark.parametrize("sampling", ["random", "latin-hypercube", "sobol"])
def test_draws_are_correlated_and_the_same_for_a_seed(sampling):
    vary = {"a": Scatter("normal", 1.0, 0.1), "b": Scatter("normal", -2.0, 3.0), "c": Scatter("uniform", 0.0, 1.0)}
    plan = Plan(vary, 4096, sampling, 7, {("a", "b"): 0.8})
    a, b, c = (plan.column(name) for name in "abc")
    assert np.corrcoef(a, b)[0, 1] == pytest.approx(0.8, abs=0.02)
    assert abs(np.corrcoef(a, c)[0, 1]) < 0.05
    again = Plan(vary, 4096, sampling, 7, {("a", "b"): 0.8})
    np.testing.assert_array_equal(again.column("a"), a)
    assert (Plan(vary, 4096, sampling, 8).column("a") != a).any()
    if sampling == "latin-hypercube":  # one in each stratum
        assert sorted((c * 4096).astype(int)) == list(range(4096))


@pytest.mark.parametrize(("runs", "count", "seed"), [(1, 1, 5), (10, 3, 0), (1000, 7, 42)])
def test_a_latin_hypercube_is_that_of_scipy(runs, count, seed):
    ours = latin_hypercube(runs, count, np.random.default_rng(seed))
    np.testing.assert_array_equal(ours, qmc.LatinHypercube(count, seed=np.random.default_rng(seed)).random(runs))


def test_lists_make_all_combinations_each_with_the_same_draws():
    vary = {"a": Values((1.0, 2.0)), "s": Scatter("uniform", 0.0, 1.0), "b": Values(("x", "y", "z"))}
    plan = Plan(vary, 4)
    assert len(plan) == 24
    rows = [tuple(plan.settings(run).values()) for run in range(24)]
    assert len(set(rows)) == 24
    assert [row[0] for row in rows] == [1.0] * 12 + [2.0] * 12
    assert [row[2] for row in rows[:12]] == ["x"] * 4 + ["y"] * 4 + ["z"] * 4
    assert {row[1] for row in rows[:4]} == {row[1] for row in rows[20:]}


# -- outputs ----------------------------------------------------------------------------------------------------------
def test_outputs_are_those_of_the_closed_form():
    w = np.array([2.0, 4.0]) * np.pi  # one and two periods in a second
    outputs = [f"{statistic}(mass.position.x)" for statistic in STATISTICS]
    outputs += ['time_when("mass.position.x > 0.1")', "at(mass.position.x, 0.25)", "max(rail.speed) / 2 + 1"]
    outputs += ["max(abs(mass.velocity))", 'time_when("mass.position.x > 5")']
    found = oscillator().study({"spring.stiffness": (w**2).tolist()}, outputs, 1.0, rtol=1e-10, progress=False)
    known = {"max": 0.2, "min": 0.0, "span": 0.2, "peak": 0.2, "mean": 0.1, "rms": 0.1 * np.sqrt(1.5), "start": 0.0,
             "end": 0.0, "integral": 0.1}  # fmt: skip
    for statistic, text in zip(STATISTICS, outputs, strict=False):
        assert found[text] == pytest.approx([known[statistic]] * 2, abs=2e-7), statistic
    assert found[outputs[9]] == pytest.approx(0.5 * np.pi / w, abs=1e-6)
    assert found[outputs[10]] == pytest.approx(0.1 * (1 - np.cos(w * 0.25)), abs=1e-6)
    assert found[outputs[11]] == pytest.approx(0.05 * w + 1, rel=1e-4)
    assert found[outputs[12]] == pytest.approx(0.1 * w, rel=1e-4)
    assert np.isnan(found[outputs[13]]).all()
    assert found.units["max(mass.position.x)"] == "m"
    assert found.units["integral(mass.position.x)"] == "m s"
    assert found.units[outputs[9]] == "s"


def test_the_force_of_a_joint_is_its_size():
    outputs = ['max(abs(reaction("C").force))', "max('C.force')", 'max(reaction("C").force.x)']
    found = four_bar().study({"coupler.mass": [1.5]}, outputs, 0.05, progress=False)
    force = four_bar().with_settings({"coupler.mass": 1.5}).simulate(0.05, progress=False).reaction("C").force
    inside = force[:, ~np.isnan(force).all(axis=0)]
    assert found[outputs[0]][0] == pytest.approx(np.linalg.norm(inside, axis=1).max(), rel=1e-12)
    assert found[outputs[1]][0] == found[outputs[0]][0]
    assert found[outputs[2]][0] == pytest.approx(force[:, 0].max(), rel=1e-12)


def test_any_analysis_may_be_inside():
    w2 = [4.0, 9.0]
    modes = oscillator().study({"spring.stiffness": w2}, ["frequency(1)", "omega(1)"], analysis="modes", progress=False)
    assert modes["frequency(1)"] == pytest.approx(np.sqrt(w2) / 2 / np.pi, rel=1e-9)
    assert modes.units == {"frequency(1)": "Hz", "omega(1)": "rad/s"}
    hanging = oscillator().study({"gravity.0": [0.1, 0.2]}, ["rail.distance"], analysis="equilibrium", progress=False)
    assert hanging["rail.distance"] == pytest.approx([0.2, 0.3], abs=1e-8)
    asked = {"input": "mass.force.x", "to": "rail.distance", "omega": [0.0, 1.0]}
    stiff = oscillator().study(
        {"spring.stiffness": w2}, ["max(amplitude('rail.distance'))", "peak_frequency('rail.distance')"],
        analysis="response", progress=False, **asked,
    )  # fmt: skip
    assert stiff["max(amplitude('rail.distance'))"] == pytest.approx(1 / (np.array(w2) - 1.0), rel=1e-6)
    loads = four_bar().study({"coupler.mass": [1.0]}, ["max(C.force)"], 0.02, analysis="loads", progress=False)
    known = four_bar().loads(["C"], 0.02)["C"].force
    assert loads["max(C.force)"][0] == pytest.approx(np.hypot(known[:, 0], known[:, 2]).max(), rel=1e-12)
    driven = lw.study(ROCKER, {"speed": [20.0]}, ["max(B.rate)"], analysis="kinematics",
                      progress=False)  # fmt: skip
    whole = lw.Model.read(ROCKER).kinematics(until=0.5)
    assert driven["max(B.rate)"][0] == whole["B.rate"].max()


def test_options_are_varied_too():
    found = oscillator().study({"options.rtol": [1e-4, 1e-10]}, ["end(mass.position.x)"], 10.0, progress=False)
    off = np.abs(found["end(mass.position.x)"] - 0.1 * (1 - np.cos(10.0)))
    assert off[1] < 1e-8 < off[0]
    methods = lw.study(
        "four-bar", {"options.method": ["lu", "qr"], "angle": [60.0]}, ["end(coupler.position.x)"], 0.2, progress=False
    )
    assert np.ptp(methods["end(coupler.position.x)"]) < 1e-5


# -- the table --------------------------------------------------------------------------------------------------------
def test_a_table_grows_on_disk_and_is_opened_by_others(tmp_path):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    vary = {"spring.stiffness": [10.0, 20.0, 30.0], "mass.mass": [1.0, 2.0]}
    found = oscillator().study(vary, ["max(rail.speed)"], 0.5, out=tmp_path / "t.study", progress=False)
    frame = pandas.read_parquet(tmp_path / "t.study").sort_values("run")
    np.testing.assert_array_equal(frame["max(rail.speed)"], found["max(rail.speed)"])
    np.testing.assert_array_equal(frame["spring.stiffness"], [10, 10, 20, 20, 30, 30])
    again = lw.Study.read(tmp_path / "t.study")
    np.testing.assert_array_equal(again["max(rail.speed)"], found["max(rail.speed)"])
    assert again.units == {"max(rail.speed)": "m/s"}
    cube = again.to_xarray()["max(rail.speed)"]
    assert cube.dims == ("spring.stiffness", "mass.mass")
    assert float(cube.sel({"spring.stiffness": 20.0, "mass.mass": 2.0})) == found["max(rail.speed)"][3]
    assert again.to_dataframe().attrs["units"]["spring.stiffness"] == "N/m"
    with pytest.raises(OptionError, match="holds another study: its outputs differ"):
        oscillator().study(vary, ["min(rail.speed)"], 0.5, out=tmp_path / "t.study", progress=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("mine")
    with pytest.raises(FileError, match="a folder with other files"):
        oscillator().study(vary, ["max(rail.speed)"], 0.5, out=tmp_path / "other", progress=False)
    with pytest.raises(FileError, match="is not a folder of a study"):
        lw.Study.read(tmp_path / "other")


KILLED = """
import sys, time
import linkwork as lw
from linkwork.studies import one_run, study
if __name__ == "__main__":
    own, folder, slow = one_run.analyse, sys.argv[1], sys.argv[2] == "slow"
    def analyse(*given):
        time.sleep(0.1 if slow else 0.0)
        return own(*given)
    one_run.analyse, study.CHUNK_SECONDS = analyse, 0.2
    lw.study("pendulum", {"bar.mass": "uniform(1, 3)"}, ["max(pin.rate)"], 0.05, runs=40, engine="here", out=folder,
             progress=False)
"""


def test_a_killed_study_goes_on_where_it_was(tmp_path):
    """kill -9 in the middle; the table is that of an undisturbed study, and no run is made twice."""
    pytest.importorskip("pyarrow")
    script, folder = tmp_path / "script.py", tmp_path / "k.study"
    script.write_text(KILLED)
    first = subprocess.Popen([sys.executable, str(script), str(folder), "slow"])
    for _ in range(1500):
        time.sleep(0.02)
        if len(list(folder.glob("part-*"))) >= 3:
            break
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    before = lw.Study.read(folder)
    assert 3 <= len(before.run) < 40
    subprocess.run([sys.executable, str(script), str(folder), "quick"], check=True)
    after = lw.Study.read(folder)
    np.testing.assert_array_equal(after.run, np.arange(40))
    whole = lw.study("pendulum", {"bar.mass": "uniform(1, 3)"}, ["max(pin.rate)"], 0.05, runs=40, progress=False)
    np.testing.assert_array_equal(after["max(pin.rate)"], whole["max(pin.rate)"])


def test_what_never_happens_has_no_time_in_the_table():
    """Not a load that cannot be told apart."""
    found = four_bar().study({"coupler.mass": [1.0]}, ['time_when("A.angle > 1000")'], 0.05, progress=False)
    assert np.isnan(found['time_when("A.angle > 1000")']).all()
    assert "none" in str(found) and "unique" not in str(found)


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
    own, made = one_run.analyse, []

    def interrupted(*arguments):
        made.append(1)
        if len(made) == 3:
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(one_run, "analyse", interrupted)
    asked = ("--until", "0.1", "--output", "max(pin.rate)", "--engine", "here", "--csv", str(tmp_path / "s.csv"))
    answer = invoke("study", "pendulum", "--vary", "bar.mass=1:5:5", *asked, code=130)
    assert "2 of 5 runs" in answer.stdout
    assert "stopped" in answer.stderr
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 3


def test_a_study_file_says_all(tmp_path):
    (tmp_path / "wear.toml").write_text(
        'model = "slider-crank"\nuntil = 0.02\nruns = 5\nsampling = "sobol"\nseed = 3\n'
        'outputs = ["peak(slider.velocity.x)"]\n[vary]\n"slider.mass" = "2 kg +/- 0.1"\n"rod.mass" = "500 g +/- 10"\n'
        '[correlated]\n"slider.mass, rod.mass" = 0.5\n[settings]\ncrank = 0.1\n'
    )
    told = json.loads(invoke("study", str(tmp_path / "wear.toml"), "--json").stdout)
    assert told["varied"] == {"slider.mass": "kg", "rod.mass": "g"}
    vary = {"slider.mass": "2 kg +/- 0.1", "rod.mass": "500 g +/- 10"}
    same = lw.study(
        "slider-crank", vary, ["peak(slider.velocity.x)"], 0.02, settings={"crank": 0.1}, runs=5, sampling="sobol",
        seed=3, correlated={("slider.mass", "rod.mass"): 0.5}, progress=False,
    )  # fmt: skip
    found = [row["outputs"]["peak(slider.velocity.x)"] for row in told["rows"]]
    assert found == same["peak(slider.velocity.x)"].tolist()
    csv_file = tmp_path / "t.csv"
    invoke("study", str(tmp_path / "wear.toml"), "--csv", str(csv_file))
    head, *rows = csv.reader(csv_file.open())
    assert head[:4] == ["run", "slider.mass [kg]", "rod.mass [g]", "peak(slider.velocity.x) [m/s]"]
    assert [float(row[3]) for row in rows] == same["peak(slider.velocity.x)"].tolist()


# -- what is refused --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--output", "max(pin.rate)"), "nothing is varied"),
        (("--vary", "angle=1:2:3"), "no output is requested; name at least one"),
        (("--vary", "angle=1:2", "--output", "energy"), "'angle' = '1:2' cannot be read; write"),
        (("--vary", "angle=", "--output", "energy"), "--vary angle=: write --vary angle=0.1:0.2:11"),
        (("--vary", "angel=1:2:3", "--output", "energy"), "has no parameter 'angel'; did you mean 'angle'"),
        (("--vary", "bar.mas=1:2:3", "--output", "energy"), "'mas'"),
        (("--vary", "options.rtoll=1,2", "--output", "energy"), "no option 'rtoll' of simulate; did you mean 'rtol'"),
        (("--vary", "angle=1:2:3", "--output", "most(energy)"), "there is no function 'most'"),
        (("--vary", "angle=1:2:3", "--output", "max(pin.angel)", "--until", "0.01"), "there is no channel 'pin.angel'"),
        (("--vary", "angle=1:2:3", "--output", "max(pin.angle", "--until", "0.01"), "is not an expression"),
        (
            ("--vary", "angle=1,2", "--output", "energy", "--engine", "treads"),
            "no engine 'treads'; did you mean 'threads'",
        ),
        (
            ("--vary", "angle=1,2", "--output", "energy", "--analysis", "mods"),
            "no analysis 'mods'; did you mean 'modes'",
        ),
        (("--vary", "angle=1,2", "--output", "energy", "--runs", "5"), "runs is 5, but nothing scatters"),
        (("--vary", "angle=1 +/- 0.1", "--output", "energy"), "'angle' scatters, and runs is None; give runs"),
        (("--vary", "angle=0:1:100000", "--vary", "bar.mass=1:2:100000", "--output", "energy"), "of memory"),
    ],
)
def test_what_is_refused(arguments, told):
    assert told in invoke("study", "pendulum", *arguments, code=2).stderr


def test_a_table_larger_than_the_disk_is_refused(tmp_path, monkeypatch):
    from linkwork.studies import estimate

    pytest.importorskip("pyarrow")
    monkeypatch.setattr(estimate.shutil, "disk_usage", lambda folder: type("Usage", (), {"free": 10_000})())
    with pytest.raises(OptionError, match=r"its table needs .* kB, and .* has 10 kB free"):
        oscillator().study({"mass.mass": "1:2:1000"}, ["energy"], 0.1, out=tmp_path / "t", progress=False)


def test_studies_without_an_answer():
    with pytest.raises(NumericalError, match="all 2 runs of the study failed; the first: "):
        options = {"integrator": "rk4", "step": 0.1, "progress": False}  # far too long for such springs
        oscillator().study({"spring.stiffness": [1e20, 2e20]}, ["energy"], 100.0, **options)
    found = oscillator().study({"spring.stiffness": [1.0]}, ["energy"], 0.1, progress=False)
    with pytest.raises(OptionError, match="the study has no output 'energie'; did you mean 'energy'"):
        found["energie"]
    with pytest.raises(OptionError, match="not positive definite"):
        names = {f"mass.at.{k}": "normal(0, 1)" for k in range(3)}
        pairs = {("mass.at.0", "mass.at.1"): 0.9, ("mass.at.1", "mass.at.2"): 0.9, ("mass.at.0", "mass.at.2"): -0.9}
        oscillator().study(names, ["energy"], 0.1, runs=3, correlated=pairs, progress=False)


def test_the_estimate_comes_before_the_start(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    oscillator().study({"mass.mass": "1:2:20"}, ["energy"], 0.1, out=Path(tmp_path / "t"), engine="here")
    told = capsys.readouterr().err
    assert "study of oscillator: 17 of 20 runs to go, about " in told
    assert "table about" in told
    assert "as requested" in told


def test_a_long_study_is_told_of_wherever_it_is_made(capsys, monkeypatch):
    """Also in a notebook, a pipe, a log; and what became of an engine that was asked for; a short one is silent."""
    many = {"mass.mass": "1:2:20"}
    oscillator().study(many, ["energy"], 0.1)
    assert "to go" not in capsys.readouterr().err
    oscillator().study(many, ["energy"], 0.1, engine="here")
    assert "study of oscillator: 17 of 20 runs to go" in capsys.readouterr().err
    monkeypatch.setattr(studying, "LONG", 0.0)
    oscillator().study(many, ["energy"], 0.1)
    assert "study of oscillator: 17 of 20 runs to go" in capsys.readouterr().err
    oscillator().study(many, ["energy"], 0.1, progress=False)
    assert capsys.readouterr().err == ""


def test_a_run_whose_numbers_were_read_travels():
    """What was computed last is remembered here, and stays here."""
    run = four_bar().simulate(0.05, progress=False)
    read = {name: run[name] for name in run.result.channels() if name.startswith("strut.")}
    assert read
    there = pickle.loads(pickle.dumps(run))
    for name, values in read.items():
        np.testing.assert_array_equal(there[name], values)


# -- tolerances -------------------------------------------------------------------------------------------------------
def coupler_point(crank: float, coupler: float, rocker: float, ground: float, turned: float) -> np.ndarray:
    """The tip of examples/crank_rocker.toml, by the vector loop: where two circles meet, the rocker above."""
    b = crank * np.array([np.sin(turned), np.cos(turned)])
    d = np.array([ground, 0.0])
    far = np.linalg.norm(d - b)
    along = (coupler**2 - rocker**2 + far**2) / (2 * far)
    e = (d - b) / far
    c = b + along * e + np.sqrt(coupler**2 - along**2) * np.array([-e[1], e[0]])
    link = (c - b) / coupler
    return 0.5 * (b + c) + 0.05 * np.array([-link[1], link[0]])


def test_tolerances_move_the_coupler_point_as_the_vector_loop_has_it():
    """The study of the how-to, short: every run against the closed form; its spread against that of linear theory."""
    vary = {
        "crank": "100 mm +/- 0.1",
        "coupler": "250 mm +/- 0.1",
        "rocker": "200 mm +/- 0.1",
        "ground": "250 mm +/- 0.2",
    }
    outputs = ["at(tip.position.x, 0.157)", "at(tip.position.z, 0.157)"]
    study = lw.study(
        ROCKER, vary, outputs, 0.314, every=0.0785, runs=64, sampling="sobol",
        engine="here", progress=False,
    )  # fmt: skip
    lengths = np.array([1e-3 * study[name] for name in vary]).T
    known = np.array([coupler_point(*one, 20 * 0.157) for one in lengths])
    np.testing.assert_allclose(np.array([study[text] for text in outputs]).T, known, atol=2e-9)
    nominal, h = np.array([0.1, 0.25, 0.2, 0.25]), 1e-6
    slopes = [
        (coupler_point(*(nominal + h * step), 20 * 0.157) - coupler_point(*nominal, 20 * 0.157)) / h
        for step in np.eye(4)
    ]
    spread = np.sqrt((np.array(slopes) ** 2).T @ np.array([0.1, 0.1, 0.1, 0.2]) ** 2) * 1e-3 / 3 * 0.9866
    assert known.std(axis=0) == pytest.approx(spread, rel=0.1)


# -- values of a wrong type -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("wrong", [5, -1.5, "x", None, [], {}, ("a", 1), float("nan"), object()])
def test_options_of_a_wrong_type_are_refused_in_a_sentence(wrong, monkeypatch):
    """Every option of a study, with everything that may be taken for it by mistake."""
    monkeypatch.setattr(dask_workers, "PATIENCE", 0.2)
    model, vary = oscillator(), {"mass.mass": "normal(1, 0.01)", "spring.stiffness": "normal(20, 1)"}
    for name in ("analysis", "runs", "sampling", "seed", "correlated", "engine", "jobs", "scheduler", "out"):
        given = {"runs": 2, "progress": False, "engine": "here", name: wrong}
        if (name, wrong) in (("out", "x"), ("runs", 5), ("seed", 5), ("jobs", 5)) or wrong is None or wrong == {}:
            continue
        with pytest.raises(OptionError):
            model.study(vary, ["energy"], 0.01, **given)


@pytest.mark.parametrize("x", [0.5, [0.5, 0.6, 0.7], ["a", "b"], None, [[1.0, 2.0]], [1j, 1.0]])
def test_a_function_of_parameters_takes_a_number_for_each(x):
    function = lw.value_and_grad(oscillator(), "end(energy)", ["mass.mass", "spring.stiffness"], until=0.01)
    with pytest.raises(OptionError, match=r"give a number for each of mass.mass, spring.stiffness, as \["):
        function(x)


def test_a_name_that_is_no_number_has_a_remedy():
    run = oscillator().simulate(0.01, progress=False)
    for name, remedy in (("mass", "name one of its fields, as 'mass.mass'"), ("gravity", "write gravity.0, gravity.1")):
        with pytest.raises(OptionError, match=remedy):
            run.gradient(["energy"], [name])


def test_the_same_message_of_many_runs_stands_once() -> None:
    masses, model = {"bar.mass": [1.0, -1.0, -2.0, -3.0]}, lw.library_model("pendulum")
    found = model.study(masses, ["end(pin.angle)"], until=0.05, engine="here", progress=False)
    assert len(found._notes()) == 3  # each names its mass
    found.message[1:] = "the same"
    ((settings, text),) = found._notes()
    assert (settings, text) == ("bar.mass = -1.0, and 2 more", "the same")


def test_refusals_name_what_was_given_and_words_of_studies() -> None:
    model, outputs = lw.library_model("pendulum"), ["end(pin.angle)"]
    drawn = r"'bar.mass' = '1 m \+/- 0.1': .* mass is '.* m'; it must be a mass"
    with pytest.raises(lw.LinkworkError, match=drawn):
        model.study({"bar.mass": "1 m +/- 0.1"}, outputs, until=0.05, runs=4, progress=False)
    with pytest.raises(lw.LinkworkError, match=r"no option 'sampel'.*did you mean 'sampling'"):
        model.study({"bar.mass": [1.0, 2.0]}, outputs, until=0.05, sampel="sobol", progress=False)
