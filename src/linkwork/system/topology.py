"""Topology: on which joint each body hangs, and which joints are left over as constraint rows.

Two choices of the tree are the two formulations:

* `star`: every body hangs on ground by a free joint; all joints are rows (absolute coordinates, P1).
* `spanning`: a spanning tree of joints; the joints that close loops are cut and remain as rows (joint coordinates, P3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from linkwork.elements.joints.joint import Joint
from linkwork.errors import ModelError
from linkwork.mechanism import GROUND, Mechanism
from linkwork.mechanism.mentions import joints_with_loads
from linkwork.system.frames import can_hang, joint_frames


@dataclass(frozen=True)
class Link:
    """One body in the tree: on what it hangs, by which joint (None: freely on ground), and in which sense."""

    body: str
    parent: str
    joint: Joint | None
    reversed: bool = False  # the model gives the joint from this body to its parent


@dataclass(frozen=True)
class Topology:
    """The tree, parents before children, and the joints that are rows."""

    links: tuple[Link, ...]
    cut: tuple[Joint, ...]
    notes: tuple[str, ...] = field(default=())


def row_count(joint: Joint, plane: str | None) -> int:
    """How many equations a joint is when it is cut."""
    rows = joint.type.rows if plane is None else joint.type.planar_rows
    return len(rows or ())


def star(mechanism: Mechanism, whole: bool = False) -> Topology:
    """Every body free; every joint a set of rows."""
    links = [Link(body.name, GROUND, None) for body in mechanism.body]
    joints = tuple(j for j in mechanism.joint if row_count(j, mechanism.plane))
    return Topology(_near_neighbours_first(links, joints), joints)


def spanning(mechanism: Mechanism, whole: bool = False) -> Topology:
    """The spanning tree that leaves the fewest cut equations; what the user named as cut is cut, or kept.

    Joints whose load is needed are cut, unless `whole`: the start is found as if nobody needed it.

    Grown from ground (Prim): the joint with most equations first, then the shallower body, then the order in which
    the model gives them.  A part of the mechanism that no joint ties to ground starts with its heaviest body, which
    floats.
    """
    plane = mechanism.plane
    leaving = _joints_from(mechanism, set() if whole else loaded_joints(mechanism))
    heaviest = iter(sorted(mechanism.body, key=lambda body: -body.mass_kg))
    depth: dict[str, int] = {}
    links: list[Link] = []
    kept: set[str] = set()
    edges: list[tuple[int, int, int, str, str]] = []  # preference, depth and order of the joint, from where to where

    def reach(body: str, deep: int) -> None:
        depth[body] = deep
        for order, other in leaving.get(body, ()):
            heappush(edges, (_preference(mechanism.joint[order], plane), deep, order, body, other))

    reach(GROUND, 0)
    while len(links) < len(mechanism.body):
        if edges:
            *_, order, parent, body = heappop(edges)
            if body in depth:
                continue
            joint: Joint | None = mechanism.joint[order]
            kept.add(mechanism.joint[order].name)
        else:
            joint, parent, body = None, GROUND, next(b.name for b in heaviest if b.name not in depth)
        links.append(Link(body, parent, joint, reversed=joint is not None and joint.between[0] == body))
        reach(body, depth[parent] + 1)
    cut = tuple(j for j in mechanism.joint if j.name not in kept and row_count(j, plane))
    for joint in cut:
        if joint.cut is False:
            raise ModelError(
                f"joint '{joint.name}': cut = false, but it closes a loop whose other joints may not be cut either; "
                "let one joint of the loop be cut",
                element=joint.name,
            )
    return Topology(_near_neighbours_first(links, cut), cut)


def _joints_from(mechanism: Mechanism, loaded: set[str]) -> dict[str, list[tuple[int, str]]]:
    """For each body the joints by which others may hang on it: their places in the model, and the others."""
    held = _holding_joints(mechanism)
    leaving: dict[str, list[tuple[int, str]]] = {}
    for order, joint in enumerate(mechanism.joint):
        if joint.cut is not True and joint.name not in loaded:
            for a, b in (joint.between, joint.between[::-1]):
                if (joint.name, b) not in held:
                    leaving.setdefault(a, []).append((order, b))
    return leaving


def loaded_joints(mechanism: Mechanism) -> set[str]:
    """Joints whose load a force or an expression uses: it is known only where they are rows."""
    loaded = {joint for element in mechanism.answering("loaded_joints") for joint in element.loaded_joints()}
    loaded |= joints_with_loads(mechanism)
    for joint in mechanism.joint:
        if joint.cut is False and joint.name in loaded:
            raise ModelError(
                f"joint '{joint.name}': cut = false, but friction or an expression needs the joint's load, which only "
                "a joint that is cut has; drop cut, or give coulomb instead of coefficient",
                element=joint.name,
            )
    return loaded


def _holding_joints(mechanism: Mechanism) -> set[tuple[str, str]]:
    """Joints at which a flexible body cannot hang, with the body."""
    flexible = {body.name: body for body in mechanism.body if body.flexible is not None}
    if not flexible:
        return set()
    frames = joint_frames(mechanism)
    return {
        (name, body)
        for name, joint in frames.items()
        for body, place in ((joint.a, joint.on_a), (joint.b, joint.on_b))
        if body in flexible and not can_hang(flexible[body], joint.type, place)
    }


def _preference(joint: Joint, plane: str | None) -> int:
    return -1000 if joint.cut is False else -row_count(joint, plane)


def _near_neighbours_first(links: list[Link], rows: tuple[Joint, ...]) -> tuple[Link, ...]:
    """Order the trees so that those coupled by rows stand close together (Cuthill & McKee 1969): a narrow envelope."""
    root: dict[str, str] = {}
    for link in links:
        root[link.body] = link.body if link.parent == GROUND else root[link.parent]
    trees: dict[str, list[Link]] = {}
    for link in links:
        trees.setdefault(root[link.body], []).append(link)
    near: dict[str, set[str]] = {name: set() for name in trees}
    for joint in rows:
        ends = {root[name] for name in joint.between if name != GROUND}
        for a in ends:
            near[a] |= ends - {a}
    order = {name: n for n, name in enumerate(trees)}  # among equals, so that no order of a set enters
    ordered: list[str] = []
    waiting = sorted(trees, key=lambda name: (len(near[name]), order[name]))
    seen: set[str] = set()
    for start in waiting:
        queue = [start]
        while queue:
            name = queue.pop(0)
            if name in seen:
                continue
            seen.add(name)
            ordered.append(name)
            queue.extend(sorted(near[name] - seen, key=lambda n: (len(near[n]), order[n])))
    return tuple(link for name in ordered for link in _depth_first(trees[name]))


def _depth_first(links: list[Link]) -> list[Link]:
    children: dict[str, list[Link]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link)
    ordered: list[Link] = []
    stack = [links[0]]
    while stack:
        link = stack.pop()
        ordered.append(link)
        stack.extend(reversed(children.get(link.body, [])))
    return ordered
