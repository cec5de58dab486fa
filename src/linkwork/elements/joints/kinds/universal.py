"""Universal: a cross with one pin along z of F on A, the other along x of M on B."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import PINS_PERPENDICULAR, SAME_POINT
from linkwork.elements.joints.kind import Directions, JointKind, Reversal
from linkwork.elements.joints.motions import ROTATE
from linkwork.elements.joints.picture import JointPicture, Solid

if TYPE_CHECKING:
    from linkwork.elements.joints.joint import Joint

CROSSED = ((0.0, 0.0, -1.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0))  # x and z exchanged, and turned


class Universal(JointKind):
    """Rotation about z, then about the x axis that this has turned."""

    name = "universal"
    motions = ((ROTATE, 2), (ROTATE, 0))
    coordinates = ("angle_a", "angle_b")
    velocities = ("rate_a", "rate_b")
    rows = (*SAME_POINT, PINS_PERPENDICULAR)
    takes_second_axis = True
    bears_load = True
    stands_on_foot = True

    def check(self, joint: Joint) -> None:
        """Its pins are perpendicular."""
        who = f"joint '{joint.name}'"
        if joint.second_axis is None:
            if joint.frames is None:
                raise ValueError(f"{who}: a universal joint needs second_axis, the direction of its pin on B")
            return
        cosine = abs(float(np.dot(joint.axis or joint.second_axis, joint.second_axis)))
        if cosine > 1e-9:
            angle = np.degrees(np.arccos(min(1.0, cosine)))
            raise ValueError(f"{who}: its pins are at {angle:.4g} degrees; axis and second_axis must be perpendicular")

    def axes_of_F(self, joint: Directions, plane: str | None) -> np.ndarray:
        """z along the pin on A, x along that on B."""
        z, x = np.array(joint.axis), np.array(joint.second_axis)
        return np.column_stack([x, np.cross(z, x), z])

    @cached_property
    def reversal(self) -> Reversal:
        """A cross with its pins exchanged."""
        return Reversal(self.changed(coordinates=self.coordinates[::-1], velocities=self.velocities[::-1]), CROSSED)

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """What the force at the centre has across the pin, at the pin's radius."""
        return Bearing(SAME_POINT, about=radius, across=True)

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A cross of two pins: one along z on A, one along x on B."""
        pin = Solid("cylinder", (0.4 * u, 2.8 * u), steel=True)
        return JointPicture((pin,), (pin._replace(along="x"), Solid("sphere", (0.75 * u,))))
