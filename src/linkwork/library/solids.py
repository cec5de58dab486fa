"""Bodies made of simple solids, which a library model gives in the world, where they are at the start; `made_of` turns
them into the fields of a body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from linkwork.elements.solids.composite import Composite, composite, part
from linkwork.elements.solids.shapes import Box, Cylinder, Sphere, box, cylinder, sphere
from linkwork.numerics.rotations import euler_parameters, frame_with_axis

STEEL = 7850.0  # kg/m3
ALUMINIUM = 2700.0  # kg/m3
Point = Sequence[float] | np.ndarray


@dataclass(frozen=True, eq=False)
class Solid:
    """A simple solid, its centre (m) and its axes in the world."""

    shape: Box | Cylinder | Sphere
    p: np.ndarray
    R: np.ndarray


def bar(a: Point, b: Point, width: float, height: float | None = None, density: float = STEEL) -> Solid:
    """A straight bar from a to b (m): `width` across (along y, if it is not along y itself), `height` deep."""
    start, end = np.array(a, float), np.array(b, float)
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    side = np.array([0.0, 1.0, 0.0]) if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    y = side - (side @ z) * z
    y /= np.linalg.norm(y)
    size = (width if height is None else height, width, length)
    return Solid(box(size, density=density), (start + end) / 2, np.column_stack([np.cross(y, z), y, z]))


def block(size: tuple[float, float, float], at: Point, density: float = STEEL) -> Solid:
    """A box with its sides (m) along the axes of the world."""
    return Solid(box(size, density=density), np.array(at, float), np.eye(3))


def tube(a: Point, b: Point, radius: float, density: float = STEEL, bore: float = 0.0) -> Solid:
    """A round bar from a to b (m), full or with a bore."""
    start, end = np.array(a, float), np.array(b, float)
    length = float(np.linalg.norm(end - start))
    shape = cylinder(radius=radius, length=length, density=density, bore=bore)
    return Solid(shape, (start + end) / 2, frame_with_axis((end - start) / length))


def disc(
    centre: Point, axis: Point, radius: float, thickness: float, density: float = STEEL, bore: float = 0.0
) -> Solid:
    """A flat cylinder about an axis (a unit vector), full or with a bore."""
    half = np.array(axis, float) * thickness / 2.0
    return tube(np.array(centre, float) - half, np.array(centre, float) + half, radius, density, bore)


def hoop(centre: Point, axis: Point, outer: float, inner: float, width: float, density: float = STEEL) -> Solid:
    """A ring about an axis (a unit vector), from the inner to the outer radius, `width` along the axis (m)."""
    return disc(centre, axis, outer, width, density, inner)


def ball(radius: float, at: Point, density: float = STEEL) -> Solid:
    """A sphere."""
    return Solid(sphere(radius=radius, density=density), np.array(at, float), np.eye(3))


class BodyFields(TypedDict):
    """Fields of a body, for `Model.body`."""

    at: np.ndarray  # m
    shape: Composite


def made_of(*solids: Solid, at: Point, mass: float | None = None) -> BodyFields:
    """Fields of a body of these solids: its frame at a point (m) of the world, with the world's axes at the start.

    `mass`: kg, of all together; default: what the solids have.
    """
    origin = np.array(at, float)
    parts = [part(solid.shape, at=solid.p - origin, orientation=euler_parameters(solid.R)) for solid in solids]
    return {"at": origin, "shape": composite(*parts, mass=mass)}


def pictures_of(at: Point, *solids: Solid) -> tuple[dict[str, object], ...]:
    """What a body looks like whose mass and inertia are given otherwise; its frame is at a point (m) of the world."""
    return tuple(
        {"at": solid.p - np.array(at, float), "orientation": euler_parameters(solid.R), **_drawn(solid.shape)}
        for solid in solids
    )


def _drawn(shape: Box | Cylinder | Sphere) -> dict[str, object]:
    if isinstance(shape, Box):
        return {"kind": "box", "size": shape.size}
    if isinstance(shape, Sphere):
        return {"kind": "sphere", "size": (shape.radius,)}
    if shape.bore > 0.0:
        return {"kind": "ring", "size": (shape.radius, shape.bore, shape.length)}
    return {"kind": "cylinder", "size": (shape.radius, shape.length)}
