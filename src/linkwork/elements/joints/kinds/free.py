"""Free: no joint at all, but coordinates with a name."""

from __future__ import annotations

from functools import cached_property

from linkwork.elements.joints.kind import JointKind, Reversal
from linkwork.elements.joints.motions import BALL, SLIDE
from linkwork.elements.joints.picture import JointPicture


class Free(JointKind):
    """All six motions: position of body B in A, then its orientation."""

    name = "free"
    motions = ((SLIDE, 0), (SLIDE, 1), (SLIDE, 2), (BALL, 0))
    coordinates = ("x", "y", "z", "e0", "e1", "e2", "e3")
    velocities = ("vx", "vy", "vz", "wx", "wy", "wz")
    planar_rows = ()
    needs_place = False
    needs_axis = False

    @cached_property
    def reversal(self) -> Reversal:
        """A group."""
        return self.own_inverse()

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """Nothing is there."""
        return JointPicture()
