"""Gradients of kinematics, equilibria, modes and responses against closed forms, and against analyses made anew."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples.coupler_path import four_bar

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.library import OfLibrary
from linkwork.studies.answers import analyse
from linkwork.studies.outputs import Output
from linkwork.studies.slopes import value_and_gradient

CASES = [  # model, parameters, analysis, options, outputs
    ("quick-return", {"crank": 0.2, "arm": 0.15, "link": 0.45}, "kinematics", {"until": 1.0, "every": 0.05},
     ["rms(ram.velocity.x)", "rms('lever pivot.force')", "at(ram.position.x, 0.3)", "integral(energy)",
      "end(abs(reaction('crank pin').force))"]),
    ("windscreen-wiper", {"crank": 0.045, "rocker": 0.065}, "kinematics", {"until": 1.0, "every": 0.05},
     ["mean(energy.kinetic)", "end(energy.kinetic)"]),
    ("hooke-shaft", {"angle": 30.0, "phase": 10.0}, "kinematics", {"until": 0.4, "every": 0.02},
     ["mean(energy.kinetic)", "end(energy.kinetic)"]),
    ("stewart-platform", {"tilt": 15.0, "surge": 0.15}, "kinematics", {"until": 2.0, "every": 0.1},
     ["end(energy.kinetic)", "rms(energy.kinetic)"]),
    ("governor", {"spring.stiffness": 1000.0, "ball 1.mass": 1.0, "link 1.length": 0.10922}, "equilibrium",
     {"speeds": {"spindle": 11.0174}}, ["'arm 1.angle'", "'collar.distance'**2"]),
    ("governor", {"spring.stiffness": 1000.0, "ball 1.mass": 1.0}, "equilibrium",
     {"speeds": {"spindle": 13.0}, "formulation": "absolute"}, ["'slider.y'"]),
    ("governor", {"spring.damping": 30.0, "link 2.length": 0.10922}, "modes", {"speeds": {"spindle": 11.0174}},
     ["omega(1)", "damping(1)"]),
    ("quarter-car", {"sprung": 400.0, "stiffness": 2e4, "damping": 1500.0, "tyre": 1.8e5}, "modes", {},
     ["frequency(1)", "frequency(2)/frequency(1)", "damping(2)"]),
    ("quarter-car", {"sprung": 400.0, "damping": 1500.0}, "response",
     {"input": "car.force.z", "to": ["car.position.z", "wheel.velocity.z"], "omega": np.linspace(2.0, 90.0, 23)},
     ["integral(car.position.z)", "at(phase('wheel.velocity.z'), 30)", "mean(wheel.velocity.z)"]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}")
def test_analyses_made_anew_have_the_same_slopes(case) -> None:
    model, parameters, analysis, options, outputs = case
    build, names = OfLibrary(model), list(parameters)
    slopes = value_and_gradient(build, outputs, names, analysis, **options)(np.array(list(parameters.values())))
    assert not slopes.reasons

    def values(changes: dict[str, float]) -> np.ndarray:
        answer = analyse(analysis, build({**parameters, **changes}), options)
        return np.array([Output(text).of(answer).data for text in outputs])

    assert slopes.values == pytest.approx(values({}), rel=1e-12, abs=1e-12)
    for k, name in enumerate(names):
        p, h = parameters[name], 2e-3 * parameters[name]
        f = [values({name: p + place * h}) for place in (-2, -1, 1, 2)]
        anew = (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h)
        for i in range(len(outputs)):
            close = pytest.approx(anew[i], rel=2e-7, abs=1e-8 * abs(slopes.values[i] / p))
            assert slopes.gradient[i, k] == close, (outputs[i], name)


def test_pendulum_frequency() -> None:
    """A body on a pin: omega^2 = m g d / (J + m d^2)."""
    mass, d, J = 1.3, 0.7, 0.2

    def build(given):
        m = lw.Model("pendulum", plane="xy", gravity=(0, -9.81, 0))
        m.body("bob", mass=given["mass"], inertia=(J, J, given["J"]), at=(0, -given["d"], 0))
        m.revolute("pin", m.ground, "bob", at=(0, 0, 0), axis="z")
        return m.mechanism

    slopes = value_and_gradient(build, ["omega(1)"], ["mass", "d", "J"], "modes")(np.array([mass, d, J]))
    I = J + mass * d * d
    omega = math.sqrt(mass * 9.81 * d / I)
    assert slopes.values[0] == pytest.approx(omega, rel=1e-12)
    closed = [0.5 * omega * J / (mass * I), 0.5 * omega * (1.0 / d - 2.0 * mass * d / I), -0.5 * omega / I]
    assert slopes.gradient[0] == pytest.approx(closed, rel=1e-9)


def slider_crank(crank: float = 0.1, rod: float = 0.3) -> lw.Model:
    m = lw.Model("slider-crank", plane="xy", gravity=(0, 0, 0))
    m.link("crank", (0, 0, 0), (crank, 0, 0), mass=1.0)
    m.link("rod", (crank, 0, 0), (crank + rod, 0, 0), mass=1.0)
    m.body("piston", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(crank + rod, 0, 0))
    m.revolute("shaft", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("pin", "crank", "rod", at=(crank, 0, 0), axis="z")
    m.revolute("wrist", "rod", "piston", at=(crank + rod, 0, 0), axis="z")
    m.prismatic("bore", m.ground, "piston", at=(crank + rod, 0, 0), axis="x")
    m.driver("motor", "shaft", motion="t + 0.5*t*t")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_slider_crank_by_its_closed_form(formulation: str) -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a): its slopes along r and l, and those of the velocity."""
    r, l, t = 0.1, 0.3, np.linspace(0.1, 2.0, 12)

    def build(given):
        return slider_crank(**given).mechanism

    outputs = [f"at(piston.{what}.x, {float(s)!r})" for s in t for what in ("position", "velocity")]
    slopes = value_and_gradient(build, outputs, ["crank", "rod"], "kinematics", times=t, formulation=formulation)(
        np.array([r, l])
    )
    a, rate, step = t + 0.5 * t * t, 1.0 + t, 1e-30

    def closed(r: complex, l: complex) -> tuple[np.ndarray, np.ndarray]:
        root = np.sqrt(l * l - (r * np.sin(a)) ** 2)
        return r * np.cos(a) + root, -r * np.sin(a) * rate - r * r * np.sin(a) * np.cos(a) * rate / root

    for k, (dr, dl) in enumerate(((step, 0.0), (0.0, step))):
        x, v = closed(r + 1j * dr, l + 1j * dl)
        assert slopes.gradient[0::2, k] == pytest.approx(x.imag / step, rel=1e-9, abs=1e-10)
        assert slopes.gradient[1::2, k] == pytest.approx(v.imag / step, rel=1e-9, abs=1e-10)


