"""Drivers: a joint coordinate follows a given function of time.

A driver is one more constraint row on the frames of its joint (constraints.py): an angle or a distance minus f(t).
"""

from __future__ import annotations

from pydantic import Field

from linkwork.elements.base import Element
from linkwork.elements.constraints import ANGLE, POINT
from linkwork.elements.joints import JOINTS, ROTATE, SLIDE, JointKind


class Driver(Element):
    """Joint coordinate = expression of t (rad or m)."""

    joint: str = Field(description="name of a joint")
    coordinate: str | None = Field(default=None, description="which coordinate of the joint; needed if it has several")
    motion: str | float = Field(description="rad or m, an expression of t such as '0.1*sin(2*pi*t)'")


def drivable(kind: JointKind) -> dict[str, tuple[int, int]]:
    """Coordinates of a joint that a driver can take, each with the row (kind, axis) that measures it."""
    rows: dict[str, tuple[int, int]] = {}
    names = iter(kind.coordinates)
    for motion, axis in kind.motions:
        if motion == ROTATE and axis == 2:
            rows[next(names)] = (ANGLE, 2)
        elif motion == SLIDE:
            rows[next(names)] = (POINT, axis)
        else:
            break
    return rows


DRIVABLE = {name: drivable(kind) for name, kind in JOINTS.items()}
