"""Joints: each kind is a few lines of data - the motions it allows, and the equations that it is when it is cut.

A joint connects a frame F on body A with a frame M on body B.  In the tree it is a sequence of elementary motions
that carry F into M (coordinates); as a cut joint, and in absolute coordinates, it is a set of rows (see
constraints/rows.py).  A new joint is a new entry of JOINTS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.constraints.rows import ANGLE, OTHER, PARALLEL, POINT
from linkwork.elements.declaration.base import Axis, Element, Number, Vector

ROTATE = 0  # about an axis of the present frame: one angle, rad
SLIDE = 1  # along an axis of the present frame: one length, m
BALL = 2  # free rotation: four Euler parameters; three velocities, rad/s in the axes of F
BALL_REST = 3  # second and third velocity of a ball
MODE = 5  # of a flexible body: one modal coordinate
HELIX = 4  # rotation about z with a slide along it, pitch m/rad: one angle, rad

DOF = np.dtype(
    [
        ("kind", np.int32),  # ROTATE, SLIDE, BALL, BALL_REST, HELIX
        ("axis", np.int32),  # 0, 1, 2 of the present frame
        ("body", np.int32),
        ("parent", np.int32),  # the motion before it on the way to the root, or -1
        ("depth", np.int32),  # how many motions before it
        ("q", np.int32),  # its coordinate (the first of four for a ball)
        ("row", np.int32),  # start of its row in the packed M
        ("pitch", np.float64),  # m/rad, of a helix
    ],
    align=True,
)


_HALF_TURN = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))  # about x: the same coordinate from B to A
_CROSSED = ((0.0, 0.0, -1.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0))  # x and z exchanged (and turned): a cross from B to A
PITCH = float("nan")  # stands for -pitch, m/rad, in the terms of a screw


# How a motion moves what hangs on it: a motion's own axis, or that of a mode at one node of a flexible body.
AXIS = np.dtype(
    [
        ("depth", np.int32),  # how many motions before it
        ("before", np.int32),  # the axis before it on the way to the root, or -1
        ("dof", np.int32),  # the motion
    ],
    align=True,
)


@dataclass(frozen=True)
class JointKind:
    """What a joint allows and what it forbids."""

    motions: tuple[tuple[int, int], ...]  # (ROTATE | SLIDE | BALL | HELIX, axis)
    rows: tuple[tuple[int, int, int], ...]  # (row kind, axis of F, axis of M)
    planar_rows: tuple[tuple[int, int, int], ...] | None  # in a plane mechanism; None: not possible there
    coordinates: tuple[str, ...]  # names of the coordinates
    velocities: tuple[str, ...]  # names of the velocities
    needs_axis: bool
    planar_normal: int = 2  # axis of F along the plane's normal, in a plane mechanism
    sum_of: tuple[tuple[int, int, int, float], ...] = ()  # terms of its OTHER row: (kind, axis, axis, factor)
    rows_in_tree: tuple[tuple[int, int, int], ...] = ()  # equations that stay where the joint is in the tree
    backward: tuple[tuple[float, ...], ...] = _HALF_TURN  # both frames turned by this: the joint said from B to A
    swaps: bool = False  # said from B to A its coordinates change places


_POINTS = ((POINT, 0, 0), (POINT, 1, 0), (POINT, 2, 0))
_SAME_Z = ((PARALLEL, 0, 2), (PARALLEL, 1, 2))
_BALL_Q, _BALL_V = ("e0", "e1", "e2", "e3"), ("wx", "wy", "wz")

JOINTS: dict[str, JointKind] = {
    "free": JointKind(
        ((SLIDE, 0), (SLIDE, 1), (SLIDE, 2), (BALL, 0)),
        (),
        (),
        ("x", "y", "z", *_BALL_Q),
        ("vx", "vy", "vz", *_BALL_V),
        False,
    ),
    "fixed": JointKind(
        (),
        (*_POINTS, *_SAME_Z, (PARALLEL, 0, 1)),
        ((POINT, 0, 0), (POINT, 1, 0), (PARALLEL, 0, 1)),
        (),
        (),
        False,
    ),
    "revolute": JointKind(
        ((ROTATE, 2),), (*_POINTS, *_SAME_Z), ((POINT, 0, 0), (POINT, 1, 0)), ("angle",), ("rate",), True
    ),
    "prismatic": JointKind(
        ((SLIDE, 2),),
        ((POINT, 0, 0), (POINT, 1, 0), *_SAME_Z, (PARALLEL, 0, 1)),
        ((POINT, 0, 0), (PARALLEL, 0, 2)),
        ("distance",),
        ("speed",),
        True,
        planar_normal=1,
    ),
    "spherical": JointKind(((BALL, 0),), _POINTS, None, _BALL_Q, _BALL_V, False),
    "planar": JointKind(
        ((SLIDE, 0), (SLIDE, 1), (ROTATE, 2)),
        ((POINT, 2, 0), *_SAME_Z),
        (),
        ("x", "y", "angle"),
        ("vx", "vy", "rate"),
        True,
    ),
    "cylindrical": JointKind(
        ((SLIDE, 2), (ROTATE, 2)),
        ((POINT, 0, 0), (POINT, 1, 0), *_SAME_Z),
        None,
        ("distance", "angle"),
        ("speed", "rate"),
        True,
    ),
    "screw": JointKind(
        ((HELIX, 2),),
        ((POINT, 0, 0), (POINT, 1, 0), *_SAME_Z, (OTHER, 2, 0)),
        None,
        ("angle",),
        ("rate",),
        True,
        sum_of=((POINT, 2, 0, 1.0), (ANGLE, 2, 0, PITCH)),
    ),
    "universal": JointKind(  # a cross: one pin along z_F on A, the other along x_M on B
        ((ROTATE, 2), (ROTATE, 0)),
        (*_POINTS, (PARALLEL, 2, 0)),
        None,
        ("angle_a", "angle_b"),
        ("rate_a", "rate_b"),
        True,
        backward=_CROSSED,
        swaps=True,
    ),
    "constant-velocity": JointKind(  # bends without twist: the rotation from F to M is about an axis across z
        ((BALL, 0),),
        (*_POINTS, (OTHER, 0, 1)),
        None,
        _BALL_Q,
        _BALL_V,
        True,
        sum_of=((PARALLEL, 0, 1, 1.0), (PARALLEL, 1, 0, -1.0)),
        rows_in_tree=((OTHER, 0, 1),),
    ),
}

ROW_NAMES = {
    (POINT, 0): "point along x",
    (POINT, 1): "point along y",
    (POINT, 2): "point along z",
    (PARALLEL, 0): "axis about y",
    (PARALLEL, 1): "axis about x",
    (PARALLEL, 2): "pins perpendicular",
    (OTHER, 0): "no twist",
    (OTHER, 2): "advance with the turn",
}

JointName = Literal[
    "free", "fixed", "revolute", "prismatic", "spherical", "planar", "cylindrical", "screw", "universal",
    "constant-velocity",
]  # fmt: skip


class Joint(Element):
    """A joint between two bodies, placed by a point (and axis) in the world or by a frame on each body."""

    kind: JointName = Field(description="what it allows")
    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    at: Vector | None = Field(
        default=None, description="m, a point in the world, with the bodies where they are said to be"
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

    @model_validator(mode="after")
    def _placed(self) -> Self:
        who = f"joint '{self.name}'"
        if self.between[0] == self.between[1]:
            raise ValueError(f"{who}: connects '{self.between[0]}' with itself; name two different bodies")
        if self.frames is None and self.at is None and self.kind != "free":
            raise ValueError(f"{who}: no place; give at (a point in the world) or frames (one on each body)")
        if self.frames is not None and (self.at is not None or self.axis is not None):
            raise ValueError(f"{who}: both frames and at/axis; give one of the two")
        if self.joint.needs_axis and self.axis is None and self.frames is None:
            raise ValueError(f"{who}: a {self.kind} joint needs an axis; give axis = 'x', 'y', 'z' or three numbers")
        if (self.pitch is None) == (self.kind == "screw") or self.pitch == 0.0:
            raise ValueError(f"{who}: pitch is {self.pitch}; a screw needs one, not zero; other joints have none")
        if self.second_axis is not None:
            self._check_second_axis(who)
        elif self.kind == "universal" and self.frames is None:
            raise ValueError(f"{who}: a universal joint needs second_axis, the direction of its pin on B")
        for key, values, names in (
            ("start", self.start_values, self.joint.coordinates),
            ("rate", self.rate_values, self.joint.velocities),
        ):
            if values is not None and len(values) != len(names):
                needs = f"{len(names)} ({', '.join(names)})" if names else "none: it has no coordinate"
                raise ValueError(f"{who}: {key} has {len(values)} value(s); a {self.kind} joint needs {needs}")
        ball = dict(zip(self.joint.coordinates, self.start_values or (), strict=False))
        if "e0" in ball and not any(ball[e] for e in _BALL_Q):
            raise ValueError(f"{who}: start is {list(ball.values())}; Euler parameters must not all be zero")
        return self

    def _check_second_axis(self, who: str) -> None:
        if self.kind not in ("universal", "constant-velocity") or self.axis is None:
            raise ValueError(f"{who}: second_axis is for universal and constant-velocity joints with an axis; drop it")
        cosine = float(np.dot(self.axis, self.second_axis or self.axis))
        if self.kind == "universal" and abs(cosine) > 1e-9:
            angle = np.degrees(np.arccos(min(1.0, abs(cosine))))
            raise ValueError(f"{who}: its pins are at {angle:.4g} degrees; axis and second_axis must be perpendicular")
        if self.kind == "constant-velocity" and cosine < -1.0 + 1e-9:
            raise ValueError(f"{who}: its shafts point at each other; axis and second_axis must not be opposite")

    @property
    def joint(self) -> JointKind:
        """What its kind allows and forbids."""
        return JOINTS[self.kind]

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


def _tuple(value: float | tuple[float, ...] | None) -> tuple[float, ...] | None:
    if value is None or isinstance(value, tuple):
        return value
    return (value,)
