"""Equilibrium, trim, linearization as a user meets them: results, JSON, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import signal
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import linkwork as lw
from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.steady.search.balancing import relaxation
from linkwork.analyses.steady.search.residual import merit
from linkwork.analyses.vibration.element_shares import element_matrices
from linkwork.cli import app
from linkwork.library.rotating import governor
from vibrating_models import (
    chain_of_springs,
    disc_on_bearings,
    hanging_ball_chain,
    jeffcott,
    rotating_pendulum,
    sprung_slider_crank,
)


def invoke(*arguments: str, code: int = 0) -> str:
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == code, answer.output
    return answer.stdout


# -- equilibrium ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("angle", [5.0, 90.0, 179.0])
def test_a_pendulum_falls_to_where_it_hangs(angle):
    found = lw.library_model("pendulum", {"angle": angle}).equilibrium()
    assert found["pin.angle"] == pytest.approx(-np.radians(angle), abs=1e-9)
    assert (found.stable, found.stability) == (True, "stable")


def test_an_upright_pendulum_is_balanced_and_unstable():
    found = lw.library_model("pendulum", {"angle": 180.0}).equilibrium()
    assert (found.stable, found.how) == (False, "already balanced")
    assert "diverges" in found.stability


def test_a_mass_sinks_by_its_weight_over_the_stiffness():
    m = chain_of_springs(1, stiffness=200.0, mass=3.0)
    m.applied_force("pull", "m0", force=(30.0, 0, 0))
    assert m.equilibrium()["x0.distance"] == pytest.approx(30.0 / 200.0, rel=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_spring_across_a_dead_centre_leaves_no_acceleration(seed):
    """On the way past a dead centre the slider's coordinate has any stiffness: that is not a balance."""
    random = np.random.default_rng(seed)
    model = sprung_slider_crank().with_settings(
        {
            "spring.free_length": random.uniform(0.1, 0.4),
            "spring.stiffness": random.uniform(300.0, 3000.0),
            "rod.mass": random.uniform(0.1, 1.0),
        }
    )
    found = model.equilibrium()
    there, y = found.reduction, found.point.y
    free = there.point(y, found.point.angles, v=np.zeros(there.layout.v_count))
    assert np.abs(free.v_dot).max() < 1e-6  # rad/s2, m/s2; a falling crank has 100


def test_equilibrium_is_where_a_damped_run_ends():
    model = sprung_slider_crank()
    model.friction("oil", "bearing", viscous=0.3)
    run = model.simulate(20.0, rtol=1e-9, progress=False)
    found = model.equilibrium()
    for body in ("crank", "rod", "slider"):
        assert found.positions[body] == pytest.approx(run.position(body)[-1], abs=1e-6)


def test_dynamic_relaxation_alone_comes_near():
    reduction = Reduction(lw.library_model("double-pendulum", {"angle": 120.0}).mechanism)
    start = reduction.rough
    assert merit(relaxation(reduction, start)) < 1e-8 * merit(start)


def test_the_torque_that_keeps_a_speed_against_drag():
    m = rotating_pendulum(0.2)
    m.friction("drag", "spin", viscous=0.5)
    found = m.equilibrium({"spin": 4.0})
    assert found.driving["spin.angle"] == pytest.approx(2.0, rel=1e-9)


def test_a_pendulum_turned_about_a_horizontal_axis_has_no_steady_state():
    m = lw.Model("wheel", gravity=(0, 0, -9.81))
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1.0))
    m.revolute("turn", m.ground, "hub", at=(0, 0, 0), axis="y")
    m.revolute("hinge", "hub", "bob", at=(0, 0, -0.5), axis="y")
    found = m.equilibrium({"turn": 8.0})
    assert any("not a steady state" in note for note in found.notes)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_machine_whose_whole_motion_is_given_is_steady_only_if_its_drive_is(formulation):
    """No degree of freedom is left beside the speed; the slider-crank's torque is periodic all the same."""
    found = lw.library_model("slider-crank").equilibrium({"main bearing": 10.0}, formulation=formulation)
    assert (found.stable, found.stability) == (False, "undecided: no steady state")
    assert "driving torque of 'main bearing.angle' varies" in found.notes[-1] and "periodic" in found.notes[-1]


@pytest.mark.parametrize(("axis", "offset", "steady"), [("y", 0.0, True), ("y", 0.01, False), ("z", 0.01, True)])
def test_an_unbalanced_rotor_is_steady_about_a_vertical_axis_only(axis, offset, steady):
    m = lw.Model("rotor", gravity=(0, 0, -9.81))
    m.body("disc", mass=2.0, inertia=(0.1, 0.2, 0.3), at=(offset, 0, 0))
    m.revolute("A", m.ground, "disc", at=(0, 0, 0), axis=axis)
    found = m.equilibrium({"A": 25.0})
    assert found.stable == steady and bool(found.notes) != steady
    assert found.stability == ("stable: all motion is given" if steady else "undecided: no steady state")


