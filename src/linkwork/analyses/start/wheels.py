"""Wheels at the start: a vehicle that was placed inside the road is raised until it touches, with a note."""

from __future__ import annotations

import numpy as np

from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_POSES

SUNK = 0.3  # of the radius: a tyre deeper in the road than this is not meant to be there


def raise_wheels(equations: Equations, y: np.ndarray, angles: np.ndarray) -> tuple[str, ...]:
    """Lift free bodies with sunken wheels, so that the deepest one touches; notes name them."""
    mechanism, layout = equations.compiled.mechanism, equations.compiled.layout
    if not mechanism.of(Tyre):
        return ()
    equations.evaluate(0.0, y, angles, LEVEL_POSES)
    links = {tree.body: tree for tree in layout.tree}
    deepest: dict[int, tuple[float, str]] = {}
    for tyre in mechanism.of(Tyre):
        depth = _depth(equations, tyre)
        if depth > SUNK * tyre.radius:
            root = layout.root(layout.body(tyre.body))
            deepest[root] = max(deepest.get(root, (0.0, "")), (depth, tyre.name))
    notes = []
    for root, (depth, name) in deepest.items():
        tree, sunk = links[root], f"tyre '{name}' starts {depth:.3g} m deep in the road"
        if not tree.type.holds_nothing:
            notes.append(f"{sunk}; '{layout.bodies[root]}' cannot be raised: its joint '{tree.name}' holds it")
            continue
        R_WF = equations.system.bodies[root]["R_PF"]
        y[tree.first_q : tree.first_q + 3] += R_WF.T @ np.array([0.0, 0.0, depth])
        notes.append(f"{sunk}; '{layout.bodies[root]}' was raised by that much, with everything attached to it")
    return tuple(notes)


def _depth(equations: Equations, tyre: Tyre) -> float:
    """How deep the lowest point of an undeformed wheel is below the road, m."""
    layout, work = equations.compiled.layout, equations.work
    body = layout.body(tyre.body)
    R = work.R[body] @ layout.R_LB[body]
    centre = work.p[body] + work.R[body] @ layout.p_LB[body] + R @ np.array(tyre.at)
    lowest = centre + tyre.foot(R @ np.array(tyre.axis))
    roads = {road.name: road for road in equations.compiled.mechanism.of(Road)}
    road = roads[tyre.road] if tyre.road is not None else Road(name="flat")
    return float(road.height(lowest[:1], lowest[1:2])[0] - lowest[2])
