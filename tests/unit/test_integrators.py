"""The integrators: stated order, tolerance, dense output, stops hit exactly, correction onto constraints, failures."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import ode, solve_ivp

from linkwork.compiler.argument_types import MATRIX, STATUS, SYSTEM, VECTOR, WHOLE, WORK, records, signature
from linkwork.compiler.kernels import bind, bind_loop, kernel
from linkwork.compiler.references import Reference
from linkwork.formulations.workspace import Work, workspace
from linkwork.integrators import ab3, adams, dop853, rk4, stages
from linkwork.integrators.control import CONTROL
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import CHUNK_DONE, FINISHED, NEWTON_STALLED, NOT_FINITE, OK, STEP_TOO_SMALL
from linkwork.system.compile import compile_mechanism

pytestmark = pytest.mark.jit

ALL = {"adams": adams, "dop853": dop853, "rk4": rk4, "ab3": ab3}
FIXED = ("rk4", "ab3")
ADAPTIVE = ("adams", "dop853")

# ------------------------------------------------------ the problems, as evaluate, factor, solve and correct kernels

FORCED, TWO_BODY, PENDULUM, BLOWUP, BROKEN, UNCORRECTABLE = range(6)


@kernel
def evaluate(system, t, y, angles, work, level):
    f = work.tau
    problem = system.whole[0].gravity[0]
    if problem == FORCED:  # y = sin t, z = exp(-t / 5) cos t
        f[0] = np.cos(t) + 0.5 * (np.sin(t) - y[0])
        f[1] = -0.2 * y[1] - np.exp(-0.2 * t) * np.sin(t)
    elif problem == TWO_BODY:
        cube = (y[0] * y[0] + y[1] * y[1]) ** 1.5
        f[0] = y[2]
        f[1] = y[3]
        f[2] = -y[0] / cube
        f[3] = -y[1] / cube
    elif problem == PENDULUM:  # unit mass, length and gravity; x'' = -x lam, y'' = -1 - y lam, lam from x x'' + ... = 0
        lam = (y[2] * y[2] + y[3] * y[3] - y[1]) / (y[0] * y[0] + y[1] * y[1])
        f[0] = y[2]
        f[1] = y[3]
        f[2] = -y[0] * lam
        f[3] = -1.0 - y[1] * lam
    elif problem == BLOWUP:  # y = 1 / (1 - t): no step reaches t = 1
        f[0] = y[0] * y[0]
        f[1] = 0.0
    elif problem == BROKEN:  # no rate beyond t = 1
        f[0] = np.nan if t > 1.0 else 1.0
        f[1] = np.cos(t)
    elif problem == UNCORRECTABLE:
        f[0] = y[1]
        f[1] = -y[0]


@kernel
def factor(system, work):
    return OK


@kernel
def solve(factor, system, work, task):
    for i in range(work.rate.shape[0]):
        work.rate[i] = work.tau[i]
    return OK


@kernel
def correct(evaluate, factor, solve, system, t, y, angles, work):
    if system.whole[0].gravity[0] == PENDULUM and system.whole[0].gravity[1] > 0.0:
        r = np.sqrt(y[0] * y[0] + y[1] * y[1])
        y[0] /= r
        y[1] /= r
        outward = y[0] * y[2] + y[1] * y[3]
        y[2] -= outward * y[0]
        y[3] -= outward * y[1]
    if system.whole[0].gravity[0] == UNCORRECTABLE and t > 1.0:
        y[0] = 17.0
        return NEWTON_STALLED
    return OK


@kernel
def loop(
    evaluate, factor, solve, correct, step, interpolate, system, y, angles, work, memory, control, samples, out, steps
):
    """To t_stop, or at most `steps` accepted steps; samples of every step at equal distances go to `out`."""
    row = 0
    for _ in range(steps):
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        for i in range(samples):
            t = control[0].t_previous + (i + 1.0) / (samples + 1.0) * control[0].h_last
            interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, out[row, 1:])
            out[row, 0] = t
            row += 1
        if control[0].t == control[0].t_stop:
            return FINISHED
    return CHUNK_DONE


def _system(problem: int, parameter: float = 0.0) -> Reference:
    """A real System whose gravity carries the problem, so that the very stages of the program are tested."""
    nothing = compile_mechanism(Mechanism(gravity=(float(problem), parameter, 0.0)), "joint").system
    return Reference(nothing)


def _work(size: int) -> Work:
    nothing = workspace(compile_mechanism(Mechanism(gravity=(0.0, 0.0, 0.0)), "joint").system, 0)
    return nothing._replace(rate=np.zeros(size), error_scales=np.ones(size), tau=np.zeros(size))


@pytest.fixture(scope="module", autouse=True)
def _bound():
    """Every stage compiled once with one signature, and the loop once for all of them."""
    _system(0), Reference(_work(1))
    bind(evaluate, stages.EVALUATE)
    bind(factor, stages.FACTOR)
    bind(solve, stages.SOLVE)
    bind(correct, stages.CORRECT)
    for integrator in ALL.values():
        bind(integrator.step, stages.STEP)
        bind(integrator.interpolate, stages.INTERPOLATE)
    bind_loop(loop, LOOP)


LOOP = signature(
    STATUS,
    evaluate=stages.EVALUATE.stage, factor=stages.FACTOR.stage, solve=stages.SOLVE.stage, correct=stages.CORRECT.stage,
    step=stages.STEP.stage, interpolate=stages.INTERPOLATE.stage, system=SYSTEM, y=VECTOR, angles=VECTOR, work=WORK,
    memory=MATRIX, control=records(CONTROL), samples=WHOLE, out=MATRIX, steps=WHOLE,
)  # fmt: skip


class Outcome(NamedTuple):
    status: int
    y: np.ndarray
    control: np.void
    samples: np.ndarray  # rows t, y


def run(
    integrator: ModuleType,
    system: Reference,
    start,
    until: float,
    *,
    h: float = 0.0,
    tol: float = 1e-6,
    samples: int = 0,  # in every step
    steps: int = 100_000,
    stops=None,
    restart: bool = False,  # at every stop
    scales=None,
    **settings,
) -> Outcome:
    y = np.array(start, float)
    n = len(y)
    control = np.zeros(1, CONTROL)
    control["h"], control["fresh"] = h, 1
    control["h_max"], control["h_min"], control["rtol"], control["atol"] = np.inf, 1e-14, tol, tol
    for name, value in settings.items():
        control[name] = value
    arrays = _work(n)
    if scales is not None:
        arrays.error_scales[:] = scales
    work = Reference(arrays)
    memory, control["own"] = np.full_like(integrator.INTEGRATOR.memory(n), np.nan), np.nan
    out = np.full((samples * steps if samples else 1, n + 1), np.nan)
    for stop in stops or [until]:
        control["t_stop"] = stop
        status = loop(
            evaluate, factor, solve, correct, integrator.step, integrator.interpolate,
            system, y, np.zeros(0), work, memory, control, samples, out, steps,
        )  # fmt: skip
        assert stops is None or control["t"][0] == stop
        if restart:
            control["fresh"], control["h"] = 1, h
    return Outcome(status, y, control[0], out[: samples * control["steps"][0]])


def forced(t: float) -> np.ndarray:
    return np.array([np.sin(t), np.exp(-0.2 * t) * np.cos(t)])


def kepler(t: float, e: float = 0.3) -> np.ndarray:
    """Two bodies, semi-major axis and gravity 1, pericentre at t = 0: E - e sin E = t."""
    E = t
    for _ in range(50):
        E -= (E - e * np.sin(E) - t) / (1.0 - e * np.cos(E))
    c, r = np.sqrt(1.0 - e * e), 1.0 - e * np.cos(E)
    return np.array([np.cos(E) - e, c * np.sin(E), -np.sin(E) / r, c * np.cos(E) / r])


PENDULUM_START = [1.0, 0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def pendulum_end() -> np.ndarray:
    """x, y, vx, vy after 5 s from the pendulum's angle, by another code."""

    def rate(t, z):
        return [z[1], -np.sin(z[0])]

    angle, speed = solve_ivp(rate, (0, 5), [np.pi / 2, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return np.array([np.sin(angle), -np.cos(angle), np.cos(angle) * speed, np.sin(angle) * speed])


def two_body(t, y):
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return np.array([y[2], y[3], -y[0] / cube, -y[1] / cube])


def error(y, exact) -> float:
    return float(np.abs(y - exact).max())


def worst_sample(outcome: Outcome, exact) -> float:
    return max(error(row[1:], exact(row[0])) for row in outcome.samples)


def observed_order(errors) -> float:
    """From errors with the step halved each time; the last pair."""
    return float(np.log2(errors[-2] / errors[-1]))


# --------------------------------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("name", FIXED)
def test_fixed_step_has_its_stated_order_at_and_between_the_steps(name):
    runs = [run(ALL[name], _system(FORCED), forced(0), 5.0, h=h, samples=3, steps=300) for h in (0.1, 0.05, 0.025)]
    assert observed_order([error(r.y, forced(5.0)) for r in runs]) == pytest.approx(ALL[name].ORDER, abs=0.15)
    assert observed_order([worst_sample(r, forced) for r in runs]) == pytest.approx(ALL[name].ORDER, abs=0.15)


def test_dop853_has_order_8_and_its_dense_output_7():
    runs = [run(dop853, _system(FORCED), forced(0), 6.0, h=h, h_max=h, tol=1e3) for h in (1.0, 0.5)]
    assert [r.control["steps"] for r in runs] == [6, 12]
    assert observed_order([error(r.y, forced(6.0)) for r in runs]) > dop853.ORDER - 0.3
    local = []
    for h in (0.2, 0.1):  # one step: local error of order 8
        one = run(dop853, _system(TWO_BODY), kepler(0), 6.0, h=h, h_max=h, tol=1e3, samples=3, steps=1)
        local.append(worst_sample(one, kepler))
    assert observed_order(local) > dop853.ORDER_DENSE + 1 - 0.4


@pytest.mark.parametrize("name", ADAPTIVE)
@pytest.mark.parametrize(("problem", "exact", "factor"), [(FORCED, forced, 15), (TWO_BODY, kepler, 900)])
def test_error_follows_the_tolerance(name, problem, exact, factor):
    """Over seven decades the error stays within a problem's own factor of the tolerance, between the steps too."""
    until = 20.0
    between = 20 if name == "dop853" else 2  # its dense output is one order less, as in scipy
    for tol in (1e-4, 1e-6, 1e-8, 1e-11):
        r = run(ALL[name], _system(problem), exact(0.0), until, tol=tol, samples=2, steps=1000)
        assert r.status == FINISHED
        assert error(r.y, exact(until)) < factor * tol
        assert worst_sample(r, exact) < between * factor * tol


def test_adams_reaches_a_high_order_on_a_smooth_problem():
    assert run(adams, _system(FORCED), forced(0), 10.0, tol=1e-10).control["order"] >= 8
    assert run(adams, _system(TWO_BODY), kepler(0), 20.0, tol=1e-11).control["order"] >= 8


# ---------------------------------------------------------------------------------------------------------------- work


def test_adams_needs_two_evaluations_a_step_and_no_more_than_other_adams_codes():
    for tol in (1e-6, 1e-8):
        ours = run(adams, _system(TWO_BODY), kepler(0), 20.0, tol=tol).control
        assert ours["evaluations"] == 2 * ours["steps"] + ours["rejected"] + 1
        assert ours["rejected"] < 0.1 * ours["steps"]
        calls = []
        vode = ode(lambda t, y: calls.append(t) or two_body(t, y))  # noqa: B023
        vode.set_integrator("vode", method="adams", rtol=tol, atol=tol, nsteps=100_000)
        vode.set_initial_value(kepler(0), 0.0).integrate(20.0)
        lsoda = solve_ivp(two_body, (0, 20), kepler(0), method="LSODA", rtol=tol, atol=tol)
        assert ours["evaluations"] < 1.2 * min(len(calls), lsoda.nfev)


def test_dop853_takes_the_steps_of_scipy():
    for tol in (1e-5, 1e-9):
        ours = run(dop853, _system(TWO_BODY), kepler(0), 20.0, tol=tol)
        theirs = solve_ivp(two_body, (0, 20), kepler(0), method="DOP853", rtol=tol, atol=tol)
        assert ours.control["steps"] == pytest.approx(len(theirs.t) - 1, rel=0.05)
        assert ours.control["evaluations"] == pytest.approx(theirs.nfev, rel=0.05)
        np.testing.assert_allclose(ours.y, theirs.y[:, -1], atol=20 * tol)


@pytest.mark.parametrize(("name", "each"), [("rk4", 4), ("ab3", 1)])
def test_fixed_step_evaluations(name, each):
    r = run(ALL[name], _system(FORCED), forced(0), 10.0, h=0.01).control
    assert r["steps"] == 1000
    assert each * 1000 < r["evaluations"] <= each * 1000 + 8  # the start; ab3: Heun's steps at both ends


def test_coordinates_without_a_scale_are_left_out_of_the_error():
    for name in ADAPTIVE:
        integrator = ALL[name]
        both = run(integrator, _system(FORCED), forced(0), 5.0, tol=1e-9)
        one = run(integrator, _system(FORCED), forced(0), 5.0, tol=1e-9, scales=[1.0, 0.0])
        assert one.status == FINISHED
        assert one.y[0] != both.y[0]  # other steps
        assert abs(one.y[0] - np.sin(5.0)) < 2e-8


# --------------------------------------------------------------------------------------------------------------- stops


@pytest.mark.parametrize("name", ALL)
def test_a_stop_is_hit_exactly_and_does_not_slow_what_follows(name):
    h = 0.03 if name in FIXED else 0.0
    free = run(ALL[name], _system(TWO_BODY), kepler(0), 20.0, h=h, tol=1e-8)
    stops = [stop for k in range(1, 20) for stop in (float(k), k + 1e-5)] + [20.0]
    stopped = run(ALL[name], _system(TWO_BODY), kepler(0), 20.0, h=h, tol=1e-8, stops=stops)
    assert stopped.status == FINISHED
    assert stopped.control["t"] == 20.0
    assert stopped.control["steps"] <= free.control["steps"] + 2 * len(stops)
    assert error(stopped.y, kepler(20.0)) < 3.0 * error(free.y, kepler(20.0)) + 2e-6


@pytest.mark.parametrize("name", ALL)
def test_the_largest_step_is_respected(name):
    r = run(ALL[name], _system(FORCED), forced(0), 3.0, h=0.01, h_max=0.01, tol=1e-3, samples=1, steps=400)
    assert r.control["steps"] == 300
    assert np.diff(r.samples[:, 0]).max() < 0.01 * (1 + 1e-9)


@pytest.mark.parametrize("name", ALL)
def test_restart_begins_a_new_history(name):
    """fresh = 1 in the middle: the same motion, to the tolerance."""
    h = 0.01 if name in FIXED else 0.0
    r = run(ALL[name], _system(FORCED), forced(0), 4.0, h=h, tol=1e-8, stops=[1.0, 2.5, 4.0], restart=True)
    assert r.status == FINISHED
    assert error(r.y, forced(4.0)) < 1e-6


# ---------------------------------------------------------------------------------------------------------- correction


@pytest.mark.parametrize("name", FIXED)
def test_correction_keeps_the_order_of_fixed_steps(name, pendulum_end):
    errors = []
    for h in (0.05, 0.025, 0.0125):
        r = run(ALL[name], _system(PENDULUM, 1.0), PENDULUM_START, 5.0, h=h)
        errors.append(error(r.y, pendulum_end))
        assert abs(np.hypot(r.y[0], r.y[1]) - 1.0) < 1e-14
        assert abs(r.y[:2] @ r.y[2:]) < 1e-14
    assert observed_order(errors) > ALL[name].ORDER - 0.2


@pytest.mark.parametrize("name", ADAPTIVE)
def test_correction_keeps_tolerance_and_cost_of_variable_steps(name, pendulum_end):
    for tol in (1e-5, 1e-8, 1e-11):
        r = run(ALL[name], _system(PENDULUM, 1.0), PENDULUM_START, 5.0, tol=tol)
        plain = run(ALL[name], _system(PENDULUM, 0.0), PENDULUM_START, 5.0, tol=tol)
        assert error(r.y, pendulum_end) < 50 * tol
        assert abs(np.hypot(r.y[0], r.y[1]) - 1.0) < 1e-14
        assert abs(r.y[:2] @ r.y[2:]) < 1e-14
        assert r.control["evaluations"] < 1.1 * plain.control["evaluations"] + 5


def test_correction_keeps_order_8(pendulum_end):
    ends = [run(dop853, _system(PENDULUM, 1.0), PENDULUM_START, 5.0, h=h, h_max=h, tol=1e3).y for h in (0.4, 0.2)]
    assert observed_order([error(y, pendulum_end) for y in ends]) > 7.7


@pytest.mark.parametrize("name", ALL)
def test_the_start_is_corrected(name):
    r = run(ALL[name], _system(PENDULUM, 1.0), [1.0 + 1e-4, 0.0, 1e-4, 0.0], 1.0, h=0.01, tol=1e-6, steps=1, samples=1)
    assert abs(np.hypot(r.samples[0, 1], r.samples[0, 2]) - 1.0) < 1e-6


# ------------------------------------------------------------------------------------------------------------ failures


@pytest.mark.parametrize("name", ADAPTIVE)
def test_a_collapsing_step_is_reported_at_the_last_accepted_state(name):
    r = run(ALL[name], _system(BLOWUP), [1.0, 0.0], 2.0, tol=1e-8, h_min=1e-6)
    assert r.status == STEP_TOO_SMALL
    assert 0.9999 < r.control["t"] < 1.0
    assert r.y[0] == pytest.approx(1.0 / (1.0 - r.control["t"]), rel=0.02)


@pytest.mark.parametrize("name", ALL)
def test_a_rate_that_is_not_a_number_is_reported_at_the_last_accepted_state(name):
    r = run(ALL[name], _system(BROKEN), [1.0, 0.0], 2.0, h=0.01 if name in FIXED else 0.0, tol=1e-8, h_min=1e-10)
    assert r.status == NOT_FINITE
    t = r.control["t"]
    assert (0.98 if name in FIXED else 1.0 - 1e-9) < t <= 1.0
    np.testing.assert_allclose(r.y, [1.0 + t, np.sin(t)], rtol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_a_correction_that_fails_is_reported_at_the_last_accepted_state(name):
    r = run(ALL[name], _system(UNCORRECTABLE), [0.0, 1.0], 2.0, h=0.01, tol=1e-8, h_min=1e-10)
    assert r.status == NEWTON_STALLED
    assert (0.98 if name in FIXED else 1.0 - 1e-9) < r.control["t"] <= 1.0 + 1e-9
    np.testing.assert_allclose(r.y, [np.sin(r.control["t"]), np.cos(r.control["t"])], atol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_done_at_the_stop(name):
    r = run(ALL[name], _system(FORCED), forced(0), 0.0, h=0.01)
    assert r.status == STEP_TOO_SMALL
    np.testing.assert_array_equal(r.y, forced(0))


# --------------------------------------------------------------------------------------------------------- allocations


def test_steps_and_dense_output_allocate_nothing(allocated):
    for name, integrator in ALL.items():
        counts = []
        for until in (1.0, 10.0):
            before = allocated()
            h = 0.01 if name in FIXED else 0.0
            run(integrator, _system(TWO_BODY), kepler(0), until, h=h, samples=1, steps=2000)
            counts.append(allocated() - before)
        assert counts[0] == counts[1]  # what is counted wraps the arguments of the call
