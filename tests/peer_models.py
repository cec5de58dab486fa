"""The random trees of random_mechanisms.py in Pinocchio and MuJoCo, asked and answered in linkwork's conventions.

linkwork's velocities are linear in a peer's at a given position, `v = T v_peer`, so that accelerations, generalized
forces and mass matrices follow as

    v_dot = T v_dot_peer + bias,   tau_peer = T^T tau,   M_peer = T^T M T.

| joint     | linkwork                      | Pinocchio                       | MuJoCo                        |
|-----------|-------------------------------|---------------------------------|-------------------------------|
| spherical | w in the inboard frame F      | w in the outboard frame         | w in the outboard frame       |
| free      | v of the origin, w; world     | v, w in the body's axes         | v in world axes, w in body's  |

With R from body to world axes, d/dt (R v) = R (v_dot + w x v): only Pinocchio's free joint has a bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import mujoco
import numpy as np
import pinocchio as pin

from random_mechanisms import GROUND, PITCH, Link, LinkState, RandomTree, scalar_first


class Peer:
    """A tree in another program; `velocity_block` and `bias_block` translate one joint's velocities."""

    def __init__(self, tree: RandomTree) -> None:
        self.tree = tree

    def accelerations(self, states: Sequence[LinkState], tau: np.ndarray) -> np.ndarray:
        """linkwork's v_dot, in the order of the bodies."""
        T, bias = self.transform(states), self.bias(states)
        return T @ self._forward(self._q(states), self._v(states), T.T @ tau) + bias

    def forces(self, states: Sequence[LinkState], v_dot: np.ndarray) -> np.ndarray:
        """linkwork's tau."""
        T = self.transform(states)
        peer_v_dot = np.linalg.solve(T, v_dot - self.bias(states))
        return np.linalg.solve(T.T, self._inverse(self._q(states), self._v(states), peer_v_dot))

    def mass_matrix(self, states: Sequence[LinkState]) -> np.ndarray:
        """linkwork's M."""
        back = np.linalg.inv(self.transform(states))
        return back.T @ self._mass(self._q(states)) @ back

    def transform(self, states: Sequence[LinkState]) -> np.ndarray:
        """T: columns in the peer's order of velocities, rows in the order of the bodies."""
        T = np.zeros((self.tree.dof(), self.tree.dof()))
        ends = np.cumsum([0, *(len(state.v) for state in states)])
        for i, (link, state, rows) in enumerate(zip(self.tree.links, states, pairwise(ends), strict=True)):
            if len(state.v):
                first = self.first_v(i)
                T[slice(*rows), first : first + len(state.v)] = self.velocity_block(link.shape.kind, state)
        return T

    def bias(self, states: Sequence[LinkState]) -> np.ndarray:
        kinds = [link.shape.kind for link in self.tree.links]
        return np.concatenate([self.bias_block(kind, state) for kind, state in zip(kinds, states, strict=True)])

    def _v(self, states: Sequence[LinkState]) -> np.ndarray:
        return np.linalg.solve(self.transform(states), np.concatenate([state.v for state in states]))

    def _q(self, states: Sequence[LinkState]) -> np.ndarray:
        q = np.zeros(self.q_count())
        for i, state in enumerate(states):
            if len(state.q):
                first = self.first_q(i)
                q[first : first + len(state.q)] = self.coordinates(state.q)
        return q

    def bias_block(self, kind: str, state: LinkState) -> np.ndarray:
        return np.zeros(len(state.v))

    def evaluate(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M and h of M v_dot + h = tau, in the peer's own velocities; `motion_of` then answers for this state."""
        raise NotImplementedError

    def motion_of(self, i: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J and J' v of the velocity of a point of body i and of the body's angular velocity, world axes."""
        raise NotImplementedError


class PinocchioTree(Peer):
    """Built joint by joint, depth first (crba counts on it); what is fixed is welded to the joint it hangs on."""

    def __init__(self, tree: RandomTree) -> None:
        super().__init__(tree)
        self.model = pin.Model()
        self.model.gravity.linear = tree.gravity
        self.joint: dict[int, int] = {GROUND: 0}  # on which a body moves
        self._hang(GROUND, pin.SE3.Identity())
        self.data = self.model.createData()

    def _hang(self, parent: int, carrier: pin.SE3) -> None:
        """What hangs on a body that moves with a joint whose frame is `carrier`, in the world, at the initial pose."""
        for i, link in enumerate(self.tree.links):
            if link.shape.parent != parent:
                continue
            on, frame = self.joint[parent], carrier
            if link.shape.kind != "fixed":
                frame = pin.SE3(*link.link_frame)
                inboard = pin.SE3.Identity() if link.shape.kind == "free" else frame
                on = self.model.addJoint(on, _pin_joint(link), carrier.actInv(inboard), f"J{i}")
            self.joint[i] = on
            body = pin.Inertia(link.mass, link.p_BC, link.J_C)
            self.model.appendBodyToJoint(on, body, frame.actInv(pin.SE3(link.R_WB, link.p_WB)))
            self._hang(i, frame)

    def q_count(self) -> int:
        return self.model.nq

    def first_q(self, i: int) -> int:
        return self.model.joints[self.joint[i]].idx_q

    def first_v(self, i: int) -> int:
        return self.model.joints[self.joint[i]].idx_v

    @staticmethod
    def coordinates(q: np.ndarray) -> np.ndarray:
        return np.concatenate([q[:-4], np.roll(q[-4:], -1)]) if len(q) >= 4 else q  # scalar last

    @staticmethod
    def velocity_block(kind: str, state: LinkState) -> np.ndarray:
        if kind == "free":
            return np.kron(np.eye(2), state.R)
        return state.R if kind == "spherical" else np.eye(len(state.v))

    def bias_block(self, kind: str, state: LinkState) -> np.ndarray:
        if kind != "free":
            return np.zeros(len(state.v))
        return np.concatenate([np.cross(state.v[3:], state.v[:3]), np.zeros(3)])

    def _forward(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return pin.aba(self.model, self.data, q, v, tau).copy()

    def _inverse(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray) -> np.ndarray:
        return pin.rnea(self.model, self.data, q, v, v_dot).copy()

    def _mass(self, q: np.ndarray) -> np.ndarray:
        M = np.triu(pin.crba(self.model, self.data, q))
        return M + np.triu(M, 1).T

    def evaluate(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        M, h = self._mass(q), pin.nonLinearEffects(self.model, self.data, q, v).copy()
        pin.computeJointJacobians(self.model, self.data, q)
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        return M, h

    def motion_of(self, i: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        joint, frame = self.joint[i], pin.LOCAL_WORLD_ALIGNED
        if joint == 0:
            return np.zeros((6, self.model.nv)), np.zeros(6)
        J = pin.getJointJacobian(self.model, self.data, joint, frame).reshape(6, -1)
        a = pin.getClassicalAcceleration(self.model, self.data, joint, frame)
        w = pin.getVelocity(self.model, self.data, joint, frame).angular
        r = point - self.data.oMi[joint].translation
        drift = a.linear + np.cross(a.angular, r) + np.cross(w, np.cross(w, r))
        return np.vstack([J[:3] - pin.skew(r) @ J[3:], J[3:]]), np.concatenate([drift, a.angular])


def _pin_joint(link: Link) -> pin.JointModel:
    kind = link.shape.kind
    if kind == "free":
        return pin.JointModelFreeFlyer()
    if kind == "spherical":
        return pin.JointModelSpherical()
    if kind == "screw":
        return pin.JointModelHelicalUnaligned(link.signed_axis, PITCH / (2.0 * np.pi))
    one = {"hinge": pin.JointModelRevoluteUnaligned, "slide": pin.JointModelPrismaticUnaligned}
    parts = [one[motion](*axis) for motion, axis in link.elementary]
    if len(parts) == 1:
        return parts[0]
    whole = pin.JointModelComposite()
    for part in parts:
        whole.addJoint(part)
    return whole


MUJOCO_JOINTS = {"spherical": "ball", "free": "free"}


class MujocoTree(Peer):
    """MJCF in memory; full inertias, no geometry, no contacts, nothing but bodies and joints."""

    def __init__(self, tree: RandomTree) -> None:
        super().__init__(tree)
        option = f'<option gravity="{_numbers(tree.gravity)}"><flag constraint="disable" contact="disable"/></option>'
        world = f"<worldbody>{self._children(GROUND)}</worldbody>"
        text = f'<mujoco><compiler angle="radian" inertiafromgeom="false"/>{option}{world}</mujoco>'
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def _children(self, parent: int) -> str:
        return "".join(self._body(i) for i, link in enumerate(self.tree.links) if link.shape.parent == parent)

    def _body(self, i: int) -> str:
        link = self.tree.links[i]
        R, p = link.link_frame
        R_parent, p_parent = (np.eye(3), np.zeros(3))
        if link.shape.parent != GROUND:
            R_parent, p_parent = self.tree.links[link.shape.parent].link_frame
        pose = f'pos="{_numbers(R_parent.T @ (p - p_parent))}" quat="{_numbers(scalar_first(R_parent.T @ R))}"'
        joint = ""
        if link.shape.kind in MUJOCO_JOINTS:
            joint = f'<joint name="J{i}" type="{MUJOCO_JOINTS[link.shape.kind]}"/>'
        elif link.shape.kind != "fixed":
            names = [f"J{i}", f"J{i} second", f"J{i} third"]
            joint = "".join(
                f'<joint name="{name}" type="{motion}" axis="{_numbers(axis)}"/>'
                for name, (motion, axis) in zip(names, link.elementary, strict=False)
            )
        centre = R.T @ (link.p_WB + link.R_WB @ link.p_BC - p)
        J = R.T @ link.R_WB @ link.J_C @ link.R_WB.T @ R
        full = _numbers([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
        inertial = f'<inertial pos="{_numbers(centre)}" mass="{link.mass!r}" fullinertia="{full}"/>'
        return f'<body name="body {i}" {pose}>{joint}{inertial}{self._children(i)}</body>'

    def q_count(self) -> int:
        return self.model.nq

    def first_q(self, i: int) -> int:
        return self.model.joint(f"J{i}").qposadr[0]

    def first_v(self, i: int) -> int:
        return self.model.joint(f"J{i}").dofadr[0]

    @staticmethod
    def coordinates(q: np.ndarray) -> np.ndarray:
        return q

    @staticmethod
    def velocity_block(kind: str, state: LinkState) -> np.ndarray:
        if kind == "free":
            T = np.eye(6)
            T[3:, 3:] = state.R
            return T
        return state.R if kind == "spherical" else np.eye(len(state.v))

    def _forward(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def _inverse(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray) -> np.ndarray:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, v, v_dot
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse.copy()

    def _mass(self, q: np.ndarray) -> np.ndarray:
        self.data.qpos[:] = q
        mujoco.mj_forward(self.model, self.data)
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def evaluate(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.data.qvel[:], self.data.qfrc_applied[:] = v, 0.0
        return self._mass(q), self.data.qfrc_bias.copy()

    def motion_of(self, i: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        J, J_dot = np.zeros((2, 6, self.model.nv))
        body = self.model.body(f"body {i}").id
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], point, body)
        mujoco.mj_jacDot(self.model, self.data, J_dot[:3], J_dot[3:], point, body)
        return J, J_dot @ self.data.qvel


def _numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
