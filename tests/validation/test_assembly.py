"""Assembly: rough poses close, what was fixed stays, what cannot be is refused by name; velocities at the start."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from benchmarks.local_loops import robot
from benchmarks.pushrods import PushrodRobot
from pydantic import ValidationError
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.errors import AssemblyError, ModelError
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.results.result import Result
from validation.plane_linkages import (
    FORMULATIONS,
    FourBar,
    column,
    link,
    mechanism,
    pin,
    points_on,
    turn_angle,
    turn_rate,
)

BAR = FourBar()
THETA = 1.1  # rad, crank angle of the drawn position
UPRIGHT = Rotation.from_rotvec([math.pi / 2, 0.0, 0.0])  # z of a pin's frame is -y of the link


def start_of(model: Mechanism, formulation: str) -> Result:
    """The mechanism as it is when it starts to move."""
    return simulate(model, Options(until=1e-6, formulation=formulation, every=1e-6))


def scalar_first(R: Rotation) -> np.ndarray:
    return np.roll(R.as_quat(), 1)


def framed_four_bar(rng: np.random.Generator, plane: str | None, rough: float, **more) -> dict:
    """The four-bar with its pins given by frames on each body, and bodies displaced by `rough` (m and rad).

    The frames alone say how it goes together; the poses are only near.
    """
    bodies, _ = BAR.parts(THETA)
    for body in bodies:
        angle, shift = rng.uniform(-rough, rough), rng.uniform(-rough, rough, 3)
        turn = Rotation.from_rotvec([0.0, -angle, 0.0])
        if plane is None:
            turn = Rotation.from_rotvec(rng.uniform(-rough, rough, 3))
        else:
            shift[1] = 0.0
        now = Rotation.from_quat(np.roll(body["orientation"], -1))
        body["at"] = np.array(body["at"]) + shift
        body["orientation"] = scalar_first(turn * now)
    ends = {"crank": BAR.crank / 2, "coupler": BAR.coupler / 2, "rocker": BAR.rocker / 2}
    axes = scalar_first(UPRIGHT)
    frames = [
        {"name": f"{body} {side}", "body": body, "at": (sign * half, 0.0, 0.0), "orientation": axes}
        for body, half in ends.items()
        for side, sign in (("start", -1), ("end", 1))
    ]
    frames += [
        {"name": "ground A", "body": "ground", "orientation": axes},
        {"name": "ground D", "body": "ground", "at": (BAR.ground, 0.0, 0.0), "orientation": axes},
    ]
    pins = [
        framed_pin("A", "ground", "crank", "ground A", "crank start"),
        framed_pin("B", "crank", "coupler", "crank end", "coupler start"),
        framed_pin("C", "coupler", "rocker", "coupler end", "rocker end"),
        framed_pin("D", "ground", "rocker", "ground D", "rocker start"),
    ]
    return {"gravity": (0.0, 0.0, -9.81), "plane": plane, "body": bodies, "frame": frames, "joint": pins, **more}


def framed_pin(name: str, a: str, b: str, on_a: str, on_b: str) -> dict:
    return {"name": name, "kind": "revolute", "between": (a, b), "frames": (on_a, on_b)}


def named(items: list[dict], name: str) -> dict:
    return next(item for item in items if item["name"] == name)


def assert_closed(run: Result) -> None:
    """The pins meet, and the angles are those of a four-bar with this crank angle."""
    half = {"crank": BAR.crank / 2, "coupler": BAR.coupler / 2, "rocker": BAR.rocker / 2}
    at = {(body, sign): points_on(run, body, (sign * h, 0.0, 0.0))[0] for body, h in half.items() for sign in (-1, 1)}
    for one, other in (
        (at["crank", -1], np.zeros(3)),
        (at["crank", 1], at["coupler", -1]),
        (at["coupler", 1], at["rocker", 1]),
        (at["rocker", -1], np.array([BAR.ground, 0.0, 0.0])),
    ):
        assert np.abs(one - other).max() < 1e-10
    crank, coupler, rocker = (turn_angle(run, name)[0] for name in ("crank", "coupler", "rocker"))
    assert (coupler, rocker) == pytest.approx(BAR.angles(crank), abs=1e-9)


# -------------------------------------------------------------------------------------------------------- rough poses


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_rough_poses_close(formulation: str, plane: str | None, seed: int) -> None:
    model = Mechanism.model_validate(framed_four_bar(np.random.default_rng(seed), plane, rough=0.08))
    run = start_of(model, formulation)
    assert_closed(run)
    assert turn_angle(run, "crank")[0] == pytest.approx(THETA, abs=0.2)  # not some other position
    assert run.certificate.dof == 1


def test_both_formulations_assemble_alike() -> None:
    model = Mechanism.model_validate(framed_four_bar(np.random.default_rng(9), None, rough=0.08))
    joint, absolute = (start_of(model, formulation) for formulation in FORMULATIONS)
    for name in ("crank", "coupler", "rocker"):
        assert turn_angle(joint, name)[0] == pytest.approx(turn_angle(absolute, name)[0], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "plane"),
    [
        ("crank", None),
        ("coupler", None),
        ("rocker", None),
        ("crank", "xz"),
        ("rocker", "xz"),
    ],
)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_fixed_body_stays_where_it_was_said_to_be(formulation: str, name: str, plane: str | None, seed: int) -> None:
    """Drawn where it belongs and fixed; the others are displaced and must come to it."""
    said = framed_four_bar(np.random.default_rng(seed), plane, rough=0.08)
    place = named(BAR.parts(THETA)[0], name)
    body = named(said["body"], name)
    body.update(at=place["at"], orientation=place["orientation"], fixed=True)
    run = start_of(Mechanism.model_validate(said), formulation)
    k = column(run, name)
    assert np.abs(run.position[0, k] - place["at"]).max() < 1e-10
    assert abs(abs(run.orientation[0, k] @ place["orientation"]) - 1.0) < 1e-14
    assert_closed(run)
    assert turn_angle(run, "crank")[0] == pytest.approx(THETA, abs=1e-9)


@pytest.mark.parametrize("joint", ["A", "B", "C", "D"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_joint_stays_at_its_start_value(formulation: str, joint: str) -> None:
    """Whichever joint it is, on the tree or cut: its angle is what was said, and the rest follows."""
    goal = 0.9  # rad, crank angle of the position wanted
    coupler, rocker = BAR.angles(goal)
    start = {"A": goal, "B": coupler - goal, "C": rocker - coupler, "D": rocker}[joint]
    said = framed_four_bar(np.random.default_rng(3), None, rough=0.05)
    named(said["joint"], joint)["start"] = start
    run = start_of(Mechanism.model_validate(said), formulation)
    assert_closed(run)
    assert turn_angle(run, "crank")[0] == pytest.approx(goal, abs=1e-8)


# ------------------------------------------------------------------------------------------------- what cannot be done


@pytest.mark.parametrize("plane", [None, "xz"])
def test_link_that_is_too_short_is_named_with_the_gap(plane: str | None) -> None:
    """Cranks fixed upright, their tops 0.3 m further apart than the coupler is long."""
    B, C, D = 1j, 2 + 1j, 2 + 0j
    bodies = [link("crank", 0j, B, 1.0, fixed=True), link("coupler", B, C - 0.3, 1.0),
              link("rocker", D, C, 1.0, fixed=True)]  # fmt: skip
    frames = [
        {"name": "left end", "body": "coupler", "at": (-0.85, 0.0, 0.0), "orientation": scalar_first(UPRIGHT)},
        {"name": "right end", "body": "coupler", "at": (0.85, 0.0, 0.0), "orientation": scalar_first(UPRIGHT)},
        {"name": "top of crank", "body": "crank", "at": (0.5, 0.0, 0.0), "orientation": scalar_first(UPRIGHT)},
        {"name": "top of rocker", "body": "rocker", "at": (0.5, 0.0, 0.0), "orientation": scalar_first(UPRIGHT)},
    ]
    joints = [
        pin("A", "ground", "crank", 0j),
        framed_pin("B", "crank", "coupler", "top of crank", "left end"),
        framed_pin("C", "coupler", "rocker", "right end", "top of rocker"),
        pin("D", "ground", "rocker", D),
    ]
    with pytest.raises(AssemblyError) as refused:
        assemble(mechanism(bodies, joints, plane, frame=tuple(frames)), "joint")
    message = str(refused.value)
    assert refused.value.element in ("A", "B", "C", "D", "crank", "rocker")
    assert f"'{refused.value.element}'" in message
    assert 0.03 < max(open_gaps(message)) <= 0.3  # spread over the constraints that share it
    assert refused.value.remedy


def open_gaps(message: str) -> list[float]:
    """The gaps that a message names, m."""
    words = message.split()
    return [float(words[k + 1]) for k in range(len(words) - 2) if words[k] == "by" and words[k + 2].startswith("m")]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_triangle_that_cannot_close_is_named_with_its_gap(formulation: str) -> None:
    """Links of 0.5 m and 0.6 m cannot span 2 m: 0.9 m are missing, whatever the position."""
    axes = {"orientation": scalar_first(UPRIGHT)}
    bodies = [link("left", 0j, 0.5 + 0.1j, 1.0), link("right", 1.4 + 0.1j, 2 + 0j, 1.0)]
    frames = [
        {"name": "left end", "body": "left", "at": (0.25, 0.0, 0.0), **axes},
        {"name": "left start", "body": "left", "at": (-0.25, 0.0, 0.0), **axes},
        {"name": "right start", "body": "right", "at": (-0.3, 0.0, 0.0), **axes},
        {"name": "right end", "body": "right", "at": (0.3, 0.0, 0.0), **axes},
        {"name": "origin", "body": "ground", **axes},
        {"name": "wall", "body": "ground", "at": (2.0, 0.0, 0.0), **axes},
    ]
    joints = [
        framed_pin("O", "ground", "left", "origin", "left start"),
        framed_pin("knee", "left", "right", "left end", "right start"),
        framed_pin("W", "right", "ground", "right end", "wall"),
    ]
    with pytest.raises(AssemblyError) as refused:
        assemble(mechanism(bodies, joints, frame=tuple(frames)), formulation)
    assert refused.value.element in ("O", "knee", "W")
    assert max(open_gaps(str(refused.value))) == pytest.approx(0.9, rel=0.02)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_pin_across_the_plane_of_a_plane_mechanism_is_refused(formulation: str) -> None:
    """Its frames have their z axis, about which it turns, within the plane xz."""
    bar = {"name": "bar", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), "at": (0.5, 0.0, 0.0)}
    frames = [{"name": "wall", "body": "ground"}, {"name": "end", "body": "bar", "at": (-0.5, 0.0, 0.0)}]
    with pytest.raises((ModelError, ValidationError), match="pivot"):
        assemble(mechanism([bar], [framed_pin("pivot", "ground", "bar", "wall", "end")], frame=frames), formulation)


def test_driver_beyond_the_reach_of_the_mechanism_is_refused() -> None:
    """A rocker cannot be driven to where its crank cannot follow."""
    driver = {"name": "servo", "joint": "D", "motion": "-2.0"}
    with pytest.raises(AssemblyError) as refused:
        assemble(mechanism(*BAR.parts(THETA), driver=(driver,)), "joint")
    assert refused.value.element in ("servo", "A", "B", "C", "D")


# --------------------------------------------------------------------------------------------------------- velocities


@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("mover", ["crank", "coupler", "rocker"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_velocity_of_one_body_moves_the_whole_loop(formulation: str, mover: str, plane: str | None) -> None:
    rate = -3.0  # rad/s, of the crank
    coupler, rocker = (rate * ratio for ratio in BAR.ratios(THETA))
    expected = {"crank": rate, "coupler": coupler, "rocker": rocker}
    bodies, pins = BAR.parts(THETA)
    named(bodies, mover)["angular_velocity"] = (0.0, -expected[mover], 0.0)
    run = start_of(mechanism(bodies, pins, plane), formulation)
    assert run.certificate.warnings == []
    for name, value in expected.items():
        assert turn_rate(run, name)[0] == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("joint", ["A", "B", "C", "D"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_rate_of_one_joint_moves_the_whole_loop(formulation: str, joint: str) -> None:
    rate = 2.0
    coupler, rocker = (rate * ratio for ratio in BAR.ratios(THETA))
    said = {"A": rate, "B": coupler - rate, "C": rocker - coupler, "D": rocker}[joint]
    bodies, pins = BAR.parts(THETA)
    named(pins, joint)["rate"] = said
    run = start_of(mechanism(bodies, pins), formulation)
    for name, value in (("crank", rate), ("coupler", coupler), ("rocker", rocker)):
        assert turn_rate(run, name)[0] == pytest.approx(value, abs=1e-11)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forbidden_velocity_gives_the_nearest_possible_and_a_warning(formulation: str) -> None:
    """The end of a bar on a pin is told to move askew: what is along the bar cannot be.

    Nearest in the sense of least squares over the body frame's velocity: its part across the bar.
    """
    end = cmath.rect(1.0, 0.6)
    across = 1j * end
    asked = 2.0 * across + 0.7 * end
    body = link("bar", 0j, end, 1.0, velocity=(asked.real / 2, 0.0, asked.imag / 2))
    run = start_of(mechanism([body], [pin("O", "ground", "bar", 0j)], gravity=0.0), formulation)
    assert turn_rate(run, "bar")[0] == pytest.approx(2.0, abs=1e-11)
    assert len(run.certificate.warnings) == 1
    assert "'bar'" in run.certificate.warnings[0]
    assert "nearest" in run.certificate.warnings[0]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_velocity_out_of_the_plane_of_a_loop_is_refused_by_a_warning(formulation: str) -> None:
    bodies, pins = BAR.parts(THETA)
    named(bodies, "crank")["angular_velocity"] = (0.0, 3.0, 0.4)
    run = start_of(mechanism(bodies, pins, None), formulation)
    assert turn_rate(run, "crank")[0] == pytest.approx(-3.0, abs=1e-9)
    assert any("'crank'" in warning for warning in run.certificate.warnings)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driver_prevails_over_a_velocity_that_was_said(formulation: str) -> None:
    bodies, pins = BAR.parts(THETA, rate=5.0)
    driver = {"name": "motor", "joint": "A", "motion": "-2*t"}
    run = start_of(mechanism(bodies, pins, driver=(driver,)), formulation)
    assert turn_rate(run, "crank")[0] == pytest.approx(-2.0, abs=1e-11)
    assert any("'crank'" in warning for warning in run.certificate.warnings)


def test_a_chain_of_slim_bodies_keeps_all_its_equations() -> None:
    """Radius of gyration 5e-5 of the links: in the metric of mass 4e-6 is left of one of the rows, and it counts."""
    m = lw.Model("chain of points", gravity=(0, 0, -9.81))
    before, h = m.ground, 1.0 / 12
    for i in range(12):
        small = h * (5e-5 * h) ** 2
        body = m.body(f"point {i}", mass=h, inertia=(small, small, small), at=((i + 1) * h, 0, 0))
        m.revolute(f"joint {i}", before, body, at=(i * h, 0, 0), axis="y")
        before = body
    start = m.assemble("absolute")
    assert (start.rank, start.start_rank, start.notes) == (60, 60, ())
    joint, absolute = (m.simulate(0.2, formulation=f, rtol=1e-8, progress=False) for f in ("joint", "absolute"))
    assert absolute.position(before)[-1] == pytest.approx(joint.position(before)[-1], abs=1e-8)


def test_a_driver_that_begins_far_from_where_it_is_drawn_is_named():
    m = lw.Model("stretched", plane="xz", gravity=(0, 0, 0))
    m.link("crank", (0, 0, 0), (0, 0, 1), mass=1.0)
    m.link("rod", (0, 0, 1), (2, 0, 0), mass=1.0)
    m.revolute("shaft", m.ground, "crank", at=(0, 0, 0), axis="y")
    m.revolute("pin", "crank", "rod", at=(0, 0, 1), axis="y")
    m.body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(2, 0, 0))
    m.revolute("wrist", "rod", "slider", at=(2, 0, 0), axis="y")
    m.prismatic("guide", m.ground, "slider", at=(0, 0, 0), axis="x")
    m.driver("pull", "guide", "5 + 0*t")
    with pytest.raises(lw.AssemblyError, match=r"driver 'pull' begins 5 m from where its coordinate is drawn"):
        m.simulate(0.1, progress=False)


@pytest.mark.parametrize(("limbs", "modules"), [(4, 30), (4, 26), (3, 40), (2, 50), (1, 64), (1, 110)])
def test_many_loops_are_closed_each_as_it_can(limbs: int, modules: int) -> None:
    """Links at given angles, drawn straight: cranks far out on a limb begin beside the links that carry them, and a
    loop near a singular position does not shorten the steps of others.
    """
    model = robot(PushrodRobot(limbs, modules))
    start = model.assemble("joint")
    equations = Equations(start.compiled)
    equations.evaluate(0.0, start.y, start.angles, LEVEL_POSITION)
    assert np.abs(equations.work.Phi).max() < 1e-9  # m
    names = start.compiled.layout.q_names
    for joint in model.mechanism.joint:
        if joint.start is not None:
            assert start.y[names.index(f"{joint.name}.angle")] == pytest.approx(joint.start, abs=1e-12)
