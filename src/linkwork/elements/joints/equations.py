"""Equations of joints: named constraint rows between a frame F on body A and a frame M on body B."""

from __future__ import annotations

from typing import NamedTuple

from linkwork.elements.constraints.rows import OTHER, PARALLEL, POINT


class Row(NamedTuple):
    """One equation of a joint (elements/constraints/rows.py)."""

    kind: int  # POINT, PARALLEL, OTHER
    i: int  # axis of F
    j: int  # axis of M
    equation: str  # in words, for messages, channels and reactions


class Term(NamedTuple):
    """One term of an equation that is a sum: factor times a number between F and M."""

    kind: int  # POINT, PARALLEL, ANGLE
    i: int
    j: int
    factor: float


POINT_X = Row(POINT, 0, 0, "point along x")
POINT_Y = Row(POINT, 1, 0, "point along y")
POINT_Z = Row(POINT, 2, 0, "point along z")
AXIS_ABOUT_Y = Row(PARALLEL, 0, 2, "axis about y")
AXIS_ABOUT_X = Row(PARALLEL, 1, 2, "axis about x")
AXIS_ABOUT_Z = Row(PARALLEL, 0, 1, "axis about z")
PINS_PERPENDICULAR = Row(PARALLEL, 2, 0, "pins perpendicular")
NO_TWIST = Row(OTHER, 0, 1, "no twist")
ADVANCE = Row(OTHER, 2, 0, "advance with the turn")

SAME_POINT = (POINT_X, POINT_Y, POINT_Z)  # origins of F and M together
SAME_Z = (AXIS_ABOUT_Y, AXIS_ABOUT_X)  # z axes of F and M parallel
SAME_AXES = (*SAME_Z, AXIS_ABOUT_Z)  # all axes parallel
