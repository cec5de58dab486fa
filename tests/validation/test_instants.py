"""Linearization about instants of runs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import OptionError


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("t", [0.0, 0.3, 0.6])
def test_pendulum_at_any_angle(formulation: str, t: float) -> None:
    """J theta'' = -m g c sin theta: s^2 = -m g c / J cos theta, also beyond the horizontal."""
    model, c = lw.Model("pendulum", gravity=(0, 0, -9.81)), 0.6  # m
    start = np.radians(120.0)
    model.body("bar", mass=2.0, inertia=(0.1, 0.5, 0.5), at=(c * np.sin(start), 0, -c * np.cos(start)))
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="-y")
    run = model.simulate(0.9, rtol=1e-10, every=0.1, formulation=formulation, progress=False)
    linear = run.linearize(t=t)
    cosine = -run.position("bar")[np.searchsorted(run.t, t - 1e-9), 2] / c
    s = np.linalg.eigvals(linear.A)
    assert (s**2).real == pytest.approx(-2.0 * 9.81 * c / (0.5 + 2.0 * c**2) * cosine, rel=1e-6)
    assert any("not an equilibrium" in note for note in linear.notes)


def test_both_formulations_of_a_run_have_the_same_instant() -> None:
    for name in ("double-pendulum", "gyroscope", "andrews"):
        model = lw.library_model(name)
        ends = []
        for formulation in ("joint", "absolute"):
            run = model.simulate(0.02, rtol=1e-10, formulation=formulation, progress=False)
            ends.append(run.linearize(t=0.02).A)
        assert ends[0] == pytest.approx(ends[1], rel=1e-5, abs=1e-5 * np.abs(ends[0]).max())


def test_matrix_of_an_instant_is_the_derivative_of_the_accelerations() -> None:
    """The double pendulum beside itself by differences: (q, v)' of runs that start a little apart."""
    model = lw.library_model("double-pendulum")
    run = model.simulate(0.5, rtol=1e-10, progress=False)
    q, v, h = run.result.q[-1], run.result.v[-1], 1e-5
    calls = model.calls()

    def rate(y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[2:], calls.forward(y[:2], y[2:])])

    y = np.concatenate([q, v])
    slopes = np.array([(rate(y + h * e) - rate(y - h * e)) / (2 * h) for e in np.eye(4)]).T
    assert pytest.approx(slopes, abs=1e-6 * np.abs(slopes).max()) == run.linearize(t=0.5).A


def test_times_outside_are_refused() -> None:
    run = lw.library_model("pendulum").simulate(0.5, progress=False)
    with pytest.raises(OptionError, match="outside of the run"):
        run.linearize(t=3.0)
    assert any("nearest" in note for note in run.linearize(t=0.25031).notes)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_an_instant_at_which_other_drivers_act_than_at_the_start_is_refused(formulation: str) -> None:
    model = lw.library_model("pendulum")
    model.driver("brake", "pin", hold=True, since=0.2)
    assert len(model.simulate(0.1, formulation=formulation, progress=False).linearize(t=0.1).A) == 2
    with pytest.raises(OptionError, match="driver 'brake' acts otherwise"):
        model.simulate(0.5, formulation=formulation, progress=False).linearize(t=0.4)


def test_command(tmp_path) -> None:
    file = tmp_path / "run.h5"
    run = lw.library_model("double-pendulum").simulate(0.5, out=file, progress=False)
    told = json.loads(CliRunner().invoke(app, ["modes", str(file), "--at", "0.2", "--json"]).stdout)
    assert np.array(told["K"]) == pytest.approx(run.linearize(t=0.2).K)
    for arguments in (["modes", "pendulum", "--at", "1"], ["modes", str(file), "--at", "0.2", "--speed", "pin=1"]):
        refused = CliRunner().invoke(app, arguments)
        assert refused.exit_code == 2 and "error:" in refused.output
