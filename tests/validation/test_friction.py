"""Friction with the joint's load against closed forms and against other integrators on the exact equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwork as lw
from linkwork.model import Model

G = 9.81


def block(angle: float, mu: float, **more) -> Model:
    """A block of 2 kg on a slope, x along the world, released or pushed."""
    m = lw.Model("block", gravity=(0, 0, -G))
    m.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 0))
    m.prismatic("slope", m.ground, "block", at=(0, 0, 0), axis=(np.cos(angle), 0, -np.sin(angle)), **more)
    m.friction("rub", "slope", coefficient=mu, smoothing=0.02)
    m.measure("drag", "force(rub)")
    m.measure("s", "coordinate(slope)")
    m.measure("v", "velocity(slope)")
    return m


@pytest.mark.parametrize(
    ("formulation", "method"), [("joint", "auto"), ("absolute", "auto"), ("joint", "lu"), ("absolute", "hybrid-qr")]
)
def test_block_on_a_slope(formulation, method):
    """m a = m g sin - mu m g cos tanh(v / v_s); from some cm/s on it is g (sin - mu cos)."""
    angle, mu = 0.5, 0.3
    run = block(angle, mu).simulate(1.0, rtol=1e-9, formulation=formulation, method=method, progress=False)
    exact = solve_ivp(
        lambda _, y: (y[1], G * (np.sin(angle) - mu * np.cos(angle) * np.tanh(y[1] / 0.02))), (0, 1), (0, 0), "Radau",
        run.t, rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    np.testing.assert_allclose(run["s"], exact.y[0], atol=1e-8)
    np.testing.assert_allclose(run["drag"], -mu * 2.0 * G * np.cos(angle) * np.tanh(run["v"] / 0.02), rtol=1e-9)
    np.testing.assert_allclose(np.diff(run["v"][-3:]) / np.diff(run.t[-3:]), G * (np.sin(angle) - mu * np.cos(angle)))
    assert run.certificate.energy_drift < 3e-8


def test_block_below_the_angle_of_friction_creeps_as_told():
    angle, mu = 0.2, 0.3
    run = block(angle, mu).simulate(0.5, rtol=1e-8, progress=False)
    assert run["v"][-1] == pytest.approx(0.02 * np.arctanh(np.tan(angle) / mu), rel=1e-6)


@pytest.mark.parametrize("joint", ["revolute", "angle_a", "angle_b"])
def test_pendulum_in_a_dry_bearing(joint):
    """J th'' = -m g l sin(th) - mu r N tanh(th'/w_s), N^2 = m^2 ((l th'^2 + g cos(th))^2 + (l th'' + g sin(th))^2)."""
    mass, length, J, mu, radius, smoothing = 1.5, 0.8, 0.2, 0.4, 0.06, 0.05
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    m.body("bob", mass=mass, inertia=(J, J, J), at=(length, 0, 0))
    coordinate = None
    if joint == "revolute":
        m.revolute("pin", m.ground, "bob", at=(0, 0, 0), axis="y")
    else:  # a cross that turns about one of its pins only
        axes = ("y", "z") if joint == "angle_a" else ("z", "y")
        m.universal("pin", m.ground, "bob", at=(0, 0, 0), axis=axes[0], second_axis=axes[1])
        coordinate = joint
    m.friction("bearing", "pin", coordinate=coordinate, coefficient=mu, radius=radius, smoothing=smoothing)
    m.measure("angle", f"coordinate(pin, {coordinate or 'angle'})")
    run = m.simulate(6.0, rtol=1e-9, progress=False)

    def rates(_: float, y: np.ndarray) -> tuple[float, float]:
        theta, w = y
        radial, whole = length * w**2 + G * np.cos(theta), J + mass * length**2

        def left(a: float) -> float:
            load = mass * np.hypot(radial, length * a + G * np.sin(theta))
            return whole * a + mass * G * length * np.sin(theta) + mu * radius * load * np.tanh(w / smoothing)

        return w, brentq(left, -100.0, 100.0, xtol=1e-13)

    exact = solve_ivp(rates, (0, 6), (-np.pi / 2, 0), "DOP853", run.t, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(run["angle"] - np.pi / 2, exact.y[0], atol=2e-7)
    assert run.certificate.energy_drift < 3e-8
    peaks = run["angle"][1:-1][(run["angle"][1:-1] > run["angle"][:-2]) & (run["angle"][1:-1] > run["angle"][2:])]
    assert np.all(np.diff(peaks) < -0.02)  # it loses height
    case = run.load_case("bob", 1.0)
    pin = np.array([-length, 0, 0])
    turning = {load.name: load.torque[1] + np.cross(load.point - pin, load.force)[1] for load in case.loads}
    assert abs(turning["bearing"]) > 0.1 and sum(turning.values()) == pytest.approx(0.0, abs=1e-9)
    assert run.reaction("pin").force[0] == pytest.approx([0.0, 0.0, mass * G * J / (J + mass * length**2)], abs=1e-6)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_spinning_ball_joint_slows_down(formulation):
    """A top that hangs: J w' = -(c w + mu r m g tanh(w / w_s)); without c: sinh(w / w_s) falls exponentially."""
    mass, J, mu, radius, smoothing, w0 = 3.0, 0.05, 0.3, 0.02, 0.4, 8.0
    m = lw.Model("top", gravity=(0, 0, -G))
    m.body("top", mass=mass, inertia=(0.4, 0.4, J), at=(0, 0, -0.7), angular_velocity=(0, 0, w0))
    m.spherical("ball", m.ground, "top", at=(0, 0, 0))
    m.friction("rub", "ball", coefficient=mu, radius=radius, smoothing=smoothing)
    m.measure("moment", "force(rub)")
    run = m.simulate(4.0, rtol=1e-9, formulation=formulation, progress=False)
    fall = mu * radius * mass * G * run.t / (J * smoothing)
    expected = smoothing * np.arcsinh(np.sinh(w0 / smoothing) * np.exp(-fall))
    np.testing.assert_allclose(run["top.angular_velocity.z"], expected, atol=1e-7)
    assert run.certificate.energy_drift < 3e-8
    thick = Model.of(m.mechanism)
    thick.friction("oil", "ball", viscous=0.02, coulomb=0.01, smoothing=smoothing)
    run = thick.simulate(2.0, rtol=1e-9, formulation=formulation, progress=False)
    limit = 0.01 + mu * radius * mass * G
    exact = solve_ivp(
        lambda _, w: -(0.02 * w + limit * np.tanh(w / smoothing)) / J, (0, 2), (w0,), "DOP853", run.t, rtol=1e-11,
        atol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(run["top.angular_velocity.z"], exact.y[0], atol=1e-7)


def test_a_swinging_ball_joint_rubs_by_its_whole_load():
    """In any motion the moment is mu r |force of the joint| tanh(|w| / w_s), and its work is what the energy loses."""
    mu, radius, smoothing = 0.4, 0.03, 0.2
    m = lw.Model("bob", gravity=(0, 0, -G))
    m.body("bob", mass=2.0, inertia=(0.1, 0.12, 0.05), at=(0.5, 0, -0.2), angular_velocity=(1.0, 0.5, 4.0))
    m.spherical("ball", m.ground, "bob", at=(0, 0, 0))
    m.friction("rub", "ball", coefficient=mu, radius=radius, smoothing=smoothing)
    m.measure("moment", "force(rub)")
    run = m.simulate(2.0, rtol=1e-9, progress=False)
    load = np.linalg.norm(run.reaction("ball").force, axis=1)
    speed = np.linalg.norm(run.angular_velocity("bob"), axis=1)
    np.testing.assert_allclose(run["moment"], mu * radius * load * np.tanh(speed / smoothing), rtol=1e-7)
    assert np.ptp(load) > 10.0 and run["energy.work"][-1] < -1.0 and run.certificate.energy_drift < 3e-8


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_plate_slides_over_a_slope_in_two_directions(formulation):
    """m v' = m g sin(a) e - mu m g cos(a) tanh(|v| / v_s) v / |v|, and it spins down by friction at a radius."""
    a, mu, v_s, mass, radius, J = 0.3, 0.5, 0.05, 2.0, 0.1, 0.2
    m = lw.Model("plate", gravity=(G * np.sin(a), 0, -G * np.cos(a)))
    m.body("plate", mass=mass, inertia=(0.1, 0.1, J), velocity=(0.3, 1.2, 0), angular_velocity=(0, 0, 3.0))
    m.planar("slope", m.ground, "plate", at=(0, 0, 0), axis="z")
    m.friction("slide", "slope", coefficient=mu, smoothing=v_s)
    m.friction("spin", "slope", coordinate="angle", coefficient=mu, radius=radius, smoothing=0.5)
    run = m.simulate(0.6, rtol=1e-9, formulation=formulation, progress=False)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        v, speed = y[2:4], np.hypot(*y[2:4])
        drag = mu * G * np.cos(a) * np.tanh(speed / v_s) * v / speed
        spin = -mu * mass * G * np.cos(a) * radius * np.tanh(y[4] / 0.5) / J
        return np.array([*v, G * np.sin(a) - drag[0], -drag[1], spin])

    exact = solve_ivp(rates, (0, 0.6), (0, 0, 0.3, 1.2, 3.0), "DOP853", run.t, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run.position("plate")[:, :2].T, exact.y[:2], atol=1e-7)
    np.testing.assert_allclose(run["plate.angular_velocity.z"], exact.y[4], atol=1e-7)
    assert run.certificate.energy_drift < 3e-8


def jack(mu: float, pitch: float = 0.05, radius: float = 0.04) -> Model:
    m = lw.Model("jack", gravity=(0, 0, -G))
    m.body("nut", mass=10.0, inertia=(0.2, 0.2, 0.05), at=(0, 0, 0))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis="z", pitch=pitch)
    m.friction("rub", "thread", coefficient=mu, radius=radius, smoothing=0.1)
    m.measure("w", "velocity(thread)")
    m.measure("a", "acceleration(thread)")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_screw_jack_runs_down_or_locks_itself(formulation):
    """A square thread of lead angle l: it runs down with N (cos l + mu sin l) = m (g + z''), locks if mu > tan l."""
    pitch, radius, mu = 0.05, 0.04, 0.1
    lead = np.arctan(pitch / (2 * np.pi * radius))
    run = jack(mu).simulate(2.0, rtol=1e-9, formulation=formulation, progress=False)
    slide, hold = np.sin(lead) - mu * np.cos(lead), np.cos(lead) + mu * np.sin(lead)
    expected = -G * slide * radius / (0.05 / 10.0 * hold + pitch / (2 * np.pi) * radius * slide)
    assert run["a"][-1] == pytest.approx(expected, rel=1e-7)
    locked = jack(0.3).simulate(2.0, rtol=1e-8, formulation=formulation, progress=False)
    assert locked["w"][-1] == pytest.approx(-0.1 * np.arctanh(np.tan(lead) / 0.3), rel=1e-6)
    assert max(run.certificate.energy_drift, locked.certificate.energy_drift) < 3e-7


