"""Applied force and torque on a body: numbers or expressions of time, in world or body axes."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from linkwork.compiler.kernels import part
from linkwork.elements.declaration.base import Element, Expression, Vector
from linkwork.expressions.program import run_program
from linkwork.numerics.vectors import add, add_wrench, angular, dot, point_velocity, rotate, vector

LOAD = np.dtype(
    [
        ("body", np.int32),
        ("in_body_axes", np.int32),
        ("first_op", np.int32, (6,)),  # programs of the three forces and the three torques
        ("op_count", np.int32, (6,)),
        ("p_P", np.float64, (3,)),  # m, point of application in the link frame
        ("R_LB", np.float64, (3, 3)),  # body axes in the link frame
    ],
    align=True,
)


class AppliedForce(Element):
    """A force at a point of a body and a torque on it; each component a number or an expression of t."""

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


@part
def applied_forces(loads, ops, t, R, p, O, V, stack, F, energy):
    """Adds the wrenches; energy[2] gains their power f . v + n . w."""
    for s in range(loads.shape[0]):
        load = loads[s]
        b = load.body
        f = (
            _component_at(load, ops, 0, t, stack),
            _component_at(load, ops, 1, t, stack),
            _component_at(load, ops, 2, t, stack),
        )
        n = (
            _component_at(load, ops, 3, t, stack),
            _component_at(load, ops, 4, t, stack),
            _component_at(load, ops, 5, t, stack),
        )
        if load.in_body_axes:
            f = rotate(R, b, into_link(load.R_LB, f))
            n = rotate(R, b, into_link(load.R_LB, n))
        point = add(vector(p, b), rotate(R, b, load.p_P))
        add_wrench(F, b, O, point, f, n)
        energy[2] += dot(f, point_velocity(V, O, b, point)) + dot(n, angular(V, b))


@part
def _component_at(load, ops, k, t, stack):
    f, _, _ = run_program(ops, load.first_op[k], load.op_count[k], t, stack)
    return f


@part
def into_link(R_LB, a):
    """R_LB @ a."""
    return (
        R_LB[0, 0] * a[0] + R_LB[0, 1] * a[1] + R_LB[0, 2] * a[2],
        R_LB[1, 0] * a[0] + R_LB[1, 1] * a[1] + R_LB[1, 2] * a[2],
        R_LB[2, 0] * a[0] + R_LB[2, 1] * a[1] + R_LB[2, 2] * a[2],
    )
