"""Joints and constraints of the catalogue against closed forms, other integrators and equivalent combinations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.model import Model
from linkwork.run import Run

G = 9.81
FORMULATIONS = ("joint", "absolute")
ROUND = {"mass": 2.0, "inertia": (0.3, 0.3, 0.3)}


def moved(model: Model, until: float, **options) -> Run:
    return model.simulate(until, progress=False, **({"rtol": 1e-9} | options))


def empty(gravity=(0.0, 0.0, 0.0)) -> Model:
    return lw.Model("m", gravity=gravity)


# -- joints -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_screw_advances_by_its_pitch_over_fifty_turns(formulation):
    """Left to itself, under gravity along the axis: (J + m p^2) phi'' = -m g p with p the pitch a radian."""
    m = empty((0, 0, -G))
    m.body("nut", mass=2.0, inertia=(0.1, 0.1, 0.03), com=(0.0, 0.0, 0.1), at=(0, 0, 0))
    m.screw("thread", m.ground, "nut", at=(0, 0, 0), axis="z", pitch=-0.02)
    m.measure("turned", "coordinate(thread)")
    p = -0.02 / (2 * np.pi)
    slope = -2.0 * G * p / (0.03 + 2.0 * p**2)
    run = moved(m, float(np.sqrt(100 * np.pi * 2 / slope)), formulation=formulation)
    np.testing.assert_allclose(run["turned"], 0.5 * slope * run.t**2, atol=1e-6)
    assert run["turned"][-1] == pytest.approx(100 * np.pi, rel=1e-7)
    np.testing.assert_allclose(run["nut.position.z"], p * run["turned"], atol=1e-9)
    assert run["nut.position.z"][-1] == pytest.approx(-1.0, abs=1e-8)


def cardan(beta: float, twist: float) -> Model:
    """Two universal joints with parallel outer shafts; the second pin of the middle shaft turned by `twist`."""
    c, s = np.cos(beta), np.sin(beta)
    along, across, aside = np.array([c, 0, s]), np.array([0.0, 1.0, 0.0]), np.array([-s, 0, c])
    pin = np.cos(twist) * aside + np.sin(twist) * across
    m = empty()
    m.body("in", **ROUND, at=(-0.5, 0, 0))
    m.body("middle", **ROUND, at=0.5 * along)
    m.body("out", **ROUND, at=along + np.array([0.5, 0, 0]))
    m.revolute("A", m.ground, "in", at=(-0.5, 0, 0), axis="x")
    m.universal("first", "in", "middle", at=(0, 0, 0), axis="y", second_axis=aside)
    last = np.cross(pin, (1.0, 0.0, 0.0))
    m.universal("second", "middle", "out", at=along, axis=pin, second_axis=last)
    m.cylindrical("B", m.ground, "out", at=along, axis="x")
    m.measure("ratio", "velocity(B, angle)")
    return m


def test_double_cardan_is_even_when_phased():
    beta, count = 0.5, {"A.angle": (0.0, 2 * np.pi, 60)}
    np.testing.assert_allclose(cardan(beta, 0.0).kinematics(sweep=count)["ratio"], 1.0, atol=1e-10)
    uneven = cardan(beta, np.pi / 2).kinematics(sweep={"A.angle": (0.0, np.pi, 9)})["ratio"]
    assert uneven[0] == pytest.approx(np.cos(beta) ** 2, abs=1e-10)  # both joints slow it down there
    assert uneven[4] == pytest.approx(np.cos(beta) ** -2, abs=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_constant_velocity_joint_is_even_at_any_angle(formulation):
    """A bent constant-velocity joint between two shafts: the second turns as the first, and inertias add up."""
    axis = np.array([np.cos(0.7), 0.0, np.sin(0.7)])
    m = empty()
    m.body("in", mass=1.0, inertia=(0.2, 0.3, 0.3), at=(0, 0, 0))
    m.body("out", mass=1.0, inertia=(0.5, 0.5, 0.5), at=axis)
    m.revolute("A", m.ground, "in", at=(0, 0, 0), axis="x")
    m.constant_velocity("bend", "in", "out", at=(0, 0, 0), axis="x", second_axis=axis)
    m.cylindrical("B", m.ground, "out", at=axis, axis=axis)
    m.joint_force("torque", "A", 2.0)
    m.measure("second", "coordinate(B, angle)")
    m.measure("first", "coordinate(A)")
    run = moved(m, 4.0, formulation=formulation)
    np.testing.assert_allclose(run["first"], 0.5 * 2.0 / 0.7 * run.t**2, atol=1e-7)
    np.testing.assert_allclose(run["second"], run["first"], atol=1e-8)
    assert run["second"][-1] > 2 * np.pi


# -- constraints ------------------------------------------------------------------------------------------------------
def test_gears_racks_and_couplers_share_out_inertia_as_their_ratios_say():
    """alpha = T / (I1 + n^2 I2 + (n r)^2 m), and the rack and a third wheel follow over many turns."""
    m = empty()
    m.body("one", mass=1.0, inertia=(1, 1, 0.2), at=(0, 0, 0))
    m.body("two", mass=1.0, inertia=(1, 1, 0.5), at=(1, 0, 0))
    m.body("rack", mass=3.0, inertia=(1, 1, 1), at=(2, 0, 0))
    m.body("third", mass=1.0, inertia=(1, 1, 0.7), at=(3, 0, 0))
    for name, body, at in (("A", "one", 0), ("B", "two", 1), ("D", "third", 3)):
        m.revolute(name, m.ground, body, at=(at, 0, 0), axis="z")
    m.prismatic("C", m.ground, "rack", at=(2, 0, 0), axis="y")
    m.gear("mesh", "A", "B", ratio=-2.5)
    m.rack_and_pinion("teeth", "B", "C", radius=0.1)
    m.coupler("sum", ["A", "B", "D"], [2.0, 1.0, -4.0], constant=0.3)
    m.joint_force("torque", "A", 3.0)
    n, third = -2.5, (2.0 - 2.5) / 4.0
    alpha = 3.0 / (0.2 + n**2 * 0.5 + (0.1 * n) ** 2 * 3.0 + third**2 * 0.7)
    for name, joint in (("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")):
        m.measure(name, f"coordinate({joint})")
    for formulation in FORMULATIONS:
        run = moved(m, 10.0, formulation=formulation)
        a = 0.5 * alpha * run.t**2
        np.testing.assert_allclose(run["a"] - run["a"][0], a, atol=1e-6)  # the constant of the coupler moves the start
        np.testing.assert_allclose(run["b"], n * run["a"], atol=1e-9)
        np.testing.assert_allclose(run["c"], 0.1 * run["b"], atol=1e-9)
        np.testing.assert_allclose(4.0 * run["d"], 2.0 * run["a"] + run["b"] - 0.3, atol=1e-9)
        assert abs(run["b"][-1]) > 20 * np.pi


def test_planetary_gear_has_its_ratio_and_inertia():
    """Willis: ring fixed, carrier / sun = zs / (zs + zr); the planet's inertia turns with w_c (1 - zr / zp)."""
    zs, zp, zr, arm = 20.0, 15.0, 50.0, 0.3
    m = empty()
    m.body("sun", mass=1.0, inertia=(1, 1, 0.1), at=(0, 0, 0))
    m.body("carrier", mass=1.0, inertia=(1, 1, 0.4), at=(0, 0, 0))
    m.body("planet", mass=2.0, inertia=(1, 1, 0.05), at=(arm, 0, 0))
    m.revolute("S", m.ground, "sun", at=(0, 0, 0), axis="z")
    m.revolute("C", m.ground, "carrier", at=(0, 0, 0), axis="z")
    m.revolute("P", "carrier", "planet", at=(arm, 0, 0), axis="z")
    m.coupler("inner", ["S", "C", "P"], [zs, -zs, zp])
    m.coupler("outer", ["C", "P"], [zr, zp])
    m.joint_force("torque", "S", 1.0)
    m.measure("sun turn", "coordinate(S)")
    m.measure("carrier turn", "coordinate(C)")
    run = moved(m, 8.0)
    ratio = zs / (zs + zr)
    felt = 0.1 + ratio**2 * (0.4 + 2.0 * arm**2 + 0.05 * (1 - zr / zp) ** 2)
    np.testing.assert_allclose(run["sun turn"], 0.5 / felt * run.t**2, atol=1e-6)
    np.testing.assert_allclose(run["carrier turn"], ratio * run["sun turn"], atol=1e-9)


