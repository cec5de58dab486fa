"""Directional derivatives of FMUs: closed forms, dense complex arithmetic, and differences of its own values."""

from __future__ import annotations

import math
import warnings
from ctypes import c_double
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from dense_derivatives import slopes
from fmus import Instance, Unpacked, fmpy, needs_native_library
from linkwork.analyses.simulate.dynamics import Options
from linkwork.errors import LinkworkError
from linkwork.fmu.frozen_run import start_of
from linkwork.fmu.inputs import given_signals, with_given, with_inputs
from linkwork.library import LIBRARY, library_model
from linkwork.methods.registry import METHODS
from linkwork.results.channels import multiplier_names
from random_mechanisms.anything import anything

pytestmark = needs_native_library
CASES = [(version, exchange) for version in ("2.0", "3.0") for exchange in (False, True)]


def derivative(one: Instance, unknowns: list[str], direction: dict[str, float]) -> np.ndarray:
    number = one.of.number
    known = [number[name] for name in direction]
    return np.array(
        one.fmu.getDirectionalDerivative([number[name] for name in unknowns], known, list(direction.values()))
    )


# -- closed forms -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("version", "exchange"), CASES)
def test_a_pendulum_by_hand(version, exchange, tmp_path):
    """angle'' = (u + m g L / 2 cos(angle)) / J,  J = I + m L^2 / 4, with the angle from the horizontal: by hand."""
    g, L, mass, inertia, theta, torque = 9.81, 1.5, 2.0, 0.4, 0.3, 2.0
    m = lw.Model("pendulum", gravity=(0, 0, -g), duration=1.0)
    bar = m.body("bar", mass=mass, inertia=(0.1, inertia, 0.4), at=(L / 2, 0, 0))
    m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y", start=theta, rate=0.5)
    m.measure("acceleration", "acceleration('pin')")
    outputs = ["energy", "bar.position.z", "bar.velocity.z", "bar.orientation.e2", "acceleration", "pin.rate.dot"]
    path = m.fmu(tmp_path / "m.fmu", inputs=["bar.torque.y"], outputs=outputs, parameters=["bar.mass"], version=version)
    one = Unpacked(path).instance(exchange).begin(**{"bar.torque.y": torque})
    J, rate = inertia + mass * L**2 / 4, "der(state.pin.rate)"
    arm = g * L / 2 * math.cos(theta)
    alpha = (torque + mass * arm) / J
    assert one.get(rate)[0] == pytest.approx(alpha, rel=1e-12)
    down = -mass * g * L / 2 * math.sin(theta) / J
    wanted = {
        ("der(state.pin.angle)", "state.pin.rate"): 1.0,
        (rate, "state.pin.angle"): down,
        (rate, "state.pin.rate"): 0.0,
        (rate, "bar.torque.y"): 1.0 / J,
        ("acceleration", "bar.torque.y"): 1.0 / J,
        ("pin.rate.dot", "state.pin.angle"): down,
        ("energy", "state.pin.rate"): J * 0.5,
        ("energy", "state.pin.angle"): -mass * arm,
        ("bar.position.z", "state.pin.angle"): -L / 2 * math.cos(theta),
        ("bar.velocity.z", "state.pin.angle"): L / 2 * math.sin(theta) * 0.5,
        ("bar.velocity.z", "state.pin.rate"): -L / 2 * math.cos(theta),
        ("bar.orientation.e2", "state.pin.angle"): 0.5 * math.cos(theta / 2),
    }
    for (unknown, known), value in wanted.items():
        assert derivative(one, [unknown], {known: 1.0})[0] == pytest.approx(value, rel=1e-13, abs=1e-13), unknown
    both = derivative(one, [rate], {"state.pin.angle": 3.0, "bar.torque.y": -2.0, "bar.mass": 0.5})[0]
    of_mass = (arm - alpha * L**2 / 4) / J
    assert both == pytest.approx(3.0 * down - 2.0 / J + 0.5 * of_mass, rel=1e-12)
    assert derivative(one, [rate], {"bar.mass": 1.0})[0] == pytest.approx(of_mass, rel=1e-12)
    assert list(one.get("state.pin.angle", "bar.torque.y", "bar.mass")) == [theta, torque, mass]
    one.end()