def test_rotor_with_unequal_springs_seen_from_its_own_frame_is_said_to_be_periodic():
    m = lw.Model("two-pole rotor", gravity=(0, 0, 0))
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.body("rotor", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("turn", m.ground, "hub", at=(0, 0, 0), axis="z")
    m.planar("slide", "hub", "rotor", at=(0, 0, 0), axis="z")
    for axis, k in (("x", 100.0), ("y", 100.0), ("angle", 10.0)):
        m.joint_force(f"k {axis}", "slide", f"-{k!r}*q", axis)
    assert m.linearize({"turn": 3.0}).notes == ()
    m.spring_damper("bearing", m.ground, "rotor", points=((5.0, 0, 0), (0, 0, 0)), stiffness=50.0)
    assert any("periodic" in note for note in m.linearize({"turn": 3.0}).notes)


@pytest.mark.parametrize(
    ("height", "stiffness", "exponent"), [(0.0, 1e6, 1.5), (0.5, 1e6, 1.5), (1.0, 1e4, 1.0), (1.0, 1e10, 1.5)]
)
def test_a_ball_falls_to_the_floor_and_sinks_in_by_its_weight(height, stiffness, exponent):
    """k d^n = m g; above it every direction along the floor is neutral; omega^2 = n k d^(n-1) / m."""
    m = lw.Model("ball", gravity=(0, 0, -9.81))
    ball = m.body("ball", lw.sphere(mass=0.5, radius=0.1), at=(0, 0, 0.1 + height))
    m.contact("floor", ball, shape="sphere", radius=0.1, stiffness=stiffness, exponent=exponent)
    linear = m.linearize()
    depth = (0.5 * 9.81 / stiffness) ** (1.0 / exponent)
    assert linear.equilibrium["ball.z"] == pytest.approx(0.1 - depth, abs=1e-10)
    assert linear.equilibrium.stability == "neutral: 5 motion(s) without stiffness"
    modes = linear.modes()
    assert (modes.rigid, len(modes)) == (5, 6)
    assert modes[5].omega == pytest.approx(np.sqrt(exponent * stiffness * depth ** (exponent - 1.0) / 0.5), rel=1e-8)


def test_a_tilted_box_falls_flat_and_rocks_on_its_corners():
    """Four corners of stiffness K/4; rocking over half-width a, h below the centre: omega^2 = (K a^2 - m g h) / J."""
    m, k, (x, y, z), g = 2.0, 1e5, (0.2, 0.3, 0.1), 9.81
    model = lw.Model("box", gravity=(0, 0, -g))
    tilted = (np.cos(0.15), 0.0, np.sin(0.15), 0.0)
    model.body("box", lw.box(mass=m, size=(x, y, z)), at=(0, 0, 0.2), orientation=tilted)
    model.contact("floor", "box", shape="box", size=(x, y, z), stiffness=k)
    linear = model.linearize()
    depth = (m * g / 4 / k) ** (2 / 3)
    assert linear.equilibrium["box.z"] == pytest.approx(z / 2 - depth, abs=1e-9)
    K = 4 * 1.5 * k * np.sqrt(depth)
    rocking = [(K * (a / 2) ** 2 - m * g * z / 2) / (m * (a**2 + z**2) / 12) for a in (x, y)]
    assert (modes := linear.modes()).rigid == 3
    assert modes.omega[3:] == pytest.approx(np.sqrt(sorted([K / m, *rocking])), rel=1e-6)


def test_a_wheel_sinks_into_its_tyre_and_a_beam_sags_under_its_weight():
    """z = radius - m g / k of a tyre; w L^4 / 8 EI at the tip of a cantilever."""
    car = lw.Model("wheel", gravity=(0, 0, -9.81))
    car.body("wheel", mass=20.0, inertia=(1.0, 1.0, 1.0), at=(0, 0, 0.32))
    car.tyre("tyre", "wheel", radius=0.3, stiffness=2e5, damping=100.0, lateral_stiffness=1e4)
    car.prismatic("up", car.ground, "wheel", at=(0, 0, 0.32), axis="z")
    found = car.equilibrium()
    assert (found.positions["wheel"][2], found.stable) == (pytest.approx(0.3 - 20.0 * 9.81 / 2e5, abs=1e-10), True)
    arm = lw.Model("arm", gravity=(0, 0, -9.81))
    side, length, density, modulus = 0.01, 1.0, 7800.0, 2e11
    elastic = lw.beam(length=length, width=side, height=side, density=density, modulus=modulus, elements=12, modes=8,
                      supports={"1": "clamped"})  # fmt: skip
    arm.body("beam", flexible=elastic)
    arm.fixed("wall", arm.ground, "beam", at=(0, 0, 0))
    arm.body("tip", mass=1e-9, inertia=(1e-12, 1e-12, 1e-12), at=(length, 0, 0))
    arm.fixed("end", "beam", "tip", at=(length, 0, 0))
    sag = density * side**2 * 9.81 * length**4 / (8 * modulus * side**4 / 12)
    assert arm.equilibrium().positions["tip"][2] == pytest.approx(-sag, rel=1e-4)


# -- trim -------------------------------------------------------------------------------------------------------------
def test_trim_finds_the_torques_of_a_held_arm():
    m = lw.library_model("double-pendulum", {"angle": 90.0})
    found = m.trim({"shoulder": 0.3, "elbow": -0.2}, ["upper.torque.y", "lower.torque.y"])
    weight = 9.81
    lower = 0.5 * weight * np.cos(0.1)
    assert found.values["lower.torque.y"] == pytest.approx(-lower, rel=1e-10)
    assert found.values["upper.torque.y"] == pytest.approx(-1.5 * weight * np.cos(0.3), rel=1e-10)
    assert found.equilibrium["shoulder.angle"] == pytest.approx(0.3, abs=1e-12)
    assert found.equilibrium.residual < 1e-9
    assert found.units == {"upper.torque.y": "N m", "lower.torque.y": "N m"}
    again = m.trim({"shoulder": 0.3, "elbow": -0.2}, ["upper.torque.y", "lower.torque.y", "upper.torque.y"])
    assert again.values == pytest.approx(found.values)


def test_trim_finds_a_driver_value():
    m = lw.library_model("double-pendulum", {"angle": 90.0})
    m.driver("motor", "shoulder", 0.1)
    found = m.trim({"elbow": -1.0}, ["motor"])
    assert found.values["motor"] == pytest.approx(1.0 - np.pi / 2.0, abs=1e-11)


def test_trim_at_speed_finds_the_collar_force_that_holds_a_governor_open():
    model = governor()
    found = model.trim({"collar": 0.12}, ["slider.force.y"], {"spindle": 11.0174})
    assert found.equilibrium["collar.distance"] == pytest.approx(0.12, abs=1e-12)
    model.applied_force("held", "slider", force=(0.0, found.values["slider.force.y"], 0.0))
    assert model.equilibrium({"spindle": 11.0174})["collar.distance"] == pytest.approx(0.12, abs=1e-9)


@pytest.mark.parametrize("said", [3.0, "3*cos(t)", "3 + 2*(x(bar) - 0.5)"])
def test_trim_tells_the_whole_force_whatever_says_the_part_that_is_there(said):
    """A bar held level at its middle by a force there: its weight, 9.81 N in all."""
    m = lw.Model("bar", gravity=(0, 0, -9.81))
    m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    m.applied_force("hook", "bar", force=(0, 0, said))
    assert m.trim({"pin": 0.0}, ["hook.force.z"]).values["hook.force.z"] == pytest.approx(9.81, rel=1e-10)


def test_trim_by_a_driver_whose_equation_others_hold_already_is_refused():
    m = lw.library_model("four-bar")
    m.driver("one", "A", 0.1)
    m.driver("two", "D", 0.1)
    m.body("weight", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(0.5, 3.0, 0))
    m.revolute("beside", m.ground, "weight", at=(0, 3, 0), axis="y")
    with pytest.raises(lw.OptionError, match=r"input '(one|two)': its equation is redundant"):
        m.trim({"beside": 0.3}, ["weight.torque.y", "one", "two"])


def test_trim_by_a_driver_that_gives_a_rate_is_refused():
    m = lw.library_model("double-pendulum", {"angle": 90.0})
    m.driver("motor", "shoulder", velocity=0.0)
    with pytest.raises(lw.OptionError, match="'motor' gives a rate, and has no position to adjust"):
        m.trim({"elbow": -1.0}, ["motor"])


def test_trim_says_what_remains_when_the_inputs_cannot_do_it():
    m = lw.library_model("double-pendulum", {"angle": 90.0})
    with pytest.raises(lw.NumericalError, match=r"cannot be held by upper.force.y: .* on 'shoulder'"):
        m.trim({"shoulder": 0.3, "elbow": -0.2}, ["upper.force.y"])


# -- linearization ----------------------------------------------------------------------------------------------------
def test_state_space_feeds_scipy_signal():
    """A mass on a spring and damper: 1 / (m s^2 + c s + k)."""
    m = chain_of_springs(1, stiffness=90.0, mass=3.0)
    m.friction("oil", "x0", viscous=6.0)
    space = m.linearize().state_space(["m0.force.x"], ["m0.position.x", "x0.distance.dot", "x0.speed.dot"])
    assert (space.inputs, space.units["x0.speed.dot"]) == (("m0.force.x",), "m/s2")
    w = np.array([0.5, 5.0, 20.0])
    s = 1j * w
    for k in range(3):
        H = [space.C[k] @ np.linalg.solve(x * np.eye(2) - space.A, space.B[:, 0]) + space.D[k, 0] for x in s]
        assert pytest.approx(s**k / (3 * s**2 + 6 * s + 90), rel=1e-10) == H
    t, y = signal.impulse(signal.StateSpace(space.A, space.B, space.C[[0]], space.D[[0]]), T=np.linspace(0.0, 2.0, 9))
    swing = np.sqrt(30.0 - 1.0)
    assert y == pytest.approx(np.exp(-t) * np.sin(swing * t) / (3.0 * swing), abs=1e-10)


def test_frequency_response_to_a_force_and_to_a_moving_base():
    """Transmissibility (k + i w c) / (k - m w^2 + i w c), and the same by state space with the base's acceleration."""
    m = lw.Model("base", gravity=(0, 0, -9.81))
    m.body("table", mass=10.0, inertia=(1.0, 1.0, 1.0))
    m.body("machine", mass=3.0, inertia=(1.0, 1.0, 1.0), at=(0, 0, 1))
    m.prismatic("shake", m.ground, "table", at=(0, 0, 0), axis="z")
    m.prismatic("mount", "table", "machine", at=(0, 0, 1), axis="z")
    m.spring_damper("spring", "table", "machine", points=((0, 0, 0), (0, 0, 1)), stiffness=300.0, damping=5.0)
    m.driver("base", "shake", 0.0)
    w = np.array([1.0, 9.0, 10.0, 30.0])
    exact = (300.0 + 5j * w) / (300.0 - 3.0 * w**2 + 5j * w)
    found = m.frequency_response("base", ["machine.position.z", "mount.distance", "machine.velocity.z.dot"], w)
    assert found["machine.position.z"] == pytest.approx(exact, rel=1e-11)
    assert found["mount.distance"] == pytest.approx(exact - 1.0, rel=1e-11)
    assert found["machine.velocity.z.dot"] == pytest.approx(-(w**2) * exact, rel=1e-11)
    assert found.units["machine.position.z"] == "m/m"
    space = m.linearize().state_space(["base"], ["machine.position.z"])
    for each, value in zip(w, exact, strict=True):
        H = space.C @ np.linalg.solve(1j * each * np.eye(len(space.A)) - space.A, space.B) + space.D
        assert H[0, 0] * -(each**2) == pytest.approx(value, rel=1e-10)


def controlled_mass() -> lw.Model:
    m = chain_of_springs(1, stiffness=90.0, mass=3.0)
    m.controller("servo", "x0", 0.2, p=40.0, i=25.0, d=7.0)
    m.measure("stretch", "dist(ground, m0)", "m")
    m.measure("pull", "force(servo)", "N")
    return m


def test_controllers_take_part_with_their_own_states():
    """m s^3 + d s^2 + (k + p) s + i = 0; the integral makes the coordinate its target."""
    linear = controlled_mass().linearize()
    assert linear.equilibrium["x0.distance"] == pytest.approx(0.2, abs=1e-12)
    roots = np.roots([3.0, 7.0, 130.0, 25.0])
    assert np.sort_complex(np.linalg.eigvals(linear.A)) == pytest.approx(np.sort_complex(roots), rel=1e-9)
    assert [mode.kind for mode in linear.modes()] == ["exponential", "oscillation"]
    assert linear.modes()[1].eigenvalue == pytest.approx(max(roots, key=lambda s: s.imag), rel=1e-9)
    w = np.array([0.3, 6.0])
    s = 1j * w
    found = controlled_mass().frequency_response("m0.force.x", ["x0.distance", "stretch", "stretch.dot"], w)
    exact = s / (3 * s**3 + 7 * s**2 + 130 * s + 25)
    assert found["x0.distance"] == pytest.approx(exact, rel=1e-10)
    assert found["stretch"] == pytest.approx(exact, rel=1e-10)
    assert (found["stretch.dot"] == pytest.approx(s * exact, rel=1e-10), found.units["stretch"]) == (True, "m/N")
    space = linear.state_space(["m0.force.x"], ["x0.distance"])
    H = space.C @ np.linalg.solve(s[1] * np.eye(3) - space.A, space.B)
    assert H[0, 0] == pytest.approx(exact[1], rel=1e-10)


def test_a_stop_that_is_touched_adds_its_stiffness_and_one_that_is_not_adds_none():
    m = chain_of_springs(1, stiffness=90.0, mass=3.0)
    m.stop("end", "x0", upper=0.1, stiffness=1e4, exponent=1.5)
    assert m.linearize().K[0, 0] == pytest.approx(90.0, rel=1e-12)
    m.applied_force("push", "m0", force=(20.0, 0, 0))
    linear = m.linearize()
    depth = linear.equilibrium["x0.distance"] - 0.1
    assert 90.0 * (0.1 + depth) + 1e4 * depth**1.5 == pytest.approx(20.0, rel=1e-10)
    assert linear.K[0, 0] == pytest.approx(90.0 + 1.5e4 * depth**0.5, rel=1e-9)


def test_a_state_that_is_no_equilibrium_is_linearized_when_asked_and_said():
    model = lw.library_model("pendulum", {"angle": 60.0})
    linear = model.linearize(about="start")
    assert linear.equilibrium is None
    assert any("not an equilibrium" in note for note in linear.notes)
    inertia = (1.0 + 1.0 / 2500.0) / 12.0 + 0.25
    assert linear.K[0, 0] == pytest.approx(0.5 * 9.81 * np.cos(np.radians(60.0)), rel=1e-10)
    assert linear.M[0, 0] == pytest.approx(inertia, rel=1e-12)
    text = invoke("modes", "pendulum", "--set", "angle=60", "--about", "start")
    assert "not an equilibrium" in text and "linearized about a state that is not an equilibrium" in text


def test_modes_share_out_masses_and_energies():
    model = hanging_ball_chain()
    modes = model.linearize().modes()
    chain = chain_of_springs(5, mass=2.0).linearize().modes()
    assert sum(chain.effective_mass(n) for n in range(5)) == pytest.approx([10.0, 0.0, 0.0], abs=1e-12)
    for n in (modes.rigid, len(modes) - 1):
        assert sum(modes.kinetic_energy(n).values()) == pytest.approx(1.0)
        assert sum(modes.participation(n).values()) == pytest.approx(1.0)
        assert sum(modes.potential_energy(n).values()) == pytest.approx(1.0)
    hanging = modes.potential_energy(modes.rigid)
    assert hanging["gravity"] == pytest.approx(1.0, abs=1e-6)
    shape = modes.body_shapes(0)["upper"]
    assert shape.translation == pytest.approx(np.cross(shape.rotation, [0, 0, -0.5]), abs=1e-12)


def test_the_share_of_an_element_is_its_own_whatever_else_moves():
    """A double pendulum that turns: beside the spring at its elbow the centrifugal force is stiff too."""
    m = lw.Model("swung", gravity=(0, 0, -9.81))
    m.body("upper", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0), angular_velocity=(0, 2, 0), velocity=(0, 0, -1))
    m.body("lower", lw.rod(mass=1.0, length=1.0), at=(1.5, 0, 0), angular_velocity=(0, 2, 0), velocity=(0, 0, -3))
    m.revolute("shoulder", m.ground, "upper", at=(0, 0, 0), axis="y")
    m.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis="y")
    m.torsional_spring_damper("coil", "elbow", stiffness=5.0, damping=0.2)
    linear = m.linearize(about="start")
    stiffness, damping = element_matrices(linear)["coil"]
    assert stiffness == pytest.approx(np.diag([0.0, 5.0]), abs=1e-9)
    assert damping == pytest.approx(np.diag([0.0, 0.2]), abs=1e-9)
    assert linear.K[1, 1] == pytest.approx(5.0 + 0.5 * 2.0**2, rel=1e-12)  # m (l/2) l w^2 beside it
    swinging = linear.modes()
    shares = swinging.potential_energy(len(swinging) - 1)
    assert shares["coil"] / shares["motion"] == pytest.approx(5.0 / 2.0, rel=1e-9)


