"""Hybrids (P1, P3): LU wherever it is sound, the other basis only around a singular position, and back afterwards.

The parallelograms of test_singular_positions.py, within its bounds; regular mechanisms, free and driven, stay in LU.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.reasons import REASONS, Basis, Reason
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.results.result import Result
from validation.test_singular_positions import Case, check, parallelogram, random_case

HYBRIDS = ("hybrid-qr", "hybrid-projection")
FORMULATIONS = ("absolute", "joint")
LEFT, RETURNED, LOST = (REASONS[r] for r in (Reason.NEAR_SINGULAR, Reason.SOUND_AGAIN, Reason.SINGULAR))


def changes(run: Result) -> list[dict]:
    return [entry for entry in run.certificate.switches if entry["from"] != entry["to"]]


def check_changes(run: Result) -> None:
    """Out of LU just before each singular position and for a true reason, back just after it, and nothing else."""
    out = [entry for entry in changes(run) if entry["from"] == "lu"]
    back = [entry for entry in changes(run) if entry["to"] == "lu"]
    step = run.steps["h"].max()
    passed = [place["t"] for place in run.certificate.singular]
    if len(out) == len(passed) + 1:  # about to pass one as the run ends
        assert out[-1]["t"] > run.t[-1] - 0.05 - step
        passed.append(run.t[-1])
    assert len(out) == len(passed) and len(back) in (len(out), len(out) - 1), (passed, out, back)
    for t, entry in zip(passed, out, strict=True):
        assert t - 0.1 - step < entry["t"] < t + 0.01
        assert entry["why"] == LEFT or (entry["why"] == LOST and entry["rank"] < run.rank.max()), entry
    for t, entry in zip(passed, back, strict=False):
        assert t < entry["t"] < t + 0.15 + 2 * step
        assert entry["why"] == RETURNED


def check_hybrid(case: Case, method: str, integrator: str = "adams") -> float:
    """Within the bounds of `check`, two changes a passage, LU for 90 % of the steps; the evaluations as in `check`."""
    run, ratio = check(case, method, integrator)
    check_changes(run)
    shares = run.certificate.bases
    assert shares["lu"]["steps"] >= 0.9, (case, shares)
    assert shares["lu"]["steps"] == np.mean(run.steps["basis"] == Basis.LU)
    assert sum(share["time"] for share in shares.values()) == pytest.approx(1.0)
    return ratio


@pytest.mark.parametrize("method", HYBRIDS)
def test_random_parallelograms_pass_in_the_other_basis_and_run_in_lu(method: str) -> None:
    rng = np.random.default_rng(19)
    assert max(check_hybrid(random_case(rng), method) for _ in range(5)) < 1.2


def driven(name: str, joint: str, velocity: str, angle: float) -> Mechanism:
    model = library_model(name, {"angle": angle})
    model.driver("motor", joint, velocity=velocity)
    return model.mechanism


REGULAR = {
    "slider-crank": (library_model("slider-crank").mechanism, 1.0),
    "slider-crank from 60 degrees": (library_model("slider-crank", {"angle": 60.0}).mechanism, 1.0),
    "driven slider-crank": (driven("slider-crank", "crank pin", "-20 + 5*sin(9*t)", 30.0), 1.0),
    "driven four-bar": (driven("four-bar", "A", "0.3*cos(3*t)", 60.0), 1.0),
    "andrews": (library_model("andrews").mechanism, 0.03),
}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", HYBRIDS)
@pytest.mark.parametrize("name", REGULAR)
def test_without_a_singular_position_a_hybrid_stays_in_lu(name: str, method: str, formulation: str) -> None:
    model, until = REGULAR[name]
    for integrator in ("adams", "dop853"):
        run = simulate(model, Options(until, formulation, method, integrator))
        assert run.certificate.status == "finished"
        assert changes(run) == []
        assert run.certificate.bases == {"lu": {"steps": 1.0, "time": 1.0}}


def test_lu_takes_no_step_that_throws_it_off() -> None:
    """An estimate of the independent coordinate alone vanishes by chance: of these starts three lost 2e-3 then."""
    for angle in np.linspace(5.0, 85.0, 80):
        run = simulate(library_model("slider-crank", {"angle": angle}).mechanism, Options(1.0, "joint", "lu", "dop853"))
        assert run.certificate.status == "finished"
        assert run.certificate.energy_drift < 1e-4


@pytest.mark.parametrize("angle", [10.0, 23.0])
@pytest.mark.parametrize("hmax", [0.01, None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", HYBRIDS)
def test_the_four_bar_leaves_lu_at_its_flat_positions_alone(method, formulation, hmax, angle) -> None:
    model = library_model("four-bar", {"angle": angle}).mechanism
    run = simulate(model, Options(3.0, formulation, method, hmax=hmax))
    assert len(run.certificate.singular) == 5
    check_changes(run)
    if hmax is not None:
        assert run.certificate.bases["lu"]["steps"] >= 0.9


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("method", HYBRIDS)
def test_a_four_bar_driven_through_its_flat_position_leaves_lu_there_alone(method: str, formulation: str) -> None:
    run = simulate(driven("four-bar", "A", "-1.0", 20.0), Options(0.7, formulation, method, hmax=0.005))
    assert np.abs(run.orientation[:, 1, 1:]).max() < 1e-6  # the coupler of a parallelogram stays level
    check_changes(run)
    assert run.certificate.bases["lu"]["steps"] >= 0.9


@pytest.mark.parametrize("method", HYBRIDS)
def test_a_lock_is_no_reason_to_leave_lu(method: str) -> None:
    """Other rows while it holds, hence another best position; the four-bar is regular throughout."""
    model = library_model("four-bar", {"angle": 60.0})
    model.driver("brake", "A", hold=True, since=0.1, until=0.15)
    run = simulate(model.mechanism, Options(0.3, "absolute", method, hmax=0.005))
    assert [entry["action"] for entry in run.certificate.events] == ["lock", "release"]
    assert changes(run) == []


def full_pivoting(J: np.ndarray) -> tuple[list[int], float]:
    """The columns of the dependent block, and the weakest pivot."""
    columns, weakest, A = [], np.inf, J.copy()
    for _ in range(len(J)):
        i, j = np.unravel_index(np.abs(A).argmax(), A.shape)
        columns.append(int(j))
        weakest = min(weakest, abs(A[i, j]))
        A -= np.outer(A[:, j], A[i]) / A[i, j]
        A[i], A[:, j] = 0.0, 0.0
    return columns, weakest


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_block_and_whole_vanish_together_and_the_weakest_pivot_tells(formulation: str) -> None:
    """Why the yardstick is the pivot over its best, theory (1.8), and not the block's conditioning over the whole's."""
    pivots, angles = [], np.radians([60.0, 20.0, 6.0, 2.0, 0.6])
    for angle in angles:
        start = assemble(parallelogram(Case(angle, (1.0, 2.0, 1.5), 1e-6, 0.01, formulation)), formulation)
        equations = Equations(start.compiled, partitioned=True)
        equations.evaluate(0.0, start.y, start.angles, LEVEL_POSITION)
        rows = equations.work.active[: equations.work.method["active_count"][0]]["row"]
        J = dense_jacobian(equations.system, equations.work)[rows]
        columns, weakest = full_pivoting(J)
        block, whole = (np.linalg.svd(matrix, compute_uv=False)[-1] for matrix in (J[:, columns], J))
        assert 0.5 < block / whole <= 1.0 + 1e-12
        pivots.append(weakest)
    assert np.array(pivots[2:]) / angles[2:] == pytest.approx(pivots[-1] / angles[-1], rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["adams", "dop853"])
@pytest.mark.parametrize("method", HYBRIDS)
def test_three_hundred_random_parallelograms_pass(method: str, integrator: str) -> None:
    rng = np.random.default_rng(300)
    ratios = [check_hybrid(random_case(rng), method, integrator) for _ in range(300)]
    assert np.median(ratios) < 1.2
    assert max(ratios) < 1.5
