"""Measures: numbers with names, made of positions, distances, angles, rates, forces, energies; and user events."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from linkwork.elements.context import Attachment
from linkwork.elements.declaration.base import Element, Expression, NonNegative, Vector
from linkwork.elements.declaration.changes import Action, Change
from linkwork.elements.declaration.quantities import CONDITION
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.signals.signals import ENERGIES


class Measure(Element):
    """A number by an expression such as "dist(crank, 'tip')" or "2*coordinate(elbow)"; for forces, events, results."""

    plural: ClassVar[str] = "numbers with names"

    of: Expression = Field(description="an expression of t, measures and functions of named things")
    unit: str | None = Field(default=None, description="unit to show; default: that of the function, if it is one")

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return ((self.of, ()),)

    def check(self, surroundings: Surroundings) -> None:
        """Its name has no other meaning in expressions."""
        if self.name in ("t", "pi", *ENERGIES):
            raise ValueError(f"{self.who}: in expressions this name means something else; choose another")


class Event(Element):
    """Something that happens when a condition becomes true."""

    plural: ClassVar[str] = "what happens when a condition becomes true"

    when: str = Field(description="a condition such as 'dist(A, B) < 0.1'", json_schema_extra=CONDITION)
    action: Literal["stop", "lock", "release", "impulse", "log"] = Field(default="log", description="what to do then")
    driver: str | None = Field(default=None, description="of lock and release: the name of a driver")
    body: str | None = Field(default=None, description="of impulse: the body that it hits")
    impulse: Vector = Field(default=(0.0, 0.0, 0.0), description="N s, world axes")
    moment: Vector = Field(default=(0.0, 0.0, 0.0), description="N m s, angular impulse, world axes")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, where the impulse hits, body frame")
    once: bool = Field(default=False, description="only the first time")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        who = f"event '{self.name}'"
        if (self.driver is not None) != (self.action in ("lock", "release")):
            if self.driver is None:
                raise ValueError(f"{who}: nothing says what to {self.action}; give driver, the name of one")
            raise ValueError(f"{who}: {self.action} with driver {self.driver!r}; only lock and release need one")
        if (self.body is not None) != (self.action == "impulse"):
            raise ValueError(f"{who}: {self.action} with body {self.body!r}; an impulse needs one, others none")
        hits = any((*self.impulse, *self.moment))
        if hits != (self.action == "impulse"):
            given = f"impulse {list(self.impulse)} N s and moment {list(self.moment)} N m s"
            raise ValueError(f"{who}: {self.action} with {given}; an impulse needs one of them, others none")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        things = (("driver", self.driver), ("moving body", self.body))
        return tuple((kind, name) for kind, name in things if name is not None)

    def conditions(self) -> tuple[str, ...]:
        """When it happens."""
        return (self.when,)

    def changes(self) -> tuple[Change, ...]:
        """What happens then."""
        action = Action[self.action.upper()]
        hit = (self.body, self.at, self.impulse, self.moment)
        return (Change(self.name, action, None, self.once, self.driver, *hit),)

    def attachments(self) -> tuple[Attachment, ...]:
        """Where the impulse acts."""
        return () if self.body is None else (Attachment(self.body, self.at, self.body),)


class Impulse(Element):
    """An impulse at a known time: momentum given to a body at once."""

    plural: ClassVar[str] = "impulses at known times"

    body: str = Field(description="name of the body")
    t: NonNegative = Field(description="s, when")
    impulse: Vector = Field(default=(0.0, 0.0, 0.0), description="N s, world axes")
    moment: Vector = Field(default=(0.0, 0.0, 0.0), description="N m s, angular impulse, world axes")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, where it hits, body frame")

    @model_validator(mode="after")
    def _hits(self) -> Self:
        if not any((*self.impulse, *self.moment)):
            raise ValueError(f"impulse '{self.name}': impulse and moment are zero; give one of them")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("moving body", self.body),)

    def attachments(self) -> tuple[Attachment, ...]:
        """Where it acts."""
        return (Attachment(self.body, self.at, self.body),)

    def break_times(self) -> tuple[float, ...]:
        """When it acts."""
        return (self.t,)

    def changes(self) -> tuple[Change, ...]:
        """The impulse."""
        hit = (self.body, self.at, self.impulse, self.moment)
        return (Change(self.name, Action.IMPULSE, self.t, False, None, *hit),)
