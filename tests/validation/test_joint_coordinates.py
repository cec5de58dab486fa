"""Every joint: placed by frames as by point and axis; its coordinates counted, driven and loaded in both ways."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import linkwork as lw
from linkwork.elements.joints.registry import JOINTS
from linkwork.model import Model
from linkwork.numerics.rotations import euler_parameters, rotation_matrix
from linkwork.run import Run

BODY = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5), "com": (0.05, 0.1, -0.08)}
AT = np.array([0.4, -0.1, 0.2])
TILT = rotation_matrix(np.array([0.8, 0.3, -0.4, 0.33]) / np.linalg.norm([0.8, 0.3, -0.4, 0.33]))
RATES = {"revolute": 16.0, "prismatic": 0.8, "screw": -15.0, "cylindrical": (0.3, 17.0), "planar": (0.3, -0.2, 18.0),
         "universal": (14.0, 1.0), "spherical": (1.0, 14.0, 2.0), "constant-velocity": (1.0, 2.0, 0.0),
         "free": (0.1, 0.2, 0.3, 14.0, 1.0, 2.0)}  # fmt: skip
KINDS = sorted(JOINTS)


def pair(kind: str, *, by: str, backward: bool = False, **more) -> Model:
    """A body that swings about a pin, and another on it by the joint."""
    m = lw.Model(kind, gravity=(0.5, 1.0, -9.81))
    m.body("a", **BODY)
    m.body("b", **BODY, at=(0.5, 0.1, 0.2), angle=0.7, axis=(1.0, 2.0, 3.0))
    m.revolute("base", m.ground, "a", at=(0, 0, 0), axis="y", rate=0.5)
    more |= {"pitch": 0.3} if kind == "screw" else {}
    first, second = ("b", "a") if backward else ("a", "b")
    if by == "point":
        more |= {"at": AT, "axis": TILT[:, 2]} if kind != "free" else {}
        more |= {"second_axis": TILT[:, 0]} if kind == "universal" else {}
    else:
        bodies = {body.name: body for body in m.mechanism.body}
        for name in (first, second):
            R, p = bodies[name].R_WB, bodies[name].p_WB
            m.frame(f"on {name}", name, at=R.T @ (AT - p), orientation=euler_parameters(R.T @ TILT))
        more["frames"] = (f"on {first}", f"on {second}")
    m.joint(kind, "J", first, second, **more)
    return m


def moved(m: Model, formulation: str, until: float = 0.6) -> Run:
    return m.simulate(until, every=0.02, rtol=1e-10, formulation=formulation, progress=False)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "free"])
def test_frames_say_the_same_as_point_and_axis(kind):
    many = kind in ("planar", "spherical", "constant-velocity")  # rates in axes that were not said
    rate = None if many else RATES.get(kind)
    by_point, by_frames = (moved(pair(kind, by=by, rate=rate), "joint") for by in ("point", "frames"))
    np.testing.assert_allclose(by_frames.position("b"), by_point.position("b"), atol=1e-8)
    np.testing.assert_allclose(by_frames.angular_velocity("b"), by_point.angular_velocity("b"), atol=1e-7)


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_coordinates_are_counted_alike_with_and_without_the_joint_in_the_tree(kind, backward):
    m = pair(kind, by="frames", backward=backward, rate=RATES[kind])
    joint, absolute = (moved(m, formulation) for formulation in ("joint", "absolute"))
    for name in (*JOINTS[kind].coordinates, *JOINTS[kind].velocities):
        a, b = joint[f"J.{name}"], absolute[f"J.{name}"]
        if name in ("e0", "e1", "e2", "e3"):
            b = b * np.sign(np.sum(a * b))  # e and -e are one orientation
        np.testing.assert_allclose(b, a, atol=1e-7, err_msg=name)
        assert f"J.{name}" in absolute.result.channels()
    turning = [name for name in JOINTS[kind].coordinates if JOINTS[kind].turns(name)]
    assert not turning or max(np.ptp(absolute[f"J.{name}"]) for name in turning) > 2.0 * np.pi


def test_turns_that_cannot_be_counted_are_not_guessed():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
    m.revolute("pin", m.ground, "bar", at=(0, 0, 0), axis="y", rate=6.0)
    run = m.simulate(4.0, every=1.0, formulation="absolute", progress=False)
    with pytest.raises(lw.OptionError, match=r"'pin.angle'.*too far apart.*coordinate\(pin, angle\)"):
        run["pin.angle"]


DRIVABLE = [(kind, name) for kind in KINDS for name in JOINTS[kind].measured]


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize(("kind", "name"), DRIVABLE)
def test_every_coordinate_is_driven_with_the_same_force_in_both_formulations(kind, name, backward):
    """The force is also that of the energy balance: its power is the rate of all energy."""
    m = pair(kind, by="frames", backward=backward)
    m.driver("motor", "J", "0.3*sin(4*t)", coordinate=name)
    runs = [moved(m, formulation, 0.4) for formulation in ("joint", "absolute")]
    forces = [run.driving_force("J", name).values for run in runs]
    assert np.abs(forces[0]).max() > 0.1
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-6 * np.abs(forces[0]).max())
    run = runs[0]
    np.testing.assert_allclose(run[f"J.{name}"], 0.3 * np.sin(4.0 * run.t), atol=1e-9)
    work = cumulative_simpson(forces[0] * 1.2 * np.cos(4.0 * run.t), x=run.t, initial=0)
    for method in ("newton-euler", "multipliers"):
        reaction, other = run.reaction("J"), run.reaction("J", method=method)
        np.testing.assert_allclose(np.hstack([other.force, other.torque]), np.hstack([reaction.force, reaction.torque]),
                                   atol=1e-6 * np.abs(reaction.force).max())  # fmt: skip
    np.testing.assert_allclose(work, run.energy - run.energy[0], atol=1e-4 * np.abs(run.energy).max())


@pytest.mark.parametrize(
    ("driven", "geared"),
    [("screw.angle", "universal.angle_a"), ("universal.angle_b", "screw.angle"), ("screw.angle", "cylindrical.angle"),
     ("universal.angle_a", "universal.angle_b"), ("cylindrical.angle", "planar.angle")],
)  # fmt: skip
def test_a_driver_moves_what_is_geared_to_its_joint(driven, geared):
    """Its force is the same in both formulations, and its power is the rate of all energy of both sides."""
    m = lw.Model("geared", gravity=(0.5, 1.0, -9.81))
    ratio = -1.7
    for side, named in (("left", driven), ("right", geared)):
        kind = named.partition(".")[0]
        more = {"pitch": 0.3} if kind == "screw" else {"second_axis": (1, 0, 0)} if kind == "universal" else {}
        at, axis = np.array([0.0 if side == "left" else 2.0, 0, 0]), "y" if kind == "universal" else (0, 0.6, 0.8)
        m.body(side, **BODY, at=at + np.array([0.1, 0.2, 0.1]))
        m.joint(kind, f"{side} joint", m.ground, side, at=at, axis=axis, **more)
    first, second = (f"{side} joint.{named.partition('.')[2]}" for side, named in (("left", driven), ("right", geared)))
    m.gear("gear", first, second, ratio)
    joint, _, coordinate = first.partition(".")
    m.driver("motor", joint, "0.3*sin(4*t)", coordinate=coordinate)
    runs = [moved(m, formulation, 0.4) for formulation in ("joint", "absolute")]
    forces = [run.driving_force(joint, coordinate).values for run in runs]
    assert np.abs(forces[0]).max() > 0.1
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-6 * np.abs(forces[0]).max())
    np.testing.assert_allclose(runs[1].position("right"), runs[0].position("right"), atol=1e-8)
    run = runs[0]
    turned = [run[second], runs[1][second]]
    for values in turned:
        np.testing.assert_allclose(values - values[0], 0.3 * ratio * np.sin(4.0 * run.t), atol=1e-8)
    work = cumulative_simpson(forces[0] * 1.2 * np.cos(4.0 * run.t), x=run.t, initial=0)
    np.testing.assert_allclose(work, run.energy - run.energy[0], atol=1e-4 * np.abs(run.energy).max())


@pytest.mark.parametrize("what", ["distance", "body"])
def test_distances_and_bodies_are_driven_by_motion_velocity_or_acceleration(what):
    """Said in three ways, the motion is one: x = 1 + t^2 / 2."""
    ends = {}
    for way, text in (("motion", "1 + 0.5*t^2"), ("velocity", "t"), ("acceleration", "1")):
        m = lw.Model("hoist", gravity=(0, 0, -9.81))
        m.body("load", lw.sphere(mass=2.0, radius=0.1), at=(1, 0, 0))
        if what == "distance":
            m.distance("rope", m.ground, "load", points=((0, 0, 0), (1, 0, 0)))
        m.driver("winch", **({"distance": "rope"} if what == "distance" else {"body": "load", "coordinate": "x"}),
                 **{way: text})  # fmt: skip
        ends[way] = moved(m, "absolute").position("load")[-1]
    for end in ends.values():
        np.testing.assert_allclose(end, ends["motion"], atol=1e-7)
    length = np.linalg.norm(ends["motion"]) if what == "distance" else ends["motion"][0]
    assert length == pytest.approx(1.0 + 0.5 * 0.6**2, abs=1e-8)
