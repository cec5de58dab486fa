"""A joint that is no part of linkwork: a pin in a slot.  Importing this module registers it, as a plugin would."""

from __future__ import annotations

import linkwork as lw
from linkwork.elements.joints.equations import POINT_Y, POINT_Z, SAME_Z
from linkwork.elements.joints.motions import ROTATE, SLIDE
from linkwork.elements.joints.picture import JointPicture, Solid


@lw.register_joint
class SlottedPin(lw.JointKind):
    """A slot along x of A, in which a pin of B slides and turns about z."""

    name = "slotted-pin"
    motions = ((SLIDE, 0), (ROTATE, 2))
    coordinates = ("slot", "turn")
    velocities = ("slot_speed", "turn_rate")
    rows = (POINT_Y, POINT_Z, *SAME_Z)
    planar_rows = (POINT_Y,)
    stands_on_foot = True

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """Two cheeks and a pin."""
        cheeks = tuple(Solid("box", (8.0 * u, 0.4 * u, u), (0.0, y * u, 0.0), steel=True) for y in (-0.8, 0.8))
        return JointPicture(cheeks, (Solid("cylinder", (0.5 * u, 2.0 * u)),))
