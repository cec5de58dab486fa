"""A scene at an instant: every mesh with its place in the world.  For pictures, GIF and glTF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.numerics.rotations import frame_with_axis
from linkwork.view.scene.meshes import Mesh
from linkwork.view.scene.pictures import BODY, RUBBER, STEEL, Part
from linkwork.view.scene.scene import DrawnLink, Scene, rotations

PALETTE = ("#2f78c9", "#e07a2c", "#1f9e79", "#c4529f", "#d0a215", "#5d5bd0", "#d24d4d", "#2b9cb8", "#7a9e23", "#9a6f47")
PAINTS = {STEEL: "#8a94a3", "ground": "#9aa5b4", RUBBER: "#3d434c"}


@dataclass(frozen=True, eq=False)
class Owned:
    """A part and the body or node (index, ground is 0) on which it is fixed; the body whose colour it has."""

    body: int
    part: Part
    painted: int

    @property
    def color(self) -> str:
        """The same as in the light theme of the page."""
        return color(self.painted, self.part.paint)


def color(body: int, paint: str) -> str:
    """Of a body's own paint, or the common one."""
    if paint == BODY and body > 0:
        return PALETTE[(body - 1) % len(PALETTE)]
    return paint if paint.startswith("#") else PAINTS.get(paint, PAINTS["ground"])


def parts(scene: Scene) -> Iterator[Owned]:
    """Every part of bodies and joints."""
    for k, body in enumerate(scene.bodies):
        yield from (Owned(k, part, k) for part in body.parts)
    for joint in scene.joints:
        for k, own in ((joint.a, joint.parts_a), (joint.b, joint.parts_b), (0, joint.parts_ground)):
            yield from (Owned(k, part, scene.bodies[k].of or k) for part in own)


def poses(scene: Scene, samples: slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
    """R [sample, body, 3, 3] and p [sample, body, 3] (m), ground first."""
    count = len(scene.t[samples])
    R = np.concatenate([np.broadcast_to(np.eye(3), (count, 1, 3, 3)), rotations(scene.orientation[samples])], axis=1)
    return R, np.concatenate([np.zeros((count, 1, 3)), scene.position[samples]], axis=1)


def link_poses(link: DrawnLink, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Orientation [sample, 3, 3] with z along it, place of its end on A [sample, 3] (m), length [sample] (m)."""
    start = p[:, link.a] + R[:, link.a] @ np.array(link.at_a)
    end = p[:, link.b] + R[:, link.b] @ np.array(link.at_b)
    length = np.linalg.norm(end - start, axis=1)
    along = [frame_with_axis(d) if n > 1e-12 else np.eye(3) for d, n in zip(end - start, length, strict=True)]
    return np.array(along), start, length


def rgb(paint: str) -> tuple[float, ...]:
    """Red, green and blue, 0 to 1, of "#rrggbb"."""
    return tuple(int(paint[k : k + 2], 16) / 255.0 for k in (1, 3, 5))


def triangles_at(scene: Scene, sample: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners [triangle, 3, 3] (m, world), corner normals, and colours [triangle, rgb] of everything at a sample."""
    R, p = (a[0] for a in poses(scene, slice(sample, sample + 1)))
    corners, normals, colors = [], [], []

    def add(mesh: Mesh, turn: np.ndarray, at: np.ndarray, paint: str, stretch: float = 1.0) -> None:
        vertices = mesh.vertices * np.array([1.0, 1.0, stretch]) @ turn.T + at
        corners.append(vertices[mesh.triangles])
        normals.append((mesh.normals @ turn.T)[mesh.triangles])
        colors.append(np.broadcast_to(rgb(paint), (len(mesh.triangles), 3)))

    for owned in parts(scene):
        turn = R[owned.body] @ rotations(np.array(owned.part.turn))
        add(owned.part.mesh, turn, p[owned.body] + R[owned.body] @ np.array(owned.part.at), owned.color)
    for bend in scene.bends:
        add(bend.at(sample), R[bend.body], p[bend.body], color(bend.body, BODY))
    for link in scene.links:
        turns, starts, lengths = link_poses(link, R[None], p[None])
        add(link.mesh, turns[0], starts[0], PAINTS[STEEL], float(lengths[0]))
    if not corners:
        return np.zeros((0, 3, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3))
    return np.concatenate(corners), np.concatenate(normals), np.concatenate(colors)
