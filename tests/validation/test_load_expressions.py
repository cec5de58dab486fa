"""Loads in expressions: measures beside channels of a run that does not cut the joint, events beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import linkwork as lw
from linkwork.analyses.loads.number_channels import quoted
from linkwork.errors import ModelError
from linkwork.mechanism.numbers import loads

G, MASS, INERTIA, ARM = 9.81, 1.3, 0.2, 0.8  # m/s2, kg, kg m2, m


def pendulum() -> lw.Model:
    """Released level; its joint is in the tree, unless an expression uses its load."""
    m = lw.Model("pendulum", gravity=(0, 0, -G))
    m.body("bar", mass=MASS, inertia=(INERTIA,) * 3, at=(ARM, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    return m


def speed_squared(angle: float) -> float:
    """Of the pendulum, below the level by an angle, by its energy; (rad/s)^2."""
    return 2.0 * MASS * G * ARM * np.sin(angle) / (INERTIA + MASS * ARM**2)


def pull(angle: float) -> np.ndarray:
    """The pin's force on the bar there: mass times the acceleration of its centre, and its weight; N."""
    turning = MASS * G * ARM * np.cos(angle) / (INERTIA + MASS * ARM**2)
    along, across = np.array([np.cos(angle), -np.sin(angle)]), np.array([-np.sin(angle), -np.cos(angle)])
    return MASS * (ARM * turning * across - ARM * speed_squared(angle) * along + np.array([0.0, G]))


def time_to(angle: float) -> float:
    """From rest, with u^2 = angle so that the integrand is smooth; s."""
    value, _ = quad(lambda u: 2.0 * u / np.sqrt(speed_squared(u * u)), 0.0, np.sqrt(angle), epsabs=1e-13)
    return float(value)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("integrator", ["auto", "dop853"])
def test_an_event_by_a_reaction_is_where_the_closed_form_has_it(formulation: str, integrator: str) -> None:
    m = pendulum()
    m.event("lifted", "pin.force.z > 20", "log")
    m.event("pulled", "abs(pin.force.x) > 9", "log")
    m.event("strong", "pin.force > 30", "stop")
    m.event("from the start", "pin.force < 100", "log")
    run = m.simulate(2.0, rtol=1e-11, formulation=formulation, integrator=integrator, progress=False)
    known = {
        "lifted": brentq(lambda a: pull(a)[1] - 20.0, 0.1, 1.5),
        "pulled": brentq(lambda a: abs(pull(a)[0]) - 9.0, 0.01, 0.7),
        "strong": brentq(lambda a: np.hypot(*pull(a)) - 30.0, 0.1, 1.5),
    }
    found = {entry["name"]: entry["t"] for entry in run.certificate.events}
    assert found.keys() == known.keys()
    for name, angle in known.items():
        assert found[name] == pytest.approx(time_to(angle), abs=1e-8), name
    assert run.certificate.t_end == found["strong"]


def machine() -> lw.Model:
    """Tree joints of several kinds, drivers on joints, on a place and on a length, and a massless link."""
    m = lw.Model("machine", gravity=(0, 0, -G))
    bar = {"mass": 1.0, "inertia": (0.02, 0.03, 0.04)}
    m.body("arm", at=(0.3, 0, 0), **bar)
    m.revolute("shoulder", m.ground, "arm", at=(0, 0, 0), axis="y")
    m.driver("motor", "shoulder", "0.4*sin(3*t)")
    m.body("fork", at=(0.7, 0.1, 0), **bar)
    m.universal("cross", "arm", "fork", at=(0.5, 0, 0), axis="z", second_axis="y")
    m.driver("second pin", "cross", "0.2*sin(2*t)", coordinate="angle_b")
    m.body("bob", at=(1.1, 0.1, -0.2), **bar)
    m.spherical("ball", "fork", "bob", at=(0.9, 0.1, 0))
    m.body("lift", at=(3, 0, 0), **bar)
    m.driver("hoist", body="lift", coordinate="z", motion="0.5*t^2")
    m.body("load", at=(3, 0, -1), **bar)
    m.distance("rope", "lift", "load", points=((3, 0, 0), (3, 0, -1)))
    m.body("weight", at=(5, 0, -1), **bar)
    m.distance("winch", m.ground, "weight", points=((5, 0, 0), (5, 0, -1)))
    m.driver("reel", distance="winch", motion="1 - 0.1*t^2")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_measures_are_the_loads_of_a_run_that_does_not_measure_them(formulation: str) -> None:
    """There tree joints are not cut: their loads are P2's."""
    options = {"rtol": 1e-10, "every": 0.05, "formulation": formulation, "progress": False}
    plain, measured = machine(), machine()
    known = list(loads(plain.mechanism))
    for k, load in enumerate(known):
        measured.measure(f"m{k}", quoted(load.name))
    expected, run = plain.simulate(0.5, **options), measured.simulate(0.5, **options)
    assert {"hoist.force", "reel.force", "rope.force", "motor.torque", "second pin.torque"} <= {n.name for n in known}
    for k, load in enumerate(known):
        size = 1.0 + np.abs(expected[load.name]).max()
        np.testing.assert_allclose(run[f"m{k}"], expected[load.name], atol=1e-6 * size, err_msg=load.name)
        assert run.result.unit(f"m{k}") == load.unit == expected.result.unit(load.name)