def test_stick_slip_on_a_belt():
    """m x'' = -k x + F(v_belt - x'), F falling with the speed: a limit cycle, its period against another integrator."""
    mass, k, belt = 1.0, 100.0, 0.3
    law = "(0.4 + 0.3*exp(-abs({0})/0.1))*9.81*tanh(({0})/0.01)"
    m = lw.Model("belt", gravity=(0, 0, -G))
    m.body("block", mass=mass, inertia=(1, 1, 1), at=(0, 0, 0))
    m.prismatic("slide", m.ground, "block", at=(0, 0, 0), axis="x")
    m.spring_damper("spring", m.ground, "block", points=((-1, 0, 0), (0, 0, 0)), stiffness=k)
    m.joint_force("belt", "slide", law.format(f"{belt} - v"))
    run = m.simulate(6.0, rtol=1e-8, every=1e-3, progress=False)

    def rates(_: float, y: np.ndarray) -> tuple[float, float]:
        u = belt - y[1]
        return y[1], (-k * y[0] + (0.4 + 0.3 * np.exp(-abs(u) / 0.1)) * G * np.tanh(u / 0.01)) / mass

    exact = solve_ivp(rates, (0, 6), (0, 0), "LSODA", run.t, rtol=1e-10, atol=1e-12)

    def last_period(x: np.ndarray) -> float:
        level = x - 0.5 * (x[2000:].max() + x[2000:].min())
        up = np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))
        cross = run.t[up] - level[up] * (run.t[up + 1] - run.t[up]) / (level[up + 1] - level[up])
        return cross[-1] - cross[-2]

    x = run["slide.distance"]
    assert last_period(x) == pytest.approx(last_period(exact.y[0]), rel=1e-5)
    assert last_period(x) > 1.05 * 2 * np.pi * np.sqrt(mass / k)  # it sticks for a while
    assert run.certificate.energy_drift < 5e-7


