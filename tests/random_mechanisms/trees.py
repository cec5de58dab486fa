"""Random open trees for the comparison with other programs: plain data, and the same data as a linkwork Mechanism.

A tree is drawn at its *initial* pose.  There every joint coordinate of linkwork is zero (a ball's Euler parameters are
1, 0, 0, 0), because a joint is placed by a point and an axis in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from linkwork.mechanism import Mechanism
from linkwork.numerics.rotations import frame_with_axis

GROUND = -1
DOF_COUNT = {
    "revolute": 1, "prismatic": 1, "spherical": 3, "free": 6, "fixed": 0, "cylindrical": 2, "universal": 2, "planar": 3,
    "screw": 1,
}  # fmt: skip
WITH_AXIS = ("revolute", "prismatic", "cylindrical", "universal", "planar", "screw")
PITCH = 0.3  # m a turn, of every screw


@dataclass(frozen=True)
class Shape:
    """What hypothesis draws for one body: where it hangs, how, and in which order the joint's bodies are named."""

    parent: int  # index of a body before this one, or GROUND
    kind: str  # of the joint; 'free' only on ground
    said_backward: bool = False  # between = (child, parent)
    said_at_all: bool = True  # False: a free body without any joint


@dataclass(frozen=True)
class Link:
    """One body of a tree, at the initial pose; world axes unless the name says B (body axes)."""

    shape: Shape
    p_WJ: np.ndarray  # m, point of the joint
    axis: np.ndarray  # unit, of a joint that has one
    R_WB: np.ndarray
    p_WB: np.ndarray  # m
    mass: float  # kg
    p_BC: np.ndarray  # m, centre of mass
    J_C: np.ndarray  # kg m2, about the centre of mass, body axes

    @property
    def signed_axis(self) -> np.ndarray:
        """Along which the child moves against its parent when the coordinate grows."""
        return -self.axis if self.shape.said_backward else self.axis

    @property
    def elementary(self) -> list[tuple[str, np.ndarray]]:
        """The joint as hinges and slides one after the other, along world axes at the initial pose."""
        axis, frame = self.signed_axis, frame_with_axis(self.axis)
        return {
            "revolute": [("hinge", axis)],
            "prismatic": [("slide", axis)],
            "cylindrical": [("slide", axis), ("hinge", axis)],
            "universal": [("hinge", self.axis), ("hinge", frame[:, 0])][:: -1 if self.shape.said_backward else 1],
            "planar": [("slide", frame[:, 0]), ("slide", frame[:, 1]), ("hinge", axis)],
        }[self.shape.kind]

    @property
    def link_frame(self) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a frame on the body at the joint, in the world: along world axes; a free body's own frame."""
        return (self.R_WB, self.p_WB) if self.shape.kind == "free" else (np.eye(3), self.p_WJ)


@dataclass(frozen=True)
class RandomTree:
    """Bodies, parents before children."""

    links: tuple[Link, ...]
    gravity: np.ndarray  # m/s2

    def dof(self) -> int:
        return sum(DOF_COUNT[link.shape.kind] for link in self.links)

    def mechanism(self) -> Mechanism:
        return Mechanism(
            name="random tree",
            gravity=self.gravity,
            body=[self._body(i) for i in range(len(self.links))],
            joint=[self._joint(i) for i in range(len(self.links)) if self.links[i].shape.said_at_all],
        )

    def _body(self, i: int) -> dict:
        link = self.links[i]
        return {
            "name": body_name(i),
            "mass": link.mass,
            "com": link.p_BC,
            "inertia": link.J_C,
            "at": link.p_WB,
            "orientation": scalar_first(link.R_WB),
        }

    def _joint(self, i: int) -> dict:
        link, shape = self.links[i], self.links[i].shape
        pair = (body_name(shape.parent), body_name(i))
        joint = {"name": f"J{i}", "kind": shape.kind, "between": pair[::-1] if shape.said_backward else pair}
        if shape.kind != "free":
            joint["at"] = link.p_WJ
        if shape.kind in WITH_AXIS:
            joint["axis"] = link.axis
        if shape.kind == "universal":
            joint["second_axis"] = frame_with_axis(link.axis)[:, 0]
        if shape.kind == "screw":
            joint["pitch"] = PITCH
        return joint

    def element(self, i: int) -> str:
        """Under which name linkwork lists the coordinates of body i: its joint's, or its own if it hangs on none."""
        return f"J{i}" if self.links[i].shape.said_at_all else body_name(i)


