"""A drawn mechanism as an open tree: each loop is cut through a body, whose pieces are to be welded together.

All joints stay joints of the tree, so that programs which know trees alone know the mechanism but for the welds.
Lengths are divided by the mechanism's size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.elements.joints.joint import Joint
from linkwork.mechanism import Mechanism
from random_mechanisms.anything import Drawn
from random_mechanisms.trees import GROUND, Link, RandomTree, Shape, from_scalar_first, scalar_first


@dataclass(frozen=True)
class CutOpen:
    """Link i of the tree is (a piece of) the body `bodies[i]`, on the joint `joints[i]`; "": it floats."""

    tree: RandomTree
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    welds: tuple[tuple[int, int], ...]  # pieces of one body


def cut_open(drawn: Drawn) -> CutOpen:
    """The tree of a drawn mechanism of rigid bodies: from ground outwards, joint after joint."""
    mechanism = drawn.mechanism()
    links: list[Link] = []
    bodies: list[str] = []
    joints: list[str] = []
    first: dict[str, int] = {"ground": GROUND}  # link of a body that was met
    welds: list[tuple[int, int]] = []
    left = list(mechanism.joint)
    while left or len(first) <= len(mechanism.body):
        joint = next((joint for joint in left if set(joint.between) & first.keys()), None)
        if joint is None:
            body = next(body.name for body in mechanism.body if body.name not in first)
            first[body] = len(links)
            links.append(_link(mechanism, body, Shape(GROUND, "free", said_at_all=False), None, drawn.size))
            bodies.append(body)
            joints.append("")
            continue
        left.remove(joint)
        backward = joint.between[0] not in first or joint.between[1] == "ground"
        parent, body = joint.between[::-1] if backward else joint.between
        if body in first:
            welds.append((first[body], len(links)))
        first.setdefault(body, len(links))
        links.append(_link(mechanism, body, Shape(first[parent], joint.kind, backward), joint, drawn.size))
        bodies.append(body)
        joints.append(joint.name)
    pieces = [bodies.count(name) for name in bodies]
    shared = tuple(replace(x, mass=x.mass / n, J_C=x.J_C / n) for x, n in zip(links, pieces, strict=True))
    gravity = np.array(mechanism.gravity, float) / drawn.size
    return CutOpen(RandomTree(shared, gravity), tuple(bodies), tuple(joints), tuple(welds))


def _link(mechanism: Mechanism, name: str, shape: Shape, joint: Joint | None, size: float) -> Link:
    body = next(body for body in mechanism.body if body.name == name)
    axis = np.array((0.0, 0.0, 1.0) if joint is None or joint.axis is None else joint.axis, float)
    p_WB = np.array(body.at, float) / size
    return Link(
        shape,
        p_WJ=p_WB if joint is None else np.array(joint.at, float) / size,
        axis=axis / np.linalg.norm(axis),
        R_WB=from_scalar_first(np.array(body.orientation, float)),
        p_WB=p_WB,
        mass=body.mass_kg,
        p_BC=np.array(body.com, float) / size,
        J_C=body.J_C / size**2,
    )


def coordinates(link: Link, parent: Link | None, pose: tuple, of_parent: tuple) -> np.ndarray:
    """The joint's coordinates, of `random_mechanisms.trees`, when body and parent are at these poses (R, p)."""
    if link.shape.kind == "free":
        return np.concatenate([pose[1], scalar_first(pose[0])])
    R_F, p_F = _carried(parent, of_parent, link.p_WJ)
    R_M, p_M = _carried(link, pose, link.p_WJ)
    R, p = R_F.T @ R_M, R_F.T @ (p_M - p_F)
    if link.shape.kind == "spherical":
        return scalar_first(R)
    if link.shape.kind == "screw":
        return np.array([Rotation.from_matrix(R).as_rotvec() @ link.signed_axis])
    if link.shape.kind == "universal":
        (_, one), (_, two) = link.elementary
        first = _turn(two, R @ two, one)
        back = Rotation.from_rotvec(-first * one).as_matrix() @ R
        return np.array([first, _turn(one, back @ one, two)])
    of = {"slide": lambda axis: p @ axis, "hinge": lambda axis: Rotation.from_matrix(R).as_rotvec() @ axis}
    return np.array([of[motion](axis) for motion, axis in link.elementary] if link.shape.kind != "fixed" else [])


def _carried(link: Link | None, pose: tuple, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The frame along world axes at a point of the initial pose, now that its body has moved to (R, p)."""
    if link is None:
        return np.eye(3), point
    R = pose[0] @ link.R_WB.T
    return R, pose[1] + R @ (point - link.p_WB)


def _turn(a: np.ndarray, b: np.ndarray, axis: np.ndarray) -> float:
    """The angle about an axis from a to b, both across it."""
    return float(np.arctan2(np.cross(a, b) @ axis, a @ b))