def test_the_share_of_a_controller_leaves_the_states_of_the_others_where_they_are():
    """One holds a weight by its integral, which would be beyond the limit of the other."""
    m = lw.Model("two servos", gravity=(0, 0, -9.81))
    for name, at, axis in (("lift", 0.0, "z"), ("slide", 1.0, "x")):
        m.body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), at=(at, 0, 0))
        m.prismatic(f"{name} way", m.ground, name, at=(at, 0, 0), axis=axis)
    m.controller("hold", "lift way", 0.0, p=10.0, i=1.0, d=1.0)
    m.controller("keep", "slide way", 0.0, p=20.0, i=1.0, d=1.0, limit=1.0)
    linear = m.linearize(independent=["lift way", "slide way"])
    parts = element_matrices(linear)
    assert parts["hold"][0] == pytest.approx(np.diag([10.0, 0.0]), abs=1e-9)
    assert parts["keep"][0] == pytest.approx(np.diag([0.0, 20.0]), abs=1e-9)


def lifted_wheel(stiffness: float = 100.0) -> lw.Model:
    """An oscillator with a tyre in the air: the two slips of the tread die away by themselves, and nothing moves."""
    m = chain_of_springs(1, stiffness=stiffness)
    m.tyre("tyre", "m0", at=(0, 0, 2), radius=0.3, stiffness=1e5, lateral_stiffness=1e4)
    return m


