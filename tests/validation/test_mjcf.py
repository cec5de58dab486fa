"""MJCF: the same file read by linkwork and by MuJoCo moves in the same way."""

from __future__ import annotations

import json

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.view.scene.run_scene import scene_at_start
from linkwork.view.scene.scene import rotations

RIGID = '<option gravity="1 -2 -9"><flag contact="disable"/></option>'

ARM = f"""<mujoco model="arm">
  <compiler angle="degree"/>{RIGID}
  <default><geom density="800"/>
    <default class="stiff"><joint damping="0.3" stiffness="4" springref="20"/></default></default>
  <worldbody>
    <body name="column" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="turn" type="hinge" axis="0 0 1" ref="15" class="stiff"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.2 0.5" size="0.05"/>
      <site name="eye" pos="0 0 0.2" euler="0 90 0"/>
      <body name="yoke" pos="0 0.1 0.5" euler="0 40 0">
        <joint name="pitch" type="hinge" axis="0 1 0" pos="0.02 0 0.01"/>
        <joint name="yaw" type="hinge" axis="1 0 1" pos="0 0.03 0"/>
        <joint name="reach" type="slide" axis="1 2 0" stiffness="30" damping="2" springref="0.1"/>
        <geom type="box" size="0.1 0.05 0.2" pos="0.1 0 0"/>
        <body name="bracket" pos="0 0 0.2" euler="30 0 0">
          <inertial pos="0.05 0 0.1" mass="0.7" fullinertia="0.02 0.03 0.025 0.003 -0.002 0.001"/>
          <body name="tip" pos="0.1 0 0"/>
          <body name="wrist" pos="0 0.2 0.1" euler="0 0 50">
            <joint name="ball" type="ball" pos="0 0 -0.05"/>
            <geom type="ellipsoid" size="0.05 0.1 0.07"/><geom type="sphere" size="0.04" pos="0.2 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

SHIP = f"""<mujoco model="ship">{RIGID}
  <worldbody>
    <body name="ship" pos="1 2 3" euler="10 20 30"><freejoint name="sea"/><geom type="box" size="0.5 0.2 0.1"/>
      <body name="mast" pos="0.1 0 0.1" euler="0 0 20"><joint name="step" axis="0 1 0"/>
        <geom type="cylinder" size="0.02 0.6"/></body>
    </body>
  </worldbody>
</mujoco>"""

FOUR_BAR = """<mujoco model="bars"><option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <default><geom type="capsule" size="0.02"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="left"><joint name="A"/><geom fromto="0 0 0 0.5 0 0.8"/>
      <body name="top" pos="0.5 0 0.8"><joint name="B"/><geom fromto="0 0 0 1 0 0"/></body></body>
    <body name="right" pos="1 0 0"><joint name="D"/><geom fromto="0 0 0 0.5 0 0.8"/>
      <body name="cap" pos="0.5 0 0.8"><joint name="E"/><geom fromto="0 0 0 0.1 0 0"/></body></body>
  </worldbody>
  <equality>{}</equality>
