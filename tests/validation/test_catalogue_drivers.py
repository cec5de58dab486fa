"""Drivers, locks, blows and events of the catalogue against closed forms and other integrators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.special import ellipk

import linkwork as lw
from linkwork.model import Model
from linkwork.run import Run

G = 9.81
ROUND = {"mass": 2.0, "inertia": (0.3, 0.3, 0.3)}


def moved(model: Model, until: float, **options) -> Run:
    return model.simulate(until, progress=False, **({"rtol": 1e-9} | options))


def rotor(**driver) -> Model:
    m = lw.Model("rotor", gravity=(0, 0, -G))
    m.body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.3), com=(0.1, 0, 0), at=(0, 0, 0))
    m.revolute("axle", m.ground, "wheel", at=(0, 0, 0), axis="y", rate=driver.pop("rate", None))
    m.driver("motor", "axle", **driver)
    m.measure("turn", "coordinate(axle)")
    m.measure("slope", "velocity(axle)")
    return m


def in_length(acceleration, t: np.ndarray, start: tuple[float, float]) -> np.ndarray:
    way = solve_ivp(lambda s, y: (y[1], acceleration(s, *y)), (0, t[-1]), start, "DOP853", t, rtol=1e-11, atol=1e-12)
    return way.y[0]


# -- drivers ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_thousand_turns_at_a_given_velocity_drift_no_further_than_the_tolerance(formulation):
    run = moved(rotor(velocity="20*pi"), 100.0, rtol=1e-8, every=1.0, formulation=formulation)
    assert abs(run["turn"][-1] - 2000 * np.pi) < 1e-8 * 2000 * np.pi
    np.testing.assert_allclose(run["slope"], 20 * np.pi, rtol=1e-12)


def test_driven_by_velocity_and_by_acceleration():
    by_velocity = moved(rotor(velocity="2 + 3*cos(5*t)"), 4.0)
    np.testing.assert_allclose(by_velocity["turn"], 2 * by_velocity.t + 0.6 * np.sin(5 * by_velocity.t), atol=1e-8)
    by_acceleration = moved(rotor(acceleration="6*sin(2*t)", rate=1.5), 4.0)
    t = by_acceleration.t
    np.testing.assert_allclose(by_acceleration["slope"], 1.5 + 3 * (1 - np.cos(2 * t)), atol=1e-8)
    np.testing.assert_allclose(by_acceleration["turn"], 4.5 * t - 1.5 * np.sin(2 * t), atol=1e-8)


def test_driven_by_a_table_with_a_spline():
    x, y = np.array([0.0, 0.4, 1.0, 1.5, 2.0]), np.array([0.0, 1.0, 0.2, 2.0, 2.5])
    m = rotor(motion="table('cam', t)")
    m.table("cam", x, y)
    m.measure("bend", "acceleration(axle)")
    run = m.kinematics(np.linspace(0.01, 1.99, 100))
    spline = CubicSpline(x, y, bc_type="natural")
    for channel, order in (("turn", 0), ("slope", 1), ("bend", 2)):
        np.testing.assert_allclose(run[channel], spline(run.t, order), atol=1e-9)


def test_body_coordinate_driven_under_a_pendulum():
    """(J + m l^2) th'' = -m l (g sin(th) + x'' cos(th))."""
    m = lw.Model("cart", gravity=(0, 0, -G))
    m.body("cart", **ROUND, at=(0, 0, 0))
    m.body("bob", **ROUND, at=(0, 0, -1))
    m.prismatic("rail", m.ground, "cart", at=(0, 0, 0), axis="x")
    m.revolute("pin", "cart", "bob", at=(0, 0, 0), axis="-y")
    m.driver("shake", body="cart", coordinate="x", motion="0.2*sin(4*t)")
    m.measure("angle", "coordinate(pin)")
    run = moved(m, 3.0)
    np.testing.assert_allclose(run["cart.position.x"], 0.2 * np.sin(4 * run.t), atol=1e-12)
    rate = run["pin.rate"][0]  # whatever the start gives it
    exact = in_length(
        lambda t, th, _: -2.0 * (G * np.sin(th) - 3.2 * np.sin(4 * t) * np.cos(th)) / (0.3 + 2.0), run.t, (0.0, rate)
    )
    np.testing.assert_allclose(run["angle"], exact, atol=1e-7)


def test_winch_shortens_a_pendulum():
    """th'' = -(g sin(th) + 2 l' th') / l."""
    m = lw.Model("winch", gravity=(0, 0, -G))
    m.body("load", **ROUND, at=(0.6, 0, -0.8))
    m.distance("rope", m.ground, "load", points=((0, 0, 0), (0.6, 0, -0.8)))
    m.driver("drum", distance="rope", motion="1 - 0.3*t^2/(1+t^2)")
    run = moved(m, 3.0)

    def length(t):
        return 1 - 0.3 * t**2 / (1 + t**2), -0.6 * t / (1 + t**2) ** 2

    th = in_length(lambda t, th, w: -(G * np.sin(th) + 2 * length(t)[1] * w) / length(t)[0], run.t,
                   (np.arctan2(0.6, 0.8), 0.0))  # fmt: skip
    np.testing.assert_allclose(run["load.position.x"], length(run.t)[0] * np.sin(th), atol=1e-7)


# -- locks, blows, events ---------------------------------------------------------------------------------------------
def two_wheels(**lock) -> Model:
    m = lw.Model("clutch", gravity=(0, 0, 0))
    m.body("one", mass=1.0, inertia=(1, 1, 0.4), at=(0, 0, 0))
    m.body("two", mass=1.0, inertia=(1, 1, 0.6), at=(0, 0, 1))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z", rate=5.0)
    m.revolute("B", "one", "two", at=(0, 0, 1), axis="z", rate=-5.0)
    m.lock("clutch", "B", **lock)
    m.measure("w1", "wz(one)")
    m.measure("w2", "wz(two)")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_lock_catches_plastically_and_lets_go(formulation):
    """Common speed I1 w / (I1 + I2), energy lost 1/2 I1 I2 / (I1 + I2) w^2."""
    run = moved(two_wheels(since=0.5, until=0.8), 1.0, formulation=formulation)
    caught = run.t > 0.5
    np.testing.assert_allclose(run["w1"][~caught], 5.0, atol=1e-12)
    np.testing.assert_allclose(run["w2"][~caught], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.column_stack([run["w1"], run["w2"]])[caught], 2.0, atol=1e-10)
    lock, release = run.certificate.events
    assert (lock["t"], lock["action"], release["t"], release["action"]) == (0.5, "lock", 0.8, "release")
    assert lock["energy"] == pytest.approx(-0.5 * 0.24 * 25.0, rel=1e-12) and release["energy"] == pytest.approx(0.0)
    assert run.certificate.energy_drift < 1e-12


def slider(**driver) -> Model:
    m = lw.Model("slider", gravity=(0, 0, 0))
    m.body("block", **ROUND, velocity=(1, 0, 0))
    m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x")
    m.driver("push", "rail", **driver)
    return m


def test_a_driver_that_begins_elsewhere_than_its_coordinate_ends_the_run_there():
    """A position does not jump: free until 1 s, it is at 1 m then, and 1.5 m is said."""
    with pytest.raises(lw.NumericalError, match=r"'push' begins at t = 1 s, 0.5 m from where .* hold it there") as told:
        moved(slider(motion=1.5, since=1.0), 2.0)
    assert told.value.partial.t[-1] == pytest.approx(1.0) and told.value.exit_code == 3
    run = moved(slider(motion="1.0 + 2*(t - 1)", since=1.0), 2.0)
    np.testing.assert_allclose(run["rail.distance"], np.where(run.t < 1.0, run.t, 2.0 * run.t - 1.0), atol=1e-8)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_driver_by_acceleration_begins_with_the_rate_that_it_finds(formulation):
    """1 m/s free, speeded up by 1 m/s2 from 0.5 s on, slowed down by 2 m/s2 from 1 s on."""
    m = slider(acceleration=1.0, since=0.5, until=1.0)
    m.driver("pull", "rail", acceleration=-2.0, since=1.0)
    run = moved(m, 1.5, formulation=formulation)
    first, then = np.clip(run.t - 0.5, 0.0, 0.5), np.maximum(run.t - 1.0, 0.0)
    np.testing.assert_allclose(run["block.velocity.x"], 1.0 + first - 2.0 * then, atol=1e-9)
    assert all(abs(event.get("energy", 0.0)) < 1e-9 for event in run.certificate.events)


def test_the_energy_of_an_instant_is_told_once():
    """A driver hands over to a lock: 1/2 m v^2 is gone, and not twice."""
    m = slider(motion="t", until=0.5)
    m.lock("stop", "rail", since=0.5)
    run = moved(m, 1.0)
    told = [event.get("energy", 0.0) for event in run.certificate.events]
    assert len(told) == 2 and sum(told) == pytest.approx(-0.5 * ROUND["mass"], rel=1e-9)


def test_drivers_may_begin_and_let_go_between_two_samples():
    m = slider(motion="t", since=0.31, until=0.32)
    m.lock("stop", "rail", since=0.33, until=0.34)
    run = m.simulate(1.0, every=0.25)
    np.testing.assert_allclose(run["rail.distance"], np.minimum(run.t, 0.33), atol=1e-9)


def test_a_blow_gives_momentum_where_it_hits():
    """A rod struck across its end: v = P / m and w = P (l / 2) / J; held by a pin at its other end w = P l / J_pin."""
    rod = lw.rod(mass=2.0, length=1.0)
    free = lw.Model("rod", gravity=(0, 0, 0))
    free.body("rod", rod, at=(0, 0, 0))
    free.impulse("blow", "rod", 0.25, impulse=(0, 3.0, 0), at=(0.5, 0, 0))
    run = moved(free, 0.5)
    inertia = free.mechanism.body[0].J_C[2, 2]
    assert run["rod.velocity.y"][-1] == pytest.approx(1.5, abs=1e-12)
    assert run["rod.angular_velocity.z"][-1] == pytest.approx(3.0 * 0.5 / inertia, rel=1e-12)
    assert run["rod.velocity.y"][100] == 0.0
    pinned = lw.Model("rod", gravity=(0, 0, 0))
    pinned.body("rod", rod, at=(0.5, 0, 0))
    pinned.revolute("pin", pinned.ground, "rod", at=(0, 0, 0), axis="z")
    pinned.impulse("blow", "rod", 0.25, impulse=(0, 3.0, 0), at=(0.5, 0, 0))
    assert moved(pinned, 0.5)["pin.rate"][-1] == pytest.approx(3.0 / (inertia + 2.0 * 0.25), rel=1e-12)


def falling(**event) -> Model:
    m = lw.Model("fall", gravity=(0, 0, -G))
    m.body("ball", **ROUND, at=(0, 0, 1))
    m.body("other", **ROUND, at=(5, 0, 0))
    m.prismatic("rail", m.ground, "ball", at=(0, 0, 1), axis="z")
    m.prismatic("side", m.ground, "other", at=(5, 0, 0), axis="x")
    if event["action"] == "release":
        m.lock("brake", "side")
    if event["action"] == "lock":
        m.lock("catch", "rail", since=100.0)
    m.event("half way", "z(ball) < 0.5", **event)
    return m


FALL = np.sqrt(2 * 0.5 / G)


def test_events_are_found_to_rounding_and_do_what_they_say():
    stopped = moved(falling(action="stop"), 2.0)
    assert stopped.certificate.t_end == pytest.approx(FALL, abs=1e-9) and stopped.certificate.status == "stopped"
    assert stopped.t[-1] <= FALL + 1e-9
    logged = moved(falling(action="log"), 2.0).certificate.events
    assert [e["name"] for e in logged] == ["half way"] and logged[0]["t"] == pytest.approx(FALL, abs=1e-9)
    caught = moved(falling(action="lock", driver="catch"), 1.0)
    steps = caught.result.steps
    assert np.all(np.diff(steps["t"]) > 0.0) and np.any(np.abs(steps["t"] - FALL) < 1e-9)
    np.testing.assert_allclose(np.cumsum(steps["h"]), steps["t"], atol=1e-12)
    assert caught["ball.position.z"][-1] == pytest.approx(0.5, abs=1e-9)
    assert caught["ball.velocity.z"][-1] == pytest.approx(0.0, abs=1e-12)
    struck = moved(falling(action="impulse", body="other", impulse=(4.0, 0, 0), once=True), 1.0)
    assert struck["other.velocity.x"][-1] == pytest.approx(2.0, abs=1e-12)
    assert struck["other.position.x"][-1] == pytest.approx(5.0 + 2.0 * (1.0 - FALL), abs=1e-8)


def test_events_at_one_instant_all_happen():
    """Three conditions that come true together, also where a contact begins at that instant."""
    m = lw.Model("fall", gravity=(0, 0, -G))
    m.body("ball", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1.0))
    m.contact("floor", "ball", plane_at=(0, 0, 0.5), stiffness=1e6)
    for name in ("one", "two", "three"):
        m.event(name, "z(ball) < 0.5")
    m.event("before", "z(ball) < 0.7")
    events = moved(m, 0.4).certificate.events
    assert [e["name"] for e in events] == ["before", "one", "two", "three"]
    np.testing.assert_allclose([e["t"] for e in events], np.sqrt(2 * np.array([0.3, 0.5, 0.5, 0.5]) / G), atol=1e-9)


def test_an_event_releases_what_was_held():
    m = falling(action="release", driver="brake")
    m.applied_force("push", "other", force=(6.0, 0, 0))
    run = moved(m, 1.0)
    assert run["other.position.x"][-1] == pytest.approx(5.0 + 0.5 * 3.0 * (1.0 - FALL) ** 2, abs=1e-8)
    assert run["other.velocity.x"][run.t < FALL] == pytest.approx(0.0, abs=1e-12)


def test_an_event_that_recurs_is_found_each_time():
    """A pendulum passes its lowest point each half period, of the elliptic integral."""
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    m.body("bob", mass=1.0, inertia=(1e-9, 1e-9, 1e-9), at=(0.8, 0, -0.6))
    m.revolute("pin", m.ground, "bob", at=(0, 0, 0), axis="y")
    m.event("passes", "x(bob) < 0")
    found = [entry["t"] for entry in moved(m, 6.0, rtol=1e-11).certificate.events]
    period = 4 * np.sqrt(1 / G) * ellipk(np.sin(0.5 * np.arctan2(0.8, 0.6)) ** 2)
    np.testing.assert_allclose(found, period * (0.25 + np.arange(len(found))), atol=1e-8)
    assert len(found) == 3
