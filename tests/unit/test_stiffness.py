"""Stiff forces: found while a run goes on, reported or answered by a change of integrator; `step` and `max_steps`."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from linkwork.analyses.simulate import dynamics, forward_run, stiffness
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.cli import app
from linkwork.elements.solids.shapes import rod
from linkwork.errors import NumericalError, OptionError
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.model import Model
from linkwork.results.result import SAMPLED, Result
from random_mechanisms import random_linkage
from validation.test_random_loops import SPATIAL
from validation.test_stiff import governor, oscillators

RTOL = 1e-5


def stiffer(factor: float) -> Mechanism:
    """The flyball governor of IFToMM with stiffer springs and dampers."""
    model = governor()
    springs = tuple(
        s.model_copy(update={"stiffness": factor * s.stiffness, "damping": factor * s.damping})
        for s in model.spring_damper
    )
    return model.model_copy(update={"spring_damper": springs})


def same(one: Result, other: Result) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in SAMPLED)


# ------------------------------------------------------------------------------------------------------------- changes


def test_a_governor_a_thousand_times_stiffer_takes_two_seconds_not_a_million_steps() -> None:
    exact = simulate(stiffer(1e3), Options(2.0, integrator="generalized-alpha", rtol=1e-8))
    began = time.perf_counter()
    run = simulate(stiffer(1e3), Options(2.0, rtol=RTOL))
    assert time.perf_counter() - began < 10.0
    assert run.certificate.status == "finished"
    assert run.certificate.integrator in stiffness.IMPLICIT
    assert run.certificate.steps < 1500
    assert np.abs(run.position - exact.position).max() < 100 * RTOL
    (change,) = run.certificate.switches
    assert (change["from"], change["to"]) == ("adams", run.certificate.integrator)
    assert 0.0 < change["t"] < 0.01
    assert "stability held the steps down" in change["why"]


def test_at_a_tolerance_so_tight_that_small_steps_are_needed_anyhow_it_stays_explicit() -> None:
    """Springs and dampers a tenth as stiff hold the steps of adams down a little only."""
    run = simulate(stiffer(0.02), Options(2.0, rtol=1e-10))
    assert run.certificate.integrator == "adams"
    assert run.certificate.switches == []


@pytest.mark.parametrize("seed", range(6))
def test_random_oscillators_keep_the_tolerance_and_cost_little_more_than_the_implicit_ones(seed: int) -> None:
    """x'' + c x' + k x = 0, three of them, c from 1 to 1e7 1/s: damped beyond what oscillates where c^2 > 4 k."""
    rng = np.random.default_rng(seed)
    c, x_0 = 10.0 ** rng.uniform(0.0, 7.0, 3), rng.uniform(0.1, 0.4, 3)
    k = c * rng.uniform(0.5, 3.0, 3) + 1.0
    model, rtol = oscillators(*zip(k, c, x_0, strict=True)), 10.0 ** rng.uniform(-6.0, -4.0)
    run = simulate(model, Options(3.0, rtol=rtol))
    root = np.sqrt((c * c - 4.0 * k).astype(complex))
    a, b = 0.5 * (c - root), 0.5 * (c + root)
    a = np.where(np.abs(a) < 1e-3 * np.abs(b), k / b, a)  # without cancellation
    t = run.t[:, None]
    x = (x_0 * (b * np.exp(-a * t) - a * np.exp(-b * t)) / (b - a)).real
    assert np.abs(run.position[:, :, 0] - 1.0 - x).max() < 100 * rtol
    implicit = simulate(model, Options(3.0, rtol=rtol, integrator="radau"))
    assert run.certificate.evaluations < 3.0 * implicit.certificate.evaluations + 3000


