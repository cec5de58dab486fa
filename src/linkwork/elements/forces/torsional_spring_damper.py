"""Torsional spring-damper about the axis of a joint that turns; its angle counts past one turn."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.kernels import part
from linkwork.elements.declaration.base import Element, Expression, NonNegative, Number
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.joints.coordinates import need_angle, one_coordinate
from linkwork.numerics.rotations import angle_near
from linkwork.numerics.vectors import add_wrench, angular, dot, rotate, scale, sub, vector

TORSION = np.dtype(
    [
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("angle", np.int32),  # which counted angle
        ("R_AF", np.float64, (3, 3)),  # frame F in A's link frame; z is the axis
        ("R_BM", np.float64, (3, 3)),  # frame M in B's link frame
        ("stiffness", np.float64),  # N m/rad
        ("damping", np.float64),  # N m s/rad
        ("free_angle", np.float64),  # rad
    ],
    align=True,
)


class TorsionalSpringDamper(Element):
    """Moment k (theta - theta0) + c theta' against the rotation of a joint (N m, rad, rad/s); or any law."""

    plural: ClassVar[str] = "on revolute joints"

    own: ClassVar[tuple[str, ...]] = ("q", "v")

    joint: str = Field(description="name of a joint that turns")
    coordinate: str | None = Field(default=None, description="which angle of the joint, if it has several")
    stiffness: NonNegative = Field(default=0.0, description="N m/rad, >= 0")
    damping: NonNegative = Field(default=0.0, description="N m s/rad, >= 0")
    free_angle: Number = Field(default=0.0, description="rad, joint angle without moment")
    torque: Expression | None = Field(
        default=None, description="N m, instead of the linear law: expression of q (rad), v = q' (rad/s), t, measures"
    )

    @model_validator(mode="after")
    def _one_law(self) -> Self:
        if self.torque is not None and (self.stiffness or self.damping or self.free_angle):
            who = f"torsional spring damper '{self.name}'"
            raise ValueError(f"{who}: has a torque and a linear law; give one of the two")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("joint", self.joint),)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return () if self.torque is None else ((self.torque, self.own),)

    def check(self, surroundings: Surroundings) -> None:
        """The coordinate turns."""
        joint = surroundings.joints[self.joint]
        need_angle(joint, one_coordinate(joint, self.coordinate, self.who), self.who)


@part
def torsional_spring_dampers(torsions, R, p, O, V, since, angles, F, energy, angle):
    """n = k (theta - theta0) + c theta' about z_F; energy as for a spring-damper.

    theta is taken on the turn nearest to where the last accepted step (`since` s ago) was heading.
    """
    count = angles.shape[0] // 2
    for s in range(torsions.shape[0]):
        torsion = torsions[s]
        a, b = torsion.body_a, torsion.body_b
        R_AF, R_BM = torsion.R_AF, torsion.R_BM
        x_M = rotate(R, b, (R_BM[0, 0], R_BM[1, 0], R_BM[2, 0]))
        cosine = dot(rotate(R, a, (R_AF[0, 0], R_AF[1, 0], R_AF[2, 0])), x_M)
        sine = dot(rotate(R, a, (R_AF[0, 1], R_AF[1, 1], R_AF[2, 1])), x_M)
        axis = rotate(R, a, (R_AF[0, 2], R_AF[1, 2], R_AF[2, 2]))
        heading = angles[torsion.angle] + angles[count + torsion.angle] * since
        theta = angle_near(sine, cosine, heading)
        angle[torsion.angle] = theta.real
        rate = dot(axis, sub(angular(V, b), angular(V, a)))
        angle[count + torsion.angle] = rate.real
        twist = theta - torsion.free_angle
        moment = scale(torsion.stiffness * twist + torsion.damping * rate, axis)
        zero = scale(0.0, axis)
        add_wrench(F, a, O, vector(p, a), zero, moment)
        add_wrench(F, b, O, vector(p, b), zero, scale(-1.0, moment))
        energy[1] += 0.5 * torsion.stiffness * twist * twist
        energy[2] -= torsion.damping * rate * rate
