"""Random open trees: forward dynamics, inverse dynamics and mass matrix equal to Pinocchio's and MuJoCo's.

Branches, floating bases, balls, sliders, hinges, crosses, screws, welds; joint frames anywhere, centres of mass off the
joints, full inertia tensors, large angles and speeds.  Two programs with other conventions and other code must agree to
rounding.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from linkwork.analyses.single_state import Calls
from linkwork.analyses.start.assembly import assemble
from linkwork.mechanism import Mechanism
from peer_models import MujocoTree, Peer, PinocchioTree
from random_mechanisms import DOF_COUNT, GROUND, LinkState, RandomTree, Shape, random_states, random_tree

RELATIVE = 1e-9
PEERS = {"pinocchio": PinocchioTree, "mujoco": MujocoTree}


@st.composite
def shapes(draw, most: int = 30) -> list[Shape]:
    """The structure of a tree; each body hangs on any body before it, or on ground."""
    found: list[Shape] = []
    for i in range(draw(st.integers(1, most))):
        parent = draw(st.integers(GROUND, i - 1))
        kinds = ["revolute", "prismatic", "spherical", "fixed", "cylindrical", "universal", "planar"]
        kinds += ["free"] if parent == GROUND else []
        kind = draw(st.sampled_from(kinds))
        backward = kind in ("revolute", "prismatic", "fixed", "cylindrical") and draw(st.booleans())
        found.append(Shape(parent, kind, backward, said_at_all=kind != "free" or draw(st.booleans())))
    assume(any(DOF_COUNT[shape.kind] for shape in found))
    return found


seeds = st.integers(0, 2**31 - 1)
searched = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class LinkworkTree:
    """linkwork's calls, with vectors in the order of the bodies instead of its own."""

    def __init__(self, tree: RandomTree) -> None:
        self.calls = Calls(assemble(tree.mechanism(), "joint"))
        elements = [tree.element(i) for i in range(len(tree.links))]
        self.q_order = in_order_of(elements, self.calls.q_names)
        self.v_order = in_order_of(elements, self.calls.v_names)

    def accelerations(self, states: Sequence[LinkState], tau: np.ndarray) -> np.ndarray:
        own = np.empty(len(tau))
        own[self.v_order] = tau
        return self.calls.forward(*self.state(states), own)[self.v_order]

    def forces(self, states: Sequence[LinkState], v_dot: np.ndarray) -> np.ndarray:
        own = np.empty(len(v_dot))
        own[self.v_order] = v_dot
        return self.calls.inverse(*self.state(states), own)[self.v_order]

    def mass_matrix(self, states: Sequence[LinkState]) -> np.ndarray:
        return self.calls.mass_matrix(self.state(states)[0])[np.ix_(self.v_order, self.v_order)]

    def state(self, states: Sequence[LinkState]) -> tuple[np.ndarray, np.ndarray]:
        q, v = np.empty(len(self.q_order)), np.empty(len(self.v_order))
        q[self.q_order] = np.concatenate([state.q for state in states])
        v[self.v_order] = np.concatenate([state.v for state in states])
        return q, v


