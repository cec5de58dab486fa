"""The spanning tree and the order of its bodies, compiled, beside the same written down plainly."""

from __future__ import annotations

import gc
import weakref
from heapq import heappop, heappush

import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanism import Mechanism
from linkwork.numerics.stacking import as_rows, grouped
from linkwork.system import connections
from linkwork.system.compile import compile_mechanism
from linkwork.system.connections import connections_of
from linkwork.system.paths import ends_of_paths, lengths_of_paths
from linkwork.system.topology import Topology, spanning, star


def tangle(seed: int) -> Mechanism:
    """Bodies with any joints between any of them; some float, some joints are to be cut."""
    rng = np.random.default_rng(seed)
    model, count = lw.Model("tangle", gravity=(0.0, 0.0, 0.0)), int(rng.integers(1, 25))
    names = ["ground", *(f"b{k}" for k in range(count))]
    for name in names[1:]:
        model.body(name, mass=float(rng.integers(1, 9)), inertia=(1.0, 1.0, 1.0), at=tuple(rng.normal(size=3)))
    for k in range(int(rng.integers(0, 2 * count + 1))):
        a, b = rng.choice(names, 2, replace=False)
        kind = str(rng.choice(["revolute", "spherical", "fixed", "cylindrical"]))
        axis = {} if kind in ("spherical", "fixed") else {"axis": tuple(rng.normal(size=3))}
        cut = {"cut": True} if rng.random() < 0.1 else {}
        model.joint(kind, f"j{k}", str(a), str(b), at=tuple(rng.normal(size=3)), **axis, **cut)
    return model.mechanism


def plainly_grown(mechanism: Mechanism) -> list[tuple[str, str, str | None]]:
    """Body, parent and joint in the order in which the tree grows: most equations, least depth, first in the model."""
    joints, depth, edges = mechanism.joint, dict[str, int](), list[tuple[int, int, int, str, str]]()
    links: list[tuple[str, str, str | None]] = []

    def reach(body: str, deep: int) -> None:
        depth[body] = deep
        for order, joint in enumerate(joints):
            if joint.cut is not True and body in joint.between:
                other = joint.between[joint.between[0] == body]
                heappush(edges, (-len(joint.type.rows), deep, order, body, other))

    reach("ground", 0)
    while len(links) < len(mechanism.body):
        by, parent = None, "ground"
        if edges:
            *_, order, parent, body = heappop(edges)
            by = joints[order].name
        else:
            body = min((b for b in mechanism.body if b.name not in depth), key=lambda one: -one.mass_kg).name
        if body not in depth:
            links.append((body, parent, by))
            reach(body, depth[parent] + 1)
    return links


def plainly_ordered(mechanism: Mechanism, links: list[tuple[str, str, str | None]]) -> list[str]:
    """The trees by Cuthill and McKee, each depth first."""
    root: dict[str, str] = {}
    for body, parent, _ in links:
        root[body] = root.get(parent, body)
    held = {joint for *_, joint in links}
    near: dict[str, set[str]] = {tree: set() for tree in root.values()}
    for joint in mechanism.joint:
        if joint.name not in held and "ground" not in joint.between:
            a, b = (root[name] for name in joint.between)
            near[a] |= {b} - {a}
            near[b] |= {a} - {b}
    order = list(near)

    def rank(tree: str) -> tuple[int, int]:
        return len(near[tree]), order.index(tree)

    def below(body: str) -> list[str]:
        return [body, *(one for child, parent, _ in links if parent == body for one in below(child))]

    found: list[str] = []
    for start in sorted(near, key=rank):
        queue = [start]
        for tree in queue:
            if tree not in found:
                found.append(tree)
                queue += sorted(near[tree] - set(found), key=rank)
    return [body for tree in found for body in below(tree)]


