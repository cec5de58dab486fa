"""Revolute: a pin in a hub."""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import POINT_X, POINT_Y, SAME_POINT, SAME_Z
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import ROTATE
from linkwork.elements.joints.picture import JointPicture, Solid

PARALLEL = 1e-9  # sine of an angle between directions that count as parallel


class Revolute(JointKind):
    """Rotation about z."""

    name = "revolute"
    motions = ((ROTATE, 2),)
    coordinates = ("angle",)
    velocities = ("rate",)
    rows = (*SAME_POINT, *SAME_Z)
    planar_rows = (POINT_X, POINT_Y)
    bears_load = True
    stands_on_foot = True

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """The load across the axis, at the radius of the pin; thrust does not count."""
        return Bearing((POINT_X, POINT_Y), about=radius)

    def leaves_free(self, turns: np.ndarray) -> bool:
        """Turns about z."""
        return bool(np.abs(np.cross(turns, [0.0, 0.0, 1.0])).max() <= PARALLEL * np.abs(turns).max())

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A pin with two heads, and a hub."""
        heads = [Solid("cylinder", (0.62 * u, 0.3 * u), (0.0, 0.0, s * 1.4 * u), steel=True) for s in (-1.0, 1.0)]
        pin = Solid("cylinder", (0.42 * u, 3.0 * u), steel=True)
        return JointPicture((pin, *heads), (Solid("ring", (1.05 * u, 0.45 * u, 1.9 * u)),))