def test_repeated_eigenvalues_have_no_derivative() -> None:
    """A mass on equal springs in x and y has one frequency twice, which parts along either stiffness."""

    def build(given):
        m = lw.Model("mass", gravity=(0, 0, 0))
        m.body("block", mass=1.0, inertia=(1, 1, 1))
        m.body("sledge", mass=1e-3, inertia=(1, 1, 1))
        m.prismatic("x", m.ground, "sledge", at=(0, 0, 0), axis="x")
        m.prismatic("y", "sledge", "block", at=(0, 0, 0), axis="y")
        m.joint_force("along x", "x", force="-k*q".replace("k", repr(float(given["a"]))))
        m.joint_force("along y", "y", force="-100*q")
        return m.mechanism

    found = value_and_gradient(build, ["omega(1)"], ["a"], "modes")
    apart = found(np.array([400.0]))
    assert apart.values[0] == pytest.approx(10.0) and not apart.reasons
    same = found(np.array([100.1]))
    assert np.isnan(same.gradient[0, 0]) and "repeated eigenvalue" in same.reasons[0]


def test_what_balance_leaves_free_stays_where_it_is_put() -> None:
    """A vehicle on its road: place and heading are those of the model, whatever its springs; against searches."""
    car = lw.library_model("hmmwv")
    names = ["drive.x", "drive.y", "drive.z", "'front left upper arm pivot.angle'"]
    spring = next(one for one in car.mechanism.elements() if one.name == "front left spring")
    for parameter, value, h in (("front left spring.stiffness", spring.stiffness, 5.0), ("front_share", 0.4, 1e-4)):
        gradient = car.gradient(names, [parameter], analysis="equilibrium").gradient
        there, here = (car.with_settings({parameter: value + k * h}).equilibrium().coordinates for k in (1, -1))
        expected = [(there[name.strip("'")] - here[name.strip("'")]) / (2.0 * h) for name in names]
        np.testing.assert_allclose(gradient[:, 0], expected, rtol=1e-5, atol=1e-9)


