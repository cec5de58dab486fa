"""Robot arms: a published 7-axis arm against Pinocchio and MuJoCo, P2's RRC arm by three ways, P2's tables.

KUKA LBR iiwa 14 R820: numbers of Drake's iiwa14_no_collision.urdf (RobotLocomotion/drake, manipulation/models/
iiwa_description), frames at the joints, axes along z.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.analyses.loads.replay import LOAD_METHODS
from linkwork.library import library_model
from linkwork.reproduce.counting import Tally, counted, values
from linkwork.reproduce.p2 import STATES, Times, count_packed, count_printed, reproduce, states_of_the_arm
from linkwork.reproduce.p2_kernels import own_reactions, reactions

GRAVITY = (0.0, 0.0, -9.81)
HALF = np.pi / 2.0
IIWA = (  # joint origin xyz (m) and rpy (rad) in the link before; mass (kg); centre of mass (m); Ixx, Iyy, Izz (kg m2)
    ((0, 0, 0.1575), (0, 0, 0), 5.76, (0, -0.03, 0.12), (0.033, 0.0333, 0.0123)),
    ((0, 0, 0.2025), (HALF, 0, np.pi), 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.0304, 0.011)),
    ((0, 0.2045, 0), (HALF, 0, np.pi), 3.5, (0, 0.03, 0.13), (0.025, 0.0238, 0.0076)),
    ((0, 0, 0.2155), (HALF, 0, 0), 3.5, (0, 0.067, 0.034), (0.017, 0.0164, 0.006)),
    ((0, 0.1845, 0), (-HALF, np.pi, 0), 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449)),
    ((0, 0, 0.2155), (HALF, 0, 0), 1.8, (0, 0.0006, 0.0004), (0.0049, 0.0047, 0.0036)),
    ((0, 0.081, 0), (-HALF, np.pi, 0), 1.2, (0, 0, 0.02), (0.001, 0.001, 0.001)),
)
MOTION = [f"{0.3 + 0.1 * i}*sin({1.0 + 0.3 * i}*t + {0.4 * i}) + {0.2 * i}" for i in range(7)]


def iiwa(driven: bool) -> lw.Model:
    model = lw.Model("iiwa", gravity=GRAVITY)
    R, p, inboard = np.eye(3), np.zeros(3), model.ground
    for i, (xyz, rpy, mass, com, inertia) in enumerate(IIWA):
        p = p + R @ np.array(xyz, float)
        R = R @ Rotation.from_euler("xyz", rpy).as_matrix()
        e = np.roll(Rotation.from_matrix(R).as_quat(), 1)
        link = model.body(f"link{i}", mass=mass, com=com, inertia=inertia, at=p, orientation=e)
        model.revolute(f"A{i + 1}", inboard, link, at=p, axis=R[:, 2])
        if driven:
            model.driver(f"motor{i + 1}", f"A{i + 1}", MOTION[i])
        inboard = link
    return model


def pinocchio_arm() -> tuple[pin.Model, pin.Data]:
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    joint = 0
    for i, (xyz, rpy, mass, com, inertia) in enumerate(IIWA):
        place = pin.SE3(Rotation.from_euler("xyz", rpy).as_matrix(), np.array(xyz, float))
        joint = model.addJoint(joint, pin.JointModelRZ(), place, f"A{i + 1}")
        model.appendBodyToJoint(joint, pin.Inertia(mass, np.array(com, float), np.diag(inertia)), pin.SE3.Identity())
    return model, model.createData()


def mujoco_arm() -> tuple[mujoco.MjModel, mujoco.MjData]:
    text = ""
    for i, (xyz, rpy, mass, com, inertia) in reversed(list(enumerate(IIWA))):
        quat = np.roll(Rotation.from_euler("xyz", rpy).as_quat(), 1)
        numbers = [" ".join(repr(float(x)) for x in v) for v in (xyz, quat, com, inertia)]
        text = (
            f'<body pos="{numbers[0]}" quat="{numbers[1]}"><joint name="A{i + 1}" type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{numbers[2]}" mass="{mass}" diaginertia="{numbers[3]}"/>{text}</body>'
        )
    option = f'<option gravity="{GRAVITY[0]} {GRAVITY[1]} {GRAVITY[2]}"/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" inertiafromgeom="false"/>{option}<worldbody>{text}</worldbody></mujoco>'
    )
    return model, mujoco.MjData(model)


@pytest.fixture(scope="module")
def driven():
    """All seven joints prescribed: inverse dynamics along a motion."""
    return iiwa(driven=True).simulate(1.0, every=0.05, progress=False)


def states(run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    angles, rates = (np.column_stack([run[f"A{i + 1}.{what}"] for i in range(7)]) for what in ("angle", "rate"))
    return angles, rates, np.column_stack([run[f"A{i + 1}.rate.dot"] for i in range(7)])


def test_torques_and_reactions_of_the_iiwa_equal_pinocchio(driven):
    """`data.f[i]`: the force on link i from the link before it, in the axes of link i about its joint."""
    model, data = pinocchio_arm()
    q, v, a = states(driven)
    loads = [driven.reaction(f"A{i + 1}", frame=f"link{i}", at="joint") for i in range(7)]
    torques = np.column_stack([load.driving for load in loads])
    for n in range(len(q)):
        tau = pin.rnea(model, data, q[n], v[n], a[n])
        np.testing.assert_allclose(torques[n], tau, atol=1e-9 * np.abs(tau).max())
        for i, load in enumerate(loads):
            expected = data.f[i + 1]
            scale = 1e-9 * np.abs(expected.vector).max()
            np.testing.assert_allclose(load.force[n], expected.linear, atol=scale)
            np.testing.assert_allclose(load.torque[n], expected.angular, atol=scale)


def test_torques_and_reactions_of_the_iiwa_equal_mujoco(driven):
    """`cfrc_int`: (torque, force) on a body from its parent, world axes, about the tree's centre of mass."""
    model, data = mujoco_arm()
    q, v, a = states(driven)
    for n in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[n], v[n], a[n]
        mujoco.mj_inverse(model, data)
        tau = data.qfrc_inverse.copy()
        mujoco.mj_rnePostConstraint(model, data)
        centre = data.subtree_com[1].copy()
        for i in range(7):
            load = driven.reaction(f"A{i + 1}", at=centre) if n % 10 == 0 else None
            if load is None:
                continue
            torque, force = data.cfrc_int[i + 1][:3], data.cfrc_int[i + 1][3:]
            scale = 1e-9 * max(np.abs(force).max(), np.abs(torque).max())
            np.testing.assert_allclose(load.force[n], force, atol=scale)
            np.testing.assert_allclose(load.torque[n], torque, atol=scale)
            np.testing.assert_allclose(load.driving[n], tau[i], atol=1e-9 * np.abs(tau).max())


