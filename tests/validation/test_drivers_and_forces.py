"""Drivers, springs and applied forces against closed forms: positions, counted angles, work, times of jumps."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.integrators.registry import INTEGRATORS
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from validation.plane_linkages import (
    FORMULATIONS,
    GRAVITY,
    UPWARD,
    FourBar,
    column,
    link,
    mechanism,
    pin,
    turn_angle,
    turn_rate,
)

PLANES = ("xz", None)
ADAPTIVE = ("adams", "dop853")
FIXED_STEP = 0.0073  # s: divides none of the times below


def options(until: float, integrator: str = "adams", **more) -> Options:
    if not INTEGRATORS[integrator].adaptive:
        more = {"step": FIXED_STEP, **more}
    return Options(until=until, integrator=integrator, **more)


# ----------------------------------------------------------------------------------------------------------- drivers

LENGTH, MASS = 0.7, 1.9  # m, kg
MOTIONS = {  # an expression, its value, its first derivative
    "steady": ("0.3 + 2*pi*t", lambda t: 0.3 + 2 * np.pi * t, lambda t: np.full_like(t, 2 * np.pi)),
    "backward": ("1 - 9*t", lambda t: 1 - 9 * t, lambda t: np.full_like(t, -9.0)),
    "sine": ("0.8*sin(3*t)", lambda t: 0.8 * np.sin(3 * t), lambda t: 2.4 * np.cos(3 * t)),
}


def driven_crank(motion: str, plane: str | None) -> Mechanism:
    driver = {"name": "motor", "joint": "A", "motion": motion}
    return mechanism([link("crank", 0j, LENGTH + 0j, MASS)], [pin("A", "ground", "crank", 0j)], plane, driver=(driver,))


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize(
    ("formulation", "motion"),
    [pytest.param(formulation, motion) for formulation in FORMULATIONS for motion in MOTIONS],
)
def test_driven_crank_follows_its_driver(motion: str, formulation: str, plane: str | None) -> None:
    text, angle, rate = MOTIONS[motion]
    run = simulate(driven_crank(text, plane), options(5.0, formulation=formulation, rtol=1e-8))
    assert run.certificate.dof == 0
    assert np.abs(turn_angle(run, "crank") - angle(run.t)).max() < 1e-12  # counted past one turn
    assert np.abs(turn_rate(run, "crank") - rate(run.t)).max() < 1e-12


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("motion", MOTIONS)
def test_driver_does_the_work_that_the_crank_needs(motion: str, formulation: str, plane: str | None) -> None:
    text, angle, rate = MOTIONS[motion]
    run = simulate(driven_crank(text, plane), options(5.0, formulation=formulation, rtol=1e-8))
    energy = 0.5 * MASS * LENGTH**2 / 3 * rate(run.t) ** 2 + MASS * GRAVITY * LENGTH / 2 * np.sin(angle(run.t))
    assert np.abs(run.channel("energy.work") - (energy - energy[0])).max() < 1e-6
    assert run.certificate.energy_drift < 1e-7


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_integrator_follows_a_driver(formulation: str, integrator: str) -> None:
    text, angle, rate = MOTIONS["sine"]
    run = simulate(driven_crank(text, "xz"), options(1.0, integrator, formulation=formulation))
    assert np.abs(turn_angle(run, "crank") - angle(run.t)).max() < 1e-12
    assert np.abs(turn_rate(run, "crank") - rate(run.t)).max() < 1e-12


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driven_four_bar_goes_where_its_geometry_says(formulation: str, plane: str | None) -> None:
    """A crank-rocker over two turns of its crank; the driver starts at 1 rad, where the links were drawn."""
    bar, start, speed = FourBar(), 1.0, 2.5
    driver = {"name": "motor", "joint": "A", "motion": f"{speed}*t"}
    four_bar = mechanism(*bar.parts(start), plane, driver=(driver,))
    run = simulate(four_bar, options(2 * 2 * math.pi / speed, formulation=formulation, rtol=1e-8))
    theta = start + speed * run.t
    coupler, rocker = bar.angles(theta)
    coupler_rate, rocker_rate = (speed * ratio for ratio in bar.ratios(theta))
    for name, angle, rate in (
        ("crank", theta, np.full_like(theta, speed)),
        ("coupler", coupler, coupler_rate),
        ("rocker", rocker, rocker_rate),
    ):
        assert np.abs(np.exp(1j * turn_angle(run, name)) - np.exp(1j * angle)).max() < 1e-10
        assert np.abs(turn_rate(run, name) - rate).max() < 1e-9
    energy = 0.5 * bar.inertia(theta) * speed**2 + bar.potential(theta)
    assert np.abs(run.channel("energy.work") - (energy - energy[0])).max() < 1e-5
    assert run.certificate.energy_drift < 1e-7


def slider_crank(r: float, l: float, theta: float, motion: str, plane: str | None) -> Mechanism:
    """Crank r and rod l (m) at crank angle theta, slider on the x axis."""
    B = r * cmath.exp(1j * theta)
    C = complex(B.real + math.sqrt(l**2 - B.imag**2))
    slider = {"name": "slider", "mass": 0.6, "inertia": (1e-3, 1e-3, 1e-3), "at": (C.real, 0.0, 0.0)}
    bodies = [link("crank", 0j, B, 0.5), link("rod", B, C, 0.4), slider]
    guide = {"name": "guide", "kind": "prismatic", "between": ("ground", "slider"), "at": (0.0, 0.0, 0.0), "axis": "x"}
    joints = [pin("O", "ground", "crank", 0j), pin("B", "crank", "rod", B), pin("C", "rod", "slider", C), guide]
    return mechanism(bodies, joints, plane, driver=({"name": "motor", "joint": "O", "motion": motion},))


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driven_slider_crank_goes_where_its_geometry_says(formulation: str, plane: str | None) -> None:
    r, l, start, speed = 0.15, 0.4, 0.4, 12.0
    model = slider_crank(r, l, start, f"{speed}*t", plane)
    run = simulate(model, options(1.5, formulation=formulation, rtol=1e-8))
    theta = start + speed * run.t
    root = np.sqrt(l**2 - (r * np.sin(theta)) ** 2)
    x = r * np.cos(theta) + root
    x_dot = -speed * r * np.sin(theta) * (1.0 + r * np.cos(theta) / root)
    k = column(run, "slider")
    assert np.abs(run.position[:, k] - np.column_stack([x, 0 * x, 0 * x])).max() < 1e-11
    assert np.abs(run.velocity[:, k, 0] - x_dot).max() < 1e-10
    assert np.abs(run.velocity[:, k, 1:]).max() < 1e-11
    assert run.certificate.energy_drift < 1e-6


# --------------------------------------------------------------------------------------------------- torsional spring

DISC = 0.4  # kg m2
STIFFNESS = 2.5  # N m/rad
OMEGA = math.sqrt(STIFFNESS / DISC)  # rad/s


def wound_disc(plane: str | None, damping: float = 0.0, free_angle: float = 0.0, **joint) -> Mechanism:
    disc = {"name": "disc", "mass": 2.0, "inertia": (DISC, DISC, DISC)}
    torsion = {"name": "spring", "joint": "axle", "stiffness": STIFFNESS, "damping": damping, "free_angle": free_angle}
    axle = pin("axle", "ground", "disc", 0j, **joint)
    return mechanism([disc], [axle], plane, gravity=0.0, torsional_spring_damper=(torsion,))


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_thrown_disc_winds_its_spring_over_many_turns(formulation: str, plane: str | None) -> None:
    turns = 7.3
    amplitude = 2.0 * math.pi * turns
    run = simulate(wound_disc(plane, rate=amplitude * OMEGA), options(6.0, formulation=formulation, rtol=1e-10))
    angle = turn_angle(run, "disc")
    assert np.abs(angle - amplitude * np.sin(OMEGA * run.t)).max() < 1e-6
    assert np.ptp(angle) > 14 * 2 * math.pi
    potential = 0.5 * STIFFNESS * (amplitude * np.sin(OMEGA * run.t)) ** 2
    assert np.abs(run.channel("energy.potential") - potential).max() < 1e-5 * potential.max()
    assert run.certificate.energy_drift < 1e-8


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_disc_starts_on_the_turn_to_which_it_is_wound(formulation: str, plane: str | None) -> None:
    start, free, damping = 21.0, -2.0, 0.35  # rad, rad, N m s/rad
    model = wound_disc(plane, damping, free, start=start)
    run = simulate(model, options(8.0, formulation=formulation, rtol=1e-10))
    decay = damping / (2.0 * DISC)
    w = math.sqrt(OMEGA**2 - decay**2)
    twist = (start - free) * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    angle = turn_angle(run, "disc")
    assert np.abs(angle - angle[0] + start - (free + twist)).max() < 1e-7
    assert math.remainder(angle[0] - start, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
    assert run.certificate.energy_drift < 1e-7  # the damper's work is counted


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_fast_disc_on_a_soft_spring_counts_every_turn(formulation: str) -> None:
    """So smooth a motion that a step may span whole turns."""
    k, rate = 1e-3, 50.0  # N m/rad, rad/s
    disc = {"name": "disc", "mass": 2.0, "inertia": (DISC, DISC, DISC)}
    torsion = {"name": "spring", "joint": "axle", "stiffness": k}
    axle = pin("axle", "ground", "disc", 0j, rate=rate)
    model = mechanism([disc], [axle], gravity=0.0, torsional_spring_damper=(torsion,))
    run = simulate(model, options(10.0, formulation=formulation, every=0.01))
    w = math.sqrt(k / DISC)
    assert np.abs(turn_angle(run, "disc") - rate / w * np.sin(w * run.t)).max() < 1e-2
    potential = 0.5 * k * (rate / w * np.sin(w * run.t)) ** 2
    assert np.abs(run.channel("energy.potential") - potential).max() < 1e-3 * potential.max()


@pytest.mark.parametrize("cut", ["A", "D"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spring_counts_turns_on_a_cut_joint_too(formulation: str, cut: str) -> None:
    """A parallelogram without gravity turns over and over against a spring on its second crank: an oscillator."""
    B, D, turns = cmath.exp(1j), 2 + 0j, 2.4
    inertia = 2 * 1.0 / 3 + 2.0  # kg m2: two cranks of 1 kg about their pins, the coupler of 2 kg on a circle of 1 m
    w = math.sqrt(STIFFNESS / inertia)
    amplitude = 2.0 * math.pi * turns
    bodies = [link("crank", 0j, B, 1.0), link("coupler", B, B + D, 2.0), link("rocker", D, B + D, 1.0)]
    pins = [pin("A", "ground", "crank", 0j, rate=amplitude * w, cut=cut == "A"), pin("B", "crank", "coupler", B),
            pin("C", "coupler", "rocker", B + D), pin("D", "ground", "rocker", D, cut=cut == "D")]  # fmt: skip
    torsion = {"name": "spring", "joint": "D", "stiffness": STIFFNESS}
    model = mechanism(bodies, pins, gravity=0.0, torsional_spring_damper=(torsion,))
    run = simulate(model, options(10.0, formulation=formulation, rtol=1e-10, every=0.01))
    for name in ("crank", "rocker"):
        off = np.abs(turn_angle(run, name) - 1.0 - amplitude * np.sin(w * run.t))
        assert off.max() < 1e-7
    assert np.abs(turn_angle(run, "coupler")).max() < 1e-6


# ------------------------------------------------------------------------------------------------------ spring-damper


@pytest.mark.parametrize("damping", [0.0, 0.9, 4.0])
@pytest.mark.parametrize("integrator", ADAPTIVE)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_hanging_weight_oscillates(formulation: str, integrator: str, damping: float) -> None:
    """m l'' = m g - k (l - l0) - c l', released at l = 1 m."""
    mass, k, free, length = 1.5, 60.0, 0.8, 1.0
    weight = {"name": "weight", "mass": mass, "inertia": (0.1, 0.1, 0.1), "at": (0.0, 0.0, -length)}
    guide = {"name": "guide", "kind": "prismatic", "between": ("ground", "weight"), "at": (0.0, 0.0, 0.0), "axis": "z"}
    spring = {"name": "spring", "between": ("weight", "ground"), "points": ((0.0, 0.0, -length), (0.0, 0.0, 0.0)),
              "stiffness": k, "damping": damping, "free_length": free}  # fmt: skip
    model = mechanism([weight], [guide], None, spring_damper=(spring,))
    rtol = 1e-10
    run = simulate(model, options(4.0, integrator, formulation=formulation, rtol=rtol))
    decay = damping / (2.0 * mass)
    w = math.sqrt(k / mass - decay**2)
    rest = free + mass * GRAVITY / k
    swing = np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    assert np.abs(run.position[:, 0, 2] + rest + (length - rest) * swing).max() < 300 * rtol
    assert run.certificate.energy_drift < 1000 * rtol  # of the little energy that is exchanged


