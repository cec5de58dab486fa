"""Loads as a user meets them: histories, points, axes, what is unique, load cases, files, commands, bad input."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.loads.cases.load_cases import write_cases, write_histories
from linkwork.analyses.loads.reactions import COMPONENTS
from linkwork.cli import app
from linkwork.library import library_model

G = 9.81


@pytest.fixture(scope="module")
def pendulum():
    """A 2 kg rod of 1.5 m, released from the horizontal."""
    return library_model("pendulum", {"mass": 2.0, "length": 1.5}).simulate(2.0, rtol=1e-10, progress=False)


@pytest.fixture(scope="module")
def four_bar():
    return library_model("four-bar", {"angle": 40.0}).simulate(0.3, rtol=1e-9, progress=False)


def crank_on_a_motor(motion: str = "2*t") -> lw.Model:
    """The four-bar with its left crank driven."""
    model = library_model("four-bar", {"angle": 40.0})
    model.driver("motor", "A", motion)
    return model


# -- closed forms -------------------------------------------------------------------------------------------------
def test_pin_force_of_a_pendulum_is_the_closed_form(pendulum):
    """Rod of length l: along it m g cos + m w2 l/2, across it m g sin / 4 (J = m l2/3 + section)."""
    angle = pendulum["pin.angle"] + np.pi / 2.0  # from the vertical, positive towards x
    rate, acceleration = pendulum["pin.rate"], pendulum["pin.rate.dot"]
    force = pendulum.reaction("pin").force
    outward = np.column_stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)])
    across = np.column_stack([np.cos(angle), np.zeros_like(angle), np.sin(angle)])
    along = -2.0 * (G * np.cos(angle) + rate**2 * 0.75)
    sideways = 2.0 * (acceleration * 0.75 + G * np.sin(angle))
    np.testing.assert_allclose(force, along[:, None] * outward + sideways[:, None] * across, atol=1e-9)


def test_a_pin_transmits_no_torque_about_its_axis(pendulum):
    reaction = pendulum.reaction("pin")
    assert np.abs(reaction.torque).max() < 1e-12
    assert reaction.units == {"t": "s", "force": "N", "torque": "N m"}


def test_driving_torque_gives_the_power_that_the_energy_takes():
    """Four-bar with a driven crank: tau w = d(T + U)/dt, by differences of the energy."""
    run = crank_on_a_motor("0.4*sin(3*t)").simulate(2.0, rtol=1e-11, every=1e-3, progress=False)
    power = run.driving_force("A").values * run["A.rate"]
    energy = run.energy
    slope = (energy[:-4] - 8 * energy[1:-3] + 8 * energy[3:-1] - energy[4:]) / (12e-3)
    assert np.abs(power).max() > 1.0
    np.testing.assert_allclose(power[2:-2], slope, atol=1e-6 * np.abs(power).max())


def test_a_locked_joint_holds_and_says_with_what():
    """A horizontal rod held at its pin: m g upward, moment m g l / 2."""
    model = library_model("pendulum", {"mass": 2.0, "length": 1.5})
    model.lock("brake", "pin")
    run = model.simulate(0.5, progress=False)
    held = run.driving_force("pin")
    assert held.unit == "N m"
    np.testing.assert_allclose(held.values, 2.0 * G * 0.75, rtol=1e-12)  # about -y, against the weight at +x
    np.testing.assert_allclose(run.reaction("pin").force, np.tile([0.0, 0.0, 2.0 * G], (len(run.t), 1)), atol=1e-12)
    np.testing.assert_allclose(run.reaction("pin").torque[:, 1], -2.0 * G * 0.75, rtol=1e-12)


@pytest.mark.parametrize(
    ("formulation", "method"),
    [("joint", "auto"), ("joint", "newton-euler"), ("joint", "multipliers"), ("absolute", "auto")],
)
def test_drivers_that_take_turns_give_what_the_motion_needs(formulation, method):
    """2 kg moved by x = t^2 until 1 s, then by another driver, held by a lock from 2 s until an event lets go."""
    m = lw.Model("turns", gravity=(0, 0, -9.81))
    m.body("block", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "block", at=(0, 0, 0), axis="x")
    m.driver("first", "rail", "t^2", until=1.0)
    m.driver("second", "rail", "1 + 2*(t - 1) - (t - 1)^2", since=1.0, until=2.0)
    m.lock("brake", "rail", since=2.0)
    m.applied_force("push", "block", force=(3.0, 0, 0))
    m.measure("clock", "t")
    m.event("late", "clock > 3.01", "release", driver="brake")
    run = m.simulate(4.0, every=0.125, formulation=formulation)
    needed = np.select([run.t <= 1.0, run.t <= 2.0, run.t <= 3.0], [4.0 - 3.0, -4.0 - 3.0, -3.0], 0.0)
    np.testing.assert_allclose(run.driving_force("rail", method=method).values, needed, atol=1e-7)
    reaction = run.reaction("rail", method=method)
    np.testing.assert_allclose(reaction.force, np.column_stack([needed, 0 * needed, 0 * needed + 19.62]), atol=1e-7)
    assert all(reaction.unique.values())


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_coil_wound_many_turns_pulls_with_all_of_them(formulation):
    """A rotor turned at 10 rad/s against a coil, sampled each 5 rad: the motor gives k theta."""
    m = lw.Model("winch", gravity=(0, 0, -G))
    rotor = m.body("rotor", lw.cylinder(radius=0.1, length=0.2, mass=3.0))
    m.revolute("axle", m.ground, rotor, at=(0, 0, 0), axis="z")
    m.torsional_spring_damper("coil", "axle", stiffness=0.7)
    m.driver("motor", "axle", "10*t")
    run = m.simulate(5.0, every=0.5, formulation=formulation, progress=False)
    np.testing.assert_allclose(run.driving_force("axle").values, 7.0 * run.t, atol=1e-8)


def test_at_a_jump_the_load_is_that_before_it():
    """A push switched on at 0.1 s: the sample there belongs to what was before, and all loads balance."""
    model = library_model("pendulum")
    model.applied_force("push", "bar", force=("if(t<0.1, 0, 50)", 0, 0))
    run = model.simulate(0.2, every=0.05, rtol=1e-10, progress=False)
    for method in ("non-recursive", "newton-euler", "multipliers"):
        force = run.reaction("pin", method=method).force
        assert np.abs(force[2, 0] - force[1, 0]) < 10.0 < np.abs(force[3, 0] - force[2, 0])
    case = run.load_case("bar", 0.1)
    assert np.abs(case.residual).max() < 1e-11


def test_a_load_case_outside_the_run_is_refused(pendulum):
    with pytest.raises(lw.OptionError, match=r"t = 99 s lies outside the run, which goes from 0 to"):
        pendulum.load_case("bar", 99.0)


# -- on, at, frame --------------------------------------------------------------------------------------------------
def test_on_the_other_body_it_acts_the_other_way(pendulum):
    on_bar, on_ground = pendulum.reaction("pin", on="bar"), pendulum.reaction("pin", on="ground")
    np.testing.assert_array_equal(on_bar.wrench, -on_ground.wrench)
    assert (on_bar.on, on_ground.on, pendulum.reaction("pin", on="A").on) == ("bar", "ground", "ground")


def test_at_another_point_the_moment_moves(pendulum):
    at_pin, at_bar = pendulum.reaction("pin"), pendulum.reaction("pin", at="bar")
    np.testing.assert_allclose(at_bar.torque, np.cross(-pendulum.position("bar"), at_pin.force), atol=1e-12)
    at_point = pendulum.reaction("pin", at=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(at_point.torque, np.cross((-1.0, -2.0, -3.0), at_pin.force), atol=1e-12)


def test_in_body_axes_the_rod_feels_tension_along_itself(pendulum):
    reaction = pendulum.reaction("pin", frame="bar")
    rate = pendulum["pin.rate"]
    tension = -(2.0 * (G * np.cos(pendulum["pin.angle"] + np.pi / 2.0) + 0.75 * rate**2))
    np.testing.assert_allclose(reaction.force[:, 0], tension, atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(reaction.force, axis=1), np.linalg.norm(pendulum.reaction("pin").force, axis=1), rtol=1e-12
    )


def test_named_frames_serve_as_points_and_axes():
    model = library_model("pendulum")
    model.frame("gauge", "bar", at=(0.25, 0.0, 0.0), orientation=(np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
    run = model.simulate(0.3, progress=False)
    plain, gauged = run.reaction("pin", frame="bar"), run.reaction("pin", at="gauge", frame="gauge")
    np.testing.assert_allclose(gauged.force[:, 2], plain.force[:, 0], atol=1e-12)
    np.testing.assert_allclose(np.abs(gauged.torque[:, 1]), np.abs(0.75 * plain.force[:, 2]), atol=1e-12)


def test_a_joint_said_backward_gives_the_same_load_on_the_same_body():
    forward, backward = library_model("double-pendulum"), lw.Model("double-pendulum", gravity=(0, 0, -G))
    said = forward.mechanism
    for body in said.body:
        backward.body(body.name, body.shape, at=body.at, orientation=body.orientation)
    for joint in said.joint:
        backward.revolute(joint.name, *joint.between[::-1], at=joint.at, axis=joint.axis)
    ours, theirs = (m.simulate(0.5, rtol=1e-10, progress=False) for m in (forward, backward))
    for name in ("shoulder", "elbow"):
        a, b = ours.reaction(name, on="upper"), theirs.reaction(name, on="upper")
        np.testing.assert_allclose(a.force, b.force, atol=1e-7)


# -- unique or not ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_of_a_four_bar_in_space_only_loads_in_its_plane_are_facts(formulation):
    run = library_model("four-bar", {"angle": 40.0}).simulate(0.1, formulation=formulation, progress=False)
    for reaction in run.loads().values():
        assert reaction.unique == dict(zip(COMPONENTS, (True, False, True, False, True, False), strict=True))
        assert np.isnan(reaction.force[:, 1]).all()
        assert np.isfinite(reaction.force[:, [0, 2]]).all()
        assert reaction.shared_with == ("A", "B", "C", "D")
        assert "bushing" in reaction.note()


def test_a_mechanism_without_loops_has_only_facts(pendulum):
    reaction = pendulum.reaction("pin")
    assert all(reaction.unique.values())
    assert reaction.note() is None


def test_two_balls_in_place_of_pins_free_the_four_bar_of_redundancy():
    """The same loop with two of its pins as balls: every load is determined, and the same in the plane."""
    model = library_model("four-bar", {"angle": 40.0})
    said = model.mechanism
    loose = lw.Model("loose", gravity=said.gravity)
    for body in said.body:
        loose.body(body.name, body.shape, at=body.at, orientation=body.orientation)
    for joint in said.joint:
        if joint.name in ("B", "C"):
            loose.spherical(joint.name, *joint.between, at=joint.at)
        else:
            loose.revolute(joint.name, *joint.between, at=joint.at, axis=joint.axis)
    run = loose.simulate(0.1, rtol=1e-9, progress=False)
    tight = model.simulate(0.1, rtol=1e-9, progress=False)
    assert all(all(reaction.unique.values()) for reaction in run.loads().values())
    ours, theirs = run.reaction("A").force, tight.reaction("A").force
    np.testing.assert_allclose(ours[:, [0, 2]], theirs[:, [0, 2]], atol=1e-6)


def test_two_motors_on_one_freedom_share_their_torque_in_no_certain_way():
    model = crank_on_a_motor("0.1*t")
    model.driver("second", "D", "0.1*t")
    run = model.simulate(0.1, progress=False)
    for joint in ("A", "D"):
        driving = run.driving_force(joint)
        assert not driving.unique
        assert np.isnan(driving.values).all()


def test_a_singular_position_takes_uniqueness_away_for_an_instant():
    """The parallelogram started flat: four collinear pins, and a force along the bars can be locked in."""
    run = library_model("four-bar", {"angle": 0.0}).simulate(0.1, every=0.05, progress=False)
    reaction = run.reaction("B")
    assert not reaction.unique_at[0, 0]
    assert reaction.unique_at[1:, 0].all()
    assert not reaction.unique["fx"]
    assert "first at t = 0 s" in reaction.note()


def test_a_plane_mechanism_knows_nothing_across_its_plane():
    run = library_model("n-four-bar", {"n": 1}).simulate(0.2, progress=False)
    reaction = run.reaction("pivot0")
    assert reaction.unique == dict(zip(COMPONENTS, (True, False, True, False, True, False), strict=True))
    assert "plane" in reaction.note()


def test_tilted_axes_mix_what_is_unique_with_what_is_not(four_bar):
    """In a frame turned about x, y and z components both hold some of the force across the plane."""
    model = library_model("four-bar", {"angle": 40.0})
    model.frame("tilted", "ground", orientation=(np.cos(0.3), np.sin(0.3), 0.0, 0.0))
    reaction = model.simulate(0.05, progress=False).reaction("A", frame="tilted")
    assert reaction.unique == dict(zip(COMPONENTS, (True, False, False, False, False, False), strict=True))


# -- peaks, windows, load cases -------------------------------------------------------------------------------------
def test_peaks_are_the_largest_values_with_the_wrench_of_that_time(pendulum):
    reaction = pendulum.reaction("pin")
    peaks = {peak.of: peak for peak in reaction.peaks()}
    n = int(np.argmax(np.abs(reaction.force[:, 2])))
    assert peaks["fz"].value == reaction.force[n, 2]
    assert peaks["fz"].t == reaction.t[n]
    np.testing.assert_array_equal(peaks["fz"].force, reaction.force[n])
    assert peaks["force"].value == pytest.approx(2.5 * 2.0 * G, rel=1e-3)  # at the bottom: m g (1 + 3/2)


def test_nothing_that_is_not_unique_has_a_peak_or_an_envelope(four_bar):
    loads = four_bar.loads(["A"])
    assert {peak.of for peak in loads["A"].peaks()} == {"fx", "fz", "ty"}
    low, high = loads.envelope()["A"]["fx"]
    assert low == loads["A"].force[:, 0].min()
    assert high == loads["A"].force[:, 0].max()
    assert np.isnan(loads.envelope()["A"]["fy"]).all()


def test_during_takes_a_span_of_the_run():
    loads = library_model("pendulum").loads(["pin"], during=(0.2, 0.4), every=0.05)
    np.testing.assert_allclose(loads.t, [0.2, 0.25, 0.3, 0.35, 0.4])
    assert len(library_model("pendulum").loads(["pin"], during=0.1, every=0.05).t) == 3
    endless = library_model("pendulum").simulate(0.4, every=0.05).loads(["pin"], during=(0.2, np.inf))
    assert endless.t[0] == pytest.approx(0.2, abs=1e-12)


def spring_machine() -> lw.Model:
    """A body with a revolute, a spherical, a spring, a torsion spring and a push on it, moving in space."""
    m = lw.Model("machine", gravity=(0.3, -0.2, -G))
    arm = m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.1, 0.02, -0.03), at=(0.4, 0, 0))
    ball = m.body("ball", mass=1.0, inertia=(0.05, 0.06, 0.07), at=(1.0, 0.1, 0), angular_velocity=(1.0, 2.0, 3.0))
    m.revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0.1, 1.0, 0.2))
    m.spherical("socket", arm, ball, at=(0.8, 0, 0))
    m.spring_damper("strut", arm, m.ground, points=((0.5, 0, 0), (0.5, 0.2, 1.0)), stiffness=300.0, damping=4.0,
                    free_length=0.8)  # fmt: skip
    m.torsional_spring_damper("coil", "hinge", stiffness=5.0, damping=0.3)
    m.applied_force("push", arm, force=("3*sin(5*t)", 1.0, 0.0), torque=(0, 0, 0.5), at=(0.2, 0.1, 0), axes="body")
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_all_loads_on_a_body_balance(formulation):
    run = spring_machine().simulate(0.8, rtol=1e-9, formulation=formulation, progress=False)
    cases = run.load_cases("arm")
    assert len(cases) >= 2
    for case in cases:
        kinds = [load.kind for load in case.loads]
        assert sorted(kinds) == ["applied", "inertia", "joint", "joint", "spring", "torsion", "weight"]
        total, moment = np.zeros(3), np.zeros(3)
        for load in case.loads:  # summed here about the origin of the body frame
            total += load.force
            moment += load.torque + np.cross(load.point, load.force)
        largest = max(np.abs(load.force).max() for load in case.loads)
        assert np.abs(total).max() < 1e-11 * largest
        assert np.abs(moment).max() < 1e-11 * largest
        assert np.abs(case.residual).max() < 1e-11 * largest


def test_inertia_load_is_mass_times_the_acceleration_seen_in_the_run():
    """By differences of the positions and of the angular momentum that the run stores."""
    run = spring_machine().simulate(0.8, rtol=1e-11, every=1e-3, progress=False)
    n = 400
    case = run.load_case("arm", run.t[n])
    inertia = next(load for load in case.loads if load.kind == "inertia")
    e0, e = run.orientation("arm")[:, :1], run.orientation("arm")[:, 1:]
    offset = np.array([0.1, 0.02, -0.03])
    once = np.cross(e, offset)
    centre = run.position("arm") + offset + 2.0 * (e0 * once + np.cross(e, once))
    acceleration = (centre[n - 1] - 2.0 * centre[n] + centre[n + 1]) / 1e-6
    R = np.column_stack([_turned(run, "arm", n, axis) for axis in np.eye(3)])
    np.testing.assert_allclose(inertia.force, -2.0 * R.T @ acceleration, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(inertia.point, offset, atol=1e-12)


def _turned(run, body: str, n: int, vector: np.ndarray) -> np.ndarray:
    e0, e = run.orientation(body)[n, 0], run.orientation(body)[n, 1:]
    once = np.cross(e, vector)
    return vector + 2.0 * (e0 * once + np.cross(e, once))


def test_loads_and_cases_are_written_as_tables(four_bar, tmp_path):
    write_histories(four_bar.loads(["A", "B"]), tmp_path / "loads.csv")
    rows = list(csv.DictReader((tmp_path / "loads.csv").open()))
    assert len(rows) == 2 * len(four_bar.t)
    assert float(rows[7]["fx"]) == four_bar.reaction("A").force[7, 0]
    assert rows[7]["fy"] == ""  # not unique
    write_cases(four_bar.load_cases("coupler"), tmp_path / "cases.csv")
    rows = list(csv.DictReader((tmp_path / "cases.csv").open()))
    assert {row["load"] for row in rows} == {"B", "C", "weight", "inertia"}


# -- commands ---------------------------------------------------------------------------------------------------------
def invoke(*arguments: str, code: int = 0):
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == code, answer.output
    return answer


def test_loads_answers_machines_with_null_for_what_is_not_unique():
    told = json.loads(invoke("loads", "four-bar", "--joint", "A", "--until", "0.05", "--json").stdout)
    joint = told["joints"][0]
    assert set(joint) >= {"joint", "on", "at", "frame", "t", "force", "torque", "driving", "unique", "peak"}
    assert joint["unique"]["fy"] is False
    assert all(force[1] is None and force[0] is not None for force in joint["force"])
    assert "fy" not in joint["peak"]
    assert "bushing" in told["warnings"][0]


def test_loads_prints_peaks_and_writes_table_and_plot(tmp_path):
    table, plot = tmp_path / "loads.csv", tmp_path / "loads.png"
    text = invoke(
        "loads", "rrc-arm", "--joint", "joint 2", "--until", "0.3", "--csv", str(table), "--plot", str(plot)
    ).stdout
    for word in ("driving angle", "force at that time", "on link 2", "world axes"):
        assert word in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert table.read_text().startswith("joint,on,at,frame,t,fx")
    assert "not unique" in invoke("loads", "four-bar", "--joint", "A", "--until", "0.05").stdout


def test_loads_of_a_run_from_its_file(tmp_path):
    run = library_model("double-pendulum").simulate(0.2, progress=False)
    run.save(tmp_path / "run.h5")
    told = json.loads(invoke("loads", str(tmp_path / "run.h5"), "--joint", "elbow", "--json").stdout)
    np.testing.assert_array_equal(told["joints"][0]["force"], run.reaction("elbow").force)
    for option in (("--until", "1"), ("--set", "angle=3")):  # would have no effect
        assert "is for a model; a run is read as it is" in invoke(
            "loads", str(tmp_path / "run.h5"), *option, code=2
        ).output  # fmt: skip


def test_loads_on_a_body_at_its_peaks():
    told = json.loads(invoke("loads", "slider-crank", "--body", "rod", "--until", "0.2", "--json").stdout)
    assert told["cases"]
    assert {load["load"] for load in told["cases"][0]["loads"]} >= {"crank pin", "wrist pin", "weight", "inertia"}


# -- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda run: run.reaction("pim"), ("no joint 'pim'", "did you mean 'pin'?")),
        (lambda run: run.reaction("pin", on="ba"), ("between 'ground' and 'bar'", "not on 'ba'")),
        (lambda run: run.reaction("pin", at="barr"), ("neither a body nor a frame", "'bar'")),
        (lambda run: run.reaction("pin", at=(1.0, 2.0)), ("three finite numbers",)),
        (lambda run: run.reaction("pin", frame="wrold"), ("neither a body nor a frame", "'world'")),
        (lambda run: run.reaction("pin", method="newton"), ("no method 'newton'", "newton-euler")),
        (lambda run: run.driving_force("pin"), ("'pin' has no driver", "driver")),
        (lambda run: run.loads([]), ("no joint was named",)),
        (lambda run: run.loads(["pin"], during=(5.0, 6.0)), ("no samples between t = 5 s and 6 s",)),
        (lambda run: run.load_cases("rod"), ("no body 'rod'", "'bar'")),
    ],
)  # fmt: skip
def test_bad_questions_are_answered_with_a_sentence(pendulum, ask, told):
    with pytest.raises(lw.OptionError) as failure:
        ask(pendulum)
    for words in told:
        assert words in failure.value.message


def test_a_result_without_samples_has_no_loads(pendulum):
    with pytest.raises(lw.OptionError, match="no samples"):
        lw.Run(pendulum.result.part(slice(0, 0))).reaction("pin")


def test_a_run_in_absolute_coordinates_has_no_recursion():
    run = library_model("pendulum").simulate(0.05, formulation="absolute", progress=False)
    with pytest.raises(lw.OptionError, match="joint coordinates"):
        run.reaction("pin", method="newton-euler")


def test_a_driver_and_a_lock_on_one_coordinate_are_refused():
    model = crank_on_a_motor()
    model.lock("brake", "A")
    with pytest.raises(lw.ModelError, match="already driven by 'motor'"):
        model.simulate(0.1)
    model = crank_on_a_motor()
    model.lock("brake 2", "AA")
    with pytest.raises(lw.ModelError, match=r"no joint 'AA'.*'A'"):
        model.simulate(0.1)


def test_the_command_names_the_nearest_joint():
    answer = invoke("loads", "four-bar", "--joint", "E", "--until", "0.02", "--json", code=2)
    told = json.loads(answer.stdout)
    assert told["error"]["element"] == "E"
    assert "'A', 'B', 'C', 'D'" in told["error"]["message"]