def test_mass_matrices_of_the_iiwa_equal_pinocchio_and_mujoco(driven):
    calls = iiwa(driven=False).calls()
    model, data = pinocchio_arm()
    other, other_data = mujoco_arm()
    q, v, a = states(driven)
    for n in range(0, len(q), 4):
        ours = calls.mass_matrix(np.ascontiguousarray(q[n]))
        theirs = np.triu(pin.crba(model, data, q[n]))
        np.testing.assert_allclose(ours, theirs + np.triu(theirs, 1).T, atol=1e-9 * np.abs(theirs).max())
        other_data.qpos[:] = q[n]
        mujoco.mj_forward(other, other_data)
        M = np.zeros((7, 7))
        mujoco.mj_fullM(other, other_data, M)
        np.testing.assert_allclose(ours, M, atol=1e-9 * np.abs(M).max())
        tau = calls.inverse(*(np.ascontiguousarray(x[n]) for x in (q, v, a)))
        np.testing.assert_allclose(tau, pin.rnea(model, data, q[n], v[n], a[n]), atol=1e-9 * np.abs(tau).max())


# -- P2's RRC arm -----------------------------------------------------------------------------------------------------
def test_the_rrc_arm_has_the_reach_and_weight_of_its_data():
    model = library_model("rrc-arm").mechanism
    assert sum(body.mass_kg for body in model.body) == pytest.approx(505.0 * 0.45359237)
    tops = {body.name: body.at for body in model.body}
    assert tops["link 7"] == pytest.approx((-5.625 * 0.0254, 0.0, 54.0 * 0.0254))
    axes = {joint.name: joint.axis for joint in model.joint}
    for i in range(1, 8):
        assert abs(axes[f"joint {i}"][1 if i % 2 == 0 else 2]) == pytest.approx(1.0)