# ------------------------------------------------------------------------------------------------------ applied force


def free_body(load: dict, **body) -> Mechanism:
    """A ball of 2 kg and 0.5 kg m2 in space without gravity."""
    ball = {"name": "ball", "mass": 2.0, "inertia": (0.5, 0.5, 0.5), **body}
    force = {"name": "load", "body": "ball", **load}
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), "body": (ball,), "applied_force": (force,)})


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_force_in_world_axes(integrator: str) -> None:
    """F cos(w t) along y and F t along z, on a body that spins: the path does not see the spin."""
    model = free_body({"force": (0.0, "3*cos(4*t)", "5*t")}, angular_velocity=(1.0, -2.0, 0.5))
    run = simulate(model, options(3.0, integrator, rtol=1e-10))
    t = run.t
    path = np.column_stack([0 * t, 3.0 / 2.0 / 16.0 * (1.0 - np.cos(4 * t)), 5.0 / 2.0 * t**3 / 6.0])
    assert np.abs(run.position[:, 0] - path).max() < 1e-8
    assert run.certificate.energy_drift < 1e-8


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_force_in_body_axes(integrator: str) -> None:
    """A rocket that spins at W about z, its thrust F along its own x: a cycloid."""
    F, W, mass, first = 3.0, 2.0, 2.0, 0.7  # N, rad/s, kg, rad
    turned = (math.cos(first / 2), 0.0, 0.0, math.sin(first / 2))
    model = free_body({"force": (F, 0.0, 0.0), "axes": "body"}, orientation=turned, angular_velocity=(0.0, 0.0, W))
    run = simulate(model, options(5.0, integrator, rtol=1e-10))
    t = run.t
    plane = F / mass / W**2 * np.exp(1j * first) * (1.0 + 1j * W * t - np.exp(1j * W * t))
    assert np.abs(run.position[:, 0] - np.column_stack([plane.real, plane.imag, 0 * t])).max() < 1e-8
    assert run.certificate.energy_drift < 1e-8


