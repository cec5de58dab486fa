"""Kinematic analysis against closed forms: linkages, Hooke's joint, quick return, transmission angle, dead points."""

from __future__ import annotations

import json

import numpy as np
import pytest
from plane_linkages import FORMULATIONS, UPWARD, FourBar, link, mechanism, pin, points_on, turn_angle, turn_rate
from scipy.interpolate import CubicHermiteSpline
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.model import Model

LINKAGE = FourBar()
START = 0.7  # rad, crank angle at which the parts are said


def four_bar(plane: str | None = "xz", **more) -> Model:
    bodies, pins = LINKAGE.parts(START)
    return Model.of(mechanism(bodies, pins, plane, **more))


def driven(joint: str, motion: str) -> dict:
    return {"driver": ({"name": "motor", "joint": joint, "motion": motion},)}


def measures(**said: str) -> dict:
    return {"measure": tuple({"name": name, "of": of} for name, of in said.items())}


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slider_crank_equals_its_closed_form(formulation):
    r, length, angle = 0.1, 0.31, 0.4
    pin_at = r * np.exp(1j * angle)
    end = complex(pin_at.real + np.sqrt(length**2 - pin_at.imag**2))
    guide = {"name": "guide", "kind": "prismatic", "between": ("ground", "slider"), "at": (end.real, 0, 0), "axis": "x"}
    parts = [link("crank", 0j, pin_at, 1.0), link("rod", pin_at, end, 1.0),
             {"name": "slider", "mass": 1.0, "inertia": (1, 1, 1), "at": (end.real, 0, 0)}]  # fmt: skip
    pins = [pin("main", "ground", "crank", 0j), pin("big end", "crank", "rod", pin_at), guide,
            pin("small end", "rod", "slider", end)]  # fmt: skip
    model = Model.of(mechanism(parts, pins, None, **driven("main", "3*t+0.7*t^2"), **measures(a="ax(slider)")))
    run = model.kinematics(until=2.0, every=0.01, formulation=formulation)
    t = run.t
    theta, w, alpha = angle + 3 * t + 0.7 * t**2, 3 + 1.4 * t, 1.4
    s = np.sqrt(length**2 - (r * np.sin(theta)) ** 2)
    x = r * np.cos(theta) + s
    slope = -r * np.sin(theta) - r**2 * np.sin(theta) * np.cos(theta) / s
    bend = -r * np.cos(theta) - r**2 * np.cos(2 * theta) / s - r**4 * (np.sin(theta) * np.cos(theta)) ** 2 / s**3
    assert len(t) == 201 and run.certificate.dof == 0
    np.testing.assert_allclose(run["slider.position.x"], x, atol=1e-10)
    np.testing.assert_allclose(run["slider.velocity.x"], slope * w, atol=1e-10)
    np.testing.assert_allclose(run["a"], bend * w**2 + slope * alpha, atol=1e-10)


def test_four_bar_equals_its_closed_form_and_its_motor_gives_what_energy_asks():
    said = measures(phi="-alphay(coupler)", psi="-alphay(rocker)")
    run = four_bar(**driven("A", "2*t+0.5*t^2"), **said).kinematics(np.linspace(0.0, 3.0, 200))
    theta, w, alpha = START + 2 * run.t + 0.5 * run.t**2, 2 + run.t, 1.0
    ratios, slopes = LINKAGE.ratios(theta), [d.imag / 1e-30 for d in LINKAGE.ratios(theta + 1e-30j)]
    for k, (body, acceleration) in enumerate((("coupler", "phi"), ("rocker", "psi"))):
        off = turn_angle(run.result, body) - np.unwrap(LINKAGE.angles(theta)[k])
        np.testing.assert_allclose(off, off[0].round(12), atol=1e-10)
        np.testing.assert_allclose(turn_rate(run.result, body), ratios[k] * w, atol=1e-10)
        np.testing.assert_allclose(run[acceleration], slopes[k] * w**2 + ratios[k] * alpha, atol=1e-10)
    push = [LINKAGE.inertia(x) * alpha + 0.5 * LINKAGE.inertia_slope(x) * v**2 + LINKAGE.potential_slope(x)
            for x, v in zip(theta, w, strict=True)]  # fmt: skip
    np.testing.assert_allclose(run.driving_force("A").values, push, rtol=1e-9, atol=1e-9)
    AB, BC, _ = LINKAGE.vectors(theta)
    np.testing.assert_allclose(run.path("coupler", (0.5, 0, 0))[:, [0, 2]], (AB + BC).T, atol=1e-10)
    np.testing.assert_allclose(run.path("coupler", (0.1, 0, 0.4)), points_on(run.result, "coupler", (0.1, 0, 0.4)))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("given", [{"velocity": "2+t"}, {"acceleration": "1"}])
