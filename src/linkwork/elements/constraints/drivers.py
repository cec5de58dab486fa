"""Drivers: a joint coordinate, a body's position or a distance follows a given function of time, or is held.

A driver is one more constraint row: a number between two frames (an angle, a length) minus f(t).  Given by velocity
or acceleration it holds the rate of that number alone.  It may act during a part of the time only.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Element, Expression, NonNegative

BODY_COORDINATES = {"x": 0, "y": 1, "z": 2}


class Driver(Element):
    """A coordinate = expression of t (rad or m), or its rate, or its second derivative; or it is held where it is."""

    joint: str | None = Field(default=None, description="name of a joint whose coordinate is driven")
    body: str | None = Field(default=None, description="name of a body whose position is driven, world axes")
    distance: str | None = Field(default=None, description="name of a distance constraint whose length is driven")
    coordinate: str | None = Field(
        default=None, description="which coordinate of the joint, if it has several; x, y or z of the body"
    )
    motion: Expression | None = Field(default=None, description="rad or m, an expression of t: '0.1*sin(2*pi*t)'")
    velocity: Expression | None = Field(default=None, description="rad/s or m/s, an expression of t, or a number")
    acceleration: Expression | None = Field(default=None, description="rad/s2 or m/s2, an expression of t")
    hold: bool = Field(default=False, description="hold the coordinate where it is when the driver begins to act")
    since: NonNegative = Field(default=0.0, description="s, when it begins to act")
    until: NonNegative | None = Field(default=None, description="s, when it lets go; default: never")

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        who = f"driver '{self.name}'"
        things = [key for key in ("joint", "body", "distance") if getattr(self, key) is not None]
        if len(things) != 1:
            raise ValueError(f"{who}: drives {' and '.join(things) or 'nothing'}; give one of joint, body, distance")
        ways = [key for key in ("motion", "velocity", "acceleration") if getattr(self, key) is not None]
        ways += ["hold"] if self.hold else []
        if len(ways) != 1:
            said = " and ".join(ways) or "no motion"
            raise ValueError(f"{who}: has {said}; give one of motion, velocity, acceleration, hold")
        if self.body is not None and self.coordinate not in BODY_COORDINATES:
            raise ValueError(f"{who}: coordinate is {self.coordinate!r}; of a body drive x, y or z")
        if self.until is not None and self.until <= self.since:
            raise ValueError(f"{who}: acts from {self.since:g} s until {self.until:g} s; it must let go later")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        things = (("joint", self.joint), ("moving body", self.body), ("distance", self.distance))
        return tuple((kind, name) for kind, name in things if name is not None)

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return tuple((text, None) for text in (self.motion, self.velocity, self.acceleration) if text is not None)
