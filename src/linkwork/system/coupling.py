"""Which formulation keeps the equations sparse, by the topology alone.

In joint coordinates all loops that close within one tree are coupled: each row of Phi_v L^-1 reaches from its loop to
the root of the tree.  Where few trees carry many loops, as in a net, the envelope of Phi_v M^-1 Phi_v^T is nearly full;
in absolute coordinates, with more rows, it is as narrow as the net.  But loops that close within limbs, each over few
bodies, may be eliminated where they close (fronts.py), and joint coordinates are the quickest.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.mechanism import Mechanism
from linkwork.system.connections import Connections, connections_of
from linkwork.system.topology import Topology, spanning, star

MANY_LOOPS = 100  # with fewer the factorization costs little
OF_A_TREE = 4.0  # loops for each joint on ground, above which trees may carry many loops each
LONG_LOOPS = 30  # bodies of all loops together, for each body: beyond it they do not close within limbs
WIDE, WIDER = 3e6, 4.0  # products of a factorization, and those of absolute coordinates times this: too many
# ns, about, of an evaluation, fitted to robots with pushrods and nets: by the recursion, and in absolute coordinates.
A_BODY, A_PAIR_OF_ROWS = 300.0, 4.6
A_BODY_APART, A_PRODUCT = 750.0, 0.25
MOST_AT_START = 2e9  # products of the factorization by which a start chooses independent rows, whatever the method


def is_wide(mechanism: Mechanism, recursive: bool = False) -> bool:
    """Whether joint coordinates would couple so many equations that absolute ones are the quicker; `recursive`: the
    method may eliminate loops where they close.
    """
    loops = len(mechanism.joint) - len(mechanism.body)
    if loops < MANY_LOOPS:
        return False
    connections = connections_of(mechanism)
    if loops < OF_A_TREE * np.count_nonzero(connections.ends == 0):
        return False
    tree = spanning(connections)
    products, apart = (factor_products(connections, topology) for topology in (tree, star(connections)))
    if products <= WIDE or products <= WIDER * apart:
        return False
    served = recursive and products <= MOST_AT_START and all(body.flexible is None for body in mechanism.body)
    return not served or recursion_time(connections, tree) > A_BODY_APART * len(mechanism.body) + A_PRODUCT * apart


def recursion_time(connections: Connections, topology: Topology) -> float:
    """About how long it takes to eliminate each loop where it closes, ns; infinite for loops over many bodies."""
    parent, place = _parents_and_places(connections, topology)
    open_rows = [0] * len(parent)
    left = LONG_LOOPS * len(topology.body)
    rows = connections.rows[topology.cut].tolist()
    for count, (a, b) in zip(rows, connections.ends[topology.cut].tolist(), strict=True):
        while a != b:  # from the later of the two in the tree towards the root, until both meet
            if place[a] < place[b]:
                a, b = b, a
            open_rows[a] += count
            a, left = parent[a], left - 1
        if left < 0:
            return math.inf
    return sum(A_BODY + A_PAIR_OF_ROWS * count**2 for count in open_rows[1:])


def factor_products(connections: Connections, topology: Topology) -> float:
    """About how many products the factorization within the envelope of the rows takes (system/pattern.py)."""
    parent, place = _parents_and_places(connections, topology)
    root = [-1] * len(parent)
    for body in topology.body.tolist():
        root[body] = place[body] if parent[body] == 0 else root[parent[body]]
    ends = ([body for body in own if body] for own in connections.ends[topology.cut].tolist())
    rows_of = connections.rows[topology.cut].tolist()
    spans = sorted(
        (min(root[body] for body in own), max(place[body] for body in own), count)
        for count, own in zip(rows_of, ends, strict=True)
    )
    products, first, before, rows = 0.0, 0, 0, 0  # `before`: rows in front of the first that shares a motion
    for low, _, count in spans:
        while spans[first][1] < low:
            before += spans[first][2]
            first += 1
        rows += count
        products += count * float(rows - before) ** 2
    return products


def _parents_and_places(connections: Connections, topology: Topology) -> tuple[list[int], list[int]]:
    """Of each body of the model its parent and its place in the tree; those of ground are 0 and -1."""
    parent, place = np.zeros((2, len(connections.body_places)), np.int64)
    parent[topology.body], place[topology.body], place[0] = topology.parent, np.arange(len(topology.body)), -1
    return parent.tolist(), place.tolist()
