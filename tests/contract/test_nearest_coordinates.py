"""Coordinates from where the bodies stand: the inverse of the evaluation, for every kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.compile import compile_mechanism
from linkwork.system.coordinates import coordinates_from_poses
from linkwork.system.frames import Poses
from random_mechanisms.trees import DOF_COUNT, GROUND, Shape, random_tree

KINDS = [kind for kind in DOF_COUNT if kind != "free"]


def random_equations(seed: int) -> tuple[Equations, np.ndarray]:
    """Of a tree of seven bodies, at a random position; angles within half a turn, slides within 1 m."""
    rng = np.random.default_rng(seed)
    kinds = [*rng.permutation(KINDS)[:5], "revolute"]
    shapes = [Shape(GROUND, "free"), *(Shape(int(rng.integers(0, n + 1)), str(k)) for n, k in enumerate(kinds))]
    equations = Equations(compile_mechanism(random_tree(shapes, seed).mechanism(), "joint"))
    layout = equations.compiled.layout
    q = rng.uniform(-1.0, 1.0, layout.q_count)
    for n, name in enumerate(layout.q_names):
        if name.endswith(".e0"):
            e = rng.standard_normal(4)
            q[n : n + 4] = e / np.linalg.norm(e) * np.sign(e[0])
    y = np.concatenate([q, np.zeros(layout.v_count)])
    equations.evaluate(0.0, y, np.zeros(2 * layout.angle_count), LEVEL_POSITION)
    return equations, q


@pytest.mark.parametrize("seed", range(20))
def test_a_position_gives_its_coordinates(seed: int) -> None:
    """With each body on its parent as that should stand, and as it stands."""
    equations, q = random_equations(seed)
    links = Poses(equations.work.R, equations.work.p)
    unknown = np.full_like(q, np.nan)
    assert coordinates_from_poses(equations.compiled, links) == pytest.approx(q, abs=1e-13)
    assert coordinates_from_poses(equations.compiled, links, unknown) == pytest.approx(q, abs=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_what_hangs_on_a_joint_that_stands_elsewhere_comes_near(seed: int) -> None:
    """With one coordinate given otherwise than the bodies stand: it is kept, and all others stand in place."""
    equations, q = random_equations(seed)
    links = Poses(equations.work.R.copy(), equations.work.p.copy())
    layout, given = equations.compiled.layout, np.full_like(q, np.nan)
    parents = {tree.parent for tree in layout.tree}
    leaf = next(tree for tree in layout.tree if tree.body not in parents and tree.type.name == "revolute")
    given[leaf.first_q] = q[leaf.first_q] + 0.3
    found = coordinates_from_poses(equations.compiled, links, given)
    assert found[leaf.first_q] == given[leaf.first_q]
    assert np.delete(found, leaf.first_q) == pytest.approx(np.delete(q, leaf.first_q), abs=1e-13)
    y = np.concatenate([found, np.zeros(layout.v_count)])
    equations.evaluate(0.0, y, np.zeros(2 * layout.angle_count), LEVEL_POSITION)
    others = [tree.body for tree in layout.tree if tree is not leaf]
    assert equations.work.p[others] == pytest.approx(links.p[others], abs=1e-12)
    assert equations.work.R[leaf.body] != pytest.approx(links.R[leaf.body], abs=0.01)
