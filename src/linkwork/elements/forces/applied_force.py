"""Applied force and torque on a body: numbers or expressions of time and of the state, in world or body axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.context import GROUND, Attachment, Context
from linkwork.elements.declaration.base import Expression, Vector
from linkwork.elements.family import Family, Phase, acts_on, record
from linkwork.elements.forces.force import AXES, Force, component
from linkwork.numerics.vectors import add, add_wrench, angular, dot, point_velocity, rotate, vector

APPLIED = record(
    [
        ("body", np.int32),
        ("in_body_axes", np.int32),
        ("signals", np.int32, (6,)),  # of the three forces and the three torques
        ("p_P", np.float64, (3,)),  # m, point of application in the link frame
        ("R_LB", np.float64, (3, 3)),  # body axes in the link frame
    ]
)
SIZE = APPLIED.itemsize


class AppliedForce(Force):
    """A force at a point of a body and a torque on it; each component a number or an expression of t and measures."""

    load_kind: ClassVar[str] = "applied"
    plural: ClassVar[str] = "forces and torques on bodies"

    body: str = Field(description="name of the body")
    force: tuple[Expression, Expression, Expression] = Field(default=(0.0, 0.0, 0.0), description="N")
    torque: tuple[Expression, Expression, Expression] = Field(default=(0.0, 0.0, 0.0), description="N m")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, point of application in the body frame")
    axes: Literal["world", "body"] = Field(default="world", description="axes of the components")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("moving body", self.body),)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return tuple((value, ()) for value in (*self.force, *self.torque))

    def attachments(self) -> tuple[Attachment, ...]:
        """Its point of application."""
        return (Attachment(self.body, self.at, self.body),)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record with the signals of its components."""
        index, point, axes = context.places.on_body(self.body, self.at)
        signals, who = context.signals, self.who
        parts = tuple(signals.needed_now(signals.expression(c, who), who) for c in (*self.force, *self.torque))
        signals.efforts[self.name] = parts
        return [(index, self.axes == "body", parts, point, axes)]

    def force_signal(self, context: Context, function: str, axis: tuple[str, ...], who: str) -> int:
        """Force and torque as they are given, turned into world axes."""
        return component(context, self._in_world(context), function, axis, who)

    def _in_world(self, context: Context) -> tuple[int, ...]:
        given, key = context.signals.efforts[self.name], f"{self.name}.world"
        if self.axes == "world" or key in context.signals.efforts:
            return context.signals.efforts.get(key, given)
        turned = []
        for half in (given[:3], given[3:]):
            for axis in AXES:
                own = {f"part{j}": half[j] for j in range(3)}
                for j in range(3):
                    own[f"turn{j}"] = context.signals.cosine(GROUND, axis, self.body, AXES[j], self.who)
                text = "turn0*part0 + turn1*part1 + turn2*part2"
                turned.append(context.signals.expression(text, self.who, own))
        context.signals.efforts[key] = tuple(turned)
        return tuple(turned)


@kernel
def applied_forces(system, t, angles, work, first, last):
    """Adds the wrenches; energy[2] gains their power f . v + n . w."""
    R, p, O, V, signals = work.R, work.p, work.O, work.V, work.signals
    for at in range(first, last, SIZE):
        load = record_at(system.block, at, APPLIED)
        b, s = load.body, load.signals
        f = (signals[s[0]], signals[s[1]], signals[s[2]])
        n = (signals[s[3]], signals[s[4]], signals[s[5]])
        if load.in_body_axes:
            f = rotate(R, b, into_link(load.R_LB, f))
            n = rotate(R, b, into_link(load.R_LB, n))
        point = add(vector(p, b), rotate(R, b, load.p_P))
        add_wrench(work.F, b, O, point, f, n)
        work.energy[2] += dot(f, point_velocity(V, O, b, point)) + dot(n, angular(V, b))


@part
def into_link(R_LB, a):
    """R_LB @ a."""
    return (
        R_LB[0, 0] * a[0] + R_LB[0, 1] * a[1] + R_LB[0, 2] * a[2],
        R_LB[1, 0] * a[0] + R_LB[1, 1] * a[1] + R_LB[1, 2] * a[2],
        R_LB[2, 0] * a[0] + R_LB[2, 1] * a[1] + R_LB[2, 2] * a[2],
    )


APPLIED_FORCES = Family(
    "applied forces", APPLIED, {Phase.FORCES: applied_forces}, (AppliedForce,), (acts_on("body", "p_P"),),
    state_alone=False,
)  # fmt: skip