def in_order_of(elements: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """Where the names 'element.coordinate' of each element stand."""
    return np.array([n for e in elements for n, name in enumerate(names) if name.rsplit(".", 1)[0] == e], dtype=int)


def relative_error(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def errors_against(peer: Peer, tree: RandomTree, seed: int) -> dict[str, float]:
    """Relative errors of the three calls at a random state with random forces and accelerations."""
    ours, states = LinkworkTree(tree), random_states(tree, seed)
    rng = np.random.default_rng(seed + 2)
    tau, v_dot = rng.uniform(-20.0, 20.0, (2, tree.dof()))
    return {
        "forward": relative_error(ours.accelerations(states, tau), peer.accelerations(states, tau)),
        "inverse": relative_error(ours.forces(states, v_dot), peer.forces(states, v_dot)),
        "mass matrix": relative_error(ours.mass_matrix(states), peer.mass_matrix(states)),
    }


@pytest.mark.parametrize("peer", PEERS)
@searched
@given(structure=shapes(), seed=seeds)
def test_calls_equal_another_program(peer: str, structure: list[Shape], seed: int) -> None:
    tree = random_tree(structure, seed)
    errors = errors_against(PEERS[peer](tree), tree, seed)
    assert max(errors.values()) < RELATIVE, errors


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "spherical", "free", "cylindrical", "universal", "planar"])
def test_one_joint_equals_another_program(peer: str, kind: str) -> None:
    tree = random_tree([Shape(GROUND, kind)], seed=7)
    errors = errors_against(PEERS[peer](tree), tree, seed=8)
    assert max(errors.values()) < 1e-12, errors


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_joint_said_backward_has_the_opposite_sense(peer: str, kind: str) -> None:
    tree = random_tree([Shape(GROUND, "free"), Shape(0, kind, said_backward=True)], seed=11)
    errors = errors_against(PEERS[peer](tree), tree, seed=12)
    assert max(errors.values()) < 1e-12, errors


@pytest.mark.parametrize("seed", range(8))
def test_chains_with_screws_equal_pinocchio(seed: int) -> None:
    """All kinds in a random order, screws among them, which MuJoCo does not have."""
    rng = np.random.default_rng(seed)
    kinds = ["screw", "cylindrical", "universal", "planar", "spherical", "revolute", "prismatic", "screw", "fixed"]
    rng.shuffle(kinds)
    structure = [Shape(i - 1, kind, kind == "screw" and bool(rng.integers(2))) for i, kind in enumerate(kinds)]
    tree = random_tree(structure, seed)
    errors = errors_against(PinocchioTree(tree), tree, seed)
    assert max(errors.values()) < RELATIVE, errors


@pytest.mark.parametrize("peer", PEERS)
def test_long_chain_equals_another_program(peer: str) -> None:
    kinds = ("revolute", "spherical", "revolute", "prismatic")
    chain = [Shape(i - 1, kinds[i % 4]) for i in range(100)]
    tree = random_tree(chain, seed=5)
    errors = errors_against(PEERS[peer](tree), tree, seed=6)
    assert max(errors.values()) < RELATIVE, errors


@searched
@given(structure=shapes(), seed=seeds)
def test_inverse_undoes_forward_and_mass_matrix_is_its_derivative(structure: list[Shape], seed: int) -> None:
    tree = random_tree(structure, seed)
    ours, states = LinkworkTree(tree), random_states(tree, seed)
    tau = np.random.default_rng(seed).uniform(-20.0, 20.0, tree.dof())
    v_dot = ours.accelerations(states, tau)
    at_rest = ours.forces(states, np.zeros(tree.dof()))
    largest = max(np.abs(tau).max(), np.abs(at_rest).max())
    assert np.abs(ours.forces(states, v_dot) - tau).max() < RELATIVE * largest
    assert np.abs(ours.mass_matrix(states) @ v_dot + at_rest - tau).max() < RELATIVE * largest


@searched
@given(structure=shapes(), seed=seeds)
def test_weight_alone_takes_another_way_to_the_same_accelerations(structure: list[Shape], seed: int) -> None:
    """A tree without other forces is computed as if ground were accelerated; one with a force of 0 N is not."""
    tree = random_tree(structure, seed)
    mechanism, states = tree.mechanism(), random_states(tree, seed)
    push = {"applied_force": [{"name": "none", "body": "body 0", "force": (0.0, 0.0, 0.0)}]}
    pushed = Mechanism.model_validate(mechanism.model_dump(exclude_none=True) | push)
    both = [Calls(assemble(one, "joint")) for one in (mechanism, pushed)]
    assert [len(calls.equations.work.stages) > 0 for calls in both] == [False, True]
    state, tau = LinkworkTree(tree).state(states), np.random.default_rng(seed).uniform(-20.0, 20.0, tree.dof())
    for verb in ("forward", "inverse"):
        alone, beside = (getattr(calls, verb)(*state, tau) for calls in both)
        assert relative_error(alone, beside) < RELATIVE
