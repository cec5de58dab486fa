"""Cylindrical: a ring on a rail."""

from __future__ import annotations

from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import POINT_X, POINT_Y, SAME_Z
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import ROTATE, SLIDE
from linkwork.elements.joints.picture import JointPicture, Solid, rail


class Cylindrical(JointKind):
    """Sliding along z and rotation about it."""

    name = "cylindrical"
    motions = ((SLIDE, 2), (ROTATE, 2))
    coordinates = ("distance", "angle")
    velocities = ("speed", "rate")
    rows = (POINT_X, POINT_Y, *SAME_Z)
    bears_load = True
    has_rail = True

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """The load across the axis: along it, or at the radius of the bar."""
        turning = coordinate is not None and self.turns(coordinate)
        return Bearing((POINT_X, POINT_Y), about=radius) if turning else Bearing((POINT_X, POINT_Y), along=1.0)

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A rail, and a ring that may turn on it."""
        return JointPicture(rail(u, travel), (Solid("ring", (1.1 * u, 0.5 * u, 2.6 * u)),))
