"""Bodies of several solids: mass, centre and inertia by the parallel-axis theorem.

A part is a solid with its place and orientation in the body frame; `mass` gives all of them together another mass, with
centre and inertia in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from linkwork.elements.declaration.base import Declaration, Positive, Vector
from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.orientations import Quaternion
from linkwork.elements.solids.shapes import Box, Cylinder, Mesh, Rod, Solid, Sphere, made
from linkwork.elements.solids.tensors import Tensor, as_tensor
from linkwork.errors import ModelError
from linkwork.numerics.rotations import rotation_matrix


class Part(Declaration):
    """A solid in the frame of a body."""

    shape: Solid = Field(description="rod, box, cylinder, sphere or mesh")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, origin of the solid in the body frame")
    orientation: Quaternion = Field(default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters in body axes")

    @property
    def mass_kg(self) -> float:
        """Mass, kg."""
        return self.shape.mass_kg

    @property
    def R(self) -> np.ndarray:
        """From the axes of the solid to those of the body."""
        return np.asarray(rotation_matrix(np.array(self.orientation)))

    @property
    def p(self) -> np.ndarray:
        """Its centre of mass in the body frame, m."""
        return np.asarray(np.array(self.at) + self.R @ np.array(self.shape.centre))


class Composite(Declaration):
    """Several solids as one rigid body."""

    kind: Literal["composite"] = "composite"
    parts: Annotated[tuple[Part, ...], Field(min_length=1)] = Field(description="the solids")
    mass: Positive | None = Field(default=None, description="kg, of all together; default: what the parts have")

    @property
    def mass_kg(self) -> float:
        """Mass, kg."""
        return self.mass if self.mass is not None else _moments(self.parts).mass

    @property
    def centre(self) -> tuple[float, float, float]:
        """Its centre of mass in the body frame, m."""
        return _moments(self.parts).centre

    def inertia(self) -> np.ndarray:
        """About its centre of mass, body axes, kg m2."""
        found = _moments(self.parts)
        return np.asarray(found.J * (self.mass_kg / found.mass))

    def inertia_rows(self) -> Tensor:
        """The same as plain numbers."""
        return as_tensor(self.inertia())

    def sizes(self) -> dict[str, float]:
        """Its size, m: that of the largest part, and how far they lie apart."""
        return {"size": _moments(self.parts).size}

    def volume(self) -> float:
        """Volume, m3."""
        return sum(part.shape.volume() for part in self.parts)


class _Moments(NamedTuple):
    mass: float  # kg
    centre: tuple[float, float, float]  # m
    J: np.ndarray  # kg m2, about the centre
    size: float  # m


@lru_cache(maxsize=1000)
def _moments(parts: tuple[Part, ...]) -> _Moments:
    """Of parts that never change, which are asked for many times: J = sum R J_i R^T + m_i (d^T d 1 - d d^T), with d
    from the common centre to that of a part.
    """
    masses, turns, centres = ([getattr(part, key) for part in parts] for key in ("mass_kg", "R", "p"))
    mass, largest = sum(masses), max(value for part in parts for value in part.shape.sizes().values())
    centre = sum((m * p for m, p in zip(masses, centres, strict=True)), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for part, m, R, p in zip(parts, masses, turns, centres, strict=True):
        d = p - centre
        J += R @ part.shape.inertia() @ R.T + m * (d @ d * np.eye(3) - np.outer(d, d))
    x, y, z = centre.tolist()
    spread = float(np.linalg.norm(np.ptp(np.array(centres), axis=0)))
    return _Moments(mass, (x, y, z), (J + J.T) / 2.0, max(largest, spread))


@explained("part")
def part(
    shape: Solid,
    at: Sequence[float | str] | np.ndarray = (0.0, 0.0, 0.0),
    orientation: Sequence[float] | np.ndarray | Mapping[str, Any] = (1.0, 0.0, 0.0, 0.0),
) -> Part:
    """A solid at a place (m) of the body frame, turned as in `Model.body`: {"angle": "30 deg", "axis": "y"} ..."""
    return made(Part, shape=shape, at=at, orientation=orientation)


@explained("composite")
def composite(*parts: Part | Solid, mass: float | None = None) -> Composite:
    """A shape of several solids: each a `part`, or a solid whose origin is that of the body.

    `mass` (kg) of all together in place of what the parts have.
    """
    for one in parts:
        if not isinstance(one, Part | Mapping | Rod | Box | Cylinder | Sphere | Mesh):
            what = f"{type(one).__name__} is not a solid"
            raise ModelError(f"composite: {what}; give solids, rod(...), or part(rod(...), at=...), one by one")
    placed = tuple({"shape": one} if isinstance(one, Rod | Box | Cylinder | Sphere | Mesh) else one for one in parts)
    return made(Composite, parts=placed, mass=mass)