def test_modes_of_states_alone_move_nothing_and_are_followed():
    modes = lifted_wheel().linearize().modes()
    assert modes.eigenvalues == pytest.approx([10j, -20.0, -20.0])
    assert modes.participation(1) == {"x0.distance": 0.0} and modes.kinetic_energy(1) == {"m0": 0.0}
    assert np.all(modes.effective_mass(2) == 0.0) and modes.potential_energy(2) == {}
    found = lw.sweep(lifted_wheel, "stiffness", [50.0, 100.0, 150.0])
    assert np.sort(found.frequencies, axis=1)[:, 2] == pytest.approx(np.sqrt([50.0, 100.0, 150.0]))
    assert np.sort(found.eigenvalues.real, axis=1)[:, :2] == pytest.approx(-20.0)


def test_a_sweep_over_a_gap_without_equilibrium_says_nothing_of_limits_there():
    """A rod upright on a spring; in the middle of the sweep a torque that it cannot bear."""
    weight = 0.5 * 9.81

    def upright(value: float) -> lw.Model:
        m = lw.Model("upright", gravity=(0, 0, -9.81))
        m.body("rod", lw.rod(mass=1.0, length=1.0, axis="z"), at=(0, 0, 0.5))
        m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis="y")
        stiff = weight * (2.0 if value < 0.4 else 0.5 if value > 0.6 else 0.0)
        m.torsional_spring_damper("coil", "pin", stiffness=stiff, damping=0.1)
        m.joint_force("push", "pin", 2.0 * weight if 0.4 < value < 0.6 else 0.0)
        return m

    found = lw.sweep(upright, "value", [0.0, 0.5, 1.0])
    assert found.stable.tolist() == [True, False, False] and not found.limits
    assert [note.partition(":")[0] for note in found.notes] == ["value = 0.5"]
    assert lw.sweep(upright, "value", [0.0, 0.3]).limits == []


