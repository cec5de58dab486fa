"""Loads of random mechanisms by three ways that share little: P2's formula, Newton-Euler, multipliers.

The first two work on the tree of joint coordinates, with the cut joints' multipliers mapped back; the third solves for
multipliers of every joint in absolute coordinates.  They agree to 1e-9 of the largest load on trees with branches,
floating bases, balls, sliders, welds, drivers and springs, and on closed loops in space and in the plane.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_random_loops import PLANAR, SPATIAL

from linkwork.analyses.loads.loads import joint_loads
from linkwork.analyses.loads.reactions import Loads
from linkwork.analyses.loads.replay import LOAD_METHODS
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from random_mechanisms import GROUND, Shape, random_linkage, random_planar_linkage, random_tree

RELATIVE = 1e-9
searched = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def tied_trees(draw, most: int = 12) -> list[Shape]:
    """Trees in which every body hangs on a joint that carries something, or floats."""
    found: list[Shape] = []
    for i in range(draw(st.integers(2, most))):
        parent = draw(st.integers(GROUND, i - 1)) if i else GROUND
        kind = draw(st.sampled_from(["revolute", "prismatic", "spherical", "fixed"] + (["free"] if i == 0 else [])))
        backward = kind in ("revolute", "prismatic", "fixed") and draw(st.booleans())
        found.append(Shape(parent, kind, backward))
    return found


def with_motors_and_springs(mechanism: Mechanism, seed: int) -> Mechanism:
    """Drivers on some hinges and sliders, springs, torsion springs and pushes here and there."""
    rng = np.random.default_rng(seed)
    single = [joint for joint in mechanism.joint if joint.kind in ("revolute", "prismatic")]
    driven = [joint for joint in single if rng.random() < 0.5]
    drivers = [
        {"name": f"motor {joint.name}", "joint": joint.name, "motion": f"0.3*sin({rng.uniform(2, 5)}*t)+0.4*t"}
        for joint in driven
    ]
    torsions = [
        {"name": f"coil {joint.name}", "joint": joint.name, "stiffness": 3.0, "damping": 0.2, "free_angle": 0.3}
        for joint in single
        if joint.kind == "revolute" and rng.random() < 0.5
    ]
    names = [body.name for body in mechanism.body]
    springs = [
        {"name": f"strut {n}", "between": ("ground", name), "points": rng.uniform(-1, 1, (2, 3)).tolist(),
         "stiffness": 20.0, "damping": 1.0, "free_length": 0.5}
        for n, name in enumerate(names[::3])
    ]  # fmt: skip
    pushes = [{"name": "push", "body": names[-1], "force": ("2*cos(3*t)", 1.0, 0.5), "at": (0.1, 0.0, 0.2)}]
    extra = {
        "driver": drivers, "torsional_spring_damper": torsions, "spring_damper": springs, "applied_force": pushes,
    }  # fmt: skip
    return Mechanism.model_validate(mechanism.model_dump(exclude_none=True) | extra)


def by_three_methods(mechanism: Mechanism, until: float = 0.2) -> dict[str, Loads]:
    result = simulate(mechanism, Options(until=until, formulation="joint", rtol=1e-8, every=until / 5))
    joints = [joint.name for joint in mechanism.joint]
    return {method: joint_loads(result, joints, method=method) for method in LOAD_METHODS}


def largest_difference(found: dict[str, Loads]) -> float:
    """Of all reactions and driving forces, relative to the largest load; what is unique must be so by every method."""
    first, *others = found.values()
    scale = max(np.nanmax(np.abs(reaction.wrench), initial=0.0) for reaction in first.values())
    worst = 0.0
    for other in others:
        for name, reaction in first.items():
            np.testing.assert_array_equal(reaction.unique_at, other[name].unique_at)
            worst = max(worst, float(np.nanmax(np.abs(reaction.wrench - other[name].wrench), initial=0.0)))
            for mine, theirs in zip(reaction.drivings, other[name].drivings, strict=True):
                assert mine.unit == theirs.unit
                worst = max(worst, float(np.nanmax(np.abs(mine.values - theirs.values), initial=0.0)))
    return worst / scale


@searched
@given(structure=tied_trees(), seed=st.integers(0, 2**31 - 1))
def test_three_methods_agree_on_trees(structure: list[Shape], seed: int) -> None:
    mechanism = with_motors_and_springs(random_tree(structure, seed).mechanism(), seed)
    assert largest_difference(by_three_methods(mechanism)) < RELATIVE


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", SPATIAL)
def test_three_methods_agree_on_loops_in_space(name: str, seed: int) -> None:
    found = by_three_methods(random_linkage(SPATIAL[name], seed), until=0.5)
    assert largest_difference(found) < RELATIVE


@pytest.mark.parametrize("plane", ["xz", None])
@pytest.mark.parametrize("name", PLANAR)
def test_three_methods_agree_on_plane_loops(name: str, plane: str | None) -> None:
    found = by_three_methods(random_planar_linkage(PLANAR[name], 1, plane), until=0.5)
    assert largest_difference(found) < RELATIVE
    for reaction in found["non-recursive"].values():  # the loop is in the plane xz, its bodies are not
        assert reaction.unique["fx"]
        assert reaction.unique["fz"]
        assert reaction.unique["ty"]


@pytest.mark.parametrize("name", ["four-bar", "five-bar"])
def test_loads_within_the_plane_are_the_same_in_the_plane_and_in_space(name: str) -> None:
    flat, deep = (by_three_methods(random_planar_linkage(PLANAR[name], 2, plane), until=0.3) for plane in ("xz", None))
    for joint, reaction in flat["non-recursive"].items():
        other = deep["non-recursive"][joint]
        np.testing.assert_allclose(reaction.force[:, [0, 2]], other.force[:, [0, 2]], rtol=1e-5, atol=1e-5)


def test_a_prescribed_loop_is_inverse_dynamics() -> None:
    """Slider-crank with its crank driven: no freedom is left, and the torque is that of all three ways."""
    model = library_model("slider-crank", {"angle": 30.0})
    model.driver("motor", "main bearing", "20*t")
    found = by_three_methods(model.mechanism)
    assert largest_difference(found) < RELATIVE
    assert np.abs(found["multipliers"]["main bearing"].driving).max() > 0.1


def test_a_load_at_a_distance_of_a_kilometre_keeps_its_digits() -> None:
    """P2's recursion about the world's origin would lose six digits there."""
    mechanism = library_model("double-pendulum").mechanism
    far = (700.0, -500.0, 500.0)
    moved = mechanism.model_dump(exclude_none=True)
    for element in (*moved["body"], *moved["joint"]):
        element["at"] = tuple(a + b for a, b in zip(element["at"], far, strict=True))
    runs = [by_three_methods(m) for m in (mechanism, Mechanism.model_validate(moved))]
    assert largest_difference(runs[1]) < RELATIVE
    here, there = (run["non-recursive"]["shoulder"] for run in runs)
    np.testing.assert_allclose(here.force, there.force, atol=1e-8)