def test_drivers_by_velocity_or_acceleration_give_the_motion_of_their_integral(given, formulation):
    rate = 0.0 if "acceleration" in given else 2.0
    drivers = {"driver": ({"name": "motor", "joint": "A", **given},)}
    said = measures(psi="-alphay(rocker)")
    times = [0.0, 0.1, 0.75, 1.7, 3.0]
    run = four_bar(**drivers, **said).kinematics(times, formulation=formulation)
    asked = four_bar(**driven("A", f"{rate}*t+0.5*t^2"), **said).kinematics(times, formulation=formulation)
    assert run.certificate.dof == 0 and run.certificate.status == "finished"
    assert "positions are integrated" in run.certificate.why
    for channel in ("A.angle", "rocker.position.x", "coupler.velocity.z", "psi"):
        np.testing.assert_allclose(run[channel], asked[channel], atol=1e-8)
    np.testing.assert_allclose(run.driving_force("A").values, asked.driving_force("A").values, atol=1e-7)


def test_a_dead_centre_met_at_a_given_velocity_is_told():
    a, b, c, d = LINKAGE.crank, LINKAGE.coupler, LINKAGE.rocker, LINKAGE.ground
    reach = np.pi - np.arccos((c**2 + d**2 - (b - a) ** 2) / (2 * c * d)) - LINKAGE.angles(START)[1]
    drivers = {"driver": ({"name": "motor", "joint": "D", "velocity": "1"},)}
    run = four_bar(**drivers).kinematics(until=4.0, every=0.01)
    assert run.certificate.status == "stopped" and run.certificate.singular[-1]["dead"]
    assert run.certificate.singular[-1]["t"] == pytest.approx(reach, rel=1e-4)
    assert "dead centre" in run.certificate.warnings[-1] and run.t[-1] == pytest.approx(reach, abs=0.01)


def test_a_rolling_disc_is_driven_along_its_path():
    """Upright on a plane, its axle driven ahead with v(t): x = integral of v, angle = x / r."""
    r = 0.25
    m = lw.Model("wheel", gravity=(0, 0, -9.81), plane="xz")
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, r))
    m.rolling_disc("tread", "wheel", radius=r, axis="y")
    m.driver("pull", body="wheel", coordinate="x", motion="0.3*t^2")
    run = m.kinematics(until=2.0, every=0.1)
    np.testing.assert_allclose(run["wheel.position.x"], 0.3 * run.t**2, atol=1e-9)
    np.testing.assert_allclose(run["wheel.angular_velocity.y"], 0.6 * run.t / r, atol=1e-9)
    np.testing.assert_allclose(turn_angle(run.result, "wheel"), -0.3 * run.t**2 / r, atol=1e-8)


def test_sweep_gives_derivatives_by_the_input_and_the_transmission_angle():
    run = four_bar().kinematics(sweep={"A.angle": (1.0, 1.0 + 2 * np.pi, 181)})
    theta = START + run.t
    np.testing.assert_allclose(run["A.angle"], run.t, atol=1e-12)
    np.testing.assert_allclose(turn_rate(run.result, "rocker"), LINKAGE.ratios(theta)[1], atol=1e-10)
    a, b, c, d = LINKAGE.crank, LINKAGE.coupler, LINKAGE.rocker, LINKAGE.ground
    cosine = (b**2 + c**2 - a**2 - d**2 + 2 * a * d * np.cos(theta)) / (2 * b * c)
    np.testing.assert_allclose(run.transmission_angle("C"), np.arccos(np.abs(cosine)), atol=1e-10)
    back = four_bar().kinematics(sweep={"A": (1.0, -2.0, 50)})
    np.testing.assert_allclose(turn_rate(back.result, "rocker"), LINKAGE.ratios(START + back.t)[1], atol=1e-10)


