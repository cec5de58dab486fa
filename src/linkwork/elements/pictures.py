"""Pictures: what a body looks like where that is not the shape which gives it its mass; robots come with meshes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from linkwork.elements.base import Declaration, Number, Quaternion, Vector


class Picture(Declaration):
    """A simple solid or a mesh file, fixed on a body; it has no mass."""

    kind: Literal["box", "cylinder", "capsule", "sphere", "ellipsoid", "mesh"] = Field(description="what is drawn")
    size: tuple[Number, ...] = Field(
        default=(),
        description="m, box: lengths along x, y, z; cylinder and capsule: radius, length along z; sphere: radius; "
        "ellipsoid: half axes; mesh: none",
    )
    file: str | None = Field(default=None, description="of a mesh, as its model calls it")
    scale: Vector = Field(default=(1.0, 1.0, 1.0), description="factors of a mesh along its axes")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, origin in the body frame")
    orientation: Quaternion = Field(default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters in body axes")
    colour: tuple[Number, Number, Number, Number] | None = Field(default=None, description="red, green, blue, opacity")