def test_force_beside_the_centre_turns_the_body() -> None:
    """A thruster on an arm, across it: the body spins up at F r / J."""
    thrust = free_body({"force": (0.0, 1.2, 0.0), "at": (0.25, 0.0, 0.0), "axes": "body"})
    run = simulate(thrust, options(3.0, rtol=1e-10))
    assert np.abs(angle_about_z(run) - 0.5 * (1.2 * 0.25 / 0.5) * run.t**2).max() < 5e-8


@pytest.mark.parametrize("axes", ["world", "body"])
def test_torque_turns_the_body_where_it_is(axes: str) -> None:
    """A torque 0.6 t about z: an angle 0.6 t^3 / (6 J)."""
    run = simulate(free_body({"torque": (0.0, 0.0, "0.6*t"), "axes": axes}), options(3.0, rtol=1e-10))
    assert np.abs(angle_about_z(run) - 0.6 * run.t**3 / (6 * 0.5)).max() < 5e-8
    assert np.abs(run.position).max() < 1e-13


def angle_about_z(run: Result) -> np.ndarray:
    return np.unwrap(2.0 * np.arctan2(run.orientation[:, 0, 3], run.orientation[:, 0, 0]), period=4 * np.pi)


# ------------------------------------------------------------------------------------------------------- break times


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_steps_end_at_break_times_exactly(integrator: str) -> None:
    model = free_body({"force": ("if(t<0.25, 8, if(t<=0.5, -8, 0))", 0.0, "if(t>0.9, 1, 0)")})
    run = simulate(model, options(1.2, integrator))
    assert {0.25, 0.5, 0.9} <= set(run.steps["t"])