</mujoco>"""
LOOPS = {
    "connect": '<connect name="C" body1="top" body2="right" anchor="1 0 0"/>',
    "weld": '<weld name="C" body1="top" body2="cap"/>',
    "joint": '<joint name="C" joint1="A" joint2="D" polycoef="0 2 0 0 0"/>',
    "sites": '<connect name="C" site1="top end" site2="right end"/>',
}


def loop_text(kind: str) -> str:
    text = FOUR_BAR.format(LOOPS[kind])
    if kind != "sites":
        return text
    bar = '<geom fromto="0 0 0 1 0 0"/>'
    text = text.replace(bar, f'{bar}<site name="top end" pos="1 0 0"/>')
    return text.replace('<body name="cap"', '<site name="right end" pos="0.5 0 0.8"/><body name="cap"')


class Pair:
    """One model in both programs."""

    def __init__(self, folder, text: str) -> None:
        path = folder / "model.xml"
        path.write_text(text)
        self.model = lw.Model.read(path)
        self.calls = self.model.calls()
        self.peer = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.peer)

    def mine(self, name: str, names) -> list[int]:
        return [i for i, full in enumerate(names) if full.rsplit(".", 1)[0] == name]

    def accelerations(self, rng, tau_scale: float = 5.0) -> tuple[np.ndarray, np.ndarray]:
        m, nv = self.peer, self.peer.nv
        q, v = np.zeros(len(self.calls.q_names)), rng.uniform(-2, 2, nv)
        peer_q, T = m.qpos0.copy(), np.zeros((nv, nv))
        for j in range(m.njnt):
            joint, at_q, at_v = m.joint(j), m.jnt_qposadr[j], m.jnt_dofadr[j]
            mine_q, mine_v = self.mine(joint.name, self.calls.q_names), self.mine(joint.name, self.calls.v_names)
            R = Rotation.random(random_state=int(rng.integers(2**31)))
            if joint.type[0] == mujoco.mjtJoint.mjJNT_FREE:  # peer: v in world axes, w in the body's
                peer_q[at_q : at_q + 7] = q[mine_q] = [*rng.uniform(-1, 1, 3), *np.roll(R.as_quat(), 1)]
                T[np.ix_(mine_v[3:], range(at_v + 3, at_v + 6))] = R.as_matrix()
                T[np.ix_(mine_v[:3], range(at_v, at_v + 3))] = np.eye(3)
            elif joint.type[0] == mujoco.mjtJoint.mjJNT_BALL:  # peer: w in the body's axes
                mujoco.mj_resetData(m, self.data)  # mine: in axes that are the world's at the start
                mujoco.mj_kinematics(m, self.data)
                R0 = Rotation.from_quat(np.roll(self.data.xquat[m.jnt_bodyid[j]], -1))
                peer_q[at_q : at_q + 4] = np.roll(R.as_quat(), 1)
                q[mine_q] = np.roll((R0 * R * R0.inv()).as_quat(), 1)
                T[np.ix_(mine_v, range(at_v, at_v + 3))] = (R0 * R).as_matrix()
            else:
                q[mine_q] = rng.uniform(-1, 1)
                peer_q[at_q] += q[mine_q[0]]
                T[mine_v, at_v] = 1.0
        tau = rng.uniform(-tau_scale, tau_scale, nv)
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = peer_q, np.linalg.solve(T, v), T.T @ tau
        mujoco.mj_forward(m, self.data)
        return self.calls.forward(q, v, tau), T @ self.data.qacc


@pytest.mark.parametrize("text", [ARM, SHIP], ids=["arm", "ship"])
def test_forward_dynamics_are_mujocos(text, tmp_path, rng):
    pair = Pair(tmp_path, text)
    for _ in range(20):
        mine, theirs = pair.accelerations(rng)
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


def test_two_joints_in_one_body_within_a_loop(tmp_path):
    """The right arm also slides, on a carrier: the parallelogram gets a second freedom, and keeps its energy."""
    hinge = '<joint name="D"/>'
    text = loop_text("connect").replace(hinge, f'{hinge}<joint name="S" type="slide" axis="1 0 0"/>')
    model = Pair(tmp_path, text).model
    assert model.check().dof == 3  # with that of the cap
    run = model.simulate(0.3, rtol=1e-8, progress=False)
    assert run.certificate.dof == 3
    assert run.certificate.energy_drift < 1e-6


@pytest.mark.parametrize("kind", LOOPS)
def test_loops_are_closed_by_equalities(kind, tmp_path):
    """At rest the rigid loop of MuJoCo's own M and Jacobian: (M, J^T; J, 0) (v_dot, lam) = (Q, 0)."""
    pair = Pair(tmp_path, loop_text(kind))
    m, d = pair.peer, pair.data
    mujoco.mj_forward(m, d)
    J = d.efc_J.reshape(-1, m.nv)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    KKT = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    theirs = np.linalg.lstsq(KKT, np.concatenate([-d.qfrc_bias, np.zeros(len(J))]), rcond=1e-12)[0][: m.nv]
    order = [pair.mine(m.joint(j).name, pair.calls.v_names)[0] for j in range(m.njnt)]
    mine = pair.calls.forward(np.zeros(len(pair.calls.q_names)), np.zeros(m.nv))[order]
    np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())
    assert all(j.cut is True for j in pair.model.mechanism.joint if j.name == "C")


