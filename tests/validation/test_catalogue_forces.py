"""Forces along lengths and joint coordinates, motors, controllers and measures against closed forms and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.special import ellipk

import linkwork as lw
from linkwork.model import Model
from linkwork.run import Run

ROUND = {"mass": 2.0, "inertia": (0.3, 0.3, 0.3)}


def moved(model: Model, until: float, **options) -> Run:
    return model.simulate(until, progress=False, **({"rtol": 1e-9} | options))


def slider(gravity=(0.0, 0.0, 0.0), axis="x", **joint) -> Model:
    m = lw.Model("slider", gravity=gravity)
    m.body("block", **ROUND, at=(0, 0, 0))
    m.prismatic("slide", m.ground, "block", at=(0, 0, 0), axis=axis, **joint)
    m.measure("x", "coordinate(slide)")
    m.measure("v", "velocity(slide)")
    return m


def wheel(inertia: float = 0.3, **joint) -> Model:
    m = lw.Model("wheel", gravity=(0, 0, 0))
    m.body("wheel", mass=1.0, inertia=(inertia, inertia, inertia), at=(0, 0, 0))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis="z", **joint)
    m.measure("turn", "coordinate(axle)")
    m.measure("w", "velocity(axle)")
    return m


def duffing_period(alpha: float, beta: float, amplitude: float) -> float:
    """Of x'' = -alpha x - beta x^3 from rest at an amplitude: 4 K(m) / sqrt(alpha + beta a^2)."""
    whole = alpha + beta * amplitude**2
    return float(4.0 * ellipk(beta * amplitude**2 / (2.0 * whole)) / np.sqrt(whole))


@pytest.mark.parametrize("way", ["expression", "table", "joint force"])
def test_duffing_spring_has_its_period(way):
    k, b, amplitude = 50.0, 400.0, 0.3
    m = slider(start=amplitude)
    if way == "joint force":
        m.joint_force("spring", "slide", f"-({k}*q + {b}*q^3)")
        tolerance = 1e-8
    else:
        force, tolerance = f"{k}*(l-1) + {b}*(l-1)^3", 1e-8
        if way == "table":
            x = np.linspace(0.6, 1.4, 401)
            m.table("law", x, k * (x - 1) + b * (x - 1) ** 3)
            force, tolerance = "table('law', l)", 1e-6
        m.spring_damper("spring", m.ground, "block", points=((-1, 0, 0), (0, 0, 0)), force=force)
    period = duffing_period(k / 2.0, b / 2.0, amplitude)
    run = moved(m, 2 * period, every=period / 4)
    np.testing.assert_allclose(run["x"], amplitude * np.array([1, 0, -1, 0, 1, 0, -1, 0, 1]), atol=20 * tolerance)
    assert run.certificate.energy_drift < 3e-8


def test_preload_pulls_at_the_length_as_said_and_damping_as_told():
    m = slider()
    m.spring_damper("spring", m.ground, "block", points=((-1, 0, 0), (0, 0, 0)), stiffness=50.0, damping=3.0,
                    preload=8.0)  # fmt: skip
    m.measure("pull", "force(spring)")
    run = moved(m, 2.0)
    np.testing.assert_allclose(run["pull"], 8.0 + 50.0 * run["x"] + 3.0 * run["slide.speed"], atol=1e-9)
    exact = solve_ivp(lambda _, y: (y[1], -(8.0 + 50.0 * y[0] + 3.0 * y[1]) / 2.0), (0, 2), (0, 0), "DOP853", run.t,
                      rtol=1e-11, atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(run["x"], exact.y[0], atol=1e-8)


def test_torsional_law_counts_turns():
    """A pendulum's law as a spring: J q'' = -sin(q) c, swung over the top, against scipy."""
    m = wheel(rate=9.0)
    m.torsional_spring_damper("law", "axle", torque="3*sin(q) + 0.05*q + 0.1*v")
    run = moved(m, 4.0)
    exact = solve_ivp(lambda _, y: (y[1], -(3 * np.sin(y[0]) + 0.05 * y[0] + 0.1 * y[1]) / 0.3), (0, 4), (0, 9.0),
                      "DOP853", run.t, rtol=1e-11, atol=1e-12)  # fmt: skip
    assert run["turn"].max() > 2 * np.pi
    np.testing.assert_allclose(run["turn"], exact.y[0], atol=1e-7)