@pytest.mark.parametrize("plane", ["xz", None])
def test_dead_centre_of_a_driven_rocker_is_found_and_told(plane):
    """Crank and coupler in line: (a + b)^2 = c^2 + d^2 - 2 c d cos(angle at D), and the other end with b - a."""
    a, b, c, d = LINKAGE.crank, LINKAGE.coupler, LINKAGE.rocker, LINKAGE.ground
    start = LINKAGE.angles(START)[1]
    for goal, reach in ((-2.0, a + b), (2.0, b - a)):
        dead = np.pi - np.arccos((c**2 + d**2 - reach**2) / (2 * c * d)) - start
        run = four_bar(plane).kinematics(sweep={"D.angle": (0.0, goal, 101)})
        (found,) = run.certificate.singular
        assert abs(found["t"] - dead) < 1e-9
        assert found["dead"] and found["joint"] in ("A", "B") and run.certificate.status == "stopped"
        assert 0.0 <= abs(dead) - abs(run.t[-1]) < abs(goal) / 100  # every sample before it is there
        assert "dead point at D.angle" in run.certificate.warnings[-1]


def test_flat_parallelogram_is_passed_on_its_branch_and_told():
    equal = FourBar(ground=2.0, crank=1.0, coupler=2.0, rocker=1.0)
    bodies, pins = equal.parts(0.5)
    run = Model.of(mechanism(bodies, pins, **driven("A", "t"))).kinematics(until=4.0, every=0.037)
    assert run.certificate.status == "finished"
    np.testing.assert_allclose(run["rocker.position.z"], run["crank.position.z"], atol=1e-9)
    np.testing.assert_allclose([entry["t"] for entry in run.certificate.singular], [np.pi - 0.5], atol=1e-5)
    assert "singular position" in run.certificate.warnings[-1]


def test_hookes_joint_turns_unevenly():
    """w2 / w1 = cos(b) / (1 - sin(b)^2 sin(theta)^2), theta from where the driving pin is normal to both shafts."""
    beta = 0.6
    axis = (np.cos(beta), 0.0, np.sin(beta))
    m = lw.Model("hooke", gravity=(0, 0, 0))
    m.body("in", lw.rod(mass=1, length=1), at=(-0.5, 0, 0))
    m.body("out", lw.rod(mass=1, length=1), at=0.5 * np.array(axis), angle=-beta, axis="y")
    m.revolute("A", m.ground, "in", at=(-1, 0, 0), axis="x")
    m.universal("cross", "in", "out", at=(0, 0, 0), axis="y", second_axis=(-np.sin(beta), 0.0, np.cos(beta)))
    m.cylindrical("B", m.ground, "out", at=axis, axis=axis)
    m.measure("ratio", "velocity(B, angle)")
    run = m.kinematics(sweep={"A.angle": (0, 4 * np.pi, 201)})
    np.testing.assert_allclose(run["ratio"], np.cos(beta) / (1 - (np.sin(beta) * np.sin(run.t)) ** 2), atol=1e-10)


def test_quick_return_takes_its_time_ratio():
    """A slotted lever, turned by a crank r at distance d from its pivot: forth / back = (pi - b) / b, cos b = r/d."""
    r, d = 0.1, 0.25
    m = lw.Model("quick return", gravity=(0, 0, 0), plane="xz")
    m.body("crank", mass=1, inertia=(1, 1, 1), at=(0, 0, 0))
    m.body("block", mass=1, inertia=(1, 1, 1), at=(r, 0, 0))
    m.body("lever", mass=1, inertia=(1, 1, 1), at=(0, 0, -d))
    slot = np.array([r, 0.0, d])
    m.revolute("shaft", m.ground, "crank", at=(0, 0, 0), axis=UPWARD)
    m.revolute("crank pin", "crank", "block", at=(r, 0, 0), axis=UPWARD)
    m.prismatic("slot", "lever", "block", at=(r, 0, 0), axis=slot)
    m.revolute("pivot", m.ground, "lever", at=(0, 0, -d), axis=UPWARD)
    m.measure("rate", "velocity(pivot)")
    m.measure("slope", "acceleration(pivot)")
    run = m.kinematics(sweep={"shaft.angle": (0, 2 * np.pi, 401)})
    turns = np.sort(CubicHermiteSpline(run.t, run["rate"], run["slope"]).roots(extrapolate=False))
    half = np.arccos(r / d)
    assert len(turns) == 2
    longer = max(turns[1] - turns[0], 2 * np.pi - turns[1] + turns[0])
    assert longer / (2 * np.pi - longer) == pytest.approx((np.pi - half) / half, rel=1e-9)


