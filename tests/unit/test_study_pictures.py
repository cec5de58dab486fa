"""Pictures of studies: sensitivities against Ishigami's function, what plots show, and the page that shows any run."""

from __future__ import annotations

import re

import numpy as np
import pytest

import linkwork as lw
from chromium import browser, complaints, js, wait_for
from linkwork.errors import OptionError
from linkwork.library.by_name.study import runs_of
from linkwork.studies.found import Study
from linkwork.studies.plan import Plan
from linkwork.studies.sensitivity import sensitivity
from linkwork.studies.vary import Scatter, Values
from linkwork.view.page.study_page import write_study_page
from linkwork.view.plots.studies import plot_study
from studied import four_bar

A, B = 7.0, 0.1


def ishigami(sampling: str = "saltelli", runs: int = 4096) -> Study:
    """Ishigami and Homma 1990: y = sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1, x uniform from -pi to pi."""
    plan = Plan({name: Scatter("uniform", -np.pi, np.pi) for name in ("x1", "x2", "x3")}, runs, sampling)
    x1, x2, x3 = (plan.column(name) for name in ("x1", "x2", "x3"))
    y = np.sin(x1) + A * np.sin(x2) ** 2 + B * x3**4 * np.sin(x1)
    count = len(plan)
    return Study(
        "ishigami", plan, {"y": y}, {"y": ""}, dict.fromkeys(("x1", "x2", "x3"), ""), np.arange(count),
        np.full(count, "finished", object), np.full(count, "", object), np.zeros(count),
    )  # fmt: skip


def test_sensitivities_are_those_of_ishigamis_function():
    """Against its closed form: V1 = (1 + b pi^4 / 5)^2 / 2, V2 = a^2 / 8, V13 = 8 b^2 pi^8 / 225."""
    v1, v2, v13 = 0.5 * (1 + B * np.pi**4 / 5) ** 2, A**2 / 8, 8 * B**2 * np.pi**8 / 225
    v = v1 + v2 + v13
    found = sensitivity(ishigami(), "y")
    np.testing.assert_allclose(found.first, np.array([v1, v2, 0.0]) / v, atol=0.01)
    np.testing.assert_allclose(found.total, np.array([v1 + v13, v2, v13]) / v, atol=0.01)
    assert (found.first_error < 0.03).all()
    few = sensitivity(ishigami(runs=256), "y")
    assert (np.abs(few.total - found.total) < 4.0 * few.total_error).all()
    with pytest.raises(OptionError, match="run the study with sampling = 'saltelli'"):
        sensitivity(ishigami("sobol"), "y")


def test_a_plot_has_a_curve_for_each_value_of_a_second_name(tmp_path):
    vary = {"strut.stiffness": [100.0, 200.0, 300.0], "coupler.mass": [1.0, 2.0]}
    found = four_bar().study(vary, ["max(A.rate)", "max(energy)"], 0.1, progress=False)
    figure = plot_study(found, tmp_path / "study.svg")
    assert [axes.get_ylabel() for axes in figure.axes] == ["angular velocity [rad/s]", "energy [J]"]
    curve = figure.axes[0].get_lines()[1]
    assert curve.get_label() == "max(A.rate), coupler.mass = 2 kg"
    assert figure.axes[-1].get_xlabel() == "strut.stiffness [N/m]"
    assert curve.get_ydata() == pytest.approx(found["max(A.rate)"][1::2])
    assert curve.get_xdata() == pytest.approx([100.0, 200.0, 300.0])
    assert (tmp_path / "study.svg").stat().st_size > 1e4
    said = four_bar().study({"coupler.mass": "1, 2 lb"}, ["max(energy)"], 0.05, progress=False)
    assert plot_study(said).axes[-1].get_xlabel() == "coupler.mass [lb]"


@pytest.mark.parametrize("kind", ["scatter", "sensitivity", "distribution", "parallel"])
def test_many_runs_are_drawn(tmp_path, kind):
    study = ishigami(runs=64)
    figure = plot_study(study, tmp_path / "p.png", kind=kind)
    assert (tmp_path / "p.png").stat().st_size > 1e4
    if kind == "sensitivity":
        widths = [bar.get_width() for bar in figure.axes[0].patches]
        found = sensitivity(study, "y")
        assert sorted(widths) == pytest.approx(sorted([*found.first, *found.total]))
    if kind == "distribution":
        marked = [line.get_xdata()[0] for line in figure.axes[0].get_lines()]
        assert marked == pytest.approx(np.percentile(study["y"], (5, 50, 95)))