def test_elastic_stop_throws_back():
    """Free flight at v between two linear stops, in each a half period pi sqrt(m / k)."""
    k, v = 800.0, 2.0
    m = slider(rate=v)
    m.stop("ends", "slide", lower=-0.5, upper=0.5, stiffness=k, exponent=1.0)
    inside, out = 1.0 / v, np.pi * np.sqrt(2.0 / k)
    run = moved(m, 2 * (inside + out), every=(inside + out) / 2)
    np.testing.assert_allclose(run["x"][::2], [0.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(run["v"][::2], [v, -v, v], atol=1e-6)
    np.testing.assert_allclose(run["x"][1::2], [0.5 + v * np.sqrt(2.0 / k), -0.5 - v * np.sqrt(2.0 / k)], atol=1e-6)


def test_damped_stop_takes_energy():
    m = slider(rate=1.0)
    m.stop("end", "slide", upper=0.2, stiffness=1e4, damping=0.5)
    run = moved(m, 0.5)
    exact = solve_ivp(
        lambda _, y: (y[1], -1e4 * max(y[0] - 0.2, 0.0) ** 1.5 * max(1 + 0.5 * y[1], 0.0) / 2.0), (0, 0.5), (0, 1.0),
        "DOP853", run.t, rtol=1e-11, atol=1e-12, max_step=1e-3,
    )  # fmt: skip
    np.testing.assert_allclose(run["x"], exact.y[0], atol=1e-7)
    assert 0.5 < -run["v"][-1] < 0.9 and run.certificate.energy_drift < 3e-8


def test_motor_runs_up_along_its_curve():
    """T = T0 (1 - w / w0): w = w0 (1 - exp(-T0 t / (J w0)))."""
    m = wheel()
    m.table("curve", [0.0, 100.0], [6.0, 0.0], interpolation="linear", outside="line")
    m.motor("motor", "axle", "curve", throttle="0.5")
    m.measure("torque", "force(motor)")
    run = moved(m, 20.0)
    np.testing.assert_allclose(run["w"], 100 * (1 - np.exp(-3.0 * run.t / (0.3 * 100))), atol=1e-5)
    np.testing.assert_allclose(run["torque"], 3.0 * (1 - run["w"] / 100), atol=1e-9)


@pytest.mark.parametrize("limit", [None, 12.0])
def test_pid_controller_moves_as_the_same_equation_in_scipy(limit):
    p, i, d = 80.0, 30.0, 16.0
    m = slider()
    m.controller("hold", "slide", "1 + 0.2*sin(3*t)", p=p, i=i, d=d, target_rate="0.6*cos(3*t)", limit=limit)
    run = moved(m, 5.0)

    def rates(t: float, y: np.ndarray) -> tuple[float, float, float]:
        error = 1 + 0.2 * np.sin(3 * t) - y[0]
        force = p * error + i * y[2] + d * (0.6 * np.cos(3 * t) - y[1])
        return y[1], (force if limit is None else np.clip(force, -limit, limit)) / 2.0, error

    exact = solve_ivp(rates, (0, 5), (0, 0, 0), "DOP853", run.t, rtol=1e-11, atol=1e-12, max_step=0.01)
    np.testing.assert_allclose(run["x"], exact.y[0], atol=1e-6)
    assert run.certificate.energy_drift < 3e-8


def test_measures_are_what_channels_and_differences_say():
    m = lw.Model("arm", gravity=(0, 0, -9.81))
    m.body("upper", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.body("lower", lw.rod(mass=1.0, length=1.0), at=(1.5, 0, 0), angular_velocity=(0, 14.0, 0))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis="y", rate=1.0)
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis="y", rate=14.0)
    m.spring_damper("spring", m.ground, "lower", points=((0, 0, 1), (2, 0, 0)), force="2*(l - 1)")
    m.frame("tip", "lower", at=(0.5, 0, 0))
    m.frame("anchor", m.ground, at=(0, 0, 1))
    said = {"px": "x(tip)", "vz": "vz(tip)", "az": "az(tip)", "far": "dist(anchor, tip)", "away": "speed(anchor, tip)",
            "aaway": "dist_acceleration(anchor, tip)", "bend": "coordinate(elbow)", "bent": "velocity(elbow)",
            "turn": "coordinate(shoulder)",
            "bending": "acceleration(elbow)", "spin": "wy(lower)", "spinning": "alphay(lower)", "e": "energy",
            "ke": "kinetic_energy", "pull": "force(spring)", "seen": "x(tip, upper)",
            "cos": "cosine(upper, x, lower, x)", "both": "2*px + bend^2"}  # fmt: skip
    for name, of in said.items():
        m.measure(name, of)
    run = moved(m, 1.5, every=0.0025)
    tip = run.path("tip")
    inner = slice(20, -20)

    def slope(values: np.ndarray) -> np.ndarray:
        return CubicSpline(run.t, values)(run.t, 1)[inner]

    np.testing.assert_allclose(run["px"], tip[:, 0], atol=1e-12)
    np.testing.assert_allclose(run["far"], np.linalg.norm(tip - np.array([0, 0, 1]), axis=1), atol=1e-12)
    np.testing.assert_allclose(run["bend"], run["elbow.angle"], atol=1e-10)
    np.testing.assert_allclose(run["turn"], run["shoulder.angle"], atol=1e-10)
    assert run["turn"].max() > 2 * np.pi
    np.testing.assert_allclose(run["bent"], run["elbow.rate"], atol=1e-10)
    np.testing.assert_allclose(run["bending"], run["elbow.rate.dot"], atol=1e-9)
    np.testing.assert_allclose(run["spin"], run["lower.angular_velocity.y"], atol=1e-10)
    np.testing.assert_allclose(run["e"], run.energy, atol=1e-10)
    np.testing.assert_allclose(run["ke"], run["energy.kinetic"], atol=1e-10)
    np.testing.assert_allclose(run["pull"], 2 * (run["far"] - 1), atol=1e-9)
    np.testing.assert_allclose(run["both"], 2 * run["px"] + run["bend"] ** 2, atol=1e-9)
    np.testing.assert_allclose(run["cos"], np.cos(run["bend"]), atol=1e-10)
    np.testing.assert_allclose(run["seen"], 0.5 + np.cos(run["bend"]), atol=1e-10)
    for of, rate in ((tip[:, 2], "vz"), (run["vz"], "az"), (run["far"], "away"), (run["away"], "aaway"),
                     (run["spin"], "spinning")):  # fmt: skip
        np.testing.assert_allclose(run[rate][inner], slope(of), atol=2e-5 * np.abs(run[rate]).max())


def test_a_force_may_follow_a_measure():
    """A spring written as a force on the body by a measure of its place: x'' = -25 x."""
    m = slider(start=0.1)
    m.measure("offset", "x(block)")
    m.applied_force("pull", "block", force=("-50*offset", 0, 0))
    run = moved(m, 2.0)
    np.testing.assert_allclose(run["x"], 0.1 * np.cos(5 * run.t), atol=1e-8)


def test_a_measure_does_not_take_the_place_of_an_elements_own_speed():
    """Friction is of the joint's v, whatever a measure is called: w = exp(-c t / J)."""
    m = wheel(0.3, rate=1.0)
    m.friction("drag", "axle", viscous=0.6)
    m.measure("v", "7")
    run = moved(m, 1.0)
    np.testing.assert_allclose(run["axle.rate"], np.exp(-2.0 * run.t), atol=1e-8)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: (m.measure("a", "2*b"), m.measure("b", "c + 1"), m.measure("c", "sin(a)")), ("a -> b -> c -> a",)),
        (lambda m: (m.measure("a", "ax(block)"), m.joint_force("f", "slide", "2*a")), ("'f'", "acceleration")),
        (lambda m: m.measure("a", "force(spring)"), ("'spring' has no force",)),
        (lambda m: m.measure("a", "dist(block, blok)"), ("blok", "'block'")),
        (lambda m: m.table("t", [0, 1, 1], [0, 1, 2]), ("table 't'", "x[2] = 1 follows x[1] = 1", "increase")),
        (lambda m: m.table("t", [0, 1], [0, 1, 2]), ("table 't'", "2 arguments and 3 values")),
        (lambda m: m.motor("e", "slide", "curve"), ("motor 'e'", "curve")),
        (lambda m: m.gear("g", "slide", "slide", 2.0), ("gear 'g'", "slides", "turns")),
        (lambda m: m.rack_and_pinion("r", "slide", "slide", 2.0), ("rack and pinion 'r'", "slides")),
        (lambda m: m.coupler("c", ["slide"], [0.0]), ("coupler 'c'", "not all zero")),
        (lambda m: m.driver("d", "slide", "t", "angle"), ("driver 'd'", "no coordinate 'angle'")),
        (lambda m: (m.lock("l", "slide"), m.driver("d", "slide", "t")), ("driver 'd'", "already driven by 'l'")),
        (lambda m: m.driver("d", body="block", coordinate="x", velocity="1", motion="t"), ("motion and velocity",)),
        (lambda m: m.stop("s", "slide", lower=1.0, upper=0.0, stiffness=1.0), ("stop 's'", "below")),
        (lambda m: m.event("e", "x(block) < 1", action="lock"), ("event 'e'", "driver")),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_one_sentence(build, words):
    m = slider()
    with pytest.raises(lw.ModelError) as caught:
        build(m)
        m.simulate(0.01, progress=False)
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value)