def test_rigid_body_modes_are_recognized():
    m = lw.Model("two free masses", gravity=(0, 0, 0))
    for k in (0, 1):
        m.body(f"m{k}", mass=2.0, inertia=(1.0, 1.0, 1.0), at=(k, 0, 0))
        m.prismatic(f"x{k}", m.ground, f"m{k}", at=(k, 0, 0), axis="x")
    m.spring_damper("k", "m0", "m1", points=((0, 0, 0), (1, 0, 0)), stiffness=100.0)
    linear = m.linearize()
    modes = linear.modes()
    assert (modes.rigid, [mode.kind for mode in modes]) == (1, ["rigid body", "oscillation"])
    assert modes[0].shape == pytest.approx([1.0, 1.0])
    assert modes[1].omega == pytest.approx(10.0, rel=1e-12)
    assert linear.equilibrium.stability.startswith("neutral")


# -- commands ---------------------------------------------------------------------------------------------------------
def test_a_controller_without_integral_part_is_in_balance_off_its_target():
    """k x = p (target - x); a state that has no part neither prevents an equilibrium nor makes it neutral."""
    m = chain_of_springs(1, stiffness=90.0)
    m.controller("servo", "x0", 0.2, p=30.0, d=7.0)
    found = m.equilibrium()
    assert found["x0.distance"] == pytest.approx(30.0 * 0.2 / 120.0, rel=1e-12)
    assert (found.stable, found.stability) == (True, "stable")