@pytest.mark.parametrize(("case", "until", "joint"), [(0, 1.5, 2), (1, 0.1, 4)])
def test_loads_of_the_rrc_arm_agree_by_three_ways(case: int, until: float, joint: int):
    """Driven, locked and free joints in one model; run B with its stiff spring."""
    run = library_model("rrc-arm", {"case": case}).simulate(until, rtol=1e-9, progress=False)
    for name in ("joint 2", "joint 4"):
        first, *others = (run.reaction(name, method=method) for method in LOAD_METHODS)
        for other in others:
            assert np.abs(first.wrench - other.wrench).max() < 1e-9 * np.abs(first.wrench).max()
    torques = [run.driving_force(f"joint {joint}", method=method).values for method in LOAD_METHODS]
    assert np.ptp(torques, axis=0).max() < 1e-9 * np.abs(torques).max()
    free = run.reaction("joint 6", frame="joint")
    assert np.abs(free.torque[:, 2]).max() < 1e-9 * np.abs(free.force).max()  # nothing drives it


def test_operations_counted_from_the_code_are_table_1():
    """6(n-i)+36 and 6(n-i)+36 against 36(n-i)+36 and 42(n-i)+36; linkwork's own kernels need fewer."""
    held = states_of_the_arm()
    for i in range(1, 8):
        below = 7 - i
        assert count_printed(held, i) == (
            (6 * below + 36, 6 * below + 36),
            (36 * below + 36, 42 * below + 36),
        )
        own, rival = count_packed(held, i)
        assert own[0] < 6 * below + 36
        assert own[1] < 6 * below + 36
        assert own[0] <= rival[0]


def test_the_counted_code_computes_the_reaction():
    """The counting numbers, the compiled formula, and the sum taken from every body: eq 30 ... Newton-Euler."""
    held = states_of_the_arm()
    for i in (1, 4, 7):
        a, b = np.zeros((2, len(held.L), 6))
        reactions(1, i, i, *held.tables(), a)
        for at in range(i, 8):
            reactions(1, i, at, *held.tables(), b)
            np.testing.assert_allclose(a, b, atol=1e-11 * np.abs(a).max())
        tally = Tally()
        told = counted(np.zeros_like(a), tally)
        reactions.py_func(1, i, i, *(counted(table, tally) for table in held.tables()), told)
        np.testing.assert_allclose(values(told), a, atol=1e-12 * np.abs(a).max())


def test_reactions_as_printed_and_by_the_kernels_for_trees_are_one():
    held = states_of_the_arm()
    for i in range(1, 8):
        printed = np.zeros((STATES, 6))
        reactions(1, i, i, *held.tables(), printed)
        for recursive in (0, 1):
            own = np.zeros((STATES, 8, 6))
            own_reactions(1, i, recursive, held.equations.system_ref, *held.own_tables(), own)
            np.testing.assert_allclose(own[:, i], printed, atol=1e-12 * np.abs(printed).max())


def test_slower_means_that_no_two_measurements_overlap():
    fast, slow, between = Times(np.array([1.0, 1.2])), Times(np.array([1.3, 1.5])), Times(np.array([1.1, 1.4]))
    assert slow.slower_than(fast)
    assert not fast.slower_than(slow)
    assert not between.slower_than(fast)
    assert not fast.slower_than(fast)
    assert slow.noise == pytest.approx(0.1 / 1.4)


@pytest.mark.slow
def test_p2_is_reproduced(tmp_path):
    items = reproduce(tmp_path)
    assert {item.verdict for item in items if item.table == "Table 1"} == {"reproduced: equal"}
    times = {item.item.split(":")[0]: item for item in items if item.table == "Table 3"}
    assert len(times) == 7
    for i in range(1, 7):
        assert times[f"joint {i}"].ratio_ours >= times[f"joint {i}"].ratio_paper
        assert times[f"joint {i}"].verdict == "reproduced: at least the paper's ratio"
    last = times["joint 7"]
    assert last.ratio_paper == pytest.approx(1.134, abs=5e-4) and last.ratio_ours == pytest.approx(1.0, abs=0.1)
    assert last.verdict.startswith("not reproduced, no slower: at the last joint both formulas are one sum")
    own = [item for item in items if item.table.startswith("Table 3, linkwork's own")]
    assert len(own) == 7 and all(item.ratio_ours >= item.ratio_paper for item in own)
    assert all(item.verdict.startswith("reproduced: at least the paper's ratio") for item in own)
    assert all(item.verdict == "reproduced: they agree" for item in items if item.paper == "equal (in words)")
    assert {item.table for item in items if item.paper == "equal (in words)"} == {f"Fig. {n}" for n in (5, 6, 7, 8)}
    assert len(list(tmp_path.glob("*.png"))) == 3