def crossed(second: str) -> Model:
    """Two wheels geared one to one, and both driven."""
    m = wheel()
    m.body("other", **ROUND, at=(1, 0, 0))
    m.revolute("pin", m.ground, "other", at=(1, 0, 0), axis="z")
    m.gear("mesh", "axle", "pin", 1.0)
    m.driver("first", "axle", "t")
    m.driver("second", "pin", second)
    return m


def test_drivers_that_ask_for_too_much_are_told():
    with pytest.raises(lw.ModelError, match=r"'first' and 'second'.*contradict"):
        moved(crossed("2*t"), 0.1)
    assert "must agree" in moved(crossed("t"), 0.1).certificate.warnings[0]


def test_a_start_that_cannot_be_or_falls_is_said():
    m = wheel()
    m.body("stone", **ROUND, at=(1, 0, 0))
    m.body("bar", **ROUND, at=(2, 0, 0), velocity=(0, 0, 1.0))
    m.prismatic("rail", m.ground, "bar", at=(2, 0, 0), axis=(1, 0, 1))
    run = moved(m, 0.01)
    notes = " ".join(run.certificate.warnings)
    assert "body 'stone' is connected to nothing" in notes and "body 'bar': its velocity at the start" in notes
    assert run["bar.velocity.x"][0] == pytest.approx(0.5) and run["bar.velocity.z"][0] == pytest.approx(0.5)
    assert any("stone" in note for note in m.check().notes)