def test_a_joint_that_jams_is_named():
    jam = lw.Model("jam", gravity=(0, 0, 0), plane="xz")
    jam.body("lever", lw.rod(mass=0.1, length=5**0.5), at=(0.5, 0, 0), angle=np.arctan2(2, 1), axis="y")
    jam.body("slider", mass=1, inertia=(1, 1, 1), at=(1, 0, -1))
    jam.body("cart", mass=1, inertia=(1, 1, 1), at=(0, 0, 1))
    jam.prismatic("rail", jam.ground, "cart", at=(0, 0, 1), axis="z")
    jam.revolute("A", "cart", "lever", at=(0, 0, 1), axis="y")
    jam.revolute("B", "lever", "slider", at=(1, 0, -1), axis="y")
    jam.prismatic("guide", jam.ground, "slider", at=(1, 0, -1), axis="x")
    jam.driver("motor", "rail", "-0.1*t-t^2")
    for mu, jams in ((0.2, False), (0.6, True)):
        model = Model.of(jam.mechanism)
        model.friction("rub", "guide", coefficient=mu, smoothing=1e-3)
        if not jams:
            assert model.simulate(0.05, progress=False).certificate.status == "finished"
            continue
        with pytest.raises(lw.NumericalError) as caught:
            model.simulate(0.05, progress=False)
        assert "'guide' jams" in str(caught.value) and "coefficient" in str(caught.value)
        assert caught.value.element == "guide"


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda m: m.friction("f", "slope", coefficient=-0.1), ("friction 'f'", "coefficient is -0.1", ">= 0")),
        (lambda m: m.friction("f", "slope", coefficient=0.1, radius=0.1), ("friction 'f'", "slides", "radius")),
        (lambda m: m.friction("f", "ball", coefficient=0.1), ("friction 'f'", "'ball' turns", "radius")),
        (lambda m: m.friction("f", "ball", coordinate="e0", coefficient=0.1), ("friction 'f'", "spherical")),
        (lambda m: m.friction("f", "even", coordinate="x", coefficient=0.1), ("friction 'f'", "drop coordinate 'x'")),
        (lambda m: m.friction("f", "ball 2", coefficient=0.1), ("friction 'f'", "constant-velocity", "another kind")),
        (lambda m: m.friction("f", "pin", coefficient=0.1), ("friction 'f'", "turns", "radius")),
    ],
)
def test_friction_that_makes_no_sense_is_refused(build, words):
    m = block(0.1, 0.0)
    m.body("more", mass=1, inertia=(1, 1, 1))
    m.revolute("pin", "block", "more", at=(0, 0, 0), axis="y")
    m.body("last", mass=1, inertia=(1, 1, 1))
    m.spherical("ball", "more", "last", at=(0, 0, 0))
    for name, kind in (("even", "planar"), ("ball 2", "constant-velocity")):
        m.body(f"body of {name}", mass=1, inertia=(1, 1, 1))
        m.joint(kind, name, "last", f"body of {name}", at=(0, 0, 0), axis="z")
    with pytest.raises(lw.ModelError) as caught:
        build(m)
        m.mechanism  # noqa: B018
    for word in words:
        assert word in str(caught.value)