def test_an_integral_that_runs_on_is_no_equilibrium_and_told():
    m = chain_of_springs(1, stiffness=90.0)
    m.controller("servo", "x0", 0.2, p=30.0, i=10.0, limit=1.0)
    with pytest.raises(lw.NumericalError, match=r"rates of .* of the controllers' integrals .*within the limits"):
        m.equilibrium()


def test_coordinates_and_driving_forces_have_their_units():
    found = governor().equilibrium({"spindle": 11.0174})
    assert (found.units["collar.distance"], found.units["spindle.angle"]) == ("m", "rad")
    assert found.driving_units == {"spindle.angle": "N m"}
    text = invoke("equilibrium", "governor", "--speed", "spindle=11.0174")
    assert "0.15001578 m" in text and "11.0174 rad/s" in text and "0.78559718 rad" in text
    beam = lw.Model("beam", gravity=(0, 0, -9.81))
    beam.body("bar", flexible=lw.beam(length=1.0, width=0.02, height=0.01, material="steel", elements=2, modes=2,
                                      supports={"1": "clamped"}))  # fmt: skip
    beam.fixed("wall", beam.ground, "bar", at=(0, 0, 0))
    assert beam.linearize().state_space([], ["bar.mode1"]).units == {"bar.mode1": ""}


def test_unbalance_with_another_coordinate_at_constant_speed():
    """A second shaft that runs by itself changes nothing; without its speed it would be free, and no steady state."""
    plain, m = jeffcott(), jeffcott()
    m.body("second", mass=1.0, inertia=(1.0, 1.0, 1.0), at=(3, 0, 0))
    m.revolute("other", m.ground, "second", at=(3, 0, 0), axis="z")
    answers = [
        model.unbalance_response("spin", [5.0, 25.0], "disc", 1e-3, ["disc.position.x"], speeds=speeds)
        for model, speeds in ((plain, None), (m, {"other": 7.0}))
    ]
    assert answers[1]["disc.position.x"] == pytest.approx(answers[0]["disc.position.x"], rel=1e-9)


def test_equilibrium_answers_machines():
    told = json.loads(invoke("equilibrium", "governor", "--speed", "spindle=11.0174", "--json"))
    assert set(told) >= {"status", "stable", "coordinates", "residual", "warnings", "error", "model", "format"}
    assert (told["status"], told["stable"]) == ("found", True)
    assert told["coordinates"]["collar.distance"] == pytest.approx(0.15001577829981044, rel=1e-12)


def test_modes_answer_machines():
    told = json.loads(invoke("modes", "governor", "--speed", "spindle=11.0174", "--json"))
    assert told["independent"] == ["collar.distance"]
    assert (told["M"], told["C"]) == ([[pytest.approx(31.46470351172051)]], [[pytest.approx(30.0)]])
    (mode,) = told["modes"]
    assert set(mode) >= {"omega", "frequency_hz", "damping", "eigenvalue", "shape"}
    assert mode["eigenvalue"] == pytest.approx([-0.4767246573422357, 6.535179777068875])
    assert told["equilibrium"]["stable"] is True


def test_modes_print_a_table_and_sweep(tmp_path):
    text = invoke("modes", "double-pendulum")
    assert "oscillation" in text and "7.18775" in text
    campbell, locus = tmp_path / "c.png", tmp_path / "l.png"
    arguments = ("--sweep", "spindle=0:4:5 rad/s", "--plot", str(campbell), "--locus", str(locus))
    text = invoke("modes", "governor", *arguments)
    assert "critical speed" in text and "3.3480863" in text
    for picture in (campbell, locus):
        assert picture.read_bytes().startswith(b"\x89PNG")
    page = tmp_path / "mode.html"
    invoke("modes", "double-pendulum", "--view", "2", "--page", str(page))
    assert "mode 2: 1.144 Hz" in page.read_text(encoding="utf-8")
    told = json.loads(invoke("modes", "pendulum", "--sweep", "length=1:2:3", "--json"))
    exact = [np.sqrt(0.5 * 9.81 / (l * ((1 + 4e-4) / 12 + 0.25))) for l in (1.0, 1.5, 2.0)]
    assert [row[0][1] for row in told["sweep"]["eigenvalues"]] == pytest.approx(exact, rel=1e-9)
    path = tmp_path / "mass.toml"
    chain_of_springs(1, mass=4.0).save(path)
    told = json.loads(invoke("modes", str(path), "--sweep", "k0.stiffness=100:400:4", "--json"))
    assert [row[0][1] for row in told["sweep"]["eigenvalues"]] == pytest.approx(np.sqrt([25.0, 50.0, 75.0, 100.0]))


