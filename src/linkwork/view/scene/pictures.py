"""What bodies, joints and springs look like: a body its shape or a stand-in through its joints, a joint what it is.

A joint's kind describes it by simple solids (elements/joints/picture.py), in a frame with its axis along z.  Lengths in
m, drawn in units `u` that fit the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.constraints.links import RollingDisc
from linkwork.elements.joints.picture import Solid
from linkwork.elements.solids import shapes
from linkwork.elements.solids.composite import Composite
from linkwork.elements.solids.composite import Part as CompositePart
from linkwork.elements.solids.pictures import Picture
from linkwork.elements.solids.shapes import Box, Cylinder, Rod, Sphere
from linkwork.numerics.rotations import euler_parameters, frame_with_axis, rotation_matrix
from linkwork.view.scene.meshes import (
    Mesh,
    box,
    capsule,
    coil,
    cylinder,
    hull,
    joined,
    mesh_from_file,
    moved,
    plate,
    ring,
    rounded,
    socket,
    sphere,
)

BODY, STEEL, GROUND_PAINT, RUBBER = "body", "steel", "ground", "rubber"  # paints: the body's own, or a common one
HERE = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
ACROSS_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z of a mesh becomes x
ROD = 0.47  # units: the least width of a rod of which none was given


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh fixed on a body: place (m) and orientation (Euler parameters) in the body frame."""

    mesh: Mesh
    at: tuple[float, ...] = HERE
    turn: tuple[float, ...] = UPRIGHT
    paint: str = BODY


# -- bodies -----------------------------------------------------------------------------------------------------------
def body_parts(body: Body, points: list[np.ndarray], axes: list[np.ndarray], u: float) -> list[Part]:
    """A body from its pictures or its shape; without them bars through the points (m, body frame) of its joints.

    `axes`: the directions of its joints (body frame), which give the plane of a flat link.
    """
    given = [part for picture in body.pictures for part in _picture_parts(picture)]
    if given:
        return given
    if isinstance(body.shape, Composite):
        return [_placed(_shape_part(part.shape, u), part) for part in body.shape.parts]
    if body.shape is not None:
        return [_shape_part(body.shape, u)]
    if body.flexible is not None:
        return []  # its surface bends (view/scene/bending.py)
    places = _distinct([*points], u)
    far = [p for p in places if np.linalg.norm(p - body.p_BC) > u]
    if not far:
        return [Part(box((4.4 * u, 3.2 * u, 3.2 * u)), tuple(body.p_BC), _along(axes))]
    if len(places) == 1:
        return [_bar(places[0], body.p_BC, 0.55 * u), Part(sphere(1.5 * u), tuple(body.p_BC))]
    if len(places) == 2:
        thick = 0.62 * u if _parallel(axes) else 1.05 * u  # a link of a spatial arm, not of a plane linkage
        return [_bar(places[0], places[1], thick), *_mass(body, places, u)]
    flat = _flat_link(places, u)
    return [flat] if flat is not None else [_bar(body.p_BC, p, 0.62 * u) for p in far]


def _shape_part(shape: Rod | Box | Cylinder | Sphere | shapes.Mesh, u: float) -> Part:
    """A solid as it is; a rod of which no width was given not thinner than can be seen."""
    if isinstance(shape, shapes.Mesh):
        surface = mesh_from_file(shape.file, (shape.scale,) * 3)
        return Part(sphere(0.5 * shape.sizes()["size"]), shape.centre) if surface is None else Part(surface)
    if isinstance(shape, Box):
        return Part(box(shape.size))
    if isinstance(shape, Sphere):
        return Part(sphere(shape.radius))
    turn = tuple(euler_parameters(frame_with_axis(np.array(shape.axis))))
    if isinstance(shape, Cylinder):
        hollow = ring(shape.radius, shape.bore, shape.length) if shape.bore > 0.0 else None
        return Part(hollow or cylinder(shape.radius, shape.length), HERE, turn)
    side = shape.side if shape.width is not None else max(shape.side, ROD * u)
    return Part(box((side, side, shape.length)), HERE, turn)


def _placed(drawn: Part, part: CompositePart) -> Part:
    """A solid in the frame of its body."""
    turn = euler_parameters(part.R @ rotation_matrix(np.array(drawn.turn)))
    return replace(drawn, at=tuple(np.array(part.at) + part.R @ np.array(drawn.at)), turn=tuple(turn))


def _picture_parts(picture: Picture) -> list[Part]:
    """A picture of a body as the model gives it; a mesh whose file is not at hand is left out."""
    mesh = _picture_mesh(picture)
    if mesh is None:
        return []
    paint = BODY
    if picture.colour is not None:
        paint = "#" + "".join(f"{round(255 * min(max(c, 0.0), 1.0)):02x}" for c in picture.colour[:3])
    return [Part(mesh, picture.at, picture.orientation, paint)]


