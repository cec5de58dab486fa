"""Screw: a nut on a thread."""

from __future__ import annotations

import math

from linkwork.elements.constraints.rows import ANGLE, POINT
from linkwork.elements.joints.bearing import Bearing
from linkwork.elements.joints.equations import ADVANCE, POINT_X, POINT_Y, SAME_Z, Term
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import HELIX
from linkwork.elements.joints.picture import JointPicture, Solid, rail


class Screw(JointKind):
    """Rotation about z with an advance along it: distance = pitch angle."""

    name = "screw"
    motions = ((HELIX, 2),)
    coordinates = ("angle",)
    velocities = ("rate",)
    rows = (POINT_X, POINT_Y, *SAME_Z, ADVANCE)
    needs_pitch = True
    bears_load = True
    has_rail = True

    def sum_terms(self, pitch: float) -> tuple[Term, ...]:
        """distance - pitch angle = 0."""
        return (Term(POINT, 2, 0, 1.0), Term(ANGLE, 2, 0, -pitch))

    def bearing(self, coordinate: str | None, radius: float, pitch: float) -> Bearing:
        """The axial load on a square thread: its normal is axial / cos(lead), and friction acts along the thread."""
        lead = math.atan2(pitch, radius)
        return Bearing(
            (ADVANCE,), along=math.sin(lead), about=radius * math.cos(lead), factor=1.0 / math.cos(lead)
        )  # fmt: skip

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A rail, and a ring on it."""
        return JointPicture(rail(u, travel), (Solid("ring", (1.1 * u, 0.5 * u, 2.6 * u)),))
