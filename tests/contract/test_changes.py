"""Locks, releases and blows of random linkages: momentum, by dense algebra of our own, and the rows afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, first_integrator, sample_times, simulate
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.analyses.start.assembly import assemble
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass, point_jacobian
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import choose_method
from linkwork.numerics.status import LEVEL_EQUATIONS
from linkwork.results.result import Certificate, Result
from linkwork.system.pattern import active_at_start
from random_mechanisms.loops import random_planar_linkage, with_masses
from validation.test_parallelogram import FLAT, parallelogram

WHEN = 0.15  # s
FIVE_BAR = [(-1, 0, "revolute"), (0, 1, "revolute"), (1, 2, "revolute"), (2, 3, "revolute"), (3, -1, "revolute")]


def struck_linkage(seed: int) -> Mechanism:
    """A plane linkage of five bars with two degrees of freedom: at one instant a joint locks, and a blow strikes."""
    rng = np.random.default_rng(seed)
    given = random_planar_linkage(FIVE_BAR, seed, "xz").model_dump(exclude_unset=True)
    given["driver"] = [{"name": "lock", "joint": f"J{rng.integers(5)}", "hold": True, "since": WHEN}]
    blow = {"name": "blow", "body": given["body"][int(rng.integers(4))]["name"], "t": WHEN}
    blow |= {"impulse": rng.uniform(-1, 1, 3) * (1, 0, 1), "moment": rng.uniform(-1, 1, 3) * (0, 1, 0)}
    given["impulse"] = [blow | {"at": rng.uniform(-0.2, 0.2, 3)}]
    return Mechanism(**given)


def forward(mechanism: Mechanism, until: float, formulation: str) -> ForwardRun:
    start, options = assemble(mechanism, formulation), Options(until=until, rtol=1e-9)
    method = choose_method("auto", start.compiled.system)[0]
    run = ForwardRun(start, method, first_integrator("auto"), options, Certificate(), [], sample_times(until, None))
    run.bind()
    return run


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", range(6))
def test_momentum_decides_what_a_lock_and_a_blow_make_of_the_velocities(seed, formulation):
    """M (v+ - v-) + J^T Lambda = B^T (impulse, moment), J v+ = 0, with rows that a dense least squares may drop."""
    mechanism = struck_linkage(seed)
    before = simulate(mechanism.model_copy(update={"driver": (), "impulse": ()}), Options(
        until=WHEN, rtol=1e-9, formulation=formulation))  # fmt: skip
    run = forward(mechanism, WHEN, formulation)
    assert run.go() is None
    layout, (blow,) = run.compiled.layout, mechanism.of(type(mechanism.elements()[-1]))
    beside = Equations(run.compiled, row_state=run.work.row_state)
    y = run.y.copy()
    y[: layout.velocities.stop] = np.concatenate([before.q[-1], before.v[-1]])
    beside.evaluate(WHEN, y, run.angles, LEVEL_EQUATIONS)
    M, J, work = dense_mass(beside.system, beside.work), dense_jacobian(beside.system, beside.work), beside.work
    body = layout.body(blow.body)
    point = work.p[body] + work.R[body] @ (layout.p_LB[body] + layout.R_LB[body] @ np.array(blow.at))
    push = point_jacobian(run.compiled, work, body, point).T @ np.concatenate([blow.impulse, blow.moment])
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, J.T).T
    free = before.v[-1] + np.linalg.solve(M, push)
    after = free + np.linalg.solve(L.T, np.linalg.lstsq(A, -J @ free, rcond=1e-9)[0])
    np.testing.assert_allclose(run.y[layout.velocities], after, atol=1e-6 * max(1.0, np.abs(after).max()))
    gained = 0.5 * (after @ M @ after - before.v[-1] @ M @ before.v[-1])
    assert run.certificate.events[-1]["energy"] == pytest.approx(gained, rel=1e-5, abs=1e-7)
    assert run.work.method[0]["active_count"] == len(active_at_start(run.compiled.system)) + 1


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", range(4))
def test_a_lock_holds_whatever_the_masses(seed, formulation):
    """Rows are chosen by geometry: links of 1e-6 to 1e6 kg beside each other."""
    rng = np.random.default_rng(seed)
    mechanism = struck_linkage(seed)
    mechanism = with_masses(mechanism, list(10.0 ** rng.uniform(-6, 6, len(mechanism.body))))
    run = simulate(mechanism.model_copy(update={"impulse": ()}), Options(until=0.4, rtol=1e-7, formulation=formulation))
    assert run.certificate.status == "finished", run.certificate.error
    angle = relative_angle(run, mechanism.driver[0].joint)
    after = run.t > WHEN
    assert np.ptp(angle[after]) < 1e-7


def relative_angle(run: Result, joint: str) -> np.ndarray:
    return np.unwrap(lw.Run(run)[f"{joint}.angle"])


def let_go(speed: float, offset: float, rtol: float, formulation: str) -> Result:
    """A parallelogram without gravity, driven at constant speed, is let go where its links are in line, or beside."""
    given = parallelogram(10.0, "xz").model_dump(exclude_unset=True)
    flat = math.radians(180.0 - 10.0) / speed
    given["gravity"] = (0.0, 0.0, 0.0)
    given["driver"] = [{"name": "motor", "joint": "A", "velocity": speed, "until": flat * (1.0 + offset)}]
    run = simulate(Mechanism(**given), Options(until=4.0, rtol=rtol, formulation=formulation))
    np.testing.assert_allclose(np.abs(lw.Run(run)["A.rate"]), speed, rtol=1e-6)
    return run


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("offset", [0.0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4, -1e-4])
def test_a_driver_lets_go_in_a_flat_position(formulation, offset):
    """It goes on."""
    assert let_go(2.0, offset, 1e-8, formulation).certificate.status == "finished"


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("seed", range(20))
def test_a_driver_lets_go_beside_a_flat_position(formulation, seed):
    """However near, before it or behind."""
    rng = np.random.default_rng(seed)
    offset = rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-10.0, -1.5)
    run = let_go(rng.uniform(1.0, 3.0), offset, 10.0 ** rng.uniform(-9.0, -7.0), formulation)
    assert run.certificate.status == "finished", run.certificate.error


@pytest.mark.parametrize("seed", range(12))
def test_the_work_until_a_driver_lets_go_is_known(seed):
    """None, of a mechanism that just goes on: the force of the driver at that instant is rounding."""
    rng = np.random.default_rng(seed)
    run = let_go(rng.uniform(1.0, 3.0), 10.0 ** rng.uniform(-5.3, -4.4), 10.0 ** rng.uniform(-9.0, -7.0), "absolute")
    np.testing.assert_allclose(run.energy[:, 2], 0.0, atol=1e-6 * run.energy[0, 0])


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_lock_in_a_flat_position_stops_a_parallelogram(formulation):
    given = parallelogram(10.0, "xz").model_dump(exclude_unset=True)
    given["driver"] = [{"name": "brake", "joint": "A", "hold": True, "since": FLAT[0]}]
    run = simulate(Mechanism(**given), Options(until=1.0, rtol=1e-8, formulation=formulation))
    assert run.certificate.status == "finished", run.certificate.error
    assert np.abs(lw.Run(run)["A.rate"][run.t > FLAT[0] + 1e-9]).max() < 1e-9
