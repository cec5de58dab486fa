"""Triangle meshes of what is drawn: surfaces of revolution, rounded plates, coils.  One source for page, glTF and GIF.

Vertices are shared where a surface is smooth and doubled at its edges, so that normals can be found from the triangles
alone.  All surfaces are closed, their triangles turn counter-clockwise seen from outside.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.elements.solids.solid_meshes import FORMATS, read_surface
from linkwork.errors import ModelWarning
from linkwork.installation import install_hint

SEGMENTS = 32  # around a full turn
CREASE = np.radians(35.0)  # a profile that turns by more has an edge there
BEVEL = 0.12  # of the smallest side


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices [n, 3] in m and triangles [m, 3]."""

    vertices: np.ndarray
    triangles: np.ndarray

    def volume(self) -> float:
        """Enclosed volume, m3: the sum of a . (b x c) / 6 over the triangles (Gauss)."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        return float(np.sum(a * np.cross(b, c)) / 6.0)

    @cached_property
    def normals(self) -> np.ndarray:
        """Unit normals at the vertices: those of the triangles around, weighted by area."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        normal = np.zeros_like(self.vertices)
        for k in range(3):
            np.add.at(normal, self.triangles[:, k], np.cross(b - a, c - a))
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        return normal


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def moved(mesh: Mesh, R: np.ndarray, p: np.ndarray) -> Mesh:
    """Turned by R, then shifted by p."""
    return Mesh(mesh.vertices @ R.T + p, mesh.triangles)


# -- surfaces of revolution about z ---------------------------------------------------------------------------------
def lathe(profile: Sequence[tuple[float, float]], segments: int = SEGMENTS) -> Mesh:
    """A profile of points (radius, z), turned about z; its inside is on the left when one goes along it."""
    angles = 2.0 * np.pi * np.arange(segments) / segments
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    runs = _smooth_runs(np.array(profile, float))
    return joined([_turned(run, circle) for run in runs if run[:, 0].max() > 0.0])  # a run along the axis is a line


def _smooth_runs(profile: np.ndarray) -> list[np.ndarray]:
    """The profile cut where it turns sharply."""
    direction = np.diff(profile, axis=0)
    heading = np.arctan2(direction[:, 1], direction[:, 0])
    turn = np.abs((np.diff(heading) + np.pi) % (2.0 * np.pi) - np.pi)
    cuts = [0, *(np.flatnonzero(turn > CREASE) + 1), len(profile) - 1]
    return [profile[first : last + 1] for first, last in pairwise(cuts)]


def _turned(run: np.ndarray, circle: np.ndarray) -> Mesh:
    count = len(circle)
    vertices = np.concatenate([np.column_stack([radius * circle, np.full(count, z)]) for radius, z in run])
    return _without_slivers(Mesh(vertices, _quilt(len(run), count)))


def _quilt(rings: int, count: int) -> np.ndarray:
    """Triangles between consecutive closed rings of `count` points."""
    k = np.arange(count)
    following = (k + 1) % count
    quads = []
    for ring in range(rings - 1):
        a, b = ring * count + k, ring * count + following
        quads += [np.column_stack([a, b, b + count]), np.column_stack([a, b + count, a + count])]
    return np.concatenate(quads)


