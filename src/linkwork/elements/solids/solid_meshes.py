"""Solids from their surface: triangles of a file (STL, OBJ, STEP); the volume, centre and second moments in it.

By the divergence theorem each integral over the solid is a sum over its triangles (Eberly 2002, "Polyhedral Mass
Properties"): the tetrahedron of a triangle a, b, c with the origin has, signed, with d = a . (b x c) and s = a + b + c,

    volume d / 6,   integral of x: d s / 24,   integral of x x^T: d (s s^T + a a^T + b b^T + c c^T) / 120
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.installation import install_hint

LARGEST_FILE = 200_000_000  # bytes
STEP = (".step", ".stp")  # read by Open Cascade
FORMATS = (".stl", ".obj", *STEP)
_BINARY_TRIANGLE = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84  # bytes of a binary STL before its triangles
CIRCLE, COARSEST = 100, 1.0  # corners of a circle; mm, what a curved face may be off
SAME = 1e-7  # of the size: corners of faces that are so near are one
_FLAT = 1e-12  # of the volume of the box around: less is none


def solid_moments(path: Path, scale: float) -> tuple[float, ...]:
    """Volume, centre (m) and second moments xx, yy, zz, xy, yz, zx (m5) about the centre of the solid in a file.

    ValueError where its surface is open or encloses nothing.
    """
    points, triangles = read_surface(path)
    _check_closed(path, triangles)
    points = scale * points
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    a, b, c = np.moveaxis((points - middle)[triangles], 1, 0)
    d, s = np.einsum("ni,ni->n", a, np.cross(b, c)), a + b + c
    volume = d.sum() / 6.0
    if abs(volume) <= _FLAT * float(np.prod(np.ptp(points, axis=0))):
        raise ValueError(f"mesh: '{path.name}' encloses no volume; give a mass and inertia instead")
    centre = d @ s / 24.0 / volume
    second = sum(np.einsum("n,ni,nj->ij", d, x, x) for x in (s, a, b, c)) / 120.0
    if volume < 0.0:  # its triangles face inwards
        volume, second = -volume, -second
    S = second - volume * np.outer(centre, centre)
    whole = (volume, *(centre + middle), S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[1, 2], S[2, 0])
    return tuple(float(x) for x in whole)


def _check_closed(path: Path, triangles: np.ndarray) -> None:
    """Every edge is passed once each way: the surface is closed, and all of it faces outwards (or all inwards)."""
    edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    ways, counts = np.unique(edges, axis=0, return_counts=True)
    there = {(int(a), int(b)) for a, b in ways}
    open_edges = sum((b, a) not in there for a, b in there)
    if open_edges or counts.max(initial=0) > 1:
        what = f"is open at {open_edges} edges" if open_edges else "has edges with more than two triangles"
        raise ValueError(f"mesh: '{path.name}' {what}; close it where it was drawn, or give a mass and inertia instead")


def read_surface(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Points [n, 3], each once, and triangles [m, 3] of a file; ValueError where it holds none."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"mesh: '{path.name}' is not a mesh; its name has to end with {' or '.join(FORMATS)}")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"mesh: '{path.name}' has more than {LARGEST_FILE // 10**6} MB; make it coarser")
        data = path.read_bytes()
    except OSError as failure:
        raise ValueError(f"mesh: '{path}' cannot be read: {failure.strerror}; check the path") from None
    if path.suffix.lower() in STEP:
        return _step_surface(path)
    try:
        corners = _obj_corners(data) if path.suffix.lower() == ".obj" else _stl_corners(data)
    except (ValueError, IndexError):
        raise ValueError(f"mesh: '{path.name}' cannot be read as {path.suffix[1:].upper()}; check the file") from None
    if not len(corners) or not np.isfinite(corners).all():
        raise ValueError(f"mesh: '{path.name}' holds no triangles, or some without place; check the file")
    points, places = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    triangles = places.reshape(-1, 3)
    kept = (np.diff(np.sort(triangles, axis=1), axis=1) > 0).all(axis=1)  # those with three different corners
    return points, triangles[kept]


def _step_surface(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Points (m) and triangles of all solids of a STEP file; circles become polygons of CIRCLE corners."""
    try:
        import cascadio
        import trimesh
    except ImportError:
        raise ValueError(
            f"mesh: '{path.name}' is a STEP file, which Open Cascade reads; {install_hint('step')}; or export it as STL"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        cut = Path(folder) / "cut.glb"
        cascadio.step_to_glb(str(path), str(cut), tol_linear=COARSEST, tol_angular=2.0 * np.pi / CIRCLE)
        if not cut.is_file():
            raise ValueError(f"mesh: '{path.name}' cannot be read as STEP; check the file")
        found: Any = trimesh.load(cut, force="mesh")
    if not len(found.faces):
        raise ValueError(f"mesh: '{path.name}' holds no solids; check the file")
    size = float(np.ptp(found.vertices, axis=0).max())
    corners = np.round(np.asarray(found.vertices)[found.faces] / (SAME * size)) * (SAME * size)
    points, places = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return points, places.reshape(-1, 3)


def _stl_corners(data: bytes) -> np.ndarray:
    """[triangle, corner, 3] of a binary or text STL."""
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    if len(data) == _HEADER + count * _BINARY_TRIANGLE.itemsize:
        return np.asarray(np.frombuffer(data, _BINARY_TRIANGLE, count, _HEADER)["points"], float)
    found = re.findall(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)", data)
    return np.array(found, dtype="S32").astype(float).reshape(-1, 3, 3)


def _obj_corners(data: bytes) -> np.ndarray:
    """[triangle, corner, 3] of an OBJ; faces of more corners are cut into triangles from their first."""
    points: list[list[float]] = []
    corners: list[list[int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            face = [int(word.partition("/")[0]) for word in words[1:]]
            face = [k - 1 if k > 0 else len(points) + k for k in face]
            corners += [[face[0], face[k], face[k + 1]] for k in range(1, len(face) - 1)]
    if any(k < 0 or k >= len(points) for face in corners for k in face):
        raise IndexError
    return np.asarray(np.array(points, float).reshape(-1, 3)[np.array(corners, int).reshape(-1, 3)])