def test_response_answers_machines_and_draws(tmp_path):
    """Quarter car over its road: (k + c s) K over (M s^2 + c s + k)(m s^2 + c s + k + K) - (k + c s)^2."""
    bode = tmp_path / "bode.png"
    arguments = ("quarter-car", "--input", "profile", "--output", "car.position.z", "--frequency", "0.01:50 Hz")
    told = json.loads(invoke("response", *arguments, "--plot", str(bode), "--json"))
    assert bode.read_bytes().startswith(b"\x89PNG")
    assert (told["units"], told["warnings"]) == ({"car.position.z": "m/m"}, [])
    amplitude, omega = np.array(told["amplitude"]["car.position.z"]), np.array(told["omega"])
    assert omega[[0, -1]] == pytest.approx(2 * np.pi * np.array([0.01, 50.0]))
    assert amplitude[0] == pytest.approx(1.0, abs=1e-3)
    iw, sprung, unsprung, tyre = 1j * omega, 400.0, 40.0, 180e3
    strut = 20e3 + 1500.0 * iw
    exact = np.abs(strut * tyre / ((sprung * iw**2 + strut) * (unsprung * iw**2 + strut + tyre) - strut**2))
    assert amplitude == pytest.approx(exact, rel=1e-9)
    assert told["peaks"]["car.position.z"][0]["omega"] == omega[np.argmax(exact)]
    assert "peak of car.position.z" in invoke("response", *arguments)


def test_response_to_an_unbalance_and_trim_answer_machines(tmp_path):
    """U w^2 / (k - m w^2 + i w c) along each axis of unequal bearings; a held collar."""
    rotor = disc_on_bearings("ground", 400.0, 900.0)
    rotor.friction("oil x", "whirl", viscous=2.0, coordinate="x")
    path = tmp_path / "rotor.toml"
    rotor.save(path)
    outputs = ("--output", "disc.position.x", "--output", "disc.position.y")
    told = json.loads(
        invoke("response", str(path), "--unbalance", "disc=1e-3", "--sweep", "spindle=5:25:5", *outputs, "--json")
    )
    w = np.arange(5.0, 26.0, 5.0)
    along_x, along_y = 1e-3 * w**2 / (400.0 - w**2 + 2j * w), 1e-3 * w**2 / (900.0 - w**2)
    assert told["amplitude"]["disc.position.x"] == pytest.approx(np.abs(along_x), rel=1e-9)
    assert told["amplitude"]["disc.position.y"] == pytest.approx(np.abs(along_y), rel=1e-9)
    assert told["peaks"]["disc.position.x"] == [{"omega": 20.0, "amplitude": pytest.approx(np.abs(along_x)[3])}]
    arguments = ("governor", "--pose", "collar=0.12", "--adjust", "slider.force.y", "--speed", "spindle=11.0174")
    told = json.loads(invoke("trim", *arguments, "--json"))
    assert told["coordinates"]["collar.distance"] == pytest.approx(0.12, abs=1e-12)
    assert told["units"] == {"slider.force.y": "N"} and told["residual"] < 1e-9
    assert "slider.force.y" in invoke("trim", *arguments)


# -- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("equilibrium", "governor", "--speed", "spindel=3"), "did you mean 'spindle'"),
        (("equilibrium", "governor", "--speed", "spindle"), "write NAME=NUMBER"),
        (("equilibrium", "governor", "--speed", "spindle=nan"), "finite number"),
        (("modes", "governor", "--independent", "coller"), "did you mean"),
        (("modes", "governor", "--independent", "collar", "--independent", "arm 1"), "depend on each other"),
        (("modes", "governor", "--independent", "collar"), "2 degree(s) of freedom; name 2"),
        (("modes", "governor", "--about", "here"), "give 'equilibrium', 'start'"),
        (("modes", "governor", "--sweep", "spindle=5:1:2"), "FROM must be below TO"),
        (("modes", "governor", "--sweep", "spindel=0:2:3"), "did you mean 'spindle'"),
        (("modes", "governor", "--sweep", "spindle=0:1"), "write NAME=FROM:TO:COUNT"),
        (("modes", "governor", "--sweep", "spindle=0:1:3 furlong"), "unit"),
        (("modes", "governor", "--sweep", "spindle=0:60:1"), "COUNT says how many values there are"),
        (("modes", "governor", "--plot", "x.png"), "--sweep"),
        (("modes", "pendulum", "rpm"), "unexpected argument 'rpm'"),
        (("modes", "pendulum", "--count", "0"), "at least one mode"),
        (("equilibrium", "governor", "--speed", "spindle=1", "--speed", "spindle=2"), "'spindle' is given twice"),
        (("equilibrium", "governor", "--speed", "spindle"), "as in --speed spindle=1.5"),
        (("study", "pendulum", "--vary", "angle=1,2", "--vary", "angle=3,4", "--output", "energy"), "is given twice"),
        (("study", "pendulum", "--vary", "angle=1,2", "--output", "energy", "--jobs", "0"), "it must be at least 1"),
        (("modes", "pendulum", "--page", "x.html"), "give its number, as in --view 1"),
        (("modes", "pendulum", "--view", "2", "--page", "x.html"), "there is no mode 2; count from 1 to 1"),
        (("modes", "governor", "--sweep", "spindle=0:2:3", "--plot", "x.txt"), "must end with"),
        (("response", "quarter-car", "--input", "profile"), "give --output"),
        (("response", "quarter-car", "--input", "profil", "--output", "car.position.z"), "did you mean 'profile'"),
        (("response", "quarter-car", "--input", "profile", "--output", "cart.position.z"), "no output"),
        (("response", "quarter-car", "--input", "profile", "--output", "car.position.z", "--frequency", "9:1"), "FROM"),
        (("response", "governor", "--unbalance", "shaft=1", "--output", "shaft.position.x"), "--sweep"),
        (
            (
                "response",
                "governor",
                "--unbalance",
                "shaft=1",
                "--output",
                "shaft.position.x",
                "--sweep",
                "spindle=1:2:2",
                "--frequency",
                "1:2",
            ),
            "--frequency is for --input",
        ),
        (("trim", "governor", "--pose", "collar=0.12"), "--adjust"),
        (("trim", "governor", "--pose", "coller=0.12", "--adjust", "slider.force.y"), "did you mean"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, words):
    answer = CliRunner().invoke(app, list(arguments))
    assert answer.exit_code == 2
    assert words in answer.output and "Traceback" not in answer.output