def _without_slivers(mesh: Mesh) -> Mesh:
    """Triangles at a pole that have no area are left out."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Mesh(mesh.vertices, mesh.triangles[area > 1e-9 * area.max()])


def cylinder(radius: float, length: float, bevel: float | None = None) -> Mesh:
    """A cylinder about z with bevelled rims, centred."""
    b = BEVEL * min(radius, length) if bevel is None else bevel
    h = length / 2.0
    return lathe([(0, -h), (radius - b, -h), (radius, -h + b), (radius, h - b), (radius - b, h), (0, h)])


def ring(outer: float, inner: float, length: float) -> Mesh:
    """A hollow cylinder about z, centred."""
    b, h = BEVEL * min(outer - inner, length), length / 2.0
    return lathe(
        [(inner, h), (inner, -h), (outer - b, -h), (outer, -h + b), (outer, h - b), (outer - b, h), (inner, h)]
    )


def sphere(radius: float) -> Mesh:
    """A ball."""
    return lathe(_arc(0.0, radius, -90.0, 90.0))


def capsule(radius: float, length: float) -> Mesh:
    """A round bar from z = 0 to z = length with half balls at both ends beyond."""
    return lathe([*_arc(0.0, radius, -90.0, 0.0), *_arc(length, radius, 0.0, 90.0)], 20)


def socket(outer: float, inner: float) -> Mesh:
    """Half a hollow ball, open towards +z."""
    return lathe([*_arc(0.0, inner, 0.0, -90.0), *_arc(0.0, outer, -90.0, 0.0), (inner, 0.0)])


def pedestal(top: float, base: float, height: float) -> Mesh:
    """From z = 0 down by a height: round on top, a slender cone, a base plate."""
    plate, neck = min(0.14 * height, 0.22 * base), min(0.2 * height, 0.76 * top)
    return lathe([
        (0, -height), (base, -height), (base, -height + plate), (0.62 * base, -height + plate),
        (top, -neck), *_arc(0.0, top, 0.0, 90.0, 6),
    ])  # fmt: skip


def _arc(z: float, radius: float, first: float, last: float, count: int = 9) -> list[tuple[float, float]]:
    """Points (r, z) of an arc about (0, z), angles in degrees from the equator."""
    angles = np.radians(np.linspace(first, last, count))
    return [(radius * max(0.0, round(float(np.cos(a)), 12)), z + radius * float(np.sin(a))) for a in angles]


# -- plates in the x-y plane ----------------------------------------------------------------------------------------
def plate(outline: np.ndarray, thickness: float, bevel: float) -> Mesh:
    """A convex outline [n, 2], counter-clockwise, as a plate of a thickness about z = 0 with bevelled rims."""
    h, inset = thickness / 2.0, _inset(outline, bevel)
    layers = [np.column_stack([o, np.full(len(o), z)]) for o, z in
              ((inset, -h), (outline, -h + bevel), (outline, h - bevel), (inset, h))]  # fmt: skip
    count = len(outline)
    bands = [Mesh(np.concatenate(layers[k : k + 2]), _quilt(2, count)) for k in range(3)]
    return joined([*bands, _cap(layers[0][::-1]), _cap(layers[3])])


def _cap(rim: np.ndarray) -> Mesh:
    """A fan about the middle of a convex rim."""
    k = np.arange(len(rim))
    fan = np.column_stack([np.full(len(rim), len(rim)), k, (k + 1) % len(rim)])
    return Mesh(np.vstack([rim, rim.mean(axis=0)]), fan)


def _inset(outline: np.ndarray, by: float) -> np.ndarray:
    """The outline moved inwards; `by` along the normal of its sides."""
    along = np.roll(outline, -1, axis=0) - outline
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    normal = np.column_stack([along[:, 1], -along[:, 0]])  # outward
    both = normal + np.roll(normal, 1, axis=0)
    moved_in: np.ndarray = outline - by * 2.0 * both / np.sum(both * both, axis=1, keepdims=True)
    return moved_in


def rounded(corners: np.ndarray, radius: float) -> np.ndarray:
    """All points within `radius` of a convex polygon (counter-clockwise; two corners: a slot): its outline."""
    along = np.roll(corners, -1, axis=0) - corners
    heading = np.arctan2(along[:, 1], along[:, 0])
    points = []
    for corner, before, after in zip(corners, np.roll(heading, 1), heading, strict=True):
        turn = (after - before) % (2.0 * np.pi)
        angles = before - np.pi / 2.0 + np.linspace(0.0, turn, max(3, int(np.ceil(turn / np.radians(15.0))) + 1))
        points.append(corner + radius * np.column_stack([np.cos(angles), np.sin(angles)]))
    return np.concatenate(points)


def box(size: Sequence[float]) -> Mesh:
    """A block with rounded upright edges and bevelled rims, centred."""
    x, y, z = size
    r = BEVEL * min(size)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (np.array([x, y]) / 2.0 - r)
    return plate(rounded(corners, r), z, min(r, z / 4.0))


def hull(points: np.ndarray) -> np.ndarray:
    """Corners of the convex hull of points [n, 2], counter-clockwise (Andrew 1979)."""
    ordered = sorted(map(tuple, np.unique(points, axis=0)))

    def chain(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        kept: list[tuple[float, ...]] = []
        for x, y in points:
            while len(kept) > 1 and (kept[-1][0] - kept[-2][0]) * (y - kept[-2][1]) <= (kept[-1][1] - kept[-2][1]) * (
                x - kept[-2][0]
            ):
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


# -- coils ------------------------------------------------------------------------------------------------------------
def coil(radius: float, wire: float, turns: int = 9) -> Mesh:
    """A helical spring from z = 0 to z = 1, to be stretched along z; straight ends on the axis.

    The centre line is (r cos a, r sin a, z); the wire's section is drawn in the meridian plane.
    """
    ends, count, around = 0.12, 16 * turns, 8
    s = np.linspace(0.0, 1.0, count + 1)
    a = 2.0 * np.pi * turns * s
    spread = radius * np.clip(np.minimum(s, 1.0 - s) * 2.0 * turns, 0.0, 1.0)  # the first half turn leaves the axis
    z = ends + (1.0 - 2.0 * ends) * s
    centre = np.column_stack([spread * np.cos(a), spread * np.sin(a), z])
    centre = np.vstack([[0.0, 0.0, 0.0], centre, [0.0, 0.0, 1.0]])
    a = np.concatenate([a[:1], a, a[-1:]])
    outward = np.column_stack([np.cos(a), np.sin(a), np.zeros(len(a))])
    tangent = np.gradient(centre, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    outward -= tangent * np.sum(tangent * outward, axis=1, keepdims=True)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
    across = np.cross(tangent, outward)
    phi = 2.0 * np.pi * np.arange(around) / around
    rings = [c + wire * (np.cos(phi)[:, None] * o + np.sin(phi)[:, None] * b)
             for c, o, b in zip(centre, outward, across, strict=True)]  # fmt: skip
    tube = Mesh(np.concatenate(rings), _quilt(len(rings), around))
    return joined([tube, _cap(rings[0][::-1]), _cap(rings[-1])])


# -- files ------------------------------------------------------------------------------------------------------------
def mesh_from_file(path: str, scale: Sequence[float]) -> Mesh | None:
    """A mesh: STL and OBJ by ourselves, others by trimesh; None, and a warning, where it or the file is not there."""
    if not Path(path).is_file():
        warnings.warn(f"there is no mesh '{path}'; it is not drawn", ModelWarning, stacklevel=2)
        return None
    if Path(path).suffix.lower() in FORMATS:
        try:
            points, triangles = read_surface(Path(path))
        except ValueError as failure:
            warnings.warn(f"{failure}; it is not drawn", ModelWarning, stacklevel=2)
            return None
        corners = (points * np.array(scale))[triangles].reshape(-1, 3)  # doubled: each triangle is flat
        return Mesh(corners, np.arange(len(corners)).reshape(-1, 3))
    try:
        import trimesh
    except ImportError:
        missing = f"mesh '{path}' is not drawn: that needs trimesh, which is not installed; {install_hint('urdf')}"
        warnings.warn(missing, ModelWarning, stacklevel=2)
        return None
    try:
        loaded: Any = trimesh.load(path, force="mesh")
    except Exception as failure:  # each of its dozen readers has its own way to fail
        warnings.warn(f"mesh '{path}' cannot be read ({failure}); it is not drawn", ModelWarning, stacklevel=2)
        return None
    return Mesh(np.array(loaded.vertices) * np.array(scale), np.array(loaded.faces))
