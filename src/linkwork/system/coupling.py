"""Which formulation keeps the equations sparse, by the topology alone.

In joint coordinates all loops that close within one tree are coupled: each row of Phi_v L^-1 reaches from its loop to
the root of the tree.  Where few trees carry many loops, as in a net, the envelope of Phi_v M^-1 Phi_v^T is nearly full;
in absolute coordinates, with more rows, it is as narrow as the net.  But loops that close within limbs, each over few
bodies, may be eliminated where they close (fronts.py), and joint coordinates are the quickest.
"""

from __future__ import annotations

import math

from linkwork.mechanism import GROUND, Mechanism
from linkwork.system.topology import Topology, row_count, spanning, star

MANY_LOOPS = 100  # with fewer the factorization costs little
OF_A_TREE = 4.0  # loops for each joint on ground, above which trees may carry many loops each
LONG_LOOPS = 30  # bodies of all loops together, for each body: beyond it they do not close within limbs
A_BODY, AN_OPEN_ROW = 300.0, 30.0  # products of the recursion
WIDE, WIDER = 3e6, 4.0  # products of a factorization, and those of absolute coordinates times this: too many


def is_wide(mechanism: Mechanism, recursive: bool = False) -> bool:
    """Whether joint coordinates would couple so many equations that absolute ones are the quicker; `recursive`: the
    method may eliminate loops where they close.
    """
    grounded = sum(GROUND in joint.between for joint in mechanism.joint)
    loops = len(mechanism.joint) - len(mechanism.body)
    if loops < MANY_LOOPS or loops < OF_A_TREE * grounded:
        return False
    tree = spanning(mechanism)
    products, apart = (factor_products(topology, mechanism.plane) for topology in (tree, star(mechanism)))
    if products <= WIDE or products <= WIDER * apart:
        return False
    served = recursive and all(body.flexible is None for body in mechanism.body)
    return not served or recursion_products(tree, mechanism.plane) > apart


def recursion_products(topology: Topology, plane: str | None) -> float:
    """About how many products it takes to eliminate each loop where it closes; infinite for loops over many bodies."""
    parent = {link.body: link.parent for link in topology.links}
    place = {link.body: k for k, link in enumerate(topology.links)} | {GROUND: -1}
    open_rows = dict.fromkeys(parent, 0)
    left = LONG_LOOPS * len(parent)
    for joint in topology.cut:
        rows, (a, b) = row_count(joint, plane), joint.between
        while a != b:  # from the later of the two in the tree towards the root, until both meet
            if place[a] < place[b]:
                a, b = b, a
            open_rows[a] += rows
            a, left = parent[a], left - 1
        if left < 0:
            return math.inf
    return sum(A_BODY + AN_OPEN_ROW * rows + float(rows) ** 2 for rows in open_rows.values())


def factor_products(topology: Topology, plane: str | None) -> float:
    """About how many products the factorization within the envelope of the rows takes (system/pattern.py)."""
    place, root = {}, dict[str, int]()
    for k, link in enumerate(topology.links):
        place[link.body] = k
        root[link.body] = k if link.parent == GROUND else root[link.parent]
    ends = ([name for name in joint.between if name != GROUND] for joint in topology.cut)
    spans = sorted(
        (min(root[name] for name in own), max(place[name] for name in own), row_count(joint, plane))
        for joint, own in zip(topology.cut, ends, strict=True)
    )
    products, first, before, rows = 0.0, 0, 0, 0  # `before`: rows in front of the first that shares a motion
    for low, _, count in spans:
        while spans[first][1] < low:
            before += spans[first][2]
            first += 1
        rows += count
        products += count * float(rows - before) ** 2
    return products
