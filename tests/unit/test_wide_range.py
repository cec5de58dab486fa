"""Expressions whose parts exceed the largest double, and which are finite all the same (closed forms)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import NumericalError
from linkwork.expressions import parse, values

# With u = a t + b: an expression of u, and f, f', f'' with respect to u.
FORMS = {
    "log(cosh(u))": lambda u: (abs(u) - math.log(2.0), math.tanh(u), sech(u) ** 2),
    "sinh(u)/cosh(u)": lambda u: (math.tanh(u), sech(u) ** 2, -2.0 * math.tanh(u) * sech(u) ** 2),
    "1/cosh(u)": lambda u: (sech(u), -math.tanh(u) * sech(u), sech(u) - 2.0 * sech(u) ** 3),
    "1/cosh(u)^2": lambda u: (sech(u) ** 2, -2.0 * math.tanh(u) * sech(u) ** 2, 4.0 * sech(u) ** 2),
    "exp(-cosh(u))": lambda u: (0.0, 0.0, 0.0),
    "exp(3*u)/exp(2*u)/exp(u)": lambda u: (1.0, 0.0, 0.0),
    "1/(1 + exp(exp(abs(u))))": lambda u: (0.0, 0.0, 0.0),
    "sqrt(1 + exp(2*abs(u)))/exp(abs(u))": lambda u: (1.0, 0.0, 0.0),
    "log(exp(u) + exp(u))": lambda u: (u + math.log(2.0), 1.0, 0.0),
    "exp(u)^0.001": lambda u: (math.exp(0.001 * u), 1e-3 * math.exp(0.001 * u), 1e-6 * math.exp(0.001 * u)),
    "cosh(u)^(1/(1 + abs(u)))": lambda u: (math.exp((abs(u) - math.log(2.0)) / (1.0 + abs(u))), None, None),
    "atan(sinh(u))": lambda u: (math.copysign(0.5 * math.pi, u), sech(u), -math.tanh(u) * sech(u)),
    "min(cosh(u), 5)": lambda u: (5.0, 0.0, 0.0),
    "if(cosh(u) > exp(abs(u))/3, 1, 2)": lambda u: (1.0, 0.0, 0.0),
    "max(exp(u), 2*exp(u))/exp(u)": lambda u: (2.0, 0.0, 0.0),
}  # fmt: skip


def sech(u: float) -> float:
    return 2.0 * math.exp(-abs(u)) / (1.0 + math.exp(-2.0 * abs(u)))


def arguments(seed: int) -> tuple[float, float, float]:
    """a, t and u = a t, with exp(|u|) above the largest double."""
    rng = np.random.default_rng(seed)
    a, size = 10.0 ** rng.uniform(1.0, 4.0), rng.uniform(720.0, 5000.0) * rng.choice([-1.0, 1.0])
    return a, size / a, size


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("form", FORMS)
def test_values_and_derivatives(form: str, seed: int) -> None:
    a, t, u = arguments(seed)
    for known, found, power in zip(
        FORMS[form](u), values(parse(form.replace("u", f"({a!r}*t)")), t), range(3), strict=True
    ):
        if known is not None:
            assert found == pytest.approx(known * a**power, rel=1e-9, abs=1e-12 * a**power)


@pytest.mark.parametrize("form", FORMS)
def test_the_same_of_the_state(form: str) -> None:
    """As a measure of a coordinate that grows with time."""
    model = guided(1.0)
    model.measure("m", form.replace("u", "(1000*coordinate(x))"))
    run = model.simulate(2.0, progress=False)
    assert run.certificate.status == "finished"
    assert run["m"][-1] == pytest.approx(FORMS[form](2000.0)[0], rel=1e-9, abs=1e-12)


def test_complex_steps_pass_through() -> None:
    """The stiffness of a spring whose force is log(cosh(1000 (q + 2))), held at q = 0 by a constant one."""
    model = guided(0.0)
    model.joint_force("spring", "x", f"{2000.0 - math.log(2.0)!r} - log(cosh(1000*(coordinate(x) + 2)))")
    assert model.linearize().K[0, 0] == pytest.approx(1000.0, rel=1e-9)


def guided(rate: float) -> lw.Model:
    model = lw.Model("mass", gravity=(0.0, 0.0, 0.0))
    mass = model.body("mass", lw.rod(mass=1.0, length=1.0))
    model.prismatic("x", model.ground, mass, at=(0.0, 0.0, 0.0), axis="x", rate=rate)
    return model


@pytest.mark.parametrize("given", ["motion", "velocity", "acceleration"])
@pytest.mark.parametrize("pulse", ["1/cosh(1e3*(t - 0.5))", "exp(-cosh(1e3*(t - 0.5)))", "1/(1 + exp(3e3*(t - 0.5)))"])
def test_a_driver_by_a_pulse_whose_cosh_overflows(pulse: str, given: str) -> None:
    model = guided(0.0)
    model.driver("drive", joint="x", **{given: f"0.01*{pulse}"})
    run = model.simulate(1.0, progress=False, rtol=1e-8)
    t = np.linspace(0.0, 1.0, 200_001)
    f = 0.01 * np.array([values(parse(pulse), x)[0] for x in t[::10]])
    h = t[10] - t[0]
    v = np.concatenate([[0.0], np.cumsum(0.5 * h * (f[1:] + f[:-1]))])
    x = np.concatenate([[0.0], np.cumsum(0.5 * h * (v[1:] + v[:-1]))])
    known = {"motion": f, "velocity": v, "acceleration": x}[given]
    np.testing.assert_allclose(run["x.distance"], np.interp(run.t, t[::10], known), atol=1e-7)


@pytest.mark.parametrize("text", ["log(0.5 - t)", "if(coordinate(x) < 2, sqrt(0.5 - coordinate(x)), 0)"])
def test_a_value_that_is_not_finite_is_named(text: str) -> None:
    model = guided(1.0)
    model.joint_force("push", "x", text)
    with pytest.raises(NumericalError, match="joint force 'push'") as failure:
        model.simulate(2.0, progress=False)
    assert text in failure.value.message


def test_what_is_no_number_stays_none() -> None:
    for text in ("sign(log(-t))", "min(log(-t), 1)", "max(1, log(-t))", "abs(log(-t))"):
        assert math.isnan(values(parse(text), 1.0)[0])


def test_a_comparison_with_what_is_no_number_does_not_hold() -> None:
    """Of time and of the state, where a branch is guarded by the first of two conditions."""
    guarded = "if({0} > 0.5 and log({0} - 0.5) < 0, 5, 6)"
    assert [values(parse(guarded.format("t")), t)[0] for t in (0.2, 1.0, 2.0)] == [6.0, 5.0, 6.0]
    model = guided(1.0)
    model.joint_force("push", "x", guarded.format("coordinate(x)"))
    run = model.simulate(0.3, progress=False)
    x = run["x.distance"]
    energy = np.where(x < 0.5, 6.0 * x, 3.0 + 5.0 * (x - 0.5))
    np.testing.assert_allclose(run.result.v[:, 0] ** 2 / 2, 0.5 + energy, rtol=1e-5)