@pytest.mark.parametrize(("version", "exchange"), CASES)
def test_a_driven_rod_by_hand(version, exchange, tmp_path):
    """The driver's moment J f'' - m g L / 2 cos(f); the state goes where the driver goes."""
    g, L, mass, theta = 9.81, 1.2, 3.0, 0.4
    m = lw.Model("rod", gravity=(0, 0, -g), duration=1.0)
    m.body("rod", mass=mass, inertia=(0.1, mass * L**2 / 12, 0.4), at=(L / 2, 0, 0))
    m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis="y")
    m.driver("motor", "pin", f"{theta} + 0.7*t")
    outputs = ["motor.lam.pin.angle", "rod.position.x", "rod.angular_velocity.y"]
    one = Unpacked(m.fmu(tmp_path / "m.fmu", inputs=["motor"], outputs=outputs, version=version)).instance(exchange)
    one.begin()
    J, unknowns = mass * L**2 / 3, [*outputs, "der(state.pin.angle)", "der(state.pin.rate)"]
    turned = mass * g * L / 2 * math.sin(theta)
    wanted = {
        "motor": [turned, -L / 2 * math.sin(theta), 0.0, 0.0, 0.0],
        "motor.rate": [0.0, 0.0, 1.0, 1.0, 0.0],
        "motor.acceleration": [J, 0.0, 0.0, 0.0, 1.0],
    }
    sign = np.array([-1.0, 1.0, 1.0, 1.0, 1.0])  # lam acts against the driver
    for known, value in wanted.items():
        np.testing.assert_allclose(derivative(one, unknowns, {known: 1.0}), sign * value, rtol=1e-12, atol=1e-12)
    one.end()


@pytest.mark.parametrize("exchange", [False, True])
def test_friction_with_the_load_by_hand(exchange, tmp_path):
    """A block on a rail, pressed by u: m x'' = f - mu (m g - u) tanh(v / v_s)."""
    g, mass, mu, slow, v, u = 9.81, 2.0, 0.3, 0.1, 0.05, -4.0
    m = lw.Model("block", gravity=(0, 0, -g), duration=1.0)
    m.body("block", lw.box(mass=mass, size=(0.2, 0.2, 0.2)))
    m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x", rate=v)
    m.friction("rubbing", "rail", coefficient=mu, smoothing=slow)
    names = ["block.force.x", "block.force.z"]
    one = Unpacked(m.fmu(tmp_path / "m.fmu", inputs=names, outputs=["energy"])).instance(exchange)
    one.begin(**{"block.force.x": 7.0, "block.force.z": u})
    rate, s = "der(state.block.vx)", math.tanh(v / slow)
    assert one.get(rate)[0] == pytest.approx((7.0 - mu * (mass * g - u) * s) / mass, rel=1e-12)
    wanted = {
        "block.force.x": 1.0 / mass, "block.force.z": mu * s / mass,
        "state.block.vx": -mu * (mass * g - u) * (1.0 - s * s) / slow / mass,
    }  # fmt: skip
    for known, value in wanted.items():
        assert derivative(one, [rate], {known: 1.0})[0] == pytest.approx(value, rel=1e-11)
    one.end()


# -- another road -----------------------------------------------------------------------------------------------------
def compared(model: lw.Model, path: Path, version: str, exchange: bool, seed: int) -> float:
    """Largest difference from dense complex arithmetic along random directions of all states and a force.

    In units of the largest derivative or value, and of the rounding of the dense equations where that is above 1e-12.
    """
    rng = np.random.default_rng(seed)
    body = model.mechanism.body[-1].name
    force = f"{body}.force.x"
    mechanism, inputs = with_inputs(model.mechanism, {force: 1.3})
    start = start_of(mechanism, Options(until=1.0))
    layout, system = start.compiled.layout, with_given(start.compiled, start.compiled.system, inputs)
    rows = multiplier_names([f"{row.element}: {row.equation}" for row in layout.rows])
    positions = [f"{one.name}.position.{axis}" for one in model.mechanism.body for axis in "xyz"]
    outputs = [*rows, "energy.kinetic", *positions]
    one = Unpacked(model.fmu(path, inputs={force: 1.3}, outputs=outputs, version=version, until=1.0)).instance(exchange)
    one.begin()
    states = [name for name in one.of.number if name.startswith("state.")]
    unknowns = [*(f"der({name})" for name in states if name != "state.work"), *outputs]
    worst = 0.0
    for _ in range(2):
        along, push = rng.normal(size=len(states)), rng.normal()
        found = derivative(one, unknowns, dict(zip(states, along, strict=True)) | {force: push})
        given = {place: value + 1j * push for place, value in given_signals(start.compiled, inputs).items()}
        wanted = slopes(replace(start.compiled, system=system), 0.0, start.y, start.angles, along, given)
        rate = np.delete(wanted.rate, states.index("state.work"))
        bodies = [layout.body(one.name) for one in model.mechanism.body]
        links = np.array([wanted.position[k] for k in bodies]).ravel()
        plain = all(np.array_equal(layout.p_LB[k], np.zeros(3)) for k in bodies)
        known = np.concatenate([rate, wanted.lam, [wanted.kinetic], links if plain else []])
        size = max(1.0, *np.abs(known), *np.abs(one.get(*unknowns)))
        worst = max(worst, *np.abs(found[: len(known)] - known) / size / max(1.0, wanted.rounding / 1e-12))
    one.end()
    return worst


