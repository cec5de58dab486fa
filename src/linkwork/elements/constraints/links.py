"""Constraints beside joints: a massless link, a point on a line or in a plane, axes at a fixed angle, coupled joints.

Each is a few constraint rows (rows.py) or one row that is a sum of terms (terms.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.constraints.rolling import ROLLING_DISCS
from linkwork.elements.constraints.rows import OTHER, PARALLEL, POINT, POSITION, VELOCITY
from linkwork.elements.context import Attachment, Context, NewRow
from linkwork.elements.declaration.base import Axis, Element, NonNegative, Number, Vector
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.joints.coordinates import coordinate_named, need_angle, need_different
from linkwork.elements.joints.joint import Joint
from linkwork.elements.solids.pictures import Line
from linkwork.errors import ModelError
from linkwork.numerics.rotations import frame_with_axis


class Distance(Element):
    """A massless link: two points stay a given distance apart."""

    plural: ClassVar[str] = "massless links"

    between: tuple[str, str] = Field(description="names of the two bodies; 'ground' is a body")
    points: tuple[Vector, Vector] = Field(
        description="m, the two points in the world, with the bodies where they are modelled"
    )
    length: NonNegative | None = Field(default=None, description="m, > 0; default: the distance as modelled")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError(f"{self.who}: connects '{self.between[0]}' with itself; name two bodies")
        if self.length_m <= 0.0:
            raise ValueError(f"{self.who}: its length is 0; use a spherical joint for two points in one")
        return self

    @property
    def length_m(self) -> float:
        """The length to keep, m."""
        modelled = float(np.linalg.norm(np.subtract(*self.points)))
        return modelled if self.length is None else self.length

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)

    def line(self) -> Line:
        """A thin bar."""
        return Line("bar", "distance", self.between, self.points, self.length_m)

    def attachments(self) -> tuple[Attachment, ...]:
        """Its ends."""
        return tuple(Attachment(body, at) for body, at in zip(self.between, self.points, strict=True))

    def transmits(self, joints: Mapping[str, Joint]) -> tuple[str, float]:
        """How much it pulls its ends together."""
        return "force", 1.0

    def constrain(self, context: Context) -> None:
        """One row, unless a driver prescribes the length."""
        if context.refers_to("distance", self.name):
            return
        number = context.places.distance(self.between, self.points)
        row = NewRow("distance", OTHER, program=context.programs.of_time(self.length_m, self.who), unit=number.unit)
        context.rows.add_sum(self.name, row, [(number, 1.0)])


IN_PLANE = 1e-9  # component of a unit axis along the normal of the plane in which it lies

# What each kind of constraint holds: rows (kind, axis of F, axis of M).
CONSTRAINT_ROWS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "point-on-line": ((POINT, 0, 0), (POINT, 1, 0)),
    "point-in-plane": ((POINT, 2, 0),),
    "parallel-axes": ((PARALLEL, 0, 2), (PARALLEL, 1, 2)),
    "perpendicular-axes": ((PARALLEL, 2, 2),),
    "constant-angle": ((PARALLEL, 2, 2),),
}
CONSTRAINT_EQUATIONS = {
    "point-on-line": ("point off the line, first direction", "point off the line, second direction"),
    "point-in-plane": ("point off the plane",),
    "parallel-axes": ("axes parallel, first direction", "axes parallel, second direction"),
    "perpendicular-axes": ("axes perpendicular",),
    "constant-angle": ("angle between the axes",),
}


class Constraint(Element):
    """A point of B on a line or in a plane of A, or an axis of B at a fixed angle to an axis of A."""

    plural: ClassVar[str] = "points on lines or planes, axes at an angle"

    kind: Literal["point-on-line", "point-in-plane", "parallel-axes", "perpendicular-axes", "constant-angle"] = Field(
        description="what it holds"
    )
    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, the point of B in the world; the line, plane is there")
    axis: Axis = Field(description="direction in the world: of the line, normal of the plane, axis on A")
    second_axis: Axis | None = Field(default=None, description="axis on B, world; default: that on A")
    angle: Number | None = Field(default=None, description="rad, of constant-angle; default: that of the two axes")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = self.who
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

    def attachments(self) -> tuple[Attachment, ...]:
        """The point, on both bodies."""
        return tuple(Attachment(body, self.at) for body in self.between)

    def constrain(self, context: Context) -> None:
        """Rows between a frame with z along the axis on A, and one along the second axis on B.

        In a planar mechanism an axis in its plane leaves one of two directions: nothing leaves the plane.
        """
        along = [np.array(axis) for axis in (self.axis, self.second_axis or self.axis)]
        axes, equations = [frame_with_axis(axis) for axis in along], CONSTRAINT_EQUATIONS[self.kind]
        normal = context.plane_normal
        if normal is not None and len(equations) == 2 and all(abs(axis @ normal) < IN_PLANE for axis in along):
            axes = [np.column_stack([np.cross(normal, axis), normal, axis]) for axis in along]
            equations = (equations[0].partition(",")[0],)
        pair = context.places.frame_pair(self.between, None, (self.at, self.at), axes)
        program = (0, 0)
        if self.kind == "constant-angle":
            program = context.programs.of_time(float(np.cos(self.angle_rad)), self.who)
        kinds = zip(equations, CONSTRAINT_ROWS[self.kind], strict=False)
        context.rows.add(self.name, pair, [NewRow(equation, *row, program) for equation, row in kinds])


class Coupler(Element):
    """Joint coordinates in a fixed linear relation: sum of factor * coordinate = constant."""

    plural: ClassVar[str] = "linear relations between joint coordinates"

    joints: tuple[str, ...] = Field(min_length=1, description="names of the joints, 'name' or 'name.coordinate'")
    factors: tuple[Number, ...] = Field(description="one for each coordinate")
    constant: Number | None = Field(default=None, description="rad or m; default: the sum as modelled")

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if len(self.joints) != len(self.factors) or not any(self.factors):
            raise ValueError(
                f"{self.who}: {len(self.joints)} joints and {len(self.factors)} factors; "
                "give one factor for each joint, not all zero"
            )
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("coordinate", name) for name in self.joints)

    def check(self, surroundings: Surroundings) -> None:
        """It names each coordinate once."""
        need_different(self.joints, surroundings.joints, self.who)

    def transmits(self, joints: Mapping[str, Joint]) -> tuple[str, float]:
        """What it exerts along the first of its coordinates that has a factor."""
        named, factor = next(pair for pair in zip(self.joints, self.factors, strict=True) if pair[1])
        joint, coordinate = coordinate_named(named, joints, self.who)
        return "torque" if joint.type.turns(coordinate) else "force", -factor

    def constrain(self, context: Context) -> None:
        """One row."""
        couple(context, self, list(zip(self.joints, self.factors, strict=True)), self.constant)


def couple(context: Context, element: Element, factors: list[tuple[str, float]], constant: float | None) -> None:
    """Sum of factor * joint coordinate = constant; by default what it is at the start.

    Its multiplier lam exerts the effort -factor lam along each coordinate; the sum counts in the unit of the first.
    """
    terms, starts = [], []
    for named, factor in factors:
        joint, _, coordinate = named.partition(".")
        number = context.places.coordinate(joint, coordinate or None, element.who)
        terms.append((number, factor))
        starts.append(context.places.start_of(number))
    if constant is None:
        constant = sum(factor * start for (_, factor), start in zip(factors, starts, strict=True))
    equation = f"{sum_in_words(factors)} = {constant:g}"
    unit = next(number.unit for number, factor in terms if factor)
    program = context.programs.of_time(constant, element.who) if constant else (0, 0)
    context.rows.add_sum(element.name, NewRow(equation, OTHER, program=program, unit=unit), terms, starts)


def sum_in_words(factors: Sequence[tuple[str, float]]) -> str:
    """'rail - 0.1 axle'."""
    words = ""
    for named, factor in factors:
        size = "" if abs(factor) == 1.0 else f"{abs(factor):g} "
        sign = (" - " if factor < 0.0 else " + ") if words else "-" if factor < 0.0 else ""
        words += f"{sign}{size}{named}"
    return words


class Gear(Element):
    """A pair of gears: the second joint turns `ratio` times as far as the first (negative: the other way round)."""

    plural: ClassVar[str] = "pairs of gears"

    joints: tuple[str, str] = Field(description="names of two joints that turn, 'name' or 'name.coordinate'")
    ratio: Number = Field(description="turns of the second for one turn of the first; not zero")

    @model_validator(mode="after")
    def _turns(self) -> Self:
        if self.ratio == 0.0:
            raise ValueError(f"{self.who}: ratio is 0; lock the second joint instead")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("coordinate", name) for name in self.joints)

    def check(self, surroundings: Surroundings) -> None:
        """Its two coordinates turn, and are different."""
        for named in self.joints:
            need_angle(*coordinate_named(named, surroundings.joints, self.who), self.who)
        need_different(self.joints, surroundings.joints, self.who)

    def transmits(self, joints: Mapping[str, Joint]) -> tuple[str, float]:
        """The torque on the second joint."""
        return "torque", -1.0

    def constrain(self, context: Context) -> None:
        """One row."""
        couple(context, self, [(self.joints[1], 1.0), (self.joints[0], -self.ratio)], None)


class RackAndPinion(Element):
    """A joint that slides `radius` times the angle of a joint that turns."""

    plural: ClassVar[str] = "racks with their pinions"

    pinion: str = Field(description="name of a joint that turns, 'name' or 'name.coordinate'")
    rack: str = Field(description="name of a joint that slides, 'name' or 'name.coordinate'")
    radius: Number = Field(description="m, of the pinion; negative: the other way round; not zero")

    @model_validator(mode="after")
    def _rolls(self) -> Self:
        if self.radius == 0.0:
            raise ValueError(f"{self.who}: radius is 0 m; give one that is not zero")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("coordinate", self.pinion), ("coordinate", self.rack))

    def check(self, surroundings: Surroundings) -> None:
        """The pinion turns, the rack slides."""
        need_angle(*coordinate_named(self.pinion, surroundings.joints, self.who), self.who)
        joint, name = coordinate_named(self.rack, surroundings.joints, self.who)
        if joint.type.turns(name):
            raise ValueError(f"{self.who}: '{joint.name}.{name}' turns; the rack needs a coordinate that slides")

    def transmits(self, joints: Mapping[str, Joint]) -> tuple[str, float]:
        """The force on the rack, along its coordinate."""
        return "force", -1.0

    def constrain(self, context: Context) -> None:
        """One row."""
        couple(context, self, [(self.rack, 1.0), (self.pinion, -self.radius)], None)


class RollingDisc(Element):
    """A thin disc that rolls without slipping on a plane fixed on ground."""

    plural: ClassVar[str] = "discs that roll on a plane"

    body: str = Field(description="name of the body")
    radius: NonNegative = Field(description="m, > 0")
    axis: Axis = Field(description="of the disc, body axes")
    centre: Vector = Field(default=(0.0, 0.0, 0.0), description="m, of the disc in the body frame")
    normal: Axis = Field(default=(0.0, 0.0, 1.0), description="of the plane, world; the disc is on its side")
    height: Number = Field(default=0.0, description="m, of the plane along its normal")

    @model_validator(mode="after")
    def _round(self) -> Self:
        if self.radius <= 0.0:
            raise ValueError(f"{self.who}: radius is {self.radius:g} m; it must be > 0")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("moving body", self.body),)

    def check(self, surroundings: Surroundings) -> None:
        """In a planar mechanism its axis is the plane's normal."""
        normal = surroundings.normal
        if normal is None:
            return
        along = surroundings.bodies[self.body].R_WB @ np.array(self.axis)
        if abs(abs(float(normal @ along)) - 1.0) > 1e-9 or abs(float(normal @ np.array(self.normal))) > 1e-9:
            raise ValueError(f"{self.who}: its axis must be the normal of the plane '{surroundings.plane}'")

    def constrain(self, context: Context) -> None:
        """The height of the disc, and no slip along the plane: in a planar mechanism in one direction, else in two."""
        normal = np.array(self.normal)
        if abs(normal @ context.places.axes(self.body) @ np.array(self.axis)) > 1.0 - 1e-9:
            raise ModelError(
                f"rolling disc '{self.name}': it lies flat on its plane and has no lowest point; tilt the body",
                element=self.name,
            )
        directions = np.roll(frame_with_axis(normal), 1, axis=1).T
        if context.plane_normal is not None:
            directions[1:] = np.cross(context.plane_normal, normal)
        equations = ("height of the disc", "no slip, first direction", "no slip, second direction")
        rows = [
            NewRow(equation, OTHER, mode=VELOCITY if n else POSITION, unit="N")
            for n, equation in enumerate(equations[: 3 if context.plane_normal is None else 2])
        ]
        first = context.rows.add(self.name, context.places.body_pair(self.body), rows)
        index, centre, axes = context.places.on_body(self.body, self.centre, rigid=True)
        disc = (index, first, len(rows), self.radius, self.height, centre, axes @ np.array(self.axis), directions)
        context.tables.add(ROLLING_DISCS, self.name, disc)
