"""From where to look at a mechanism: its motion over a run, what it fills, which way is up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from linkwork.elements.constraints.links import RollingDisc
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.tyres.tyre import Tyre
from linkwork.mechanism import GROUND, Mechanism
from linkwork.view.scene.pictures import Part
from linkwork.view.scene.scene import DrawnBody, Point, rotations

SAMPLES = 200  # enough to see where the bodies go
DIRECTIONS = 96  # in which the outermost points are looked for


class BodyMotion:
    """Poses of the bodies at some instants of a run: R [sample, body, 3, 3], p [sample, body, 3] (m)."""

    def __init__(self, mechanism: Mechanism, position: np.ndarray, orientation: np.ndarray) -> None:
        self.names = [GROUND, *(body.name for body in mechanism.body)]
        picked = slice(0, None, max(1, len(position) // SAMPLES))
        self.R, self.p = rotations(orientation[picked]), position[picked]

    def index(self, body: str) -> int:
        """Of a body among the drawn ones; ground is 0."""
        return self.names.index(body)

    def poses(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Axes [sample, 3, 3] and origin [sample, 3] (m) of a body in the world."""
        count = len(self.p)
        if body == GROUND:
            return np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        k = self.index(body) - 1
        return self.R[:, k], self.p[:, k]


class Viewpoint:
    """Where to look, and what of it is followed; `points` (m, body frames): where things are attached to the bodies."""

    def __init__(self, mechanism: Mechanism, motion: BodyMotion, points: Mapping[str, Sequence[np.ndarray]]) -> None:
        self.mechanism, self.motion, self.points = mechanism, motion, points
        self.up = _upwards(mechanism)

    @cached_property
    def paths(self) -> dict[str, np.ndarray]:
        """The points of each body in the world over the run [sample, point, 3], m."""
        found = {}
        for body in self.mechanism.body:
            R, p = self.motion.poses(body.name)
            points = np.array([body.p_BC, *self.points[body.name]])
            found[body.name] = p[:, None] + np.einsum("nij,kj->nki", R, points)
        return found

    def farthest(self) -> str | None:
        """The body whose centre of mass has the longest path."""
        lengths = {name: float(np.linalg.norm(np.diff(path[:, 0], axis=0), axis=1).sum())
                   for name, path in self.paths.items()}  # fmt: skip
        return max(lengths, key=lambda name: lengths[name]) if lengths else None

    def followed(self) -> int:
        """The heaviest body of what rolls farther than three times its own size, on tyres or discs; 0: none."""
        if not self.mechanism.of(Tyre) and not self.mechanism.of(RollingDisc):
            return 0
        size = float(np.linalg.norm(np.ptp(self.motion.p[0], axis=0)))
        heaviest = max(self.mechanism.body, key=lambda body: body.mass_kg).name
        path = self.motion.poses(heaviest)[1]
        return self.motion.index(heaviest) if float(np.linalg.norm(np.ptp(path, axis=0))) > 3.0 * max(size, 1.0) else 0

    @property
    def instants(self) -> int:
        """How many instants are looked at: of a mechanism that is followed the first alone."""
        return 1 if self.followed() else len(self.motion.p)

    def swept(self, bodies: Sequence[DrawnBody]) -> dict[str, np.ndarray]:
        """Corners of each body at the instants, one after the other [instant * corner, 3], m, world."""
        instants, found = slice(self.instants), {}
        for drawn, body in zip(bodies[1:], self.mechanism.body, strict=True):
            R, p = self.motion.poses(drawn.name)
            nodes = np.zeros((0, 3)) if body.modal is None else body.modal.nodes.x
            points = np.concatenate([nodes, *(corners(part) for part in drawn.parts)])
            found[drawn.name] = (p[instants, None] + np.einsum("nij,kj->nki", R[instants], points)).reshape(-1, 3)
        return found

    def extent(self, swept: Mapping[str, np.ndarray], margin: float) -> tuple[Point, Point]:
        """Corners of what the motion fills, with the joints on ground, m."""
        points = [*swept.values(), *(point[None] for point in self.points[GROUND])]
        everything = np.concatenate(points or [np.zeros((1, 3))])
        low, high = everything.min(axis=0), everything.max(axis=0)
        return tuple(map(float, low - 2.0 * margin)), tuple(map(float, high + 2.0 * margin))

    def look(self) -> Point:
        """Across the plane of a planar motion and a little from the side; otherwise from a corner."""
        normal = self.normal()
        right = np.cross([0.0, 1.0, 0.0], self.up) if abs(self.up[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        if normal is not None and abs(normal @ self.up) < 0.1:
            if np.cross(self.up, normal) @ np.array([1.0, 1e-3, 1e-6]) < 0.0:
                normal = -normal
            eye = normal + 0.24 * self.up + 0.26 * np.cross(self.up, normal)
        else:
            eye = np.cross(right, self.up) * -1.0 * 0.85 + 0.5 * self.up + 0.6 * right
        return tuple(map(float, eye / np.linalg.norm(eye)))

    def normal(self) -> np.ndarray | None:
        """The normal of the plane in which all points move, if there is one."""
        if self.followed():
            return None
        if self.mechanism.plane is not None:
            return np.array(PLANES[self.mechanism.plane])
        points = np.concatenate([path.reshape(-1, 3) for path in self.paths.values()] or [np.zeros((1, 3))])
        _, sizes, directions = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        normal: np.ndarray = directions[-1]
        return normal if len(sizes) == 3 and sizes[2] < 0.02 * sizes[0] else None


def corners(part: Part) -> np.ndarray:
    """Corners of the box around a part [8, 3], m, body frame."""
    low, high = part.mesh.vertices.min(axis=0), part.mesh.vertices.max(axis=0)
    found = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
    return np.asarray(found @ rotations(np.array(part.turn)).T + np.array(part.at))


def outermost(points: np.ndarray) -> np.ndarray:
    """Those of some points [point, 3] that are farthest in one of many directions: nearly their convex hull."""
    return np.asarray(points[np.unique(np.argmax(points @ _directions(DIRECTIONS).T, axis=0))])


def _directions(count: int) -> np.ndarray:
    """Unit vectors [count, 3], evenly spread: a Fibonacci lattice on the sphere."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + np.sqrt(5.0)) * k
    return np.column_stack([np.sqrt(1.0 - z * z) * np.cos(turn), np.sqrt(1.0 - z * z) * np.sin(turn), z])


def _upwards(mechanism: Mechanism) -> np.ndarray:
    """The axis that gravity is against; without gravity z, or y of a mechanism in the x-y plane."""
    g = np.array(mechanism.gravity)
    if np.abs(g).max() > 0.0:
        k = int(np.argmax(np.abs(g)))
        return np.asarray(-np.sign(g[k]) * np.eye(3)[k])
    return np.asarray(np.eye(3)[1 if mechanism.plane == "xy" else 2])
