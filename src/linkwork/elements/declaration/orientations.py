"""Orientations: Euler parameters, or what becomes them: a matrix, an angle about an axis, three angles, two directions.

[1, 0, 0, 0]                                        Euler parameters, scalar first
[[1, 0, 0], [0, 1, 0], [0, 0, 1]]                   the rotation matrix; its columns are the axes of the frame
{angle = "30 deg", axis = "y"}                      right-handed about an axis (z unless given)
{roll_pitch_yaw = ["0 deg", "30 deg", "0 deg"]}     about x, then y, then z, all of them fixed (as in URDF)
{x = [1, 1, 0], y = [0, 0, 1]}                      where two of its axes point; the second is made perpendicular
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo, model_validator

from linkwork.elements.declaration.base import AXES, Axis, Declaration, Number, Vector, listed, numbers_schema
from linkwork.elements.declaration.wrong_types import wrong_type
from linkwork.errors import nearest
from linkwork.numerics.rotations import axis_rotation, euler_parameters

ORTHONORMAL = 1e-6  # by so much the entries of a matrix may be off
PARALLEL = 1e-6  # sine of the angle between two directions that are one


class Turn(Declaration):
    """An orientation by an angle about an axis, by roll, pitch and yaw, or by the directions of two axes."""

    angle: Number | None = Field(default=None, description="rad, right-handed about the axis")
    axis: Axis | None = Field(default=None, description="direction of the axis of the angle; z unless given")
    roll_pitch_yaw: Vector | None = Field(default=None, description="rad, about fixed x, then y, then z")
    x: Axis | None = Field(default=None, description="direction of the frame's x")
    y: Axis | None = Field(default=None, description="direction of the frame's y")
    z: Axis | None = Field(default=None, description="direction of the frame's z")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        directions = self.directions()
        ways = [self.angle is not None, self.roll_pitch_yaw is not None, bool(directions)]
        if sum(ways) != 1 or (self.axis is not None and self.angle is None):
            raise ValueError("orientation: give an angle and its axis, roll_pitch_yaw, or two of x, y, z")
        if directions and len(directions) != 2:
            raise ValueError(f"orientation: {len(directions)} of the directions x, y, z; give two of them")
        first, *others = (np.array(direction) for direction in (directions.values() or [AXES["x"]]))
        if others and np.linalg.norm(np.cross(first, others[0])) < PARALLEL:
            raise ValueError(f"orientation: {' and '.join(directions)} have one direction; give two different ones")
        return self

    def directions(self) -> dict[str, tuple[float, float, float]]:
        """Axes of the frame whose directions are given."""
        return {name: direction for name in AXES if (direction := getattr(self, name)) is not None}

    def rotation(self) -> np.ndarray:
        """The rotation matrix."""
        if self.angle is not None:
            return axis_rotation(np.array(self.axis or AXES["z"]), self.angle)
        if self.roll_pitch_yaw is not None:
            x, y, z = (
                axis_rotation(np.array(axis), angle)
                for axis, angle in zip(AXES.values(), self.roll_pitch_yaw, strict=True)
            )
            return np.asarray(z @ y @ x)
        return _of_directions({name: np.array(direction) for name, direction in self.directions().items()})


def _of_directions(given: Mapping[str, np.ndarray]) -> np.ndarray:
    """The frame with its first axis exactly there, the second in the plane of both."""
    (first, along), (second, towards) = given.items()
    i, j = list(AXES).index(first), list(AXES).index(second)
    R = np.zeros((3, 3))
    R[:, i] = along
    across = towards - along * (along @ towards)
    R[:, j] = across / np.linalg.norm(across)
    k = 3 - i - j
    R[:, k] = np.cross(R[:, (k + 1) % 3], R[:, (k + 2) % 3])
    return R


def _orientation(value: Any, info: ValidationInfo) -> Any:
    """Euler parameters of an orientation that is given otherwise; others are left as they are."""
    if isinstance(value, Mapping):
        R = _turn(dict(value), info).rotation()
    elif len(rows := _rows(value)) == 3:
        R = _checked(rows)
    else:
        return listed(value)
    return tuple(float(e) for e in euler_parameters(R))


def _turn(value: dict[str, Any], info: ValidationInfo) -> Turn:
    for key in value:
        if key not in Turn.model_fields:
            raise ValueError(f"orientation: unknown key '{key}'; {nearest(str(key), Turn.model_fields)}")
    try:
        return Turn.model_validate(value, context=info.context)
    except ValidationError as failure:
        first = failure.errors()[0]
        message = first["msg"].removeprefix("Value error, ").removeprefix("turn: ").removeprefix("orientation: ")
        message = wrong_type(first) or message
        raise ValueError(
            f"orientation: {first['loc'][0]} {message}" if first["loc"] else f"orientation: {message}"
        ) from None


def _rows(value: Any) -> list[Any]:
    """The rows of what is a matrix; none otherwise."""
    rows = listed(value)
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        return []
    return list(rows)


def _checked(rows: list[Any]) -> np.ndarray:
    """A rotation matrix, made exact."""
    try:
        R = np.array(rows, float)
    except ValueError:
        R = np.zeros((0, 0))
    if R.shape != (3, 3) or not np.isfinite(R).all():
        raise ValueError("orientation: a rotation matrix has three rows of three numbers")
    if np.abs(R @ R.T - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0.0:
        raise ValueError("orientation: this matrix does not rotate; its columns must be perpendicular unit vectors")
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)


def _some_length(value: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if float(np.linalg.norm(value)) < 1e-12:
        raise ValueError(f"is {list(value)}; Euler parameters must not all be zero")
    return value


class _OrientationSchema:
    """How the JSON schema describes an orientation; made where a schema is, since it takes as long as a small run."""

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        matrix = {"type": "array", "items": numbers_schema(3), "minItems": 3, "maxItems": 3}
        return {"anyOf": [numbers_schema(4), matrix, Turn.model_json_schema()]}


Quaternion = Annotated[
    tuple[Number, Number, Number, Number],
    BeforeValidator(_orientation),
    AfterValidator(_some_length),
    _OrientationSchema(),
]
