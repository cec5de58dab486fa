"""Topology: on which joint each body hangs, and which joints are left over as constraint rows.

Two choices of the tree are the two formulations:

* `star`: every body hangs on ground by a free joint; all joints are rows (absolute coordinates, P1).
* `spanning`: a spanning tree of joints; the joints that close loops are cut and remain as rows (joint coordinates, P3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.mechanism import Mechanism
from linkwork.mechanism.mentions import joints_with_loads
from linkwork.numerics.stacking import grouped
from linkwork.system.connections import Connections, given
from linkwork.system.frames import PlacedJoints, can_hang
from linkwork.system.paths import ends_of_paths
from linkwork.system.tree_order import grow_tree, near_neighbours_first

NEVER_CUT = -1000  # preference of a joint that the user keeps in the tree; of others less equations, when they are cut


class Topology(NamedTuple):
    """The tree: arrays over the bodies, parents before children, and the joints that are rows.

    Bodies by their places in the model, of which 0 is ground; joints by theirs.
    """

    body: np.ndarray
    parent: np.ndarray
    joint: np.ndarray  # by which the body hangs; -1: freely on ground
    backward: np.ndarray  # whether the model gives the joint from this body to its parent
    cut: np.ndarray


def star(connections: Connections, whole: bool = False) -> Topology:
    """Every body free; every joint a set of rows."""
    count = len(connections.body.name)
    tree = np.column_stack([np.arange(1, count + 1), np.zeros(count, np.int64), np.full(count, -1)])
    return _topology(connections, tree, np.flatnonzero(connections.rows))


def spanning(connections: Connections, whole: bool = False) -> Topology:
    """The spanning tree that leaves the fewest cut equations; what the user named as cut is cut, or kept.

    Joints whose load is needed are cut, unless `whole`: the start is found as if nobody needed it.

    Grown from ground (Prim): the joint with most equations first, then the shallower body, then the order in which
    the model gives them.  A part of the mechanism that no joint ties to ground starts with its heaviest body, which
    floats.
    """
    ends, loaded = connections.ends, set() if whole else loaded_joints(connections.mechanism)
    may_hang = _joints_to_hang_by(connections, loaded)
    joint, hanging = np.nonzero(may_hang)
    start, end = ends[joint, 1 - hanging], ends[joint, hanging]
    first, by_start = grouped(start, len(connections.body_places))
    kept = np.array([cut is False for cut in connections.joint.cut], bool)
    preference = np.where(kept, NEVER_CUT, -connections.rows)
    heaviest = 1 + np.argsort(-connections.masses, kind="stable")
    tree = np.zeros((len(heaviest), 3), np.int64)
    scratch = (np.zeros(len(count), np.int64) for count in (connections.body_places, joint))
    grow_tree(first, start[by_start], end[by_start], joint[by_start], preference, heaviest, *scratch, tree)
    is_cut = connections.rows > 0
    is_cut[tree[tree[:, 2] >= 0, 2]] = False
    cut = np.flatnonzero(is_cut)
    for place in cut[kept[cut]].tolist():
        name = connections.joint.name[place]
        raise ModelError(
            f"joint '{name}': cut = false, but it closes a loop whose other joints may not be cut either; "
            "let one joint of the loop be cut",
            element=name,
        )
    return _topology(connections, tree, cut)


def _joints_to_hang_by(connections: Connections, loaded: set[str]) -> np.ndarray:
    """Of each joint whether its body A may hang by it on B, and B on A [joint, 2]."""
    columns, bodies = connections.joint, connections.mechanism.body
    open_to = [cut is not True and name not in loaded for name, cut in zip(columns.name, columns.cut, strict=True)]
    may_hang = np.repeat(np.array(open_to, bool)[:, None], 2, axis=1)
    flexible = {connections.body.name[k]: bodies[k] for k in given(connections.body.flexible)}
    if flexible:
        for k, joint in enumerate(PlacedJoints(connections).values()):
            for side, (body, place) in enumerate(((joint.a, joint.on_a), (joint.b, joint.on_b))):
                if body in flexible and not can_hang(flexible[body], joint.type, place):
                    may_hang[k, side] = False
    return may_hang


def loaded_joints(mechanism: Mechanism) -> set[str]:
    """Joints whose load a force or an expression uses: it is known only where they are rows."""
    loaded = {joint for element in mechanism.answering("loaded_joints") for joint in element.loaded_joints()}
    loaded |= joints_with_loads(mechanism)
    for joint in mechanism.joint if loaded else ():
        if joint.cut is False and joint.name in loaded:
            raise ModelError(
                f"joint '{joint.name}': cut = false, but friction or an expression needs the joint's load, which only "
                "a joint that is cut has; drop cut, or give coulomb instead of coefficient",
                element=joint.name,
            )
    return loaded


def _topology(connections: Connections, tree: np.ndarray, cut: np.ndarray) -> Topology:
    """With the trees that rows couple close together: a narrow envelope."""
    body, parent, joint = tree[_order(connections, tree, cut)].T
    held = joint >= 0
    backward = np.zeros(len(body), bool)
    backward[held] = connections.ends[joint[held], 0] == body[held]
    return Topology(body, parent, joint, backward, cut)


def _order(connections: Connections, tree: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """In which order the bodies of `tree` stand: those of one tree on ground together, trees near those that rows
    couple with them, those with few such neighbours first.
    """
    count, at = len(tree), np.full(len(connections.body_places), -1)
    at[tree[:, 0]] = np.arange(count)
    above = at[tree[:, 1]]  # the place of the parent, -1: ground
    roots = np.flatnonzero(above < 0)
    tree_of = np.full(count, -1)
    tree_of[roots] = np.arange(len(roots))
    tree_of = tree_of[ends_of_paths(above)]
    ends = at[connections.ends[cut]]
    coupled = tree_of[ends[(ends >= 0).all(axis=1)]]
    coupled = coupled[coupled[:, 0] != coupled[:, 1]]
    pairs = np.concatenate([coupled, coupled[:, ::-1]]) @ [len(roots), 1]
    one, other = divmod(np.unique(pairs) if len(pairs) else pairs, len(roots))
    neighbours = np.bincount(one, minlength=len(roots))
    near = other[np.lexsort((other, neighbours[other], one))]
    first_near = np.concatenate([[0], np.cumsum(neighbours)])
    waiting = np.argsort(neighbours, kind="stable")
    first_child, child = grouped(above + 1, count + 1)
    sizes = (len(roots), len(near) + 1, count + 1, count)
    seen, queue, stack, ordered = (np.zeros(size, np.int64) for size in sizes)
    near_neighbours_first(waiting, first_near, near, roots, first_child[1:], child, seen, queue, stack, ordered)
    return ordered
