"""Nets of many loops that hang on few points: absolute coordinates keep their equations sparse; `auto` takes them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.local_loops import robot
from benchmarks.pushrods import PushrodRobot

import linkwork as lw
from linkwork.analyses.start.loop_misfit import local_sizes
from linkwork.library import library_model
from linkwork.system import coupling
from linkwork.system.compile import compile_mechanism
from linkwork.system.connections import connections_of
from linkwork.system.coupling import factor_products, is_wide
from linkwork.system.pattern import most_entries
from linkwork.system.topology import spanning, star

MESH = 0.1  # m


def net(rows: int, columns: int) -> lw.Model:
    """Bars of a sagging net in the plane xz, pinned at the nodes, hung by its two upper corners."""
    model = lw.Model("net", gravity=(3.0, 0.0, -9.81), plane="xz")
    ends: dict[tuple[int, int], list[str]] = {}

    def place(node: tuple[int, int]) -> np.ndarray:
        across = 2.0 * node[1] / columns - 1.0
        return MESH * np.array([node[1], 0.0, -node[0] - 0.5 * columns * (1.0 - across**2)])

    for i in range(rows + 1):
        for j in range(columns + 1):
            for down, other in ((True, (i + 1, j)), (False, (i, j + 1))):
                if other[0] <= rows and other[1] <= columns:
                    name, a, b = f"{'v' if down else 'h'}{i}_{j}", place((i, j)), place(other)
                    shape = lw.rod(mass=0.1, length=float(np.linalg.norm(b - a)), axis=tuple(b - a))
                    model.body(name, shape, at=tuple(0.5 * (a + b)))
                    for node in ((i, j), other):
                        ends.setdefault(node, []).append(name)
    for node, bars in ends.items():
        for k, (one, next_one) in enumerate(pairwise(bars)):
            model.revolute(f"p{node[0]}_{node[1]}_{k}", one, next_one, at=tuple(place(node)), axis="y")
    for corner in (0, columns):
        model.revolute(f"hook{corner}", "ground", ends[0, corner][0], at=tuple(place((0, corner))), axis="y")
    return model


def test_auto_takes_the_formulation_that_stays_sparse() -> None:
    for recursive in (False, True):
        assert is_wide(net(8, 40).mechanism, recursive)
    assert is_wide(net(3, 100).mechanism) and not is_wide(net(3, 100).mechanism, recursive=True)
    assert is_wide(net(3, 500).mechanism, recursive=True)  # the start would take too long
    assert not is_wide(net(3, 4).mechanism)
    assert not is_wide(library_model("n-four-bar", {"n": 500.0}).mechanism)
    limbs = robot(PushrodRobot(4, 60)).mechanism  # loops that a method may eliminate where they close
    assert is_wide(limbs) and not is_wide(limbs, recursive=True)


def test_the_estimate_follows_the_envelope() -> None:
    """Of the rows as they are compiled: products are at least its entries squared over the rows, but for a factor."""
    mechanism = net(5, 12).mechanism
    connections = connections_of(mechanism)
    for formulation, topology in (("joint", spanning(connections)), ("absolute", star(connections))):
        system = compile_mechanism(mechanism, formulation).system
        entries = most_entries(system.spans)[1]
        least = entries**2 / len(system.rows)
        assert 0.5 * least < factor_products(connections, topology) < 4.0 * least


@pytest.mark.parametrize(("limbs", "modules"), [(1, 40), (6, 8)])
def test_by_geometry_loops_of_limbs_share_no_motion(limbs: int, modules: int) -> None:
    """By masses all are coupled through the torso."""
    compiled = compile_mechanism(robot(PushrodRobot(limbs, modules)).mechanism, "joint")
    rows = len(compiled.system.rows)
    assert most_entries(compiled.system.spans)[1] == rows * (rows + 1) // 2
    assert most_entries(compiled.own_spans)[1] <= 2 * rows


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("size", [(2, 9), (5, 20)])
def test_rows_by_geometry_fit_into_the_room_that_there_is(size: tuple[int, int], formulation: str) -> None:
    compiled = compile_mechanism(net(*size).mechanism, formulation)
    for own, known in zip(most_entries(compiled.own_spans), most_entries(compiled.system.spans), strict=True):
        assert own <= known


def test_rows_are_compared_with_the_bodies_that_they_join_not_with_the_net() -> None:
    """A bar is as long as a mesh, give or take the sag; a hundredth of the net's length is many bars."""
    compiled = compile_mechanism(net(2, 60).mechanism, "absolute")
    bars = [np.linalg.norm(joint.p_AF) + np.linalg.norm(joint.p_BM) for joint in compiled.layout.joints.values()]
    sizes = local_sizes(compiled)
    assert sizes.min() > 0.9 * MESH and sizes.max() < 1.1 * max(bars)
    assert compiled.mechanism.size() > 50.0 * sizes.min()


@pytest.mark.slow
def test_a_net_of_ten_thousand_loops_hangs() -> None:
    """Nodes have two coordinates each, bars and hooks take them: 1008 are left."""
    run = net(10, 1000).simulate(0.02, every=0.01, progress=False)
    assert run.certificate.status == "finished"
    assert run.certificate.dof == 2 * 11 * 1001 - (10 * 1001 + 11 * 1000) - 2 * 2
    assert run.certificate.energy_drift < 1e-9


def test_a_net_moves_alike_in_both_formulations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its start is found in absolute coordinates."""
    joint = net(4, 6).simulate(0.3, rtol=1e-9, progress=False)
    assert joint.certificate.formulation == "joint"
    for name, value in (("MANY_LOOPS", 1), ("WIDE", 0.0), ("WIDER", 0.0), ("LONG_LOOPS", 0)):
        monkeypatch.setattr(coupling, name, value)
    wide = net(4, 6).simulate(0.3, rtol=1e-9, progress=False)
    assert wide.certificate.formulation == "absolute"
    assert "couple" in wide.certificate.why
    assert wide.certificate.dof == joint.certificate.dof == 8
    assert np.abs(wide.result.position - joint.result.position).max() < 1e-6
    assert np.ptp(joint.result.position, axis=0).max() > 0.1  # it swings
