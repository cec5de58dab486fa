"""Drivers: a joint coordinate, a body's position or a distance follows a given function of time, or is held.

A driver is one more constraint row: a number between two frames (an angle, a length) minus f(t).  Given by velocity
or acceleration it holds the rate of that number alone.  It may act during a part of the time only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar, Self

from pydantic import Field, model_validator

from linkwork.elements.constraints.links import Distance
from linkwork.elements.constraints.rows import IDLE, OTHER, POINT, POSITION, VELOCITY
from linkwork.elements.context import Context, NewRow, PairNumber
from linkwork.elements.declaration.base import Expression, NonNegative
from linkwork.elements.declaration.changes import Action, Change
from linkwork.elements.declaration.of_coordinate import OfCoordinate
from linkwork.elements.joints.coordinates import one_coordinate
from linkwork.elements.joints.joint import Joint

BODY_COORDINATES = {"x": 0, "y": 1, "z": 2}


class Driver(OfCoordinate):
    """A coordinate = expression of t (rad or m), or its rate, or its second derivative; or it is held where it is."""

    plural: ClassVar[str] = "joint coordinates given as functions of time"

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
    until: NonNegative | None = Field(default=None, description="s, when it is released; default: never")

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        who = self.who
        things = [key for key in ("joint", "body", "distance") if getattr(self, key) is not None]
        if len(things) != 1:
            raise ValueError(f"{who}: drives {' and '.join(things) or 'nothing'}; give one of joint, body, distance")
        ways = [key for key in ("motion", "velocity", "acceleration") if getattr(self, key) is not None]
        ways += ["hold"] if self.hold else []
        if len(ways) != 1:
            given = " and ".join(ways) or "no motion"
            raise ValueError(f"{who}: has {given}; give one of motion, velocity, acceleration, hold")
        if self.body is not None and self.coordinate not in BODY_COORDINATES:
            raise ValueError(f"{who}: coordinate is {self.coordinate!r}; of a body drive x, y or z")
        if self.until is not None and self.until <= self.since:
            raise ValueError(f"{who}: acts from {self.since:g} s until {self.until:g} s; it must be released later")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        things = (("joint", self.joint), ("moving body", self.body), ("distance", self.distance))
        return tuple((kind, name) for kind, name in things if name is not None)

    def moves(self, joints: Mapping[str, Joint]) -> list[tuple[str, bool]]:
        """The coordinate of the joint; a place of a body and a length slide."""
        if self.joint is None:
            return [(f"{self.body}.{self.coordinate}" if self.body else f"{self.distance}.length", False)]
        coordinate = driven_coordinate(self, joints[self.joint])
        return [(f"{self.joint}.{coordinate}", joints[self.joint].type.turns(coordinate))]

    def expressions(self) -> tuple[tuple[str | float, tuple[str, ...] | None], ...]:
        """Its expressions."""
        return tuple((text, None) for text in self._given())

    def _given(self) -> list[str | float]:
        return [text for text in (self.motion, self.velocity, self.acceleration) if text is not None]

    def break_times(self) -> tuple[float, ...]:
        """When it begins and ends."""
        return tuple(t for t in (self.since, self.until) if t)

    def changes(self) -> tuple[Change, ...]:
        """That it begins later, and that it is released."""
        begins = (Change(self.name, Action.LOCK, self.since, driver=self.name),) if self.since > 0.0 else ()
        ends = () if self.until is None else (Change(self.name, Action.RELEASE, self.until, driver=self.name),)
        return (*begins, *ends)

    @property
    def acting_mode(self) -> int:
        """What its row holds while it acts."""
        return POSITION if self.motion is not None or self.hold else VELOCITY

    def drive(self, context: Context) -> None:
        """One row; a driver that begins later, or holds what the assembly finds, is idle at first."""
        number, what, rate = self._driven(context)
        text = next(iter(self._given()), 0.0)
        state = -1
        if self.acceleration is not None:
            state = context.states.new(rate, context.signals.expression(self.acceleration, self.who))
        idle = self.since > 0.0 or (self.hold and context.assembling)
        row = NewRow(
            what if self.distance is not None else f"{what} = {text}",
            kind=OTHER if self.distance is not None else number.kind,
            i=number.i,
            program=context.programs.of_time(text, self.who),
            angle=context.states.angle() if number.turns else -1,
            mode=IDLE if idle else self.acting_mode,
            acting=self.acting_mode,
            holds=self.hold,
            state=state,
            unit=number.unit,
        )
        if self.distance is not None:
            place = context.rows.add_sum(self.name, row, [(number, 1.0)])
        else:
            place = context.rows.add(self.name, number.pair, [row])
        context.rows.drive(self.name, place)

    def _driven(self, context: Context) -> tuple[PairNumber, str, float]:
        """The number that it drives, what that is called, and its rate at the start (rad/s or m/s)."""
        if self.joint is not None:
            number = context.places.coordinate(self.joint, self.coordinate, self.who)
            return number, number.full_name, context.places.rate_of(number)
        if self.distance is not None:
            link = context.element(self.distance)
            assert isinstance(link, Distance)
            return context.places.distance(link.between, link.points), f"{link.name}.length", 0.0
        assert self.body is not None and self.coordinate is not None
        axis = BODY_COORDINATES[self.coordinate]
        return PairNumber(POINT, axis, 0, context.places.body_pair(self.body)), f"{self.body}.{self.coordinate}", 0.0


def driven_coordinate(driver: Driver, joint: Joint) -> str:
    """The coordinate that a driver takes: the one it names, or the only one there is."""
    return one_coordinate(joint, driver.coordinate, driver.who)


def check_driven_once(drivers: Iterable[Driver], joints: Mapping[str, Joint]) -> None:
    """No coordinate, body or distance is driven by two drivers at one time."""
    driven: dict[tuple[str, str], list[Driver]] = {}
    for driver in drivers:
        key = (driver.joint or driver.body or driver.distance or "", driver.coordinate or "")
        if driver.joint is not None:
            key = (driver.joint, driven_coordinate(driver, joints[driver.joint]))
        for other in driven.setdefault(key, []):
            if _overlap(driver, other):
                what = ".".join(part for part in key if part)
                by = f"already driven by '{other.name}' at that time"
                raise ValueError(f"{driver.who}: '{what}' is {by}; keep one of the two")
        driven[key].append(driver)


def _overlap(a: Driver, b: Driver) -> bool:
    """Whether two drivers act at one time."""
    return a.since < (math.inf if b.until is None else b.until) and b.since < (math.inf if a.until is None else a.until)
