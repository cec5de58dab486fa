"""Constraints beside joints: a massless link, a point on a line or in a plane, axes at a fixed angle, coupled joints.

Each is a few constraint rows (rows.py) or one row that is a sum of terms (terms.py).
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.constraints.rows import PARALLEL, POINT
from linkwork.elements.declaration.base import Axis, Element, NonNegative, Number, Vector


class Distance(Element):
    """A massless link: two points stay a given distance apart."""

    between: tuple[str, str] = Field(description="names of the two bodies; 'ground' is a body")
    points: tuple[Vector, Vector] = Field(
        description="m, the two points in the world, with the bodies where they are said to be"
    )
    length: NonNegative | None = Field(default=None, description="m, > 0; default: the distance as said")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError(f"distance '{self.name}': connects '{self.between[0]}' with itself; name two bodies")
        if self.length_m <= 0.0:
            raise ValueError(f"distance '{self.name}': its length is 0; use a spherical joint for two points in one")
        return self

    @property
    def length_m(self) -> float:
        """The length to keep, m."""
        said = float(np.linalg.norm(np.subtract(*self.points)))
        return said if self.length is None else self.length

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)


# What each kind of constraint holds: rows (kind, axis of F, axis of M).
CONSTRAINT_ROWS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "point-on-line": ((POINT, 0, 0), (POINT, 1, 0)),
    "point-in-plane": ((POINT, 2, 0),),
    "parallel-axes": ((PARALLEL, 0, 2), (PARALLEL, 1, 2)),
    "perpendicular-axes": ((PARALLEL, 2, 2),),
    "constant-angle": ((PARALLEL, 2, 2),),
}
CONSTRAINT_EQUATIONS = {
    "point-on-line": ("point off the line, first way", "point off the line, second way"),
    "point-in-plane": ("point off the plane",),
    "parallel-axes": ("axes parallel, first way", "axes parallel, second way"),
    "perpendicular-axes": ("axes perpendicular",),
    "constant-angle": ("angle between the axes",),
}


class Constraint(Element):
    """A point of B on a line or in a plane of A, or an axis of B at a fixed angle to an axis of A."""

    kind: Literal["point-on-line", "point-in-plane", "parallel-axes", "perpendicular-axes", "constant-angle"] = Field(
        description="what it holds"
    )
    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, the point of B in the world; the line, plane is there")
    axis: Axis = Field(description="direction in the world: of the line, normal of the plane, axis on A")
    second_axis: Axis | None = Field(default=None, description="axis on B, world; default: that on A")
    angle: Number | None = Field(default=None, description="rad, of constant-angle; default: as said by the two axes")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = f"constraint '{self.name}'"
        if self.between[0] == self.between[1]:
            raise ValueError(f"{who}: connects '{self.between[0]}' with itself; name two different bodies")
        if self.kind in ("perpendicular-axes", "constant-angle") and self.second_axis is None:
            raise ValueError(f"{who}: {self.kind} needs second_axis, the axis on B")
        if self.angle is not None and self.kind != "constant-angle":
            raise ValueError(f"{who}: angle is for constant-angle; drop it")
        if self.second_axis is not None and self.kind.startswith("point"):
            raise ValueError(f"{who}: second_axis is for constraints between axes, not for {self.kind}; drop it")
        if not 0.0 <= self.angle_rad <= np.pi:
            raise ValueError(f"{who}: angle is {self.angle_rad:g} rad; between two axes it is from 0 to pi")
        if self.kind == "constant-angle" and abs(np.sin(self.angle_rad)) < 1e-6:
            raise ValueError(f"{who}: the angle is {self.angle_rad:.3g} rad; use parallel-axes instead")
        return self

    @property
    def angle_rad(self) -> float:
        """The angle between the axes to keep, rad."""
        if self.angle is not None:
            return self.angle
        return float(np.arccos(np.clip(np.dot(self.axis, self.second_axis or self.axis), -1.0, 1.0)))

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)


class Coupler(Element):
    """Joint coordinates in a fixed linear relation: sum of factor * coordinate = constant."""

    joints: tuple[str, ...] = Field(min_length=1, description="names of the joints, 'name' or 'name.coordinate'")
    factors: tuple[Number, ...] = Field(description="one for each coordinate")
    constant: Number | None = Field(default=None, description="rad or m; default: the sum as said at the start")

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if len(self.joints) != len(self.factors) or not any(self.factors):
            raise ValueError(
                f"coupler '{self.name}': {len(self.joints)} joints and {len(self.factors)} factors; "
                "give one factor for each joint, not all zero"
            )
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("coordinate", name) for name in self.joints)


class Gear(Element):
    """A pair of gears: the second joint turns `ratio` times as far as the first (negative: the other way round)."""

    joints: tuple[str, str] = Field(description="names of two joints that turn, 'name' or 'name.coordinate'")
    ratio: Number = Field(description="turns of the second for one turn of the first; not zero")

    @model_validator(mode="after")
    def _turns(self) -> Self:
        if self.ratio == 0.0:
            raise ValueError(f"gear '{self.name}': ratio is 0; lock the second joint instead")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("coordinate", name) for name in self.joints)


class RackAndPinion(Element):
    """A joint that slides `radius` times the angle of a joint that turns."""

    pinion: str = Field(description="name of a joint that turns, 'name' or 'name.coordinate'")
    rack: str = Field(description="name of a joint that slides, 'name' or 'name.coordinate'")
    radius: Number = Field(description="m, of the pinion; negative: the other way round; not zero")

    @model_validator(mode="after")
    def _rolls(self) -> Self:
        if self.radius == 0.0:
            raise ValueError(f"rack and pinion '{self.name}': radius is 0 m; give one that is not zero")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("coordinate", self.pinion), ("coordinate", self.rack))


class RollingDisc(Element):
    """A thin disc that rolls without slipping on a plane fixed on ground."""

    body: str = Field(description="name of the body")
    radius: NonNegative = Field(description="m, > 0")
    axis: Axis = Field(description="of the disc, body axes")
    centre: Vector = Field(default=(0.0, 0.0, 0.0), description="m, of the disc in the body frame")
    normal: Axis = Field(default=(0.0, 0.0, 1.0), description="of the plane, world; the disc is on its side")
    height: Number = Field(default=0.0, description="m, of the plane along its normal")

    @model_validator(mode="after")
    def _round(self) -> Self:
        if self.radius <= 0.0:
            raise ValueError(f"rolling disc '{self.name}': radius is {self.radius:g} m; it must be > 0")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("moving body", self.body),)
