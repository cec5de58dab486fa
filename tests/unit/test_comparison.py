"""Methods side by side: one row a method that serves, refused pairings by name, failures kept as rows, plots."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from linkwork.analyses.comparison import compare, with_ratios
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.errors import OptionError
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.library import library_model
from linkwork.methods.registry import METHODS
from linkwork.view.plots.comparison import plot_comparison
from linkwork.view.plots.panels import _spans

SLIDER_CRANK = library_model("slider-crank").mechanism
FOUR_BAR = library_model("four-bar").mechanism
KEYS = {
    "formulation", "method", "integrator", "status", "steps", "evaluations", "factorizations", "wall_s",
    "energy_drift", "max_violation", "error", "switches",
}  # fmt: skip


def test_methods_that_do_not_serve_are_named_with_the_reason() -> None:
    options = Options(until=0.01, rtol=1e-4, every=0.005, integrator="generalized-alpha")
    (told,) = compare(SLIDER_CRANK, options, ["parametrization", "lu", "qr"]).left_out()
    assert told.startswith("left out lu, qr: such a method does not correct velocities in the metric of the masses")


def test_every_method_that_serves_has_a_row_in_both_formulations() -> None:
    comparison = compare(SLIDER_CRANK, Options(until=0.05, rtol=1e-6, every=0.005))
    serving = {name for name, method in METHODS.items() if not method.open_tree}
    for formulation in ("absolute", "joint"):
        assert {r.method for r in comparison.rows if r.formulation == formulation} == serving
        assert "open trees" in comparison.skipped[f"{formulation}, articulated"]
    for row in comparison.rows:
        assert row.status == "finished", row
        assert row.error < 2e-4, row
        assert row.max_violation < (1e-10 if METHODS[row.method].projects else 1e-5), row
        assert row.ratio >= 1.0
    assert min(r.ratio for r in comparison.rows) == 1.0
    assert len(comparison.results) == len(comparison.rows)


def test_an_open_tree_is_compared_by_recursion_and_in_absolute_coordinates() -> None:
    comparison = compare(library_model("pendulum").mechanism, Options(until=0.2, rtol=1e-6))
    assert [r.method for r in comparison.rows if r.formulation == "joint"] == ["articulated"]
    assert "joint, lu" in comparison.skipped
    assert all(r.error < 1e-4 for r in comparison.rows)


def test_error_is_measured_against_a_tighter_run() -> None:
    chosen = {"methods": ("parametrization", "qr"), "formulations": ("joint",)}
    coarse = compare(FOUR_BAR, Options(until=0.5, rtol=1e-4, every=0.05), **chosen)
    fine = compare(FOUR_BAR, Options(until=0.5, rtol=1e-8, every=0.05), **chosen)
    assert coarse.reference is not None and coarse.reference.options["rtol"] == pytest.approx(1e-7)
    for method in chosen["methods"]:
        assert fine.row(method, "joint").error < 1e-2 * coarse.row(method, "joint").error


def test_a_run_that_fails_is_a_row_with_its_message_and_what_it_reached() -> None:
    """Baumgarte's feedback at 1e5 / s is far too stiff for Runge-Kutta steps of 0.01 s."""
    options = Options(until=0.5, integrator="rk4", step=0.01, method_options={"alpha": 1e5, "beta": 1e5})
    comparison = compare(FOUR_BAR, options, methods=("parametrization", "baumgarte"), formulations=("absolute",))
    good, bad = comparison.rows
    assert (good.status, bad.status) == ("finished", "failed")
    assert "at t = " in bad.message and not good.message
    assert bad.t_end < 0.5 and len(comparison.results[1].t) < len(comparison.results[0].t)
    assert good.ratio == 1.0


def test_a_run_far_from_the_reference_is_suspect() -> None:
    """Here the reference is another motion; a run that leaves its branch with its energy kept looks the same."""
    options = Options(until=0.5, formulation="joint", every=0.05)
    other = simulate(library_model("four-bar", {"angle": 30.0}).mechanism, options)
    comparison = compare(FOUR_BAR, options, ("parametrization",), ("joint",), reference=other)
    assert comparison.rows[0].status == "suspect" and "left its branch" in comparison.rows[0].message


def test_answer_for_machines_has_the_stable_keys() -> None:
    comparison = compare(FOUR_BAR, Options(until=0.05), methods=("hybrid-qr",), formulations=("joint",))
    answer = json.loads(json.dumps(comparison.as_dict()))
    assert set(answer["rows"][0]) >= KEYS
    told: list[str] = []
    compare(FOUR_BAR, Options(until=0.05), ("lu",), ("joint",), watch=lambda row: told.append(row.method))
    assert told == ["lu"]


def test_what_does_not_exist_is_refused_by_name() -> None:
    options = Options(until=0.1)
    with pytest.raises(OptionError, match="no method 'hybird-qr'; did you mean 'hybrid-qr'"):
        compare(FOUR_BAR, options, methods=("hybird-qr",))
    with pytest.raises(OptionError, match="no formulation 'relative'"):
        compare(FOUR_BAR, options, formulations=("relative",))
    with pytest.raises(OptionError, match="has an option 'rho'"):
        compare(FOUR_BAR, Options(until=0.1, method_options={"rho": 1e-6}), methods=("lu", "qr"))
    with pytest.raises(OptionError, match="nothing to compare; joint, articulated"):
        compare(FOUR_BAR, options, methods=("articulated",), formulations=("joint",))


def test_ratios_are_to_the_quickest_that_reached_the_end() -> None:
    comparison = compare(FOUR_BAR, Options(until=0.02), methods=("lu", "qr"), formulations=("joint",))
    rows = with_ratios(comparison.rows, [2.0, 3.0])
    assert [r.ratio for r in rows] == [1.0, 1.5]
    failed = [r.__class__(**{**r.__dict__, "status": "failed"}) for r in rows]
    assert all(math.isnan(r.ratio) for r in with_ratios(failed, [2.0, 3.0]))


def test_plot_overlays_all_runs_and_shows_the_basis_of_hybrids(tmp_path: Path) -> None:
    options = Options(until=0.3, rtol=1e-4, hmax=0.01)
    comparison = compare(FOUR_BAR, options, methods=("lu", "parametrization", "hybrid-qr"))
    figure = plot_comparison(comparison, tmp_path / "methods.png")
    assert (tmp_path / "methods.png").stat().st_size > 10_000
    energy, steps, lanes = figure.axes
    assert "[J]" in energy.get_ylabel() and "[s]" in steps.get_ylabel()
    assert len(energy.get_lines()) == len(steps.get_lines()) == len(comparison.rows) == 6
    assert [text.get_text() for text in lanes.texts] == ["hybrid-qr, absolute", "hybrid-qr, joint"]


def test_spans_join_steps_of_one_basis() -> None:
    steps = np.zeros(5, HISTORY)
    steps["t"], steps["h"], steps["basis"] = [1, 2, 3, 4, 5], 1.0, [0, 0, 1, 1, 0]
    assert _spans(steps) == [(0.0, 2.0, 0), (2.0, 4.0, 1), (4.0, 5.0, 0)]
