"""`literal`: every method as its paper prints it, from Python, model files and the command line.

As printed they are right as well, but for P3, which keeps I_R and P_T where the updated ones belong.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from typer.testing import CliRunner

from contract.test_methods import CLOSED, REGULAR, reference
from corrections import corrected
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.cli import app
from linkwork.formulations.equations import Equations
from linkwork.library import library_model
from linkwork.methods import parametrization
from linkwork.model import Model
from linkwork.numerics.status import LEVEL_POSITION, OK

__all__ = ["reference"]  # the fixture

P3 = ("projection", "hybrid-projection")


def literal_run(name: str, method: str, formulation: str = "absolute", corrected: float = 1.0):
    model, until = REGULAR[name]
    extra = {"corrected": corrected} if method in P3 else {}
    return simulate(
        model,
        Options(until, formulation, method, rtol=1e-9, every=until / 20, literal=True, method_options=extra),
    )


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("method", CLOSED)
@pytest.mark.parametrize("name", ["slider-crank", "rssr"])
def test_methods_as_printed_agree(name, method, formulation, reference):
    run = literal_run(name, method, formulation)
    assert run.certificate.status == "finished"
    size = float(np.ptp(reference[name].position, axis=0).max())
    assert np.abs(run.position - reference[name].position).max() < 2e-6 * size


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "rssr"])
def test_p3_as_printed_is_wrong_and_the_certificate_says_so(name, reference):
    run = literal_run(name, "projection", corrected=0.0)
    size = float(np.ptp(reference[name].position, axis=0).max())
    assert np.abs(run.position - reference[name].position).max() > 1e-2 * size
    assert run.certificate.status == "suspect"


def test_p5_factors_one_matrix_an_evaluation():
    run = literal_run("slider-crank", "parametrization")
    assert run.certificate.factorizations == run.certificate.evaluations


def test_p1_factors_the_dependent_block_and_the_augmented_matrix_and_restarts():
    run = literal_run("slider-crank", "lu", "joint")
    ours = simulate(REGULAR["slider-crank"][0], Options(0.1, "joint", "lu", rtol=1e-9))
    assert run.certificate.factorizations >= 2 * run.certificate.evaluations
    changes = len(run.certificate.switches) - 1
    assert changes > 0 and np.sum(run.steps["order"] == 1) >= changes
    assert run.certificate.steps > ours.certificate.steps


@pytest.mark.parametrize("method", ["lu", "qr"])
def test_as_printed_steps_are_those_that_the_integrator_chooses(method):
    """One of them ends at the flat position; only our own form steps aside, theory (9.12)."""
    shortest = []
    for literal in (True, False):
        run = simulate(
            library_model("four-bar").mechanism,
            Options(0.2, "absolute", method, rtol=1e-4, hmax=1e-3, every=0.1, literal=literal),
        )
        shortest.append(run.steps["h"][run.steps["t"] > 0.15][:-1].min())
    assert shortest[0] == pytest.approx(1e-3) and shortest[1] < 0.5e-3


def test_p5_finds_the_nearest_position_in_the_metric_of_the_mass():
    """Against a minimizer that knows only Phi and M, from positions off by a tenth of the links."""
    start = assemble(library_model("four-bar", {"angle": 60.0}).mechanism, "joint")
    equations = Equations(start.compiled, partitioned=True)
    equations.work.options["literal"] = 1.0
    count, rng = int(equations.system.whole[0]["q_count"]), np.random.default_rng(2)

    def at(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        y = start.y.copy()
        y[:count] = q
        equations.evaluate(0.0, y, start.angles, LEVEL_POSITION)
        mass, dofs = np.zeros((count, count)), equations.system.dofs
        for k in range(count):
            i = k
            while i >= 0:
                mass[k, i] = mass[i, k] = equations.work.M[dofs[k]["row"] + dofs[i]["depth"]]
                i = dofs[i]["parent"]
        active = equations.work.active[: equations.work.method["active_count"][0]]["row"]
        return equations.work.Phi[active], mass

    for _ in range(5):
        integrated = start.y[:count] + rng.uniform(-0.1, 0.1, count)
        status, y = corrected(equations, parametrization.METHOD, np.append(integrated, start.y[count:]), start.angles)
        assert status == OK
        weight = at(y[:count])[1]
        found = minimize(
            lambda q, a=integrated, W=weight: 0.5 * (q - a) @ W @ (q - a), integrated,
            constraints={"type": "eq", "fun": lambda q: at(q)[0]}, method="SLSQP", options={"ftol": 1e-14},
        )  # fmt: skip
        np.testing.assert_allclose(y[:count], found.x, atol=1e-5)


def test_literal_in_a_file_and_on_the_command_line(tmp_path: Path):
    file = tmp_path / "four-bar.json"
    Model.of(library_model("four-bar", {"angle": 60.0}).mechanism.model_copy(update={"literal": True})).save(file)
    assert Model.read(file).mechanism.literal

    def factored(*arguments: str) -> float:
        answer = CliRunner().invoke(app, ["run", *arguments, "--until", "0.1", "--method", "lu", "--json"])
        found = json.loads(answer.stdout)
        assert ("lu, as printed: as requested" in found["why"]) == ("--no-literal" not in arguments)
        return found["factorizations"] / found["evaluations"]

    assert factored(str(file)) > 1.9
    assert factored(str(file), "--no-literal") < 1.2
    assert factored("four-bar", "--set", "angle=60", "--literal") > 1.9


@pytest.mark.parametrize("method", CLOSED)
def test_a_run_says_in_which_form_its_method_is(method: str):
    why = literal_run("slider-crank", method, "joint").certificate.why
    of_others = method in ("synthesis", "proximal")
    assert ("as printed" in why) == (not of_others) and ("corrected before every evaluation" in why) == of_others


@pytest.mark.parametrize("method", ["parametrization", "baumgarte", "lu"])
def test_literal_is_also_an_option_of_the_method(method: str):
    model, until = REGULAR["slider-crank"]
    runs = [
        simulate(model, Options(until, "joint", method, **chosen))
        for chosen in ({"literal": True}, {"method_options": {"literal": 1.0}})
    ]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
