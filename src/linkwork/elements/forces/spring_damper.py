"""Spring-damper between two points: a force along the line that joins them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.kernels import part
from linkwork.elements.declaration.base import Element, Expression, NonNegative, Number, Vector
from linkwork.elements.declaration.pictures import Line
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add, add_wrench, dot, point_velocity, rotate, scale, sub, vector

SPRING = np.dtype(
    [
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("p_A", np.float64, (3,)),  # m, attachment in A's link frame
        ("p_B", np.float64, (3,)),  # m, attachment in B's link frame
        ("stiffness", np.float64),  # N/m
        ("damping", np.float64),  # N s/m
        ("free_length", np.float64),  # m
    ],
    align=True,
)


class SpringDamper(Element):
    """Force k (l - l0) + c l' + preload that draws two points together (N, m, m/s); or any law by an expression."""

    plural: ClassVar[str] = "spring-dampers between points"

    own: ClassVar[tuple[str, ...]] = ("l", "v")

    between: tuple[str, str] = Field(description="names of the two bodies; 'ground' is a body")
    points: tuple[Vector, Vector] = Field(
        description="m, attachments in the world, with the bodies where they are said to be"
    )
    stiffness: NonNegative = Field(default=0.0, description="N/m, >= 0")
    damping: NonNegative = Field(default=0.0, description="N s/m, >= 0")
    free_length: NonNegative | None = Field(default=None, description="m, >= 0; default: the length at the start")

    preload: Number = Field(default=0.0, description="N, force at the free length")
    force: Expression | None = Field(
        default=None, description="N, instead of the linear law: an expression of l (m), v = l' (m/s), t, measures"
    )

    @model_validator(mode="after")
    def _between_two(self) -> Self:
        if self.between[0] == self.between[1]:
            raise ValueError(
                f"spring damper '{self.name}': connects '{self.between[0]}' with itself; name two different bodies"
            )
        if self.force is not None and (self.stiffness or self.damping or self.preload):
            raise ValueError(f"spring damper '{self.name}': has a force and a linear law; give one of the two")
        return self

    def length(self) -> Number:
        """Length as said, m."""
        return float(np.linalg.norm(np.subtract(*self.points)))

    def pull(self, length: Any, rate: Any = 0.0) -> Any:
        """Force that draws its ends together, N, at a length (m) and its rate (m/s); NaN if an expression says it."""
        if self.force is not None:
            return np.nan * length
        free = self.length() if self.free_length is None else self.free_length
        return self.preload + self.stiffness * (length - free) + self.damping * rate

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return () if self.force is None else ((self.force, self.own),)

    def line(self) -> Line:
        """A coil."""
        return Line("coil", "spring", self.between, self.points, self.length())


@part
def spring_dampers(springs, R, p, O, V, F, energy):
    """f = k (l - l0) + c l' along the line; energy[1] gains k (l - l0)^2 / 2, energy[2] the damper's power -c l'^2."""
    for s in range(springs.shape[0]):
        spring = springs[s]
        a, b = spring.body_a, spring.body_b
        p_A = add(vector(p, a), rotate(R, a, spring.p_A))
        p_B = add(vector(p, b), rotate(R, b, spring.p_B))
        d = sub(p_B, p_A)
        length = sqrt(dot(d, d))
        if length.real < 1e-12:
            continue  # the two points coincide: the force has no direction
        direction = scale(1.0 / length, d)
        speed = dot(direction, sub(point_velocity(V, O, b, p_B), point_velocity(V, O, a, p_A)))
        stretch = length - spring.free_length
        pull = scale(spring.stiffness * stretch + spring.damping * speed, direction)
        zero = scale(0.0, direction)
        add_wrench(F, a, O, p_A, pull, zero)
        add_wrench(F, b, O, p_B, scale(-1.0, pull), zero)
        energy[1] += 0.5 * spring.stiffness * stretch * stretch
        energy[2] -= spring.damping * speed * speed
