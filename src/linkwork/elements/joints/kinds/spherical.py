"""Spherical: a ball in a socket."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.elements.joints import bearing
from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import SAME_POINT
from linkwork.elements.joints.kind import JointKind, Reversal
from linkwork.elements.joints.motions import BALL
from linkwork.elements.joints.picture import JointPicture, Solid


class Spherical(JointKind):
    """All rotations about a point."""

    name = "spherical"
    motions = ((BALL, 0),)
    coordinates = ("e0", "e1", "e2", "e3")
    velocities = ("wx", "wy", "wz")
    rows = SAME_POINT
    needs_axis = False
    bears_load = True
    friction_without_coordinate = True
    stands_on_foot = True

    @cached_property
    def reversal(self) -> Reversal:
        """A group."""
        return self.own_inverse()

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """The whole force, at the radius of the ball, against its turning."""
        return Bearing(SAME_POINT, about=1.0, direction=bearing.BALL, factor=radius)

    def leaves_free(self, turns: np.ndarray) -> bool:
        """Any turn."""
        return True

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A ball in a socket."""
        return JointPicture((Solid("socket", (1.45 * u, 1.12 * u), steel=True),), (Solid("sphere", (1.1 * u,)),))
