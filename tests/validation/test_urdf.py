"""URDF: the same file read by linkwork and by Pinocchio moves in the same way."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import ModelWarning

INERTIA = 'ixx="0.02" ixy="0.003" ixz="-0.002" iyy="0.03" iyz="0.001" izz="0.025"'
LIMIT = '<limit lower="-1.5" upper="2" effort="10" velocity="5"/>'


def link(
    name: str, mass: float | None = 1.0, at: str = "0.1 -0.05 0.2", turned: str = "0.3 -0.4 0.5", more: str = ""
) -> str:
    inertial = f'<inertial><origin xyz="{at}" rpy="{turned}"/><mass value="{mass}"/><inertia {INERTIA}/></inertial>'
    return f'<link name="{name}">{inertial if mass else ""}{more}</link>'


def joint(name: str, kind: str, parent: str, child: str, axis: str = "0 0 1", xyz: str = "0.3 0.1 -0.2",
          rpy: str = "0.2 0.7 -0.3", more: str = "") -> str:  # fmt: skip
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{more}</joint>')  # fmt: skip


def robot(*parts: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="r">\n{chr(10).join(parts)}\n</robot>\n'


MESH = ('<visual><origin xyz="0 0 0.1"/><geometry><mesh filename="arm.stl" scale="0.001 0.001 0.001"/></geometry>'
        '<material name="m"><color rgba="1 0 0 1"/></material></visual>'
        '<visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual>')  # fmt: skip

ARM = robot(
    link("base", 5.0),
    link("shoulder", 2.0, more=MESH),
    link("yoke", None),  # carries the elbow: two axes in one place
    link("elbow", 1.5),
    link("slide", 0.7),
    link("plate", 0.4),
    link("tool", None),
    joint("turn", "continuous", "base", "shoulder"),
    joint("pitch", "revolute", "shoulder", "yoke", axis="0 1 0", more=LIMIT),
    joint("roll", "revolute", "yoke", "elbow", axis="1 0 0", xyz="0 0 0", rpy="0 0 0", more=LIMIT),
    joint("lift", "prismatic", "elbow", "slide", axis="0.6 0 0.8", more=LIMIT),
    joint("weld", "fixed", "slide", "plate"),
    joint("mount", "fixed", "plate", "tool"),
)
FLOATING = robot(
    link("world", None), link("ship", 3.0), link("mast", 1.0),
    joint("float", "floating", "world", "ship"),
    joint("hinge", "revolute", "ship", "mast", axis="0 0.6 0.8", more=LIMIT),
)  # fmt: skip
PLANAR = robot(
    link("world", None), link("cart", 3.0), link("arm", 1.0),
    joint("floor", "planar", "world", "cart", rpy="0 0 0"), joint("hinge", "continuous", "cart", "arm", axis="1 0 0"),
)  # fmt: skip


def written(folder, text: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(text)
    return path


def read(folder, text: str) -> lw.Model:
    return lw.Model.read(written(folder, text))


class Pair:
    """One robot in both programs; a state and its accelerations joint by joint."""

    def __init__(self, model: lw.Model, text: str) -> None:
        self.calls = model.calls()
        self.peer = pin.buildModelFromXML(text)
        self.peer.gravity.linear = np.array([0.0, 0.0, -9.81])
        self.data = self.peer.createData()

    def columns(self, name: str, names) -> list[int]:
        return [i for i, full in enumerate(names) if full.rsplit(".", 1)[0] == name]

    def accelerations(self, rng) -> tuple[np.ndarray, np.ndarray]:
        q, v = np.zeros(len(self.calls.q_names)), rng.uniform(-2, 2, len(self.calls.v_names))
        peer_q, peer_v = pin.neutral(self.peer), np.zeros(self.peer.nv)
        T, bias = np.zeros((self.peer.nv, self.peer.nv)), np.zeros(self.peer.nv)
        for j in range(1, self.peer.njoints):
            one, name = self.peer.joints[j], self.peer.names[j]
            mine_q, mine_v = self.columns(name, self.calls.q_names), self.columns(name, self.calls.v_names)
            at = slice(one.idx_v, one.idx_v + one.nv)
            placed = self.peer.jointPlacements[j]
            coordinates = rng.uniform(-1, 1, 3)
            R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
            if one.shortname() == "JointModelFreeFlyer":  # peer: v and w in the body's axes
                peer_q[one.idx_q : one.idx_q + 7] = [*coordinates, *Rotation.from_matrix(R).as_quat()]
                world = placed.rotation @ R
                q[mine_q] = [*(placed.translation + placed.rotation @ coordinates),
                             *np.roll(Rotation.from_matrix(world).as_quat(), 1)]  # fmt: skip
                T[mine_v, at] = np.kron(np.eye(2), world)
                bias[mine_v] = [*np.cross(v[mine_v[3:]], v[mine_v[:3]]), 0, 0, 0]
            elif one.shortname() == "JointModelPlanar":  # peer: v in the body's axes
                c, s = np.cos(coordinates[2]), np.sin(coordinates[2])
                peer_q[one.idx_q : one.idx_q + 4] = [*coordinates[:2], c, s]
                q[mine_q] = coordinates
                T[np.ix_(mine_v, range(one.idx_v, one.idx_v + 3))] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
                vx, vy, w = v[mine_v]
                bias[mine_v] = [-w * vy, w * vx, 0]
            else:
                q[mine_q] = coordinates[0]
                unbounded = one.nq == 2
                peer_q[one.idx_q : one.idx_q + one.nq] = (
                    [np.cos(coordinates[0]), np.sin(coordinates[0])] if unbounded else coordinates[:1]
                )
                T[mine_v, at] = 1.0
        peer_v = np.linalg.solve(T, v)
        tau = rng.uniform(-5, 5, self.peer.nv)
        peer_v_dot = pin.aba(self.peer, self.data, peer_q, peer_v, T.T @ tau)
        return self.calls.forward(q, v, tau), T @ peer_v_dot + bias


@pytest.mark.filterwarnings("ignore::linkwork.errors.ModelWarning")
@pytest.mark.parametrize("text", [ARM, FLOATING, PLANAR], ids=["arm", "floating", "planar"])
def test_forward_dynamics_are_pinocchios(text, tmp_path, rng):
    pair = Pair(read(tmp_path, text), text)
    for _ in range(20):
        mine, theirs = pair.accelerations(rng)
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.filterwarnings("ignore::linkwork.errors.ModelWarning")
def test_links_without_mass_are_frames_and_pictures_are_kept(tmp_path):
    m = read(tmp_path, ARM).mechanism
    assert [(f.name, f.body) for f in m.frame] == [("tool", "plate")]
    np.testing.assert_allclose(m.frame[0].at, (0.3, 0.1, -0.2))
    mesh, tube = next(b for b in m.body if b.name == "shoulder").pictures
    assert (mesh.kind, mesh.file, mesh.scale, mesh.colour) == ("mesh", "arm.stl", (0.001,) * 3, (1.0, 0.0, 0.0, 1.0))
    assert (tube.kind, tube.size) == ("cylinder", (0.1, 0.4))


def test_limits_are_said_not_to_stop(tmp_path):
    with pytest.warns(ModelWarning, match=r"limits of joints 'hinge' do not stop them; the parameter stop_stiffness"):
        read(tmp_path, FLOATING)


def test_limits_become_stops_on_request(tmp_path):
    model = lw.Model.read(written(tmp_path, FLOATING), {"stop_stiffness": 1e5})
    (stop,) = model.mechanism.stop
    assert (stop.joint, stop.lower, stop.upper, stop.stiffness, stop.exponent) == ("hinge", -1.5, 2.0, 1e5, 1.0)


def test_damping_acts(tmp_path):
    damped = joint("j", "continuous", "w", "a", more='<dynamics damping="0.3"/>')
    model = read(tmp_path, robot(link("w", None), link("a", 1.0), damped))
    q, v = np.zeros(1), np.ones(1)
    calls = model.calls()
    inertia = calls.mass_matrix(q)[0, 0]
    assert (calls.forward(q, 0 * v) - calls.forward(q, v))[0] * inertia == pytest.approx(0.3, rel=1e-12)


def test_a_mimic_joint_follows(tmp_path, rng):
    """Against Pinocchio's open chain reduced by hand: v = G v_1, (G^T M G) v_dot_1 = -G^T (bias)."""
    follow = '<mimic joint="a" multiplier="-2" offset="0.3"/>'
    chain = (link("w", None), link("one"), link("two", 2.0), joint("a", "revolute", "w", "one", more=LIMIT))
    text = robot(*chain, joint("b", "revolute", "one", "two", axis="0.6 0.8 0", more=LIMIT + follow))
    with pytest.warns(ModelWarning):
        calls = read(tmp_path, text).calls()
    peer = pin.buildModelFromXML(text.replace(follow, ""))
    data = peer.createData()
    for _ in range(5):
        a, rate = rng.uniform(-1, 1, 2)
        q, v, G = np.array([a, 0.3 - 2 * a]), np.array([rate, -2 * rate]), np.array([1.0, -2.0])
        M = pin.crba(peer, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        bias = pin.nle(peer, data, q, v)
        expected = G * (-G @ bias) / (G @ M @ G)
        np.testing.assert_allclose(calls.forward(q, v), expected, rtol=1e-9)


def test_a_loop_is_closed_by_a_model_file_that_includes_the_robot(tmp_path):
    """Two equal arms of 1 m, lifted by 0.5 rad, and a bar on the first: a parallelogram, with one degree of freedom."""
    bars = [link(name, 1.0, at="0.5 0 0", turned="0 0 0") for name in ("left", "right", "top")]
    (tmp_path / "bars.urdf").write_text(robot(
        link("world", None), *bars,
        joint("A", "continuous", "world", "left", axis="0 1 0", xyz="0 0 0", rpy="0 -0.5 0"),
        joint("D", "continuous", "world", "right", axis="0 1 0", xyz="1 0 0", rpy="0 -0.5 0"),
        joint("B", "continuous", "left", "top", axis="0 1 0", xyz="1 0 0", rpy="0 0.5 0"),
    ))  # fmt: skip
    side = tmp_path / "four-bar.toml"
    side.write_text(
        'include = ["bars.urdf"]\ngravity = [0, 0, -9.81]\n[[joint]]\nname = "C"\nkind = "revolute"\n'
        'between = ["top", "right"]\nat = ["1 + cos(0.5)", 0, "sin(0.5)"]\naxis = "y"\n'
    )
    answer = CliRunner().invoke(app, ["check", str(side), "--json"])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert (told["dof"], told["loops"], told["bodies"], len(told["redundant"])) == (1, 1, 3, 3)


def test_the_command_runs_a_robot_and_tells_what_was_left_out(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    answer = CliRunner().invoke(app, ["run", str(path), "--until", "0.05", "--json"])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)
    assert (told["dof"], told["status"]) == (4, "finished")
    (warning,) = told["warnings"]
    assert warning.startswith("arm.urdf: the limits of joints ") and "there is no mesh 'arm.stl'" in warning


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<robot name='r'><link", ("not valid XML", "line 1")),
        (robot(link("w"), link("a", None), joint("j", "continuous", "w", "a")), ("link 'a'", "no mass", "<inertial>")),
        (robot(link("w"), link("a"), joint("j", "revolut", "w", "a")), ("joint 'j'", "did you mean 'revolute'")),
        (robot(link("w"), link("a"), joint("j", "fixed", "w", "aa")), ("no link 'aa'", "did you mean 'a'")),
        (robot(link("w"), link("a")), ("2 links", "'w', 'a'")),
        (robot(link("w"), link("a"), link("b"), joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")),
         ("links 'a', 'b'", "hang on each other")),
        (robot(link("w"), link("a"), joint("j", "continuous", "w", "a", more='<mimic joint="k"/>')), ("'k'", "'j'")),
        (robot(link("w"), link("a", -1.0), joint("j", "fixed", "w", "a")), ("line 4", "body 'a'", "mass is -1")),
        (robot(link("w"), link("a", at="x 0 0"), joint("j", "fixed", "w", "a")), ("cannot be read as URDF", "x")),
        (robot(link("w"), link("a").replace('izz="0.025"', 'izz="2"'), joint("j", "fixed", "w", "a")),
         ("line 4", "body 'a'", "sum of the other two")),
    ],
)  # fmt: skip
def test_bad_robots_are_refused_in_a_sentence(text, words, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with pytest.raises(lw.LinkworkError) as caught:
        lw.Model.read(path)
    assert caught.value.exit_code == 2
    for word in words:
        assert word in str(caught.value)