@pytest.mark.parametrize("condition", ["t<0.5", "t<=0.5"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_force_that_is_switched_off_leaves_an_exact_parabola(integrator: str, condition: str) -> None:
    model = free_body({"force": (f"if({condition}, 3, 0)", 0.0, 0.0)})
    run = simulate(model, options(1.3, integrator))
    t, a = run.t, 3.0 / 2.0  # s, m/s2
    path = np.where(t < 0.5, 0.5 * a * t**2, 0.5 * a * 0.25 + a * 0.5 * (t - 0.5))
    assert np.abs(run.position[:, 0, 0] - path).max() < 1e-12
    assert np.abs(run.velocity[:, 0, 0] - a * np.minimum(t, 0.5)).max() < 1e-12


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_bang_bang_move_ends_at_rest(integrator: str) -> None:
    """Full ahead until 0.25 s, then back until 0.5 s, then nothing; and a push along z from 0.9 s on."""
    model = free_body({"force": ("if(t<0.25, 8, if(t<0.5, -8, 0))", 0.0, "if(t>0.9, 1, 0)")})
    run = simulate(model, options(1.2, integrator))
    assert run.position[-1, 0, 0] == pytest.approx(4.0 * 0.25**2, abs=1e-12)
    assert run.velocity[-1, 0, 0] == pytest.approx(0.0, abs=1e-12)
    assert run.position[-1, 0, 2] == pytest.approx(0.25 * 0.3**2, abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driver_with_a_jump_in_its_acceleration(formulation: str) -> None:
    run = simulate(driven_crank("if(t<0.5, 2*t^2, 2*t-0.5)", "xz"), options(1.0, formulation=formulation))
    t = run.t
    assert 0.5 in run.steps["t"]
    assert np.abs(turn_angle(run, "crank") - np.where(t < 0.5, 2 * t**2, 2 * t - 0.5)).max() < 1e-12
    assert np.abs(turn_rate(run, "crank") - np.where(t < 0.5, 4 * t, 2.0)).max() < 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_work_of_a_driver_with_a_jump_in_its_acceleration(formulation: str) -> None:
    run = simulate(driven_crank("if(t<0.5, 2*t^2, 2*t-0.5)", "xz"), options(1.0, formulation=formulation, rtol=1e-8))
    assert run.certificate.energy_drift < 1e-6


def test_axis_of_the_tests_turns_x_into_z() -> None:
    """What the angles above rely on."""
    assert UPWARD == "-y"
    run = simulate(driven_crank("0.5*pi*t", "xz"), options(1.0))
    assert run.position[-1, 0] == pytest.approx([0.0, 0.0, LENGTH / 2], abs=1e-12)