def named(mechanism: Mechanism, topology: Topology) -> list[tuple[str, str, str | None]]:
    bodies, joints = ["ground", *(body.name for body in mechanism.body)], [joint.name for joint in mechanism.joint]
    columns = (topology.body.tolist(), topology.parent.tolist(), topology.joint.tolist())
    return [(bodies[b], bodies[p], joints[j] if j >= 0 else None) for b, p, j in zip(*columns, strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_the_tree_is_that_of_the_plain_rule(seed: int) -> None:
    mechanism = tangle(seed)
    topology, links = spanning(connections_of(mechanism)), plainly_grown(mechanism)
    found = named(mechanism, topology)
    assert sorted(found, key=str) == sorted(links, key=str)
    assert [body for body, *_ in found] == plainly_ordered(mechanism, links)
    held = {joint for *_, joint in links}
    assert [mechanism.joint[k].name for k in topology.cut] == [j.name for j in mechanism.joint if j.name not in held]
    backward = [joint is not None and f"{body}" == joint_a(mechanism, joint) for body, _, joint in found]
    assert topology.backward.tolist() == backward
    assert star(connections_of(mechanism)).cut.tolist() == list(range(len(mechanism.joint)))


def joint_a(mechanism: Mechanism, name: str) -> str:
    return next(joint.between[0] for joint in mechanism.joint if joint.name == name)


@pytest.mark.parametrize("seed", range(20))
def test_columns_are_the_motions_on_the_loops(seed: int) -> None:
    """Of each constraint those on the path to one of its bodies and not to the other, towards A first."""
    system = compile_mechanism(tangle(seed), "joint").system

    def path(body: int) -> list[int]:
        own = system.bodies[body]
        first = own["first_dof"]
        return [*(path(own["parent"]) if body else []), *range(first, first + own["dof_count"])]

    for con in system.constraints:
        a, b = path(con["body_a"]), path(con["body_b"])
        columns = system.columns[con["first_column"] :][: con["column_count"]]
        expected = [(dof, -1) for dof in a if dof not in b] + [(dof, 1) for dof in b if dof not in a]
        assert [(c["dof"], c["side"]) for c in columns] == expected


def test_paths_and_groups(rng: np.random.Generator) -> None:
    above = np.array([-1, *(rng.integers(-1, k) for k in range(1, 200))])
    for k in range(len(above)):
        way = [k]
        while above[way[-1]] >= 0:
            way.append(int(above[way[-1]]))
        assert (ends_of_paths(above)[k], lengths_of_paths(above)[k]) == (way[-1], len(way) - 1)
    first, places = grouped(above + 1, len(above) + 1)
    for key in range(len(above) + 1):
        assert places[first[key] : first[key + 1]].tolist() == np.flatnonzero(above + 1 == key).tolist()
    assert as_rows([], 3).shape == (0, 3)


def test_a_body_that_is_fixed_twice_is_fixed() -> None:
    """Rows between bodies that cannot move depend on no motion; they are redundant."""
    model = lw.Model("fixed", gravity=(0.0, 0.0, -9.81))
    model.body("stand", lw.rod(mass=1.0, length=1.0))
    model.body("bob", lw.rod(mass=1.0, length=1.0), at=(1.0, 0.0, 0.0))
    model.fixed("one", "ground", "stand", at=(0.0, 0.0, 0.0))
    model.fixed("other", "ground", "stand", at=(0.5, 0.0, 0.0))
    model.revolute("pin", "stand", "bob", at=(0.5, 0.0, 0.0), axis="y")
    run = model.simulate(0.5, progress=False)
    assert run.certificate.status == "finished" and run.certificate.dof == 1
    assert model.check().dof == 1


def test_columns_last_as_long_as_the_mechanism() -> None:
    mechanism = tangle(0)
    kept = weakref.ref(connections_of(mechanism))
    assert connections_of(mechanism) is kept() and id(mechanism) in connections._KNOWN
    other = mechanism.model_copy(update={"joint": ()})
    assert len(connections_of(other).ends) == 0
    key = id(mechanism)
    del mechanism
    gc.collect()
    assert kept() is None and key not in connections._KNOWN