def damped_at_first() -> Model:
    """A pendulum in thick oil that is gone after 0.1 s."""
    model = Model("arm", gravity=(0, 0, -9.81))
    arm = model.body("arm", rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    model.revolute("pin", model.ground, arm, at=(0, 0, 0), axis="y")
    model.joint_force("oil", "pin", "if(t < 0.1, -1e5*v, 0)")
    return model


def test_it_changes_back_where_the_forces_are_no_longer_stiff() -> None:
    model = damped_at_first()
    run = model.simulate(20.0, rtol=1e-11)
    names = [(entry["from"], entry["to"]) for entry in run.certificate.switches]
    assert names == [("adams", "radau"), ("radau", "adams")]
    assert run.certificate.energy_drift < 1e-4


@pytest.mark.parametrize(("first", "seconds"), [(1, 1e-9), (7, 1e-3), (100_000, 100.0)])
def test_when_it_changes_does_not_depend_on_the_clock(monkeypatch, first: int, seconds: float) -> None:
    """Chunks have as many steps as a tenth of a second allows; looks are at the same steps, whatever these are."""
    model = stiffer(10.0)
    plain = simulate(model, Options(2.0, rtol=RTOL))
    monkeypatch.setattr(forward_run, "FIRST_CHUNK", first)
    monkeypatch.setattr(forward_run, "CHUNK_SECONDS", seconds)
    chunked = simulate(model, Options(2.0, rtol=RTOL))
    assert plain.certificate.switches == chunked.certificate.switches != []
    assert same(plain, chunked) and np.array_equal(plain.steps, chunked.steps)


# ----------------------------------------------------------------------------------------------------- nothing changes


@pytest.mark.parametrize(
    "name", ["pendulum", "four-bar", "slider-crank", "andrews", "n-four-bar", "gyroscope", "bricard"]
)
def test_what_is_not_stiff_keeps_the_steps_of_adams(name: str) -> None:
    model = library_model(name).mechanism
    until = min(model.duration or 1.0, 3.0)
    auto, plain = (simulate(model, Options(until, integrator=which)) for which in ("auto", "adams"))
    assert same(auto, plain) and np.array_equal(auto.steps, plain.steps)
    assert auto.certificate.evaluations == plain.certificate.evaluations


@pytest.mark.parametrize(
    "model",
    [library_model(name).mechanism for name in ("four-bar", "hmmwv", "bouncing-ball", "quarter-car")]
    + [random_linkage(SPATIAL[name], 1) for name in ("RSSR", "two loops")],
    ids=["four-bar", "hmmwv", "bouncing-ball", "quarter-car", "RSSR", "two loops"],
)
def test_a_trial_that_does_not_pay_leaves_no_trace(model: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials all the time, none of which may pay."""
    plain = simulate(model, Options(1.5, integrator="adams"))
    for name, value in {
        "FIRST_LOOK": 20,
        "WAIT": 1,
        "WINDOW": 10,
        "LOW_ORDER": 99.0,
        "WORTH": 0,
        "PAYS": np.inf,
    }.items():
        monkeypatch.setattr(stiffness, name, value)
    monkeypatch.setattr(forward_run, "FIRST_CHUNK", 4)
    trials = []
    trial = stiffness.IntegratorChoice._trial
    monkeypatch.setattr(stiffness.IntegratorChoice, "_trial", lambda *given: trials.append(given) or trial(*given))
    tried = simulate(model, Options(1.5, integrator="auto"))
    assert trials
    assert same(tried, plain) and np.array_equal(tried.steps, plain.steps)


# ------------------------------------------------------------------------------------------------------- what is said


@pytest.mark.parametrize("integrator", ["adams", "dop853"])
def test_an_explicit_integrator_says_what_the_implicit_one_would_take(integrator: str) -> None:
    run = simulate(stiffer(10.0), Options(2.0, integrator=integrator, rtol=RTOL))
    (text,) = [text for text in run.certificate.warnings if text.startswith("stiff: ")]
    found = re.search(
        rf"stability holds the steps of {integrator} down to .* radau would take about ([\d,]+) steps", text
    )
    assert found is not None, text
    implicit = simulate(stiffer(10.0), Options(2.0, integrator="radau", rtol=RTOL)).certificate.steps
    assert implicit / 4 < int(found[1].replace(",", "")) < 4 * implicit
    assert run.certificate.switches == []


def test_it_is_said_while_the_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NumericalError, match="max_steps"):
        Model.of(stiffer(1e3)).simulate(2.0, integrator="adams", rtol=RTOL, max_steps=20_000)
    assert "linkwork: stiff: at t = " in capsys.readouterr().err


@pytest.mark.parametrize("method", ["lu", "qr", "projection", "baumgarte"])
def test_a_stiff_run_goes_on_by_an_implicit_integrator_with_any_method(method: str) -> None:
    """In absolute coordinates, where generalized-alpha is refused with lu and baumgarte."""
    run = simulate(stiffer(1e3), Options(2.0, "absolute", method, rtol=RTOL, max_steps=20_000))
    assert run.certificate.integrator in stiffness.IMPLICIT and run.certificate.status == "finished"


@pytest.mark.parametrize(("formulation", "best"), [("joint", "radau"), ("absolute", "generalized-alpha")])
def test_the_implicit_integrator_that_takes_less_goes_on(formulation: str, best: str) -> None:
    """In absolute coordinates the stiff springs turn: Newton's method for the stages of radau then converges badly."""
    run = simulate(stiffer(10.0), Options(2.0, formulation, rtol=1e-4))
    assert run.certificate.integrator == best
    (change,) = run.certificate.switches
    assert (change["from"], change["to"]) == ("adams", best)


def test_of_a_model_too_large_for_full_matrices_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stiffness, "MOST_MOTIONS", 3)
    with pytest.raises(NumericalError) as failure:
        simulate(stiffer(1e3), Options(2.0, rtol=RTOL, max_steps=20_000))
    (text,) = [text for text in failure.value.partial.certificate.warnings if text.startswith("stiff: ")]
    assert "no implicit integrator can be used: 'radau': it works with full matrices, here of 4 motions;" in text


def test_matrices_larger_than_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamics, "MOST_MEMORY", 1e3)
    with pytest.raises(
        OptionError, match=r"integrator .radau. works with full matrices, for this model.s .* with 0 GB"
    ):
        simulate(stiffer(1.0), Options(2.0, integrator="radau"))


# ---------------------------------------------------------------------------------------------------- step, max_steps


def test_too_many_steps_end_a_run_and_keep_its_results() -> None:
    with pytest.raises(NumericalError, match="has taken 50 steps, as many as max_steps allows") as failure:
        simulate(library_model("pendulum").mechanism, Options(3.0, max_steps=50, every=0.01))
    partial = failure.value.partial
    assert partial.certificate.steps == 50
    assert partial.certificate.status == "failed"
    assert partial.t[-1] <= partial.certificate.t_end < 3.0 and len(partial.t) > 10


@pytest.mark.parametrize("most", [0, -3, 1.5])
def test_max_steps_is_a_whole_number(most: float) -> None:
    with pytest.raises(OptionError, match="max_steps"):
        Options(1.0, max_steps=most)


@pytest.mark.parametrize("integrator", ["auto", "adams", "dop853", "generalized-alpha", "radau"])
def test_a_step_for_an_integrator_that_chooses_its_own_is_refused(integrator: str) -> None:
    with pytest.raises(OptionError, match=f"option 'step' is 0.01 s, but integrator '{integrator}' chooses its steps"):
        Options(1.0, integrator=integrator, step=0.01)


def test_commands_take_max_steps() -> None:
    answer = CliRunner().invoke(app, ["run", "pendulum", "--until", "3", "--max-steps", "20"])
    assert answer.exit_code == 3
    assert "20 steps, as many as max_steps allows" in answer.output