def body_name(i: int) -> str:
    return "ground" if i == GROUND else f"body {i}"


def scalar_first(R: np.ndarray) -> np.ndarray:
    return np.roll(Rotation.from_matrix(R).as_quat(), 1)


def from_scalar_first(e: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(e, -1)).as_matrix()


def random_unit_vector(rng: np.random.Generator) -> np.ndarray:
    a = rng.standard_normal(3)
    return a / np.linalg.norm(a)


def random_inertia(rng: np.random.Generator, mass: float, size: float) -> np.ndarray:
    """Inertia tensor of a cloud of equal point masses: full, and physically possible by construction (kg m2)."""
    points = rng.uniform(-size, size, (8, 3))
    points -= points.mean(axis=0)
    return mass / 8.0 * sum((r @ r) * np.eye(3) - np.outer(r, r) for r in points)


def random_tree(shapes: Sequence[Shape], seed: int) -> RandomTree:
    """Places, axes, masses and inertias for a given structure."""
    rng = np.random.default_rng(seed)
    links: list[Link] = []
    for shape in shapes:
        foot = np.zeros(3) if shape.parent == GROUND else links[shape.parent].p_WJ
        p_WJ = foot + rng.uniform(-0.6, 0.6, 3)
        mass = float(rng.uniform(0.2, 5.0))
        if not shape.said_at_all:
            mass += 10.0  # the heaviest body of a part without ground is the one that floats
        links.append(
            Link(
                shape,
                p_WJ=p_WJ,
                axis=random_unit_vector(rng),
                R_WB=Rotation.random(random_state=int(rng.integers(2**31))).as_matrix(),
                p_WB=p_WJ + rng.uniform(-0.4, 0.4, 3),
                mass=mass,
                p_BC=rng.uniform(-0.3, 0.3, 3),
                J_C=random_inertia(rng, mass, size=0.4),
            )
        )
    return RandomTree(tuple(links), rng.uniform(-10.0, 10.0, 3))


@dataclass(frozen=True)
class LinkState:
    """Coordinates and velocities of one joint, as linkwork orders and means them."""

    q: np.ndarray  # angle, distance, (e0, e1, e2, e3) or (x, y, z, e0, e1, e2, e3)
    v: np.ndarray  # rate, speed, w in the axes of F, or (v, w) in the axes of F

    @property
    def R(self) -> np.ndarray:
        """Rotation of the child's joint frame in the inboard one, of a spherical or free joint."""
        return from_scalar_first(self.q[-4:])


def random_states(tree: RandomTree, seed: int) -> list[LinkState]:
    """Anywhere: angles of any size, any orientation, speeds of some rad/s and m/s."""
    rng = np.random.default_rng(seed + 1)
    states = []
    for link in tree.links:
        kind = link.shape.kind
        e = scalar_first(Rotation.random(random_state=int(rng.integers(2**31))).as_matrix())
        q = {
            "revolute": rng.uniform(-4.0, 4.0, 1),
            "prismatic": rng.uniform(-1.0, 1.0, 1),
            "cylindrical": rng.uniform(-1.0, 1.0, 2) * (1.0, 4.0),
            "universal": rng.uniform(-4.0, 4.0, 2),
            "planar": rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, 4.0),
            "screw": rng.uniform(-9.0, 9.0, 1),
            "spherical": e,
            "free": np.concatenate([rng.uniform(-2.0, 2.0, 3), e]),
            "fixed": np.zeros(0),
        }[kind]
        states.append(LinkState(q, rng.uniform(-3.0, 3.0, DOF_COUNT[kind])))
    return states