def test_a_planar_joint_bears_nothing_in_a_plane_mechanism():
    m = lw.Model("flat", gravity=(0, 0, -G), plane="xy")
    m.body("plate", mass=1, inertia=(1, 1, 1))
    m.planar("floor", m.ground, "plate", at=(0, 0, 0), axis="z")
    m.friction("f", "floor", coefficient=0.1)
    with pytest.raises(lw.ModelError, match="'floor' bears no load"):
        m.mechanism  # noqa: B018


def test_what_cannot_follow_the_load_is_refused_by_name():
    for choice, word in (({"integrator": "generalized-alpha"}, "integrator"), ({"method": "baumgarte"}, "method")):
        with pytest.raises(lw.OptionError, match=f"friction 'rub'.*{word}"):
            block(0.5, 0.3).simulate(0.1, progress=False, **choice)
    with pytest.raises(lw.ModelError, match="cut = false"):
        block(0.5, 0.3, cut=False).simulate(0.1, progress=False)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_friction_at_a_node_of_a_flexible_beam_is_in_the_energy_balance(formulation):
    """The node turns with the modes, so that the friction works on them as well."""
    m = lw.Model("rod on a beam", gravity=(0, 0, -G))
    section = {"width": 0.03, "height": 0.01, "material": "steel"}
    m.body("beam", flexible=lw.beam(length=1.0, **section, elements=4, modes=2, supports={"1": "clamped"}))
    m.fixed("wall", m.ground, "beam", at=(0, 0, 0))
    m.body("rod", lw.rod(mass=2.0, length=0.5), at=(1.25, 0, 0))
    m.revolute("pin", "beam", "rod", at=(1.0, 0, 0), axis="y")
    m.friction("rub", "pin", coefficient=0.3, radius=0.05, smoothing=0.1)
    run = m.simulate(0.6, rtol=1e-9, formulation=formulation, progress=False)
    assert run.result.energy[-1, 2] < -1.0  # J, what friction took
    assert run.certificate.energy_drift < 1e-8
