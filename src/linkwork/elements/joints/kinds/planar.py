"""Planar: a foot that slides and turns on a plane."""

from __future__ import annotations

from functools import cached_property

from linkwork.elements.joints.bearing import PLANE, Bearing
from linkwork.elements.joints.equations import POINT_Z, SAME_Z
from linkwork.elements.joints.kind import JointKind, Reversal
from linkwork.elements.joints.motions import ROTATE, SLIDE
from linkwork.elements.joints.picture import JointPicture, Solid


class Planar(JointKind):
    """Sliding along x and y, rotation about z."""

    name = "planar"
    motions = ((SLIDE, 0), (SLIDE, 1), (ROTATE, 2))
    coordinates = ("x", "y", "angle")
    velocities = ("vx", "vy", "rate")
    rows = (POINT_Z, *SAME_Z)
    planar_rows = ()
    bears_load = True
    friction_without_coordinate = True

    @cached_property
    def reversal(self) -> Reversal:
        """A group."""
        return self.own_inverse()

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing | None:
        """The load normal to the plane: against all sliding, or about the normal at a radius."""
        if coordinate is None:
            return Bearing((POINT_Z,), along=1.0, direction=PLANE)
        return Bearing((POINT_Z,), about=radius) if self.turns(coordinate) else None

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A thin disc to slide on, and a foot on it."""
        disc = Solid("cylinder", (2.6 * u, 0.2 * u), steel=True)
        return JointPicture((disc,), (Solid("cylinder", (0.9 * u, 0.6 * u)),))
