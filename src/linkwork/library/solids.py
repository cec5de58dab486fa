"""Bodies made of simple solids: mass, centre of mass and inertia by the parallel-axis theorem, and what they look like.

A library model gives the solids of a body in the world, where they are at the start; `made_of` turns them into the
fields of a body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from linkwork.elements.declaration.shapes import box, cylinder, sphere
from linkwork.numerics.rotations import euler_parameters, frame_with_axis

STEEL = 7850.0  # kg/m3
ALUMINIUM = 2700.0  # kg/m3
Point = Sequence[float] | np.ndarray


@dataclass(frozen=True, eq=False)
class Solid:
    """A simple solid: mass (kg), inertia about its centre in its own axes (kg m2), centre (m) and axes in the world."""

    kind: str  # of the picture
    size: tuple[float, ...]
    mass: float
    J: np.ndarray
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
    shape, R = box(size, density=density), np.column_stack([np.cross(y, z), y, z])
    return Solid("box", size, shape.mass_kg, shape.inertia(), (start + end) / 2, R)


def block(size: tuple[float, float, float], at: Point, density: float = STEEL) -> Solid:
    """A box with its sides (m) along the axes of the world."""
    shape = box(size, density=density)
    return Solid("box", size, shape.mass_kg, shape.inertia(), np.array(at, float), np.eye(3))


def tube(a: Point, b: Point, radius: float, density: float = STEEL) -> Solid:
    """A full round bar from a to b (m)."""
    start, end = np.array(a, float), np.array(b, float)
    length = float(np.linalg.norm(end - start))
    shape = cylinder(radius=radius, length=length, density=density)
    R = frame_with_axis((end - start) / length)
    return Solid("cylinder", (radius, length), shape.mass_kg, shape.inertia(), (start + end) / 2, R)


def disc(centre: Point, axis: Point, radius: float, thickness: float, density: float = STEEL) -> Solid:
    """A flat cylinder about an axis (a unit vector)."""
    half = np.array(axis, float) * thickness / 2.0
    return tube(np.array(centre, float) - half, np.array(centre, float) + half, radius, density)


def hoop(centre: Point, axis: Point, outer: float, inner: float, width: float, density: float = STEEL) -> Solid:
    """A ring about an axis (a unit vector), from the inner to the outer radius, `width` along the axis (m)."""
    full, hole = (disc(centre, axis, radius, width, density) for radius in (outer, inner))
    return Solid("ring", (outer, inner, width), full.mass - hole.mass, full.J - hole.J, full.p, full.R)


def ball(radius: float, at: Point, density: float = STEEL) -> Solid:
    """A sphere."""
    shape = sphere(radius=radius, density=density)
    return Solid("sphere", (radius,), shape.mass_kg, shape.inertia(), np.array(at, float), np.eye(3))


class PictureFields(TypedDict):
    """Fields of a picture of a body."""

    kind: str
    size: tuple[float, ...]  # m
    at: np.ndarray  # m, body frame
    orientation: np.ndarray  # Euler parameters


class BodyFields(TypedDict):
    """Fields of a body, for `Model.body`."""

    at: np.ndarray  # m
    mass: float  # kg
    com: np.ndarray  # m, body frame
    inertia: np.ndarray  # kg m2, about the centre of mass
    pictures: tuple[PictureFields, ...]


def made_of(*solids: Solid, at: Point) -> BodyFields:
    """Fields of a body of these solids: its frame at a point (m) of the world, with the world's axes at the start."""
    origin = np.array(at, float)
    mass = sum(solid.mass for solid in solids)
    centre = sum((solid.mass * solid.p for solid in solids), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for solid in solids:
        d = solid.p - centre
        J += solid.R @ solid.J @ solid.R.T + solid.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return {
        "at": origin, "mass": mass, "com": centre - origin, "inertia": (J + J.T) / 2.0,
        "pictures": tuple(
            {"kind": solid.kind, "size": solid.size, "at": solid.p - origin, "orientation": euler_parameters(solid.R)}
            for solid in solids
        ),
    }  # fmt: skip