@pytest.mark.parametrize("name", LIBRARY)
def test_library_models_as_by_dense_complex_arithmetic(name, tmp_path):
    version, exchange = CASES[len(name) % 4]
    assert compared(library_model(name), tmp_path / "m.fmu", version, exchange, 0) <= 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_random_mechanisms_as_by_dense_complex_arithmetic(seed, tmp_path):
    drawn = anything(seed)
    if "singular start" in drawn.tags or any(tag.startswith(("mass ratio", "given to")) for tag in drawn.tags):
        pytest.skip("the dense equations are too ill-conditioned to judge by")
    version, exchange = CASES[seed % 4]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = lw.Model.of(drawn.mechanism())
            start_of(model.mechanism, Options(until=1.0))
        except LinkworkError:
            pytest.skip("it cannot be assembled")
        assert compared(model, tmp_path / "m.fmu", version, exchange, seed) <= 1e-12


# -- differences of what the FMU itself gives -------------------------------------------------------------------------
def by_differences(one: Instance, unknowns: list[str], states: list[str], along: np.ndarray, h: float) -> np.ndarray:
    """Of eighth order, in model exchange."""
    y, found = one.get(*states), np.zeros(len(unknowns))
    for n, weight in enumerate((4 / 5, -1 / 5, 4 / 105, -1 / 280), 1):
        for k in (n, -n):
            one.fmu.setContinuousStates((c_double * len(y))(*(y + k * h * along)), len(y))
            found += math.copysign(weight, weight * k) * one.get(*unknowns) / h
    one.fmu.setContinuousStates((c_double * len(y))(*y), len(y))
    return found


def rubbing_linkage(method: str) -> lw.Model:
    """A slider-crank whose guide rubs as it is loaded, which loads it in turn."""
    m = library_model("slider-crank")
    law = {"coulomb": 3.0} if method == "baumgarte" else {"coefficient": 0.2}
    m.friction("rubbing", "guide", smoothing=0.5, **law)
    m.measure("drag", "force('rubbing')")
    return m.with_settings({"main bearing.start": 0.7})


@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("method", sorted(set(METHODS) - {"articulated"}))
def test_every_method_as_its_own_differences(method, literal, tmp_path, rng):
    """Along any direction; as printed along the motion and other speeds: off the constraints the printed projections
    are not those of the equations.
    """
    outputs = ["slider.position.x", "slider.velocity.x", "crank.orientation.e0", "drag", "energy"]
    path = rubbing_linkage(method).fmu(tmp_path / "m.fmu", outputs=outputs, method=method, literal=literal)
    one = Unpacked(path).instance(exchange=True).begin()
    states = [name for name in one.of.number if name.startswith("state.")]
    rates = [f"der({name})" for name in states]
    along, faster = rng.normal(size=len(states)), [name.endswith(("rate", "speed")) for name in states]
    if literal:
        along = 0.1 * along[0] * one.get(*rates) + along[1] * np.where(faster, one.get(*states), 0.0)
    found = derivative(one, [*outputs, *rates], dict(zip(states, along, strict=True)))
    wanted = by_differences(one, [*outputs, *rates], states, along, 1e-3)
    size = np.maximum(np.abs(wanted), np.maximum(np.abs(one.get(*outputs, *rates)), 1.0))
    assert np.max(np.abs(found - wanted) / size) <= 1e-8
    one.end()


def test_derivatives_change_nothing(tmp_path):
    """In the middle of a run, with inputs and parameters among the knowns: from there on the same bits."""
    model, names = library_model("slider-crank"), ["slider.position.x", "energy"]
    path = model.fmu(tmp_path / "m.fmu", inputs=["slider.force.x"], outputs=names, parameters=["slider.mass"])
    fmu, ends = Unpacked(path), []
    for asked in (False, True):
        one = fmu.instance().begin()
        for _ in range(5):
            one.step(0.02)
            if asked:
                derivative(one, names, {"slider.mass": 1.0, "slider.force.x": 2.0, "state.guide.speed": 3.0})
        ends.append(list(one.get(*names, "steps", "evaluations")))
        one.end()
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("unknown", "known", "says"),
    [
        ("energy", "time", "with respect to states, inputs and parameters, not 'time'"),
        ("energy", "energy", "with respect to states, inputs and parameters, not 'energy'"),
        ("bob.force.x", "state.pin.rate", "derivatives of outputs and of rates of states, not of 'bob.force.x'"),
    ],
)  # fmt: skip
def test_what_has_no_derivative_is_said(unknown, known, says, tmp_path, capfd):
    model = library_model("pendulum")
    body = model.mechanism.body[-1].name
    unknown = unknown.replace("bob", body)
    one = Unpacked(model.fmu(tmp_path / "m.fmu", inputs=[f"{body}.force.x"], outputs=["energy"])).instance().begin()
    with pytest.raises(fmpy.fmi1.FMICallException):
        derivative(one, [unknown], {known: 1.0})
    assert says.replace("bob", body) in capfd.readouterr().out
    one.end()
