"""Torsional spring-damper about the axis of a joint that turns; its angle counts past one turn.

n = k (theta - theta0) + c theta'      against the rotation; potential k (theta - theta0)^2 / 2, power -c theta'^2
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.context import Context
from linkwork.elements.declaration.base import Expression, NonNegative, Number
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import BETWEEN_FRAMES, Family, Phase, record
from linkwork.elements.forces.force import AlongLine
from linkwork.elements.forces.joint_forces import LAWS, law_record, own_signals
from linkwork.elements.joints.coordinates import need_angle, one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, counted, direction, ends, pair_of
from linkwork.elements.signals.outputs import show

TORSION = record(
    [
        ("angle", np.int32),  # which counted angle
        ("stiffness", np.float64),  # N m/rad
        ("damping", np.float64),  # N m s/rad
        ("free_angle", np.float64),  # rad
        *PAIR,  # z of F is the axis
    ],
    outputs=1,
)
SIZE = TORSION.itemsize


class TorsionalSpringDamper(AlongLine):
    """Moment k (theta - theta0) + c theta' against the rotation of a joint (N m, rad, rad/s); or any law."""

    plural: ClassVar[str] = "on revolute joints"

    own: ClassVar[tuple[str, ...]] = ("q", "v")
    load_kind: ClassVar[str] = "torsion"

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

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """A spring about the axis, or a law against the angle."""
        angle = context.places.coordinate(self.joint, self.coordinate, self.who)
        if self.torque is not None:
            law = law_record(context, self, angle, self.torque, own_signals(context, angle), -1.0)
            context.tables.add(LAWS, self.name, law)
            return []
        counted = context.states.angle(context.places.start_of(angle), angle)
        return [(counted, self.stiffness, self.damping, self.free_angle, *angle.pair)]

    def effort(self, context: Context) -> int:
        """The moment, N m."""
        return super().effort(context) if self.torque is not None else context.tables.output(self.name, "torque")

    def unit(self, context: Context, function: str) -> str:
        """Of a moment."""
        return "N m"

    def is_moment(self, joints: Mapping[str, Joint]) -> bool:
        """It is one."""
        return True


@kernel
def torsional_spring_dampers(system, t, angles, work, first, last):
    """Adds the moments; energy[1] gains k (theta - theta0)^2 / 2, energy[2] the damper's power."""
    R, p, O = work.R, work.p, work.O
    for at in range(first, last, SIZE):
        torsion = record_at(system.block, at, TORSION)
        pair = pair_of(torsion)
        f, n = direction(ANGLE, 2, 2, R, p, pair)
        _, p_M = ends(R, p, pair)
        theta, rate = counted(ANGLE, 2, 2, torsion.angle, t, angles, work, pair, p_M, f, n)
        twist = theta - torsion.free_angle
        moment = torsion.stiffness * twist + torsion.damping * rate
        add_effort(work.F, O, pair, p_M, moment, f, n)
        work.energy[1] += 0.5 * torsion.stiffness * twist * twist
        work.energy[2] -= torsion.damping * rate * rate
        show(work.signals, torsion, 0, moment)


TORSIONAL_SPRING_DAMPERS = Family(
    "torsional spring dampers", TORSION, {Phase.FORCES: torsional_spring_dampers}, (TorsionalSpringDamper,),
    BETWEEN_FRAMES, {"torque": "N m"}, conservative=lambda records: not np.any(records["damping"]),
)  # fmt: skip