def test_a_speed_on_a_coordinate_that_is_not_free_is_refused():
    m = governor()
    m.driver("motor", "spindle", "3*t")
    with pytest.raises(lw.OptionError, match="driver 'motor' moves it"):
        m.equilibrium({"spindle": 3.0})
    triangle = lw.library_model("four-bar")
    triangle.lock("held", "A")
    with pytest.raises(lw.OptionError, match="constraints and drivers fix it"):
        triangle.equilibrium({"D": 1.0})


def test_no_equilibrium_names_what_remains():
    m = lw.Model("falling", gravity=(0, 0, -9.81))
    m.body("stone", mass=2.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(lw.NumericalError, match=r"-19.62 N on 'stone.z' remain"):
        m.equilibrium()


def test_unknown_inputs_and_outputs_are_refused_with_a_hint():
    linear = jeffcott().linearize({"spin": 3.0})
    with pytest.raises(lw.OptionError, match=r"no input 'disk.force.x'; did you mean 'disc.force.x'"):
        linear.state_space(["disk.force.x"])
    with pytest.raises(lw.OptionError, match=r"no output 'disc\.positon\.x'"):
        linear.state_space(["disc.force.x"], ["disc.positon.x"])
    with pytest.raises(lw.OptionError, match="finite and >= 0"):
        jeffcott().frequency_response("disc.force.x", ["disc.position.x"], [-1.0], {"spin": 3.0})
    with pytest.raises(lw.OptionError, match="two finite values in increasing order"):
        jeffcott().sweep("spin", [1.0])
    with pytest.raises(lw.OptionError, match="give 'equilibrium', 'start'"):
        jeffcott().linearize(about="here")


@pytest.mark.parametrize("name", ["hmmwv", "quarter-car", "double-pendulum", "four-bar"])
def test_a_run_that_starts_in_equilibrium_starts_where_the_exact_stiffness_leads(name):
    """The search before a run takes differences for the stiffness; it ends where the exact one does."""
    model = lw.library_model(name)
    exact, run = model.equilibrium(), model.simulate(1e-3, from_equilibrium=True)
    for body, place in exact.positions.items():
        if body == "ground":
            continue
        found = [run[f"{body}.position.{axis}"][0] for axis in "xyz"]
        assert found == pytest.approx(place, abs=1e-9)


def test_a_run_with_a_controller_starts_in_equilibrium():
    """A mass held up by an integral controller: the integral is found, and nothing moves."""
    m = lw.Model("held", gravity=(0, 0, -9.81))
    m.body("mass", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("up", m.ground, "mass", at=(0, 0, 0), axis="z")
    m.controller("hold", "up", target="0.05", p=300.0, i=200.0, d=20.0)
    run = m.simulate(0.5, from_equilibrium=True)
    assert run["mass.position.z"] == pytest.approx(np.full(len(run.t), 0.05), abs=1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_a_motion_that_nothing_holds_is_balanced_to_rounding(seed):
    """A bob that a spring holds by its middle may turn about the arm: what is left there is rounding of the forces
    that balance on the other coordinates, however the model is turned.
    """
    rng = np.random.default_rng(seed)
    turn = Rotation.random(random_state=rng).as_matrix()
    at = [tuple(turn @ p) for p in np.array([(0, 0, 1), (0.5, 0, 1), (1, 0, 1), (1.2, 0, 1), (1.2, 0, 2.0)])]
    y, tilted, x = (tuple(turn @ axis) for axis in np.array([(0, 1, 0), (0, 1, 0.3), (1.0, 0, 0)]))
    model = lw.Model("arm and bob", gravity=tuple(turn @ (0.0, 0.0, -9.81)))
    for name, place in (("arm", at[1]), ("bob", at[3])):
        model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=place)
    model.revolute("J", "ground", "arm", at=at[0], axis=y)
    model.universal("K", "arm", "bob", at=at[2], axis=tilted, second_axis=x)
    model.spring_damper("tie", "ground", "bob", points=[at[4], at[3]], stiffness=rng.uniform(50.0, 200.0))
    run = model.simulate(0.3, every=0.1, from_equilibrium=True, progress=False)
    assert np.ptp(run.result.position, axis=0) == pytest.approx(0.0, abs=1e-9)
