"""Expressions that switch, pulses, and events: nothing may hide within a step (closed forms on one mass)."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.compiler.kernels import kernel
from linkwork.expressions import MAX_DEPTH, parse, placed, values
from linkwork.expressions.kernels.crossings import NEVER, NOTHING, crossings
from linkwork.expressions.kernels.enclosure import enclose
from linkwork.expressions.kernels.program import data_ops
from linkwork.numerics.scalars import is_finite

INTEGRATORS = ("adams", "dop853", "generalized-alpha", "radau")
SEEDS = range(12)


def pushed(force: str, until: float, rate: float = 0.0, **options: object) -> lw.Run:
    """1 kg on a straight guide, pushed by a force (N); its coordinate is `coordinate(x)`."""
    model = lw.Model("mass", gravity=(0.0, 0.0, 0.0))
    mass = model.body("mass", lw.rod(mass=1.0, length=1.0))
    model.prismatic("x", model.ground, mass, at=(0.0, 0.0, 0.0), axis="x", rate=rate)
    model.joint_force("push", "x", force)
    return model.simulate(until, progress=False, **options)


def speed(run: lw.Run) -> float:
    return float(run.result.v[-1, 0])


# -- switching in time ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pulse_train_of_any_frequency_and_duty(seed: int, integrator: str) -> None:
    """On where sin(w t + p) > c: the impulse is the time for which it is on."""
    rng = np.random.default_rng(seed)
    w, p = 10.0 ** rng.uniform(0.5, 3.0), rng.uniform(0.0, 2.0 * math.pi)
    c = math.sin(rng.uniform(-1.55, 1.55))
    until = min(2.0, 300.0 / w)
    run = pushed(f"if(sin({w!r}*t + {p!r}) > {c!r}, 1, 0)", until, integrator=integrator)
    assert speed(run) == pytest.approx(time_above(w, p, c, until), rel=1e-9, abs=1e-9)
    assert run.certificate.status == "finished"


def time_above(w: float, p: float, c: float, until: float) -> float:
    """How long sin(w t + p) > c from 0 to `until`: within each turn between asin(c) and pi - asin(c)."""
    a, b = math.asin(c), math.pi - math.asin(c)
    turns = np.arange(math.floor(p / (2 * math.pi)) - 1, math.ceil((w * until + p) / (2 * math.pi)) + 1)
    begin, end = 2 * math.pi * turns + a, 2 * math.pi * turns + b
    return float(np.sum(np.clip(np.minimum(end, w * until + p) - np.maximum(begin, p), 0.0, None)) / w)


@pytest.mark.parametrize("force", ["max(sin(40*t), 0.3)", "min(cos(30*t), 0.2)", "abs(sin(50*t))", "sign(sin(70*t))"])
def test_functions_that_bend_at_times_that_must_be_found(force: str) -> None:
    """Against a fine quadrature between the bends."""
    t = np.linspace(0.0, 1.0, 2_000_001)
    scope = {"sin": np.sin, "cos": np.cos, "abs": np.abs, "sign": np.sign, "max": np.maximum, "min": np.minimum, "t": t}
    exact = float(np.trapezoid(eval(force, {}, scope), t))
    assert speed(pushed(force, 1.0, rtol=1e-8)) == pytest.approx(exact, abs=2e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_switch_at_the_instant_of_a_blow(seed: int) -> None:
    """Both at a multiple of a half period, which rounding may put before or after each other."""
    rng = np.random.default_rng(seed)
    period, count = rng.uniform(0.01, 0.1), int(rng.integers(2, 7))
    model = lw.Model("mass", gravity=(0.0, 0.0, 0.0))
    mass = model.body("mass", lw.rod(mass=1.0, length=1.0))
    model.prismatic("x", model.ground, mass, at=(0.0, 0.0, 0.0), axis="x")
    w = math.pi / period
    model.joint_force("push", "x", f"if(sin({w!r}*t) > 0, 1, 0)")
    for k in range(1, count):
        model.impulse(f"blow {k}", mass, t=k * period, impulse=(1.0, 0.0, 0.0))
    run = model.simulate(count * period, progress=False)
    exact = time_above(w, 0.0, 0.0, count * period) + count - 1
    assert speed(run) == pytest.approx(exact, rel=1e-9)


def test_a_driver_by_acceleration_that_switches() -> None:
    model = lw.Model("driven", gravity=(0.0, 0.0, 0.0))
    mass = model.body("mass", lw.rod(mass=1.0, length=1.0))
    model.prismatic("x", model.ground, mass, at=(0.0, 0.0, 0.0), axis="x")
    model.driver("drive", joint="x", acceleration="if(sin(100*t) > 0, 1, 0)")
    assert speed(model.simulate(1.0, progress=False)) == pytest.approx(time_above(100.0, 0.0, 0.0, 1.0), abs=1e-9)


# -- switching where the state decides --------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_window_of_the_state_is_not_flown_over(seed: int, integrator: str) -> None:
    """A constant force F over a window of width d changes v^2 by 2 F d."""
    rng = np.random.default_rng(seed)
    v, at, width = 10.0 ** rng.uniform(-1.0, 2.0), rng.uniform(0.5, 5.0), 10.0 ** rng.uniform(-6.0, -0.5)
    force = rng.uniform(-0.4, 1.0) * v * v / width
    window = f"if(coordinate(x) > {at!r}, if(coordinate(x) < {at + width!r}, {force!r}, 0), 0)"
    run = pushed(window, 8.0 / v, rate=v, integrator=integrator)
    assert speed(run) == pytest.approx(math.sqrt(v * v + 2.0 * force * width), rel=2e-5)


def test_what_chatters_is_held_off_and_reported() -> None:
    """Dry friction by sign(v): it stops after v^2 / (2 a), and the result says how it was kept there."""
    run = pushed("-2*sign(velocity(x))", 1.5, rate=1.0)
    assert abs(speed(run)) < 1e-3
    assert run.result.q[-1, 0] == pytest.approx(0.25, abs=1e-3)
    assert any("'-2*sign(velocity(x))' switches back and forth" in text for text in run.certificate.warnings)


def test_a_branch_that_has_no_value_beyond_its_end() -> None:
    """The square root is never taken of a negative number that only a trial step has."""
    run = pushed("if(coordinate(x) < 1, -sqrt(1 - coordinate(x)), 0)", 3.0, rate=2.0, rtol=1e-8)
    assert speed(run) == pytest.approx(math.sqrt(4.0 - 4.0 / 3.0), rel=1e-6)


# -- smooth pulses ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_smooth_pulse_is_not_stepped_over(seed: int, integrator: str) -> None:
    """exp(-((t - t0) / s)^2) has the integral s sqrt(pi); as a function of x it changes v^2 by twice that."""
    rng = np.random.default_rng(seed)
    at, width = rng.uniform(0.2, 0.8), 10.0 ** rng.uniform(-5.0, -2.0)
    impulse = width * math.sqrt(math.pi)
    in_time = pushed(f"{1.0 / impulse!r}*exp(-((t - {at!r})/{width!r})^2)", 1.0, integrator=integrator)
    assert speed(in_time) == pytest.approx(1.0, rel=1e-4)
    in_space = pushed(
        f"{1.0 / impulse!r}*exp(-((coordinate(x) - {at!r})/{width!r})^2)", 1.0, 1.0, integrator=integrator
    )
    assert speed(in_space) == pytest.approx(math.sqrt(3.0), rel=1e-4)


PULSES: dict[str, tuple[float, float]] = {  # of (z - z0) / s: the integral over it, and the least s / m or s / s
    "exp(-{0}^2)": (math.sqrt(math.pi), 1e-4),
    "exp(-abs({0}))": (2.0, 1e-4),
    "1/(1 + {0}^6)": (2.0 * math.pi / 3.0, 1e-4),
    "tanh({0} + 1) - tanh({0} - 1)": (4.0, 1e-4),
    "cosh({0})^(-1)": (math.pi, 0.015),  # any narrower, cosh has no value as a double
    "1/cosh({0})^2": (2.0, 0.015),
}


@pytest.mark.parametrize("shape", PULSES)
@pytest.mark.parametrize("seed", range(6))
def test_the_tails_of_a_pulse_take_no_steps_of_their_own(shape: str, seed: int) -> None:
    """They rise through hundreds of decades, or are rounding: some steps for the pulse, none for these."""
    rng = np.random.default_rng(seed)
    integral, least = PULSES[shape]
    at, width = rng.uniform(2.0, 8.0), 10.0 ** rng.uniform(math.log10(least), -1.0)
    impulse = width * integral
    in_time = pushed(f"{1.0 / impulse!r}*({shape.format(f'((t - {at!r})/{width!r})')})", 10.0)
    assert speed(in_time) == pytest.approx(1.0, rel=1e-4)
    in_space = pushed(f"{1.0 / impulse!r}*({shape.format(f'((coordinate(x) - {at!r})/{width!r})')})", 10.0, 1.0)
    assert speed(in_space) == pytest.approx(math.sqrt(3.0), rel=1e-4)
    for run in (in_time, in_space):
        assert run.certificate.steps + run.certificate.rejected < 350


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_pulse_in_space_is_not_passed_while_speeding_up(seed: int, integrator: str) -> None:
    """A steady force g and a pulse of unit work at `at`: v^2 / 2 grows by g x + 1."""
    rng = np.random.default_rng(seed)
    at, width, g = rng.uniform(0.5, 1.5), 10.0 ** rng.uniform(-4.0, -2.0), rng.uniform(3.0, 20.0)
    pulse = f"exp(-((coordinate(x) - {at!r})/{width!r})^2)/{width * math.sqrt(math.pi)!r}"
    run = pushed(f"{g!r} + {pulse}", 1.0, 0.5, integrator=integrator)
    assert run.result.q[-1, 0] > at + 10.0 * width
    assert speed(run) ** 2 / 2.0 == pytest.approx(0.125 + g * run.result.q[-1, 0] + 1.0, abs=1e-3)


# -- closed loops -----------------------------------------------------------------------------------------------------
def random_controller(rng: np.random.Generator) -> str:
    """PD with a dead band, a limited speed, saturation; with a bump on the way, and signals whose product cancels."""
    x, v = "coordinate(x)", "velocity(x)"
    error = f"({rng.uniform(0.3, 1.0):.3f}*sin({rng.uniform(1.0, 6.0):.3f}*t) - {x})"
    band, limit, fastest = rng.uniform(0.01, 0.1), rng.uniform(2.0, 20.0), rng.uniform(0.3, 2.0)
    dead = f"({error} - min(max({error}, {-band:.3f}), {band:.3f}))"
    damped = f"{rng.uniform(1.0, 8.0):.3f}*min(max({v}, {-fastest:.3f}), {fastest:.3f})"
    force = f"max(min({rng.uniform(20.0, 200.0):.3f}*{dead} - {damped}, {limit:.3f}), {-limit:.3f})"
    if rng.random() < 0.5:
        force += f" + {limit:.3f}*exp(-(({x} - {rng.uniform(-0.3, 0.3):.3f})/{10.0 ** rng.uniform(-2.5, -1.0):.5f})^2)"
    if rng.random() < 0.5:
        k = rng.uniform(1.0, 8.0)
        force += f" + {limit:.3f}*(exp({k:.3f}*{x})*exp(-{k:.3f}*{x}) - 1)*sin({v})"
    return force


def by_scipy(force: str, until: float) -> np.ndarray:
    """x and v at the end, in steps that are too short to miss anything."""
    text = force.replace("coordinate(x)", "x").replace("velocity(x)", "v").replace("^", "**")
    law = compile(text, "force", "eval")
    names = {"sin": math.sin, "exp": math.exp, "min": min, "max": max}
    right = lambda t, y: (y[1], eval(law, names, {"t": t, "x": y[0], "v": y[1]}))  # noqa: E731
    return solve_ivp(right, (0.0, until), (0.0, 0.0), method="DOP853", rtol=1e-9, atol=1e-11, max_step=1e-3).y[:, -1]


@pytest.mark.parametrize("seed", range(16))
def test_a_closed_loop_is_that_of_short_steps_and_needs_few(seed: int) -> None:
    force = random_controller(np.random.default_rng(seed))
    run = pushed(force, 2.0, rtol=1e-7)
    np.testing.assert_allclose([run.result.q[-1, 0], speed(run)], by_scipy(force, 2.0), atol=2e-5)
    assert run.certificate.steps < 2000


@pytest.mark.parametrize("seed", range(8))
def test_a_loop_with_an_integral_term_and_a_servo_of_limited_rate(seed: int) -> None:
    """A saturated PID pulls the mass to a servo, whose speed follows a command within +-R: |w| <= R at any time."""
    rng = np.random.default_rng(seed)
    p, i, d = rng.uniform(20.0, 100.0), rng.uniform(10.0, 150.0), rng.uniform(3.0, 10.0)
    limit, gain, quick, R = (
        rng.uniform(2.0, 12.0),
        rng.uniform(5.0, 30.0),
        rng.uniform(20.0, 80.0),
        rng.uniform(0.2, 1.0),
    )
    size, rate = rng.uniform(0.2, 0.6), rng.uniform(1.0, 4.0)
    model = lw.Model("servo", gravity=(0.0, 0.0, 0.0))
    for k, name in enumerate(("s", "x")):
        body = model.body(f"body {name}", lw.rod(mass=1.0, length=1.0), at=(0.0, float(k), 0.0))
        model.prismatic(name, model.ground, body, at=(0.0, float(k), 0.0), axis="x")
    command = f"min(max({gain!r}*({size!r}*sign(sin({rate!r}*t)) - coordinate(s)), {-R!r}), {R!r})"
    model.joint_force("servo", "s", f"{quick!r}*({command} - velocity(s))")  # on 1 kg
    model.controller("pid", "x", target="coordinate(s)", p=p, i=i, d=d, limit=limit)
    run = model.simulate(3.0, rtol=1e-7, progress=False)

    def law(t: float, y: np.ndarray) -> tuple[float, ...]:
        s, w, x, v, integral = y
        wanted = min(max(gain * (size * np.sign(math.sin(rate * t)) - s), -R), R)
        force = min(max(p * (s - x) + i * integral - d * v, -limit), limit)
        return w, quick * (wanted - w), v, force, s - x

    pieces, y = [*np.arange(0.0, 3.0, math.pi / rate), 3.0], np.zeros(5)
    for begin, end in pairwise(pieces):
        y = solve_ivp(law, (begin, end), y, method="DOP853", rtol=1e-9, atol=1e-11, max_step=1e-3).y[:, -1]
    np.testing.assert_allclose([run["s.distance"][-1], run["x.distance"][-1]], y[[0, 2]], atol=2e-5)
    assert np.abs(run.result.v[:, 0]).max() <= R + 2e-5
    assert run.certificate.status == "finished" and run.certificate.steps < 3000


# -- events -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", [*INTEGRATORS, "rk4"])
@pytest.mark.parametrize("seed", SEEDS)
def test_all_events_of_a_spinning_disc_are_found(seed: int, integrator: str) -> None:
    """y(P) > c on a disc at a constant speed: once a turn, at the angle asin(c), located to rounding."""
    rng = np.random.default_rng(seed)
    w, c = rng.uniform(20.0, 400.0), math.sin(rng.uniform(-1.5, 1.5))
    model = lw.Model("disc", gravity=(0.0, 0.0, 0.0))
    disc = model.body("disc", lw.rod(mass=1.0, length=1.0))
    model.revolute("pin", model.ground, disc, at=(0.0, 0.0, 0.0), axis="z", rate=w)
    model.frame("P", disc, at=(1.0, 0.0, 0.0))
    model.event("high", f"y(P) > {c!r}", action="log")
    options = {"step": 0.7 / w} if integrator == "rk4" else {}
    run = model.simulate(0.5, progress=False, integrator=integrator, **options)
    first = math.asin(c) if c > 0.0 else 2.0 * math.pi + math.asin(c)  # at c < 0 it holds at the start
    exact = np.arange(first, 0.5 * w, 2.0 * math.pi) / w
    found = np.array([event["t"] for event in run.certificate.events])
    assert len(found) == len(exact)
    np.testing.assert_allclose(found, exact, rtol=1e-12 if integrator != "rk4" else 1e-9)


# -- enclosures and crossings -----------------------------------------------------------------------------------------
@kernel
def enclosed(ops, count, t, width, nothing, never, stack):
    low, high, _ = enclose(ops, 0, count, t, 0.0, width, nothing[0], nothing, 0.0, never, stack)
    return low, high


def random_expression(rng: np.random.Generator, depth: int = 3) -> str:
    if depth == 0:
        return str(rng.choice(["t", f"{rng.uniform(-2.0, 2.0):.3f}", f"{rng.uniform(0.5, 9.0):.3f}*t"]))
    a, b = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    forms = [
        f"sin({a})", f"cos({a})", f"tanh({a})", f"exp(-({a})^2)", f"abs({a})", f"sign({a})", f"atan({a})", f"({a})^2",
        f"({a})^3", f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"min({a}, {b})", f"max({a}, {b})",
        f"if({a} < {b}, {a}, {b})", f"step({a}, 0, {b}, 1, {a})", f"sqrt(abs({a}))", f"({a})/(1.5 + sin({b}))",
        f"atan2({a}, {b})",
    ]  # fmt: skip
    return str(rng.choice(forms))


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(40))
def test_an_enclosure_holds_every_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = parse(random_expression(rng))
    t, width = rng.uniform(0.0, 3.0), 10.0 ** rng.uniform(-6.0, 0.5)
    low, high = enclosed(placed(program, 0), len(program.ops), t, width, NOTHING, NEVER, np.zeros((MAX_DEPTH, 2)))
    inside = [values(program, t + width * share)[0] for share in np.linspace(0.0, 1.0, 101)]
    assert low <= min(inside)
    assert max(inside) <= high


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(10))
def test_an_enclosure_of_a_table_that_repeats_is_tight_over_its_seam(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.concatenate([[0.0], np.sort(rng.uniform(0.1, 0.9, 4)), [1.0]]), rng.uniform(-1.0, 1.0, 6)
    y[-1] = y[0]
    model = lw.Model("m", gravity=(0, 0, 0))
    model.table("T", x + rng.uniform(-1.0, 1.0), y, outside="repeat")
    mechanism = model.mechanism
    program = parse("table(T, t)", scope=mechanism.scope(None, mechanism.tables()))
    for width in (1e-6, 1e-2, 0.3, 1.5):
        t = rng.uniform(-3.0, 3.0)
        low, high = enclosed(placed(program, 0), len(program.ops), t, width, NOTHING, NEVER, np.zeros((MAX_DEPTH, 2)))
        inside = [values(program, t + width * share)[0] for share in np.linspace(0.0, 1.0, 1001)]
        assert low <= min(inside) + 1e-12 and max(inside) <= high + 1e-12
        assert high - low <= np.ptp(inside) * 1.001 + 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_crossings_are_those_that_dense_sampling_shows(seed: int) -> None:
    """Every change of sign between two of 20,000 samples has a crossing between them, and its sides are certain."""
    rng = np.random.default_rng(seed)
    program = parse(random_expression(rng))
    ops = np.concatenate([placed(program, 0), data_ops((1.0, 0.1))])
    found = crossings(ops, 0, len(program.ops), len(ops) - 2, 2.0)
    t = np.linspace(0.0, 2.0, 20_001)[1:]
    above = np.array([values(program, one)[0] > 0.1 for one in t])
    for k in np.flatnonzero(above[1:] != above[:-1]):
        assert np.any((found["t"] >= t[k] - 1e-9) & (found["t"] <= t[k + 1] + 1e-9)), t[k]
    assert np.all(found["before"] <= found["t"])
    assert np.all(found["t"] <= found["after"])


# -- finite numbers in kernels ----------------------------------------------------------------------------------------
@pytest.mark.jit
def test_a_difference_that_is_no_number_is_not_finite() -> None:
    """Sums may be reordered in kernels: `math.isfinite` of a difference would always be true."""

    @kernel
    def difference_is_finite(a):
        return is_finite(a[0] - a[1])

    assert difference_is_finite(np.array([1.0, 2.0]))
    assert not difference_is_finite(np.array([1.0, np.nan]))
    assert not difference_is_finite(np.array([np.inf, 1.0]))


def test_kernels_do_not_ask_math_for_finite_numbers() -> None:
    for path in Path(lw.__file__).parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        blocks = [block for block in text.split("\n@") if block.startswith(("part\n", "stage\n", "kernel\n"))]
        bodies = [block.partition("\n\n\n")[0] for block in blocks]
        assert not any("isfinite(" in body for body in bodies), path


# -- a road ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("speed", [3.0, 30.0, 300.0])
def test_a_bump_is_not_passed_within_a_step(speed: float) -> None:
    """A heavy body on a straight guide, with a wheel that a bump of 0.5 m only touches: steps end on the bump."""
    model = lw.Model("wheel", gravity=(0.0, 0.0, 0.0))
    hub = model.body("hub", lw.rod(mass=1e6, length=1.0), at=(0.0, 0.0, 0.4))
    model.prismatic("guide", model.ground, hub, at=(0.0, 0.0, 0.4), axis="x", rate=speed)
    model.road("bump", {"kind": "cosine", "at": 20.0, "length": 0.5, "height": 0.05})
    model.tyre("tyre", "hub", radius=0.4, stiffness=1000.0, lateral_stiffness=1.0, road="bump")
    run = model.simulate(40.0 / speed, progress=False)
    places = speed * run.result.steps["t"]
    assert np.count_nonzero((places > 19.7) & (places < 20.8)) >= 4