def test_neutral_equilibrium_has_no_derivative() -> None:
    """Beside a block on a spring one on a cubic spring, whose stiffness vanishes where it rests."""
    m = lw.Model("blocks", gravity=(0, 0, 0))
    for name, start in (("soft", 0.1), ("hard", 0.0)):
        m.body(name, mass=1.0, inertia=(1, 1, 1))
        m.prismatic(f"{name} rail", m.ground, name, at=(0, 0, 0), axis="x", start=start)
    m.joint_force("cubic", "soft rail", "-1000*'soft rail.distance'^3")
    m.joint_force("linear", "hard rail", "-1000*'hard rail.distance'")
    with pytest.raises(LinkworkError, match="no derivative here: the equilibrium is neutral"):
        value_and_gradient(
            lambda given: m.with_settings(given).mechanism, ["'soft rail.distance'"], ["soft.mass"], "equilibrium"
        )(np.array([1.0]))


def test_dead_point_has_no_derivative() -> None:
    def build(given):
        return slider_crank(0.35, 0.3).with_settings(given).mechanism

    with pytest.raises(LinkworkError, match="no derivative here: dead point"):
        value_and_gradient(build, ["max(piston.position.x)"], ["rod.mass"], "kinematics", times=[0.5, 2.0])(
            np.array([1.0])
        )


@pytest.mark.parametrize("text", [
    "max(x) - min(x)", "rms(x)/mean(x)", "peak(y)**1.5", "sqrt(abs(min(y)))", "at(x, 0.31)", "integral(x*y)",
    'time_when("y < 0")', 'at(x, time_when("y < 0"))', "exp(end(x)) + log(max(x)) - sin(start(x))", "degrees(max(y))",
    "abs(v)", "2**max(x)",
])  # fmt: skip
def test_expressions_pass_slopes(text: str) -> None:
    """Complex numbers through the grammar of outputs, against small changes of the histories."""
    from linkwork.studies.answers import Answer, Value

    t = np.linspace(0.0, 1.0, 21)
    base = {"x": 1.2 + np.sin(3.0 * t), "y": np.cos(2.5 * t), "v.x": 1.0 + t, "v.y": 2.0 - t, "v.z": 0.5 + t * t}
    slope = {name: np.cos((k + 2.0) * t) + 0.3 for k, name in enumerate(base)}

    def value(step: complex) -> complex:  # complex in any case: the largest is then the vertex of a parabola
        numbers = {name: Value(base[name] + complex(step) * slope[name]) for name in base}
        return Output(text).of(Answer(t, lambda: numbers, numbers.__getitem__)).data

    h = 1e-5
    differences = (value(h) - value(-h)).real / (2.0 * h)
    assert value(1e-30j).imag / 1e-30 == pytest.approx(differences, rel=1e-8)
    assert value(1e-30j).real == pytest.approx(value(0.0).real, rel=1e-14)


def coupler_point(base, crank, coupler, rocker, px, py, tilt, phase, x0, y0, t):
    """The coupler point of examples/coupler_path.py by trigonometry, also of complex numbers."""
    ax, ay = crank * np.cos(phase + t), crank * np.sin(phase + t)
    dx, dy = base - ax, -ay
    d = np.sqrt(dx * dx + dy * dy)
    c = (coupler**2 + d**2 - rocker**2) / (2.0 * coupler * d)
    s = np.sqrt(1.0 - c * c)
    ux, uy = (dx * c - dy * s) / d, (dy * c + dx * s) / d
    x, y = ax + px * ux - py * uy, ay + px * uy + py * ux
    return x0 + x * np.cos(tilt) - y * np.sin(tilt), y0 + x * np.sin(tilt) + y * np.cos(tilt)


@pytest.mark.parametrize("seed", range(6))
def test_random_coupler_curves_along_all_their_numbers(seed: int) -> None:
    """Crank-rockers of random size: slopes of the coupler point along ten numbers, exact to 1e-8."""
    rng = np.random.default_rng(seed)
    crank, others = 0.3 + 0.5 * rng.random(), 1.5 + rng.random(3)
    numbers = dict(zip(["base", "crank", "coupler", "rocker", "px", "py", "tilt", "phase", "x0", "y0"],
                       [others[0], crank, others[1], others[2], *rng.normal(size=6)], strict=True))  # fmt: skip
    t = np.linspace(0.0, 6.0, 7)
    outputs = [f"at(coupler.position.{axis}, {float(when)!r})" for axis in "xy" for when in t]
    found = value_and_gradient(lambda given: four_bar(**given).mechanism, outputs, list(numbers), "kinematics", times=t)
    slopes = found(np.array(list(numbers.values())))
    for k, name in enumerate(numbers):
        changed = {**numbers, name: numbers[name] + 1e-30j}
        closed = np.concatenate([part.imag / 1e-30 for part in coupler_point(**changed, t=t)])
        assert slopes.gradient[:, k] == pytest.approx(closed, rel=1e-8, abs=1e-8), name