def test_massless_link_makes_a_pendulum():
    m = empty((0, 0, -G))
    m.body("bob", **ROUND, at=(0.6, 0, -0.8))
    m.distance("link", m.ground, "bob", points=((0, 0, 0), (0.6, 0, -0.8)))
    run = moved(m, 3.0)
    start = np.arctan2(0.6, 0.8)
    way = solve_ivp(lambda _, y: (y[1], -G * np.sin(y[0])), (0, 3), (start, 0), "DOP853", run.t, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(run["bob.position.x"], np.sin(way.y[0]), atol=1e-7)
    np.testing.assert_allclose(run["bob.angular_velocity.y"], 0.0, atol=1e-12)


def test_bead_on_a_line_and_ball_in_a_plane():
    slope = np.array([0.8, 0.0, -0.6])
    m = empty((0, 0, -G))
    m.body("bead", **ROUND, at=(1, 0, 0), angular_velocity=(1, 2, 3), velocity=2.0 * slope)
    m.body("ball", **ROUND, at=(0, 0, 0), velocity=(0.0, 0.7, 0.0))
    m.constraint("point-on-line", "wire", m.ground, "bead", at=(1, 0, 0), axis=slope)
    m.constraint("point-in-plane", "ramp", m.ground, "ball", at=(0, 0, 0), axis=(0.6, 0, 0.8))
    run = moved(m, 1.0)
    s = 2.0 * run.t + 0.5 * G * 0.6 * run.t**2
    np.testing.assert_allclose(run.position("bead"), np.array([1, 0, 0]) + np.outer(s, slope), atol=1e-9)
    np.testing.assert_allclose(run.angular_velocity("bead"), np.tile((1, 2, 3), (len(run.t), 1)), atol=1e-9)
    fall = np.outer(0.5 * G * 0.6 * run.t**2, slope) + np.outer(run.t, (0, 0.7, 0))
    np.testing.assert_allclose(run.position("ball"), fall, atol=1e-9)


def pair_of(joint: bool, kind: str) -> Model:
    """A body on ground by one joint, or by the constraints that amount to the same."""
    m = empty((0.3, 0, -G))
    m.body("b", mass=1.0, inertia=(0.2, 0.3, 0.4), com=(0.1, 0.2, 0.3), at=(0, 0, 0), velocity=(0, 0, 0.5),
           angular_velocity=(0, 0, 2.0) if kind == "cylindrical" else (1.0, 0, 2.0))  # fmt: skip
    if kind == "cylindrical":
        if joint:
            m.cylindrical("J", m.ground, "b", at=(0, 0, 0), axis="z")
        else:
            m.constraint("point-on-line", "line", m.ground, "b", at=(0, 0, 0), axis="z")
            m.constraint("parallel-axes", "way", m.ground, "b", axis="z")
    elif joint:
        m.universal("J", m.ground, "b", at=(0, 0, 0), axis="z", second_axis="x")
    else:
        m.spherical("S", m.ground, "b", at=(0, 0, 0))
        m.constraint("perpendicular-axes", "cross", m.ground, "b", axis="z", second_axis="x")
    return m


@pytest.mark.parametrize("kind", ["cylindrical", "universal"])
def test_constraints_amount_to_the_joint_that_they_describe(kind):
    runs = [moved(pair_of(joint, kind), 1.0, formulation="absolute") for joint in (True, False)]
    for one, other in zip(*(run.result.position[:, 0] for run in runs), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)
    np.testing.assert_allclose(runs[0].orientation("b"), runs[1].orientation("b"), atol=1e-7)
    assert np.ptp(runs[0].orientation("b")[:, 0]) > 0.1


def test_constant_angle_keeps_a_top_at_its_nutation():
    """Free of torque about both axes: precession W and spin w of a symmetric top go on as they are."""
    tilt, W, w = 0.8, 1.5, 4.0
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    m = empty((0, 0, -G))
    m.body("top", mass=1.0, inertia=(0.5, 0.5, 0.2), com=(0, 0, 0.3), at=(0, 0, 0), angle=tilt, axis="y",
           angular_velocity=np.array([0, 0, W]) + w * axis)  # fmt: skip
    m.spherical("tip", m.ground, "top", at=(0, 0, 0))
    m.constraint("constant-angle", "hold", m.ground, "top", axis="z", second_axis=axis)
    m.frame("head", "top", at=(0, 0, 1))
    run = moved(m, 3.0)
    head = run.path("head")
    np.testing.assert_allclose(head[:, 2], np.cos(tilt), atol=1e-9)
    np.testing.assert_allclose(np.unwrap(np.arctan2(head[:, 1], head[:, 0])), W * run.t, atol=1e-7)
    spin = np.sum(run.angular_velocity("top") * head, axis=1)
    np.testing.assert_allclose(spin, w + W * np.cos(tilt), atol=1e-8)


# -- loads ------------------------------------------------------------------------------------------------------------
def test_loads_know_of_links_and_gears():
    """A bar on a pin and a massless link bears half its weight at each; a geared wheel's bearing gives no torque."""
    m = empty((0, 0, -G))
    m.body("bar", lw.rod(mass=3.0, length=2.0), at=(1, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y")
    m.distance("link", m.ground, "bar", points=((2, 0, 5), (2, 0, 0)))
    np.testing.assert_allclose(moved(m, 0.1).reaction("pin").force[-1], (0, 0, 1.5 * G), atol=1e-8)
    m = empty()
    m.body("one", mass=1.0, inertia=(1, 1, 0.2), at=(0, 0, 0))
    m.body("two", mass=1.0, inertia=(1, 1, 0.5), at=(1, 0, 0))
    m.revolute("A", m.ground, "one", at=(0, 0, 0), axis="z")
    m.revolute("B", m.ground, "two", at=(1, 0, 0), axis="z")
    m.gear("mesh", "A", "B", ratio=-2.0)
    m.driver("motor", "A", "0.5*t^2")
    run = moved(m, 1.0)
    np.testing.assert_allclose(run.reaction("B").torque, 0.0, atol=1e-9)
    np.testing.assert_allclose(run.driving_force("A").values, 0.2 + 4.0 * 0.5, atol=1e-9)


@pytest.mark.parametrize("kind", ["screw", "constant-velocity", "universal"])
def test_loads_of_every_joint_agree_in_three_ways(kind):
    m = empty((1.0, 2.0, -G))
    m.body("a", mass=1.0, inertia=(0.2, 0.3, 0.4), com=(0.1, 0.2, 0), at=(0, 0, 0))
    m.body("b", mass=1.0, inertia=(0.2, 0.3, 0.4), com=(0.3, 0, 0.1), at=(1, 0, 0))
    m.revolute("base", m.ground, "a", at=(0, 0, 0), axis="y", rate=1.0)
    more = {"screw": {"pitch": 0.4}, "universal": {"second_axis": "z"}, "constant-velocity": {}}[kind]
    m.joint(kind, "J", "a", "b", at=(1, 0, 0), axis="x", **more)
    run = moved(m, 0.5, every=0.05)
    for joint in ("base", "J"):
        ways = [run.reaction(joint, method=method) for method in ("non-recursive", "newton-euler", "multipliers")]
        for other in ways[1:]:
            np.testing.assert_allclose(other.force, ways[0].force, atol=1e-7)
            np.testing.assert_allclose(other.torque, ways[0].torque, atol=1e-7)
        assert np.abs(ways[0].force).max() > 1.0


@pytest.mark.parametrize("seed", range(4))
def test_a_planar_model_needs_no_redundant_equation_for_a_point_on_a_line_or_parallel_axes(seed):
    """A bar with a point on an inclined line of ground, beside the same in space: one motion, nothing redundant."""
    rng, found = np.random.default_rng(seed), []
    plane, normal = [("xz", (0, -1, 0)), ("xy", (0, 0, 1)), ("yz", (1, 0, 0)), ("xz", (0, 1, 0))][seed]
    inside = [axis for axis in np.eye(3) if not axis @ np.array(normal)]
    angle = rng.uniform(0.2, 1.3)
    slope = np.cos(angle) * inside[0] + np.sin(angle) * inside[1]
    along = np.array(inside[0]) * rng.uniform(0.5, 1.5)
    for given in (plane, None):
        m = lw.Model("m", gravity=-G * inside[1], plane=given)
        m.link("bar", (0, 0, 0), along, mass=2.0)
        m.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), at=0.5 * along)
        m.constraint("point-on-line", "slot", m.ground, "bar", at=(0, 0, 0), axis=slope)
        m.constraint("point-on-line", "groove", "bar", "block", at=0.5 * along, axis=inside[0])
        m.constraint("parallel-axes", "guide", m.ground, "block", axis=inside[1])
        if given is None:
            m.planar("plane", m.ground, "bar", at=(0, 0, 0), axis=normal)
            m.planar("face", m.ground, "block", at=0.5 * along, axis=normal)
        else:
            assert not m.check().redundant
            assert m.check().dof == 3
        found.append(moved(m, 0.3))
    for axis in "xyz":
        for body in ("bar", "block"):
            name = f"{body}.position.{axis}"
            np.testing.assert_allclose(found[0][name], found[1][name], atol=1e-8)
