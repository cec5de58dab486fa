"""Prismatic: a sleeve on a rail."""

from __future__ import annotations

from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import AXIS_ABOUT_Y, POINT_X, POINT_Y, SAME_AXES
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import SLIDE
from linkwork.elements.joints.picture import JointPicture, Solid, rail


class Prismatic(JointKind):
    """Sliding along z."""

    name = "prismatic"
    motions = ((SLIDE, 2),)
    coordinates = ("distance",)
    velocities = ("speed",)
    rows = (POINT_X, POINT_Y, *SAME_AXES)
    planar_rows = (POINT_X, AXIS_ABOUT_Y)
    planar_normal = 1
    bears_load = True
    has_rail = True

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """The load across the slide; moments that bend it do not count."""
        return Bearing((POINT_X, POINT_Y), along=1.0)

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A rail, as long as the slider travels, and two square collars on it."""
        collars = tuple(Solid("box", (1.9 * u, 1.9 * u, 0.7 * u), (0.0, 0.0, s * 1.3 * u)) for s in (-1.0, 1.0))
        return JointPicture(rail(u, travel), collars)