def test_drivers_without_a_joint_lift_weights() -> None:
    run = machine().simulate(0.5, every=0.05, progress=False)
    assert run["hoist.force"] == pytest.approx(2.0 * (G + 1.0), rel=1e-7)
    assert run["rope.force"] == pytest.approx(G + 1.0, rel=1e-7)
    assert run["reel.force"] == pytest.approx(-(G + 0.2), rel=1e-7)  # along the growing length: it pulls


def test_what_acts_back_is_refused() -> None:
    m = pendulum()
    m.applied_force("wind", "bar", force=("0.1*pin.force.x", 0, 0))
    with pytest.raises(ModelError, match=r"'wind': uses an acceleration, an energy, a load .* use positions"):
        m.simulate(0.1, progress=False)


def test_loads_that_are_not_unique_are_refused_in_expressions() -> None:
    """A plane loop of spatial hinges: its loads in the plane are known, those across it are not."""
    m = lw.library_model("four-bar", {"angle": 60.0})
    m.measure("along", "B.force.x")
    m.event("much", "C.force.z > 1e9", "stop")
    free = lw.library_model("four-bar", {"angle": 60.0}).simulate(0.3, rtol=1e-9, every=0.05, progress=False)
    np.testing.assert_allclose(
        m.simulate(0.3, rtol=1e-9, every=0.05, progress=False)["along"], free["B.force.x"], rtol=1e-5
    )
    m.event("across", "B.force.y > 1", "stop")
    with pytest.raises(ModelError, match=r"event 'across': 'B.force.y' is not unique, .* bushing"):
        m.simulate(0.1, progress=False)


def test_a_planar_model_has_no_loads_across_its_plane() -> None:
    m = lw.Model("planar", gravity=(0, 0, -G), plane="xz")
    m.body("bar", mass=MASS, inertia=(INERTIA,) * 3, at=(ARM, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    m.measure("size", "pin.force")
    assert np.isfinite(m.simulate(0.1, progress=False)["size"]).all()
    m.measure("across", "pin.force.y")
    with pytest.raises(ModelError, match=r"measure 'across': 'pin.force.y': a planar model"):
        m.simulate(0.1, progress=False)


def test_events_by_accelerations_and_energies() -> None:
    """A weight on a spring, from rest at its natural length: z'' = -g cos(w t), E_k = m (g/w)^2 w^2 sin^2(w t) / 2."""
    stiffness, m = 40.0, lw.Model("spring", gravity=(0, 0, -G))
    m.body("weight", mass=MASS, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1))
    m.prismatic("rail", m.ground, "weight", at=(0, 0, -1), axis="z")
    m.spring_damper("spring", m.ground, "weight", points=((0, 0, 0), (0, 0, -1)), stiffness=stiffness, free_length=1.0)
    m.event("upwards", "weight.acceleration.z > 3", "log")
    m.event("energetic", "energy.kinetic > 1", "log")
    run = m.simulate(1.0, rtol=1e-11, progress=False)
    w = np.sqrt(stiffness / MASS)
    found = {entry["name"]: entry["t"] for entry in reversed(run.certificate.events)}
    assert found["upwards"] == pytest.approx(np.arccos(-3.0 / G) / w, abs=1e-8)
    assert found["energetic"] == pytest.approx(np.arcsin(np.sqrt(2.0 / MASS) * w / G) / w, abs=1e-8)


@pytest.mark.parametrize("needs_load", ["measure", "friction"])
def test_the_start_is_the_same_whether_or_not_a_load_is_needed(needs_load: str) -> None:
    """A driven arm takes along what hangs on a ball, whose rates nobody gives; a turn beyond the first is kept."""

    def chain() -> lw.Model:
        m = lw.Model("chain", gravity=(0, 0, -G))
        m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.3, 0, 0))
        m.revolute("shoulder", m.ground, "arm", at=(0, 0, 0), axis="y", start=7.0)
        m.driver("motor", "shoulder", "7 + 2*t")
        m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.7, 0, -0.1))
        m.spherical("ball", "arm", "bob", at=(0.6, 0, 0))
        return m

    plain, other = chain(), chain()
    if needs_load == "measure":
        other.measure("load", "ball.force")
    else:
        other.friction("rubbing", "ball", coefficient=0.1, radius=0.01)
    runs = [model.simulate(1e-3, progress=False) for model in (plain, other)]
    np.testing.assert_allclose(runs[1].result.position[0], runs[0].result.position[0], atol=1e-12)
    np.testing.assert_allclose(runs[1].result.velocity[0], runs[0].result.velocity[0], atol=1e-12)
    assert runs[1]["shoulder.angle"][0] == pytest.approx(7.0, abs=1e-12)
