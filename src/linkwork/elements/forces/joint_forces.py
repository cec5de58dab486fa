"""Laws by expressions: an effort, given by a signal, against a number between two bodies.

Forces along a joint coordinate are such laws: one given by an expression, a motor, a controlled actuator; so are
springs with a law of their own.  The expression is one of the number (q, of a spring l) and its rate v, of t, measures
and tables.  The effort e (N or N m) draws the number towards smaller values, as a spring does,

    force -e f at M and moment -e n on B, the reverse on A, power -e x_dot     (elements/signals/frame_pairs.py)

so that what a user calls the drive force enters with its sign turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.context import Context, PairNumber
from linkwork.elements.declaration.base import Element, Expression, NonNegative
from linkwork.elements.declaration.of_coordinate import OfCoordinate
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import BETWEEN_FRAMES, Family, Phase, record
from linkwork.elements.forces.force import AlongLine, coordinate_turns
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion

LAW = record(
    [
        ("effort", np.int32),  # which signal
        ("kind", np.int32),  # of the number between two bodies
        ("i", np.int32),
        ("sign", np.float64),  # 1 where the signal is a pull; -1 where it drives the number onwards
        *PAIR,
    ]
)
SIZE = LAW.itemsize


def own_signals(context: Context, number: PairNumber, name: str = "q") -> dict[str, int]:
    """The number and its rate, under the names by which an element's own expression knows them."""
    return {name: context.signals.value(number), "v": context.signals.rate(number)}


def law_record(
    context: Context, element: Element, number: PairNumber, text: str | float, own: dict[str, int], sign: float
) -> tuple[Any, ...]:
    """A law by an expression; sign -1 where it is a pull (a spring's), +1 where it drives the number onwards.

    `own`: signals by names that only this expression may use.  The effort is kept for those who request it.
    """
    signals, who = context.signals, element.who
    place = signals.needed_now(signals.expression(text, who, own), who)
    signals.efforts[element.name] = (place,)
    return (place, number.kind, number.i, -sign, *number.pair)


class OnCoordinate(AlongLine, OfCoordinate):
    """What acts along a joint coordinate."""

    own: ClassVar[tuple[str, ...]] = ("q", "v")

    joint: str = Field(description="name of a joint")
    coordinate: str | None = Field(default=None, description="which coordinate of the joint, if it has several")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("joint", self.joint),)

    def check(self, surroundings: Surroundings) -> None:
        """The joint has this coordinate."""
        one_coordinate(surroundings.joints[self.joint], self.coordinate, self.who)

    def moves(self, joints: Mapping[str, Joint]) -> list[tuple[str, bool]]:
        """The coordinate."""
        name = self.joint if self.coordinate is None else f"{self.joint}.{self.coordinate}"
        return [(name, self.is_moment(joints))]

    def number(self, context: Context) -> PairNumber:
        """The coordinate."""
        return context.places.coordinate(self.joint, self.coordinate, self.who)

    def unit(self, context: Context, function: str) -> str:
        """Of an effort along the coordinate."""
        return self.number(context).unit

    def is_moment(self, joints: Mapping[str, Joint]) -> bool:
        """Whether the coordinate is an angle."""
        return coordinate_turns(joints[self.joint], self.coordinate, self.who)


class JointForce(OnCoordinate):
    """A force (N) or torque (N m) along a joint coordinate, positive in its direction."""

    plural: ClassVar[str] = "forces and torques along joint coordinates"

    force: Expression = Field(description="N or N m, a number or an expression of t, q, v (the coordinate), measures")

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.force, self.own),)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """A law along the coordinate."""
        number = self.number(context)
        return [law_record(context, self, number, self.force, own_signals(context, number), 1.0)]


class Motor(OnCoordinate):
    """A motor: its torque-speed curve, a table of N m over rad/s (N over m/s), times a throttle."""

    plural: ClassVar[str] = "motors with torque-speed curves"

    curve: str = Field(description="name of a table: torque over speed")
    throttle: Expression = Field(default=1.0, description="factor of the curve, a number or an expression")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (*super().refers(), ("table", self.curve))

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.throttle, self.own),)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """A law along the coordinate."""
        number = self.number(context)
        law = f"({self.throttle})*table('{self.curve}', v)"
        return [law_record(context, self, number, law, own_signals(context, number), 1.0)]


class Controller(OnCoordinate):
    """A PID-controlled actuator: p e + i (integral of e) + d e', e = target - coordinate, within +-limit."""

    plural: ClassVar[str] = "PID-controlled actuators"

    target: Expression = Field(description="rad or m, a number or an expression of t and measures")
    target_rate: Expression = Field(default=0.0, description="rad/s or m/s, rate of the target, for the d part")
    p: NonNegative = Field(default=0.0, description="N/m or N m/rad, >= 0")
    i: NonNegative = Field(default=0.0, description="N/m/s or N m/rad/s, >= 0")
    d: NonNegative = Field(default=0.0, description="N s/m or N m s/rad, >= 0")
    limit: NonNegative | None = Field(default=None, description="N or N m, > 0, greatest force; default: none")

    @model_validator(mode="after")
    def _gives(self) -> Self:
        if self.limit == 0.0:
            raise ValueError(f"{self.who}: limit is 0; it must be > 0")
        return self

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.target, self.own), (self.target_rate, self.own))

    def error(self) -> str:
        """Target less coordinate: the rate of the integral."""
        return f"({self.target}) - q"

    def law(self) -> str:
        """The actuator's force; `integral` is an auxiliary state."""
        wanted = f"{self.p!r}*({self.error()}) + {self.i!r}*integral + {self.d!r}*(({self.target_rate}) - v)"
        return wanted if self.limit is None else f"max(min({wanted}, {self.limit!r}), {-self.limit!r})"

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """A law along the coordinate, with the integral of the error as an auxiliary state."""
        number = self.number(context)
        own, signals = own_signals(context, number), context.signals
        rate = self.error() if self.i else 0.0  # without a use for it the integral would run on in an equilibrium
        integral = context.states.new(0.0, signals.needed_now(signals.expression(rate, self.who, own), self.who))
        return [law_record(context, self, number, self.law(), own | {"integral": signals.state(integral)}, 1.0)]

    def without_effect(self) -> Self:
        """With all gains zero."""
        return self.model_copy(update={"p": 0.0, "i": 0.0, "d": 0.0})


@kernel
def laws(system, t, angles, work, first, last):
    """Add the wrenches of the efforts, and their power."""
    R, p, O, V = work.R, work.p, work.O, work.V
    for at in range(first, last, SIZE):
        law = record_at(system.block, at, LAW)
        pair = pair_of(law)
        f, n = direction(law.kind, law.i, law.i, R, p, pair)  # a second axis has no part in it
        _, p_M = ends(R, p, pair)
        e = work.signals[law.effort] * law.sign
        add_effort(work.F, O, pair, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(V, O, pair, p_M, f, n)


LAWS = Family("laws", LAW, {Phase.FORCES: laws}, (JointForce, Motor, Controller), BETWEEN_FRAMES, state_alone=False)