def test_what_plots_refuse(tmp_path):
    with pytest.raises(OptionError, match="needs two varied numbers, not 3"):
        plot_study(ishigami(runs=8), kind="surface")
    with pytest.raises(OptionError, match="no kind of plot 'scater'; did you mean 'scatter'"):
        plot_study(ishigami(runs=8), kind="scater")
    with pytest.raises(OptionError, match="curves show one or two varied names, not 3"):
        plot_study(ishigami(runs=8), kind="curves")
    vary = {"coupler.mass": "1:2:4", "strut.stiffness": "100:200:3"}
    figure = plot_study(four_bar().study(vary, ["max(energy)"], 0.02, progress=False), kind="surface")
    assert figure.axes[0].get_xlabel() == "coupler.mass [kg]"


def test_the_page_shows_any_run_by_a_click(tmp_path):
    model = four_bar()
    study = model.study({"coupler.mass": [1.0, 2.0, 3.0]}, ["max(energy.kinetic)"], 0.2, progress=False)
    page = write_study_page(study, runs_of(study, model, until=0.2), tmp_path / "study.html")
    with browser() as driver:
        driver.get(page.resolve().as_uri())
        inside = "document.querySelector('iframe').contentWindow"
        wait_for(driver, f"{inside}.linkwork && {inside}.linkwork.ready")
        assert js(driver, "document.querySelectorAll('#plot circle').length") == 3
        assert "coupler.mass = 1 kg" in js(driver, "document.getElementById('about').textContent")
        driver.execute_script("document.querySelectorAll('tbody tr')[2].click()")
        assert "run 2: coupler.mass = 3 kg" in js(driver, "document.getElementById('about').textContent")
        wait_for(driver, f"{inside}.linkwork && {inside}.linkwork.ready")
        assert complaints(driver) == []
    assert lw.Study is Study


# -- outputs that are not a number in every run -----------------------------------------------------------------------
KINDS = ("auto", "curves", "scatter", "sensitivity", "surface", "distribution", "parallel")
UNIFORM, NAN = Scatter("uniform", 0.0, 1.0), np.nan
PLANS = {
    "saltelli": Plan({"a": UNIFORM, "b": UNIFORM}, 16, "saltelli"),
    "hypercube": Plan({"a": UNIFORM, "b": UNIFORM}, 20, "latin-hypercube"),
    "one draw": Plan({"a": UNIFORM}, 1, "latin-hypercube"),
    "grid": Plan({"a": Values((1.0, 2.0, 3.0, 4.0, 5.0)), "b": Values((2.0, 3.0))}, None),
    "texts": Plan({"a": Values(("x", "y"))}, None),
    "the same": Plan({"a": Values((1.0, 1.0)), "b": Values((2.0, 3.0, 4.0))}, None),
}


def some_outputs(count: int) -> dict[str, dict[str, np.ndarray]]:
    random, even = np.random.default_rng(0).random(count), np.arange(count) % 2 == 0
    none = np.full(count, NAN)
    return {
        "all": {"y": random}, "none": {"y": none}, "one of two": {"y": none, "z": random},
        "half": {"y": np.where(even, random, NAN)}, "infinite": {"y": np.where(even, np.inf, random)},
        "never both": {"y": np.where(even, random, NAN), "z": np.where(even, NAN, random)},
        "one": {"y": np.where(np.arange(count) == 0, 1.0, NAN)}, "equal": {"y": np.zeros(count)},
    }  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("plan", PLANS)
def test_every_study_is_drawn_or_refused_in_a_sentence(plan):
    made, drawn = PLANS[plan], 0
    for outputs in some_outputs(len(made)).values():
        count = len(made)
        study = Study(
            "model", made, outputs, dict.fromkeys(outputs, "m"), dict.fromkeys(made.vary, ""), np.arange(count),
            np.full(count, "finished", object), np.full(count, "", object), np.zeros(count),
        )  # fmt: skip
        for kind in KINDS:
            try:
                drawn += bool(plot_study(study, kind=kind).axes)
            except OptionError as refused:
                assert re.search("'[abyz]'|two varied numbers|at least 4 runs|sampling = 'saltelli'", refused.message)
    assert drawn >= 8


def test_outputs_without_numbers_are_left_out_of_plots():
    """A force that cannot be told apart, beside two numbers that can: these are drawn, and the title says so."""
    plan = PLANS["hypercube"]
    found = some_outputs(len(plan))["one of two"]
    study = Study(
        "model", plan, found, dict.fromkeys(found, "N"), dict.fromkeys(plan.vary, ""), np.arange(len(plan)),
        np.full(len(plan), "finished", object), np.full(len(plan), "fy not unique", object), np.zeros(len(plan)),
    )  # fmt: skip
    for kind in ("scatter", "distribution", "parallel", "surface"):
        figure = plot_study(study, kind=kind)
        assert figure.get_suptitle() == "model: 20 runs\nwithout y: a number in no run"
    with pytest.raises(OptionError, match=r"'y' is a number in no run; there is nothing to draw \(fy not unique\)"):
        plot_study(study, kind="surface", output="y")