def test_frames_pictures_and_names(tmp_path):
    m = Pair(tmp_path, ARM).model.mechanism
    assert {f.name: f.body for f in m.frame} == {"tip": "bracket", "eye": "column"}
    capsule = next(b for b in m.body if b.name == "column").pictures[0]
    assert capsule.kind == "capsule"
    assert capsule.size == pytest.approx((0.05, np.sqrt(0.3)))
    assert m.gravity == (1.0, -2.0, -9.0)
    assert lw.Model.of(m).check().dof == 7


def test_the_command_runs_a_model_and_tells_what_was_left_out(tmp_path):
    path = tmp_path / "model.xml"
    text = ARM.replace('<flag contact="disable"/>', "").replace('name="yaw"', 'name="yaw" range="-30 30"')
    path.write_text(text.replace("</mujoco>", '<actuator><motor joint="yaw"/></actuator></mujoco>'))
    answer = CliRunner().invoke(app, ["run", str(path), "--until", "0.02", "--json"])
    assert answer.exit_code == 0, answer.output
    warnings = json.loads(answer.stdout)["warnings"]
    for word in ("limits of joints 'yaw'", "geometries do not touch", "1 actuators"):
        assert any(word in warning for warning in warnings)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("<worldbody>", "<worldbody", ("not valid XML", "line")),
        ('type="ball"', 'type="bal"', ("refused by MuJoCo", "line")),
        ('name="yaw"', 'name="yaw" armature="0.1"', ("joint 'yaw'", "armature")),
        ('name="yaw"', 'name="yaw" frictionloss="0.1"', ("joint 'yaw'", "frictionloss")),
        ('name="ball"', 'name="ball" damping="1"', ("joint 'ball'", "damping", "not a hinge or slide")),
        ('name="ball"', 'name="ball" stiffness="1"', ("joint 'ball'", "spring", "not a hinge or slide")),
        ("</worldbody>", '</worldbody><equality><joint joint1="yaw" joint2="turn" polycoef="0 1 2 0 0"/></equality>',
         ("higher degree",)),
        ("<mujoco model", "<robot model", ("not a <mujoco>",)),
        ('gravity="1 -2 -9"', 'gravity="1 -2 -9" density="1.2"', ("fluid",)),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_a_sentence(good, bad, words, tmp_path):
    assert good in ARM
    path = tmp_path / "model.xml"
    text = ARM.replace(good, bad, 1)
    path.write_text(text.replace("</mujoco>", "</robot>") if "<robot" in bad else text)
    with pytest.raises(lw.FileError) as caught:
        lw.Model.read(path)
    for word in ("model.xml", *words):
        assert word in str(caught.value)


def test_meshes_stand_where_mujoco_has_them(tmp_path):
    """A brick away from its own origin, in millimetres: MuJoCo moves a mesh to its centre, the picture goes back."""
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "assets").mkdir()
    brick = trimesh.creation.box((100.0, 200.0, 300.0)).apply_translation((50.0, 0.0, 20.0))
    brick.export(tmp_path / "assets" / "brick.stl")
    path = tmp_path / "brick.xml"
    path.write_text(
        '<mujoco><compiler meshdir="assets"/><asset><mesh name="b" file="brick.stl" scale="0.001 0.001 0.001"/></asset>'
        '<worldbody><body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom type="mesh" mesh="b"/></body>'
        "</worldbody></mujoco>"
    )
    scene = scene_at_start(lw.Model.read(path).mechanism)
    (part,) = scene.bodies[1].parts
    corners = part.mesh.vertices @ rotations(np.array(part.turn)).T + np.array(part.at)
    np.testing.assert_allclose(corners.min(axis=0), [0.0, -0.1, -0.13], atol=1e-7)
    np.testing.assert_allclose(corners.max(axis=0), [0.1, 0.1, 0.17], atol=1e-7)
