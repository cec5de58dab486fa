"""Force: what every declaration of a force answers, beside its family (elements/family.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from linkwork.elements.context import Attachment, Context, Point
from linkwork.elements.declaration.base import Element
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint
from linkwork.errors import ModelError
from linkwork.expressions import Reference

AXES = ("x", "y", "z")
QUANTITIES = {"force": "N", "torque": "N m"}
Shown = dict[str, tuple[Reference, str]]  # by name: the function of an expression that gives it, and its SI unit


class Force(Element):
    """Something that acts on bodies.  A subclass gives its records; the kernels of its family do the rest."""

    load_kind: ClassVar[str | None] = None  # how load cases call it; default: its kind

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """Its records, for the table of the family that declares it; without the field `outputs`."""
        raise NotImplementedError

    def force_signal(self, context: Context, function: str, axis: tuple[str, ...], who: str) -> int:
        """The signal that force(NAME), force(NAME, x) or torque(NAME, x) in an expression stands for.

        By default force and torque are vectors on its body B, in world axes, the torque about its point on B; without
        an axis their magnitude is meant.
        """
        return component(context, context.tables.wrench(self.name), function, axis, who)

    def unit(self, context: Context, function: str) -> str:
        """Unit of force(NAME) or torque(NAME)."""
        return "N m" if function == "torque" else "N"

    def begins_like(self, other: Self) -> bool:
        """Forces do not take part in an assembly, unless they bring rows with them."""
        own = type(self)
        rows = own.constrain is not Element.constrain or own.drive is not Element.drive
        return super().begins_like(other) if rows else True

    def shown(self, joints: Mapping[str, Joint]) -> Shown:
        """What expressions and runs call NAME.force, NAME.force.x ...: the numbers of `force_signal`."""
        return {name: entry for quantity in QUANTITIES for name, entry in components(self.name, quantity).items()}

    def without_effect(self) -> Self | None:
        """A copy that gives no force but keeps its auxiliary states; None: it may be left out instead."""
        return None


class AlongLine(Force):
    """A force whose effort is one number: along a line, or against a joint coordinate."""

    def force_signal(self, context: Context, function: str, axis: tuple[str, ...], who: str) -> int:
        """The effort: N or N m."""
        if function == "torque" or axis:
            raise ModelError(f"{who}: the force of '{self.name}' is one number; write force({self.name})", element=who)
        return self.effort(context)

    def effort(self, context: Context) -> int:
        """The signal of its effort."""
        return context.signals.efforts[self.name][0]

    def shown(self, joints: Mapping[str, Joint]) -> Shown:
        """NAME.force, or NAME.torque where it acts against turning."""
        quantity = "torque" if self.is_moment(joints) else "force"
        return {quantity: (("force", (self.name,)), QUANTITIES[quantity])}

    def is_moment(self, joints: Mapping[str, Joint]) -> bool:
        """Whether it acts against turning."""
        return False


def components(name: str, quantity: str) -> Shown:
    """A vector by its magnitude and components."""
    unit = QUANTITIES[quantity]
    return {quantity: ((quantity, (name,)), unit)} | {
        f"{quantity}.{axis}": ((quantity, (name, axis)), unit) for axis in AXES
    }


def coordinate_turns(joint: Joint, coordinate: str | None, who: str) -> bool:
    """Whether the coordinate of a joint that is meant is an angle."""
    return joint.type.turns(one_coordinate(joint, coordinate, who))


def component(context: Context, parts: tuple[int, ...], function: str, axis: tuple[str, ...], who: str) -> int:
    """Of six signals, force and torque, the component named, or the magnitude of the vector."""
    vector = parts[3:] if function == "torque" else parts[:3]
    if not axis:
        own = dict(zip(("fx", "fy", "fz"), vector, strict=True))
        return context.signals.expression("sqrt(fx^2 + fy^2 + fz^2)", who, own)
    if axis[0] not in AXES:
        raise ModelError(f"{who}: '{axis[0]}' is not an axis; force(NAME, x) names x, y or z", element=who)
    return vector[AXES.index(axis[0])]


def attached(between: tuple[str, str], points: Sequence[Point]) -> tuple[Attachment, ...]:
    """Attachments of what joins two points of the world."""
    return tuple(Attachment(body, at) for body, at in zip(between, points, strict=True))