def test_a_jump_of_the_driver_is_seen_from_both_sides():
    run = four_bar(**driven("A", "if(t<0.5, t, 0.5+3*(t-0.5))")).kinematics([0.25, 0.5, 0.75])
    np.testing.assert_allclose(run["A.rate"], [1.0, 1.0, 3.0], atol=1e-12)
    np.testing.assert_allclose(run["A.angle"], [0.25, 0.5, 1.25], atol=1e-12)


def test_a_result_is_a_run_like_any_other(tmp_path):
    run = four_bar(**driven("A", "t")).kinematics(until=1.0, every=0.1)
    run.save(tmp_path / "k.h5")
    again = lw.load(tmp_path / "k.h5")
    np.testing.assert_array_equal(again["rocker.position.x"], run["rocker.position.x"])
    run.plot("A.angle", "rocker.velocity.x", path=tmp_path / "k.png")
    run.plot(path=tmp_path / "overview.png")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_drivers_take_turns(formulation):
    """A crank driven forwards, then back, by two drivers: the same as by one driver of both motions."""
    turns = (
        {"name": "forwards", "joint": "A", "motion": "t", "until": 0.4},
        {"name": "back", "joint": "A", "motion": "0.4 - 0.5*(t - 0.4)", "since": 0.4},
    )
    run, whole = (
        four_bar(driver=drivers).kinematics(until=1.0, every=0.05, formulation=formulation)
        for drivers in (turns, driven("A", "if(t < 0.4, t, 0.4 - 0.5*(t - 0.4))")["driver"])
    )
    np.testing.assert_allclose(run["rocker.position.x"], whole["rocker.position.x"], atol=1e-10)
    np.testing.assert_allclose(run["rocker.velocity.x"], whole["rocker.velocity.x"], atol=1e-9)
    assert "drivers take turns" in run.certificate.why


