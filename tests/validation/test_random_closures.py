"""Random trees of every kind of joint, closed to loops, against Pinocchio's constrained dynamics.

A ball or a weld between two bodies closes the loop.  The velocities are random ones that the closure allows, so that
its velocity terms count; Pinocchio solves with its own Jacobians and its proximal solver.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.mechanism import Mechanism
from peer_models import PinocchioTree
from random_mechanisms import DOF_COUNT, GROUND, LinkState, RandomTree, Shape, body_name, random_tree

KINDS = ("revolute", "prismatic", "spherical", "cylindrical", "universal", "planar", "screw", "fixed", "revolute")
CLOSURES = {"spherical": pin.ContactType.CONTACT_3D, "fixed": pin.ContactType.CONTACT_6D}


def drawn(seed: int, least: int) -> tuple[RandomTree, int, int]:
    """A tree with a branch, and two bodies of it that are to be joined with enough freedom between them."""
    rng = np.random.default_rng(seed)
    kinds = list(rng.permutation(KINDS))
    shapes = [Shape(GROUND if i == 0 else int(rng.integers(max(i - 2, 0), i)), kind) for i, kind in enumerate(kinds)]
    tree = random_tree(shapes, seed)
    a, b = GROUND, len(kinds) - 1
    way, freedom = b, 0
    while way != GROUND:
        freedom += DOF_COUNT[tree.links[way].shape.kind]
        way = tree.links[way].shape.parent
    return (tree, a, b) if freedom > least else drawn(seed + 1000, least)


def at_start(tree: RandomTree) -> list[LinkState]:
    e = np.array([1.0, 0.0, 0.0, 0.0])
    return [LinkState(e if link.shape.kind == "spherical" else np.zeros(DOF_COUNT[link.shape.kind]),
                      np.zeros(DOF_COUNT[link.shape.kind])) for link in tree.links]  # fmt: skip


def point_jacobian(peer: PinocchioTree, data: pin.Data, body: int, point: np.ndarray) -> np.ndarray:
    """Velocity of a point of the body that is now at `point`, and its angular velocity, world axes."""
    joint = peer.joint[body]
    if joint == 0:
        return np.zeros((6, peer.model.nv))
    J = pin.getJointJacobian(peer.model, data, joint, pin.LOCAL_WORLD_ALIGNED)
    arm = pin.skew(point - data.oMi[joint].translation)
    return np.vstack([J[:3] - arm @ J[3:], J[3:]])


def closed_by_pinocchio(
    tree: RandomTree, a: int, b: int, kind: str, point: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Admissible velocities and their rates, in linkwork's meaning and in the order of the bodies."""
    peer, states = PinocchioTree(tree), at_start(tree)
    model, data, q = peer.model, peer.model.createData(), peer._q(states)
    pin.forwardKinematics(model, data, q)
    here = [data.oMi[peer.joint[body]].actInv(pin.SE3(np.eye(3), point)) for body in (a, b)]
    closure = pin.RigidConstraintModel(CLOSURES[kind], model, peer.joint[a], here[0], peer.joint[b], here[1], pin.LOCAL)
    found = closure.createData()
    pin.computeJointJacobians(model, data, q)
    J = point_jacobian(peer, data, b, point) - point_jacobian(peer, data, a, point)
    J = J[:3] if kind == "spherical" else J
    v = np.random.default_rng(seed).uniform(-2.0, 2.0, model.nv)
    v -= np.linalg.lstsq(J, J @ v, rcond=1e-10)[0]
    assert np.linalg.matrix_rank(J, 1e-6) == len(J)
    models, room = pin.StdVec_RigidConstraintModel([closure]), pin.StdVec_RigidConstraintData([found])
    pin.initConstraintDynamics(model, data, models, room)
    solver = pin.ProximalSettings(1e-13, 1e-13, 0.0, 20)
    v_dot = pin.constraintDynamics(model, data, q, v, np.zeros(model.nv), models, room, solver)
    T = peer.transform(states)
    return T @ v, T @ v_dot


def closed(tree: RandomTree, a: int, b: int, kind: str, point: np.ndarray, v: np.ndarray) -> Mechanism:
    """The same in linkwork: the joints of the tree stay, the closure is cut."""
    said = tree.mechanism().model_dump(mode="python", exclude_unset=True)
    rates = np.split(v, np.cumsum([DOF_COUNT[link.shape.kind] for link in tree.links])[:-1])
    for joint, rate in zip(said["joint"], rates, strict=True):
        joint["cut"] = False
        if len(rate):
            joint["rate"] = float(rate[0]) if len(rate) == 1 else tuple(rate)
    closure = {"name": "closure", "kind": kind, "between": (body_name(a), body_name(b)), "at": point, "cut": True}
    return Mechanism.model_validate({**said, "joint": [*said["joint"], closure]})


@pytest.mark.parametrize("kind", CLOSURES)
@pytest.mark.parametrize("seed", range(6))
def test_accelerations_of_a_closed_tree_equal_pinocchio(seed: int, kind: str) -> None:
    tree, a, b = drawn(seed, 3 if kind == "spherical" else 6)
    point = tree.links[b].p_WJ + np.array([0.3, -0.2, 0.4])
    v, expected = closed_by_pinocchio(tree, a, b, kind, point, seed)
    result = simulate(closed(tree, a, b, kind, point, v), Options(until=1e-6, formulation="joint", rtol=1e-9))
    names = result.names["v"]
    order = [n for i in range(len(tree.links)) for n, name in enumerate(names) if name.startswith(f"J{i}.")]
    np.testing.assert_allclose(result.v[0, order], v, atol=1e-10)
    np.testing.assert_allclose(result.v_dot[0, order], expected, atol=1e-8 * np.abs(expected).max())
