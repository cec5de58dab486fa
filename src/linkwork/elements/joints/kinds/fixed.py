"""Fixed: a weld."""

from __future__ import annotations

from linkwork.elements.joints.equations import AXIS_ABOUT_Z, POINT_X, POINT_Y, SAME_AXES, SAME_POINT
from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.picture import JointPicture, Solid


class Fixed(JointKind):
    """No motion."""

    name = "fixed"
    rows = (*SAME_POINT, *SAME_AXES)
    planar_rows = (POINT_X, POINT_Y, AXIS_ABOUT_Z)
    needs_axis = False

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A small block."""
        return JointPicture((Solid("box", (1.3 * u, 1.3 * u, 1.3 * u), steel=True),))