def _picture_mesh(picture: Picture) -> Mesh | None:
    size = picture.size
    if picture.kind == "box":
        return box(size)
    if picture.kind == "cylinder":
        return cylinder(size[0], size[1])
    if picture.kind == "ring":
        return ring(size[0], size[1], size[2])
    if picture.kind == "capsule":
        return _shifted(capsule(size[0], size[1]), -size[1] / 2.0)
    if picture.kind in ("sphere", "ellipsoid"):
        ball = sphere(1.0)
        return Mesh(ball.vertices * np.array(size if len(size) == 3 else size * 3), ball.triangles)
    return mesh_from_file(picture.file or "", picture.scale)


def _distinct(points: list[np.ndarray], u: float) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - k) > 0.3 * u for k in kept):
            kept.append(p)
    return kept


def _parallel(axes: list[np.ndarray]) -> bool:
    return all(abs(float(axis @ axes[0])) > 0.99 for axis in axes)


def _bar(a: np.ndarray, b: np.ndarray, radius: float) -> Part:
    """A round bar between two points."""
    length = float(np.linalg.norm(b - a))
    turn = euler_parameters(frame_with_axis((b - a) / length)) if length > 0.0 else UPRIGHT
    return Part(capsule(radius, length), tuple(a), tuple(turn))


def _mass(body: Body, places: list[np.ndarray], u: float) -> list[Part]:
    """A ball at a centre of mass that is not on the bar."""
    a, b = places
    s = np.clip((body.p_BC - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    foot_point = a + s * (b - a)
    if np.linalg.norm(body.p_BC - foot_point) < u:
        return []
    return [_bar(foot_point, body.p_BC, 0.35 * u), Part(sphere(0.9 * u), tuple(body.p_BC))]


def _flat_link(places: list[np.ndarray], u: float) -> Part | None:
    """A rounded plate around points that lie in one plane; None if they do not."""
    points = np.array(places)
    middle = points.mean(axis=0)
    _, sizes, directions = np.linalg.svd(points - middle)
    if len(sizes) > 2 and sizes[2] > 0.5 * u:
        return None
    R = directions.T * np.sign(np.linalg.det(directions))
    if sizes[1] < 0.5 * u:  # on one line
        ends = points[[int(np.argmin(points @ directions[0])), int(np.argmax(points @ directions[0]))]]
        return _bar(ends[0], ends[1], 0.62 * u)
    outline = rounded(hull((points - middle) @ R[:, :2]), 1.15 * u)
    return Part(plate(outline, 0.9 * u, 0.12 * u), tuple(middle), tuple(euler_parameters(R)))


def _along(axes: list[np.ndarray]) -> tuple[float, ...]:
    """A block's x axis along the first of some axes."""
    if not axes:
        return UPRIGHT
    return tuple(euler_parameters(frame_with_axis(axes[-1]) @ ACROSS_X.T))


# -- joints -----------------------------------------------------------------------------------------------------------
def solid_parts(solids: Sequence[Solid]) -> list[Part]:
    """The solids by which a joint's kind describes it, those of one colour in a row as one part."""
    return [
        Part(joined([_solid(solid) for solid in alike]), paint=STEEL if steel else BODY)
        for steel, alike in groupby(solids, key=lambda solid: solid.steel)
    ]


def _solid(solid: Solid) -> Mesh:
    """The mesh of a solid at its place."""
    a, b, c = (*solid.size, 0.0, 0.0)[:3]
    mesh = SOLIDS[solid.shape](a, b, c)
    return moved(mesh, ACROSS_X if solid.along == "x" else np.eye(3), np.array(solid.at))


SOLIDS: dict[str, Callable[[float, float, float], Mesh]] = {
    "box": lambda x, y, z: box((x, y, z)),
    "cylinder": lambda radius, length, _: cylinder(radius, length),
    "ring": ring,
    "sphere": lambda radius, *_: sphere(radius),
    "socket": lambda outer, inner, _: socket(outer, inner),
}


def spring_coil(length: float, u: float) -> Mesh:
    """A coil of unit length along z, wound for a spring of a length (m)."""
    radius = min(max(0.06 * length, 0.6 * u), 2.0 * u)
    turns = int(np.clip(length / (1.1 * radius), 5, 18))
    return coil(radius, 0.17 * radius, turns)


def thin_bar(u: float) -> Mesh:
    """A round bar of unit length along z, to be stretched."""
    return _shifted(cylinder(0.32 * u, 1.0, 1e-6), 0.5)


def wheel(disc: RollingDisc, u: float) -> Part:
    """A disc that rolls: a rim and a thin plate."""
    width = min(1.2 * u, 0.3 * disc.radius)
    rim = joined([ring(disc.radius, 0.86 * disc.radius, width), cylinder(0.86 * disc.radius, 0.3 * width)])
    return Part(rim, disc.centre, tuple(map(float, euler_parameters(frame_with_axis(np.array(disc.axis))))))


def _shifted(mesh: Mesh, z: float) -> Mesh:
    return moved(mesh, np.eye(3), np.array([0.0, 0.0, z]))
