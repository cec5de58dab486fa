"""Joint: what a user writes to connect two bodies; everything about its kind is answered by the kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from linkwork.elements.declaration.base import Axis, Number, Vector
from linkwork.elements.declaration.of_coordinate import OfCoordinate
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.registry import JOINTS, joint_kind


class JointName(str):
    """The name of a kind of joint that is registered."""

    @classmethod
    def known(cls) -> list[str]:
        """All of them."""
        return list(JOINTS)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Text that names a kind."""
        return core_schema.no_info_after_validator_function(lambda name: joint_kind(name).name, handler(str))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """One of the kinds that are registered."""
        return {"type": "string", "enum": cls.known()}


class Joint(OfCoordinate):
    """A joint between two bodies, placed by a point (and axis) in the world or by a frame on each body."""

    plural: ClassVar[str] = "joints"

    kind: JointName = Field(description="what it allows")
    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    at: Vector | None = Field(
        default=None, description="m, a point in the world, with the bodies where they are modelled"
    )
    axis: Axis | None = Field(default=None, description="direction in the world: of rotation, of sliding, or normal")
    second_axis: Axis | None = Field(
        default=None,
        description="direction in the world: pin on B of a universal joint, shaft B of a constant-velocity joint",
    )
    pitch: Number | None = Field(default=None, description="m, advance of a screw in a turn; negative: left-hand")
    frames: tuple[str, str] | None = Field(default=None, description="named frames on A and B, instead of at and axis")
    start: Number | tuple[Number, ...] | None = Field(
        default=None, description="rad or m, joint coordinate(s) at the start"
    )
    rate: Number | tuple[Number, ...] | None = Field(default=None, description="rad/s or m/s, velocities at the start")
    cut: bool | None = Field(default=None, description="true: open the loop here in joint coordinates; false: never")

    def moves(self, joints: Mapping[str, Joint]) -> list[tuple[str, bool]]:
        """Its own coordinates; the rates of a ball are not those of its coordinates."""
        kind = self.type
        return [] if kind.euler_parameters else [(f"{self.name}.{one}", kind.turns(one)) for one in kind.coordinates]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_place()
        self._check_start()
        return self

    def _check_place(self) -> None:
        """It connects two bodies at a place, with the directions that its kind needs."""
        who, kind = self.who, self.type
        if self.between[0] == self.between[1]:
            raise ValueError(f"{who}: connects '{self.between[0]}' with itself; name two different bodies")
        if self.frames is None and self.at is None and kind.needs_place:
            raise ValueError(f"{who}: no place; give at (a point in the world) or frames (one on each body)")
        if self.frames is not None and (self.at is not None or self.axis is not None):
            raise ValueError(f"{who}: both frames and at/axis; give one of the two")
        if kind.needs_axis and self.axis is None and self.frames is None:
            raise ValueError(f"{who}: a {self.kind} joint needs an axis; give axis = 'x', 'y', 'z' or three numbers")
        if (self.pitch is None) == kind.needs_pitch or self.pitch == 0.0:
            raise ValueError(f"{who}: pitch is {self.pitch}; a screw needs one, not zero; other joints have none")
        if self.second_axis is not None and (not kind.takes_second_axis or self.axis is None):
            takers = " and ".join(name for name, known in JOINTS.items() if known.takes_second_axis)
            raise ValueError(f"{who}: second_axis is for {takers} joints with an axis; drop it")
        kind.check(self)

    def _check_start(self) -> None:
        """As many start values as there are coordinates and velocities; Euler parameters not all zero."""
        who, kind = self.who, self.type
        for key, values, names in (
            ("start", self.start_values, kind.coordinates),
            ("rate", self.rate_values, kind.velocities),
        ):
            if values is not None and len(values) != len(names):
                needs = f"{len(names)} ({', '.join(names)})" if names else "none: it has no coordinate"
                raise ValueError(f"{who}: {key} has {len(values)} value(s); a {self.kind} joint needs {needs}")
        start = dict(zip(kind.coordinates, self.start_values or (), strict=False))
        if start and kind.euler_parameters and not any(start[e] for e in kind.euler_parameters):
            raise ValueError(f"{who}: start is {list(start.values())}; Euler parameters must not all be zero")

    @property
    def type(self) -> JointKind:
        """What its kind answers."""
        return JOINTS[self.kind]

    @property
    def advance(self) -> float:
        """Pitch of a screw as m/rad; 0 of other joints."""
        return (self.pitch or 0.0) / (2.0 * math.pi)

    @property
    def start_values(self) -> tuple[float, ...] | None:
        """Joint coordinates at the start, rad or m."""
        return _tuple(self.start)

    @property
    def rate_values(self) -> tuple[float, ...] | None:
        """Joint velocities at the start, rad/s or m/s."""
        return _tuple(self.rate)

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (*(("body", name) for name in self.between), *(("frame", name) for name in self.frames or ()))

    def check(self, surroundings: Surroundings) -> None:
        """Its frames are on its bodies; in a planar mechanism it turns about the normal and slides within the plane."""
        surroundings.check_frames(self.who, self.between, self.frames)
        if surroundings.normal is not None:
            self._check_plane(surroundings, surroundings.normal)

    def _check_plane(self, surroundings: Surroundings, normal: np.ndarray) -> None:
        kind, plane = self.type, surroundings.plane
        if kind.planar_rows is None:
            raise ValueError(f"{self.who}: a {self.kind} joint has no place in a planar mechanism; use revolute")
        needed = 1.0 if kind.planar_normal == 2 else 0.0
        where = "along the normal of" if needed else "within"
        if self.axis is not None and abs(abs(float(normal @ np.array(self.axis))) - needed) > 1e-9:
            raise ValueError(f"{self.who}: axis {list(self.axis)} must be {where} the plane '{plane}'")
        for name in self.frames or ():
            axes = surroundings.axes(name)
            if kind.needs_axis and abs(abs(float(normal @ axes[:, 2])) - needed) > 1e-6:
                raise ValueError(f"{self.who}: the z axis of frame '{name}' must be {where} the plane '{plane}'")
            if not needed and abs(abs(float(normal @ axes[:, 1])) - 1.0) > 1e-6:
                raise ValueError(f"{self.who}: the y axis of frame '{name}' must be the normal of the plane '{plane}'")


def _tuple(value: float | tuple[float, ...] | None) -> tuple[float, ...] | None:
    if value is None or isinstance(value, tuple):
        return value
    return (value,)
