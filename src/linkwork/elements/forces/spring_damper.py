"""Spring-damper between two points: a force along the line that joins them.

    f = k (l - l0) + c l' + preload      draws the points together; potential k (l - l0)^2 / 2, power -c l'^2

A preload is taken into l0; without a stiffness it is a constant pull.  A law by an expression: joint_forces.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Expression, NonNegative, Number, Vector
from linkwork.elements.family import BETWEEN_POINTS, Family, Phase, record
from linkwork.elements.forces.force import AlongLine, attached
from linkwork.elements.forces.joint_forces import LAWS, law_record, own_signals
from linkwork.elements.signals.frame_pairs import PAIR, ends, pair_of
from linkwork.elements.signals.outputs import show
from linkwork.elements.solids.pictures import Line
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add_wrench, dot, point_velocity, scale, sub

SPRING = record(
    [
        ("stiffness", np.float64),  # N/m
        ("damping", np.float64),  # N s/m
        ("free_length", np.float64),  # m, at which the spring gives no force: the preload is taken into it
        ("preload", np.float64),  # N, of a spring without stiffness
        *PAIR,
    ],
    outputs=1,
)
SIZE = SPRING.itemsize
POINTS = "m, attachments in the world, with the bodies where the model puts them"


class SpringDamper(AlongLine):
    """Force k (l - l0) + c l' + preload that draws two points together (N, m, m/s); or any law by an expression."""

    plural: ClassVar[str] = "spring-dampers between points"

    own: ClassVar[tuple[str, ...]] = ("l", "v")
    load_kind: ClassVar[str] = "spring"

    between: tuple[str, str] = Field(description="names of the two bodies; 'ground' is a body")
    points: tuple[Vector, Vector] = Field(description=POINTS)
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

    def length(self) -> float:
        """Length as modelled, m."""
        return float(np.linalg.norm(np.subtract(*self.points)))

    def law(self) -> tuple[float, float, float, float]:
        """Stiffness (N/m), damping (N s/m), length without force (m), and pull of a spring without stiffness (N)."""
        free = self.length() if self.free_length is None else self.free_length
        if self.stiffness:
            return self.stiffness, self.damping, free - self.preload / self.stiffness, 0.0
        return 0.0, self.damping, free, self.preload

    def pull(self, length: Any, rate: Any = 0.0) -> Any:
        """Force that draws its ends together, N, at a length (m) and its rate (m/s); NaN of an expression."""
        return np.nan * length if self.force is not None else linear_pull.py_func(*self.law(), length, rate)

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return () if self.force is None else ((self.force, self.own),)

    def line(self) -> Line:
        """A coil."""
        return Line("coil", "spring", self.between, self.points, self.length())

    def attachments(self) -> tuple[Attachment, ...]:
        """Its ends."""
        return attached(self.between, self.points)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """A spring, or a law against the distance of its ends."""
        distance = context.places.distance(self.between, self.points)
        if self.force is not None:
            law = law_record(context, self, distance, self.force, own_signals(context, distance, "l"), -1.0)
            context.tables.add(LAWS, self.name, law)
            return []
        return [(*self.law(), *distance.pair)]

    def effort(self, context: Context) -> int:
        """The pull, N."""
        return super().effort(context) if self.force is not None else context.tables.output(self.name, "force")


@part
def linear_pull(stiffness, damping, free_length, preload, length, rate):
    """k (l - l0) + c l' + preload, N."""
    return stiffness * (length - free_length) + damping * rate + preload


@kernel
def spring_dampers(system, t, angles, work, first, last):
    """Adds the wrenches; energy[1] gains k (l - l0)^2 / 2, energy[2] the power of damper and constant pull."""
    R, p, O, V, F, energy = work.R, work.p, work.O, work.V, work.F, work.energy
    for at in range(first, last, SIZE):
        spring = record_at(system.block, at, SPRING)
        a, b, k, c = spring.body_a, spring.body_b, spring.stiffness, spring.damping
        p_A, p_B = ends(R, p, pair_of(spring))
        d = sub(p_B, p_A)
        length = sqrt(dot(d, d))
        if length.real < 1e-12:  # the two points coincide: the force has no direction
            show(work.signals, spring, 0, linear_pull(k, c, spring.free_length, spring.preload, length, 0.0 * length))
            continue
        direction = scale(1.0 / length, d)
        speed = dot(direction, sub(point_velocity(V, O, b, p_B), point_velocity(V, O, a, p_A)))
        pull = linear_pull(k, c, spring.free_length, spring.preload, length, speed)
        on_a, zero = scale(pull, direction), scale(0.0, direction)
        add_wrench(F, a, O, p_A, on_a, zero)
        add_wrench(F, b, O, p_B, scale(-1.0, on_a), zero)
        stretch = length - spring.free_length
        energy[1] += 0.5 * k * stretch * stretch
        energy[2] -= (c * speed + spring.preload) * speed
        show(work.signals, spring, 0, pull)


SPRING_DAMPERS = Family(
    "spring dampers", SPRING, {Phase.FORCES: spring_dampers}, (SpringDamper,), BETWEEN_POINTS, {"force": "N"},
    conservative=lambda records: not np.any(records["damping"]) and not np.any(records["preload"]),
)  # fmt: skip
