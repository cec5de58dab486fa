"""Constant velocity: bends without twist, so that both shafts turn alike."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.constraints.rows import PARALLEL
from linkwork.elements.joints.equations import NO_TWIST, SAME_POINT, Term
from linkwork.elements.joints.kind import Directions, JointKind, Reversal
from linkwork.elements.joints.motions import BALL
from linkwork.elements.joints.picture import JointPicture, Solid
from linkwork.numerics.rotations import axis_rotation

if TYPE_CHECKING:
    from linkwork.elements.joints.joint import Joint


class ConstantVelocity(JointKind):
    """Rotations from F to M about axes across z.

    It bears its load on balls in grooves, for whose friction there is no law here.
    """

    name = "constant-velocity"
    motions = ((BALL, 0),)
    coordinates = ("e0", "e1", "e2", "e3")
    velocities = ("wx", "wy", "wz")
    rows = (*SAME_POINT, NO_TWIST)
    rows_in_tree = (NO_TWIST,)
    takes_second_axis = True

    def sum_terms(self, pitch: float) -> tuple[Term, ...]:
        """x_F . y_M - y_F . x_M = 0: no rotation about z."""
        return (Term(PARALLEL, 0, 1, 1.0), Term(PARALLEL, 1, 0, -1.0))

    def check(self, joint: Joint) -> None:
        """Its shafts do not point at each other."""
        if joint.second_axis is not None and float(np.dot(joint.axis or (), joint.second_axis)) < -1.0 + 1e-9:
            raise ValueError(
                f"joint '{joint.name}': its shafts point at each other; axis and second_axis must not be opposite"
            )

    def axes_of_M(self, joint: Directions, R_WF: np.ndarray) -> np.ndarray:
        """Turned, without twist, from shaft to shaft."""
        if joint.second_axis is None:
            return np.eye(3)
        shaft = R_WF.T @ np.array(joint.second_axis)
        across = np.cross([0.0, 0.0, 1.0], shaft)
        sine = float(np.linalg.norm(across))
        return np.eye(3) if sine < 1e-15 else axis_rotation(across / sine, float(np.arctan2(sine, shaft[2])))

    @cached_property
    def reversal(self) -> Reversal:
        """The inverse of a rotation about an axis across z is another."""
        return self.own_inverse()

    def picture(self, u: float, travel: tuple[float, float]) -> JointPicture:
        """A ball in a bell."""
        return JointPicture((Solid("ring", (1.5 * u, 1.05 * u, 1.2 * u), steel=True),), (Solid("sphere", (1.0 * u,)),))
