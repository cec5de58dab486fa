"""Pictures: what a body looks like where that is not the shape which gives it its mass; lines between two bodies."""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Declaration, Number, Vector
from linkwork.elements.declaration.orientations import Quaternion

SIZES = {"box": 3, "cylinder": 2, "ring": 3, "capsule": 2, "sphere": 1, "ellipsoid": 3, "mesh": 0}  # how many lengths


class Picture(Declaration):
    """A simple solid or a mesh file, fixed on a body; it has no mass."""

    kind: Literal["box", "cylinder", "ring", "capsule", "sphere", "ellipsoid", "mesh"] = Field(
        description="what is drawn"
    )
    size: tuple[Number, ...] = Field(
        default=(),
        description="m, box: lengths along x, y, z; cylinder and capsule: radius, length along z; ring: outer and "
        "inner radius, length along z; sphere: radius; ellipsoid: half axes; mesh: none",
    )
    file: str | None = Field(default=None, description="of a mesh, as its model calls it")
    scale: Vector = Field(default=(1.0, 1.0, 1.0), description="factors of a mesh along its axes")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, origin in the body frame")
    orientation: Quaternion = Field(default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters in body axes")
    colour: tuple[Number, Number, Number, Number] | None = Field(default=None, description="red, green, blue, opacity")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        if len(self.size) != SIZES[self.kind] or min(self.size, default=1.0) <= 0.0:
            raise ValueError(f"picture: size is {list(self.size)}; a {self.kind} has {SIZES[self.kind]} lengths > 0 m")
        return self


class Line(NamedTuple):
    """What is drawn between two points of the world, which move with two bodies."""

    shape: Literal["coil", "bar"]
    kind: str  # what the page calls it
    between: tuple[str, str]  # names of the bodies
    points: tuple[Vector, Vector]  # m, with the bodies where they are modelled
    length: float  # m, at which a coil is wound