def test_one_driver_lets_go_and_a_lock_holds_what_it_has_moved():
    held = {"name": "pause", "joint": "A", "hold": True, "since": 0.4}
    moved = {"name": "motor", "joint": "A", "motion": "t", "until": 0.4}
    run = four_bar(driver=(moved, held)).kinematics(until=1.0, every=0.05)
    np.testing.assert_allclose(run["A.angle"], np.minimum(run.t, 0.4), atol=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_loop_comes_to_rest_with_its_driver(formulation):
    """The crank turns by 1 rad and stops: speeds of 1e-16 are no violation of speeds that are zero."""
    run = four_bar(**driven("A", "step(t, 0, 0, 1, 1)")).kinematics(until=2.0, every=0.1, formulation=formulation)
    assert len(run.t) == 21
    assert run["A.angle"][10:] == pytest.approx(np.ones(11), abs=1e-12)
    assert np.abs(run["rocker.angular_velocity.y"][10:]).max() < 1e-12


def test_samples_lie_as_in_a_simulation():
    model = four_bar(**driven("A", "t"))
    for every in (0.3, 0.28, 0.25):
        np.testing.assert_array_equal(
            model.kinematics(until=1.0, every=every).t, model.simulate(1.0, every=every).t
        )  # fmt: skip


@pytest.mark.parametrize(
    ("more", "asked", "words"),
    [
        ({}, {"until": 1.0}, ("not fully driven", "1 free coordinate", "'A.angle'")),
        ({}, {"sweep": {"A.angel": (0, 1, 5)}}, ("no coordinate 'angel'", "'angle'")),
        ({}, {"sweep": {"E": (0, 1, 5)}}, ("no joint 'E'",)),
        ({}, {"sweep": {"A": (0, 0, 5)}}, ("sweep of 'A'", "how many")),
        ({}, {"sweep": {"A": (0, 1, 5)}, "until": 1.0}, ("both times and a sweep",)),
        (driven("A", "t"), {"times": [0.0, 0.2, 0.1]}, ("increasing",)),
        ({"driver": ({"name": "motor", "joint": "A", "motion": "t", "until": 0.5},)}, {"until": 1.0},
         ("'motor'", "part of the time", "from t = 0.5 s on")),
        ({"driver": ({"name": "motor", "joint": "D", "motion": "t", "until": 0.5},)}, {"sweep": {"A": (0, 1, 5)}},
         ("'motor'", "part of the time", "has no time")),
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_refused_in_one_sentence(more, asked, words):
    with pytest.raises(lw.LinkworkError) as caught:
        four_bar(**more).kinematics(**asked)
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value)


def test_the_command_sweeps_writes_and_tells(tmp_path):
    path = tmp_path / "four-bar.json"
    path.write_text(four_bar().mechanism.model_dump_json(exclude_none=True))
    arguments = ["kinematics", str(path), "--sweep", "D.angle=0:2:41", "--channel", "A.rate", "--path", "coupler",
                 "--transmission", "C", "--plot", str(tmp_path / "k.png")]  # fmt: skip
    answer = CliRunner().invoke(app, [*arguments, "--json"])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert told["status"] == "stopped" and told["singular"][0]["dead"] and "dead point" in told["warnings"][0]
    count = len(told["t"])
    assert len(told["channels"]["A.rate"]) == len(told["paths"]["coupler"]) == len(told["transmission"]["C"]) == count
    shown = CliRunner().invoke(app, arguments)
    assert "dead point" in shown.output and (tmp_path / "k.png").stat().st_size > 0


def test_a_rod_that_may_turn_about_itself_is_tolerated():
    """RSSR: the rod keeps its length at every position, and the drivers need not determine its idle rotation."""
    m = lw.Model("rssr", gravity=(0, 0, 0))
    P, Q, D = (0.0, 0.1, 0.0), (0.4, 0.3, 0.2), (0.4, 0.3, 0.0)
    m.link("crank", (0, 0, 0), P, mass=1.0)
    m.link("rod", P, Q, mass=1.0)
    m.link("rocker", D, Q, mass=1.0)
    m.revolute("A", m.ground, "crank", at=(0, 0, 0), axis="x")
    m.spherical("B", "crank", "rod", at=P)
    m.spherical("C", "rod", "rocker", at=Q)
    m.revolute("D", m.ground, "rocker", at=D, axis="y")
    m.driver("motor", "A", "t")
    with pytest.warns(lw.RunWarning, match="'rod' may turn about itself"):
        run = m.kinematics(until=6.28, every=0.05)
    assert run.certificate.status == "finished"
    length = np.linalg.norm(run.path("crank", (0.05, 0, 0)) - run.path("rocker", (0.1, 0, 0)), axis=1)
    np.testing.assert_allclose(length, np.linalg.norm(np.subtract(Q, P)), rtol=1e-12)
    m.remove("motor")
    with pytest.raises(lw.ModelError, match="not fully driven: 2 free coordinates"):
        m.kinematics(until=1.0)


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "four-bar", "quarter-car", "gyroscope", "rrc-arm"])
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_mechanism_that_is_not_driven_is_refused_by_its_free_coordinates(name, formulation):
    model = lw.library_model(name, {"case": 2} if name == "rrc-arm" else None)
    for driver in model.mechanism.driver:
        model.remove(driver.name)
    with pytest.raises(lw.ModelError, match=f"not fully driven: {model.check().dof} free coordinate"):
        model.kinematics(until=1.0, formulation=formulation)


def test_a_door_on_two_hinges_is_no_idle_rotation():
    """The points of both hinges stand still while it turns, and yet it is the motion of the mechanism."""
    m = lw.Model("door", gravity=(0, 0, -9.81))
    m.body("door", lw.box((0.8, 0.04, 2.0), mass=20.0), at=(0.4, 0, 1))
    for k, z in enumerate((0.2, 1.8)):
        m.revolute(f"hinge{k}", m.ground, "door", at=(0, 0, z), axis="z")
    with pytest.raises(lw.ModelError, match="not fully driven: 1 free coordinate, 'hinge0"):
        m.kinematics(until=1.0)
