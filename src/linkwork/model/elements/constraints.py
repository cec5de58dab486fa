"""Verbs for drivers and for constraints beside joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.constraints.links import Constraint, Coupler, Distance, Gear, RackAndPinion, RollingDisc
from linkwork.model.builder import Builder, Direction, Expression, Point, Quantity, adds

Holds = Literal["point-on-line", "point-in-plane", "parallel-axes", "perpendicular-axes", "constant-angle"]


class ConstraintVerbs(Builder):
    """Drivers, links, couplings, rolling discs."""

    @adds(Driver)
    def driver(
        self, name: str, joint: str | None = None, motion: Expression | None = None, coordinate: str | None = None, *,
        velocity: Expression | None = None, acceleration: Expression | None = None, hold: bool = False,
        body: str | None = None, distance: str | None = None, since: Quantity = 0.0, until: Quantity | None = None,
    ) -> str:  # fmt: skip
        """Make a joint coordinate follow an expression of t: `motion` (rad or m), or `velocity`, or `acceleration`.

        `body` (with coordinate x, y or z) or `distance` instead of a joint; `hold`: where it is; `since` and `until`
        (s): when it acts.
        """
        return self._add(
            Driver, name, joint=joint, motion=motion, coordinate=coordinate, velocity=velocity,
            acceleration=acceleration, hold=hold, body=body, distance=distance, since=since, until=until,
        )  # fmt: skip

    @adds(Driver)
    def lock(
        self, name: str, joint: str, coordinate: str | None = None, *, since: Quantity = 0.0,
        until: Quantity | None = None,
    ) -> str:  # fmt: skip
        """Hold a joint coordinate where it is at the start (or `since` s, `until` s); a driver whose force is the
        holding force.
        """
        return self._add(Driver, name, joint=joint, coordinate=coordinate, hold=True, since=since, until=until)

    @adds(Distance)
    def distance(self, name: str, a: str, b: str, *, points: Sequence[Point], length: Quantity | None = None) -> str:
        """Keep two points (m, world) of two bodies at their distance, or at `length` (m): a massless link."""
        return self._add(Distance, name, between=(a, b), points=points, length=length)

    @adds(Constraint)
    def constraint(
        self, kind: Holds, name: str, a: str, b: str, *, axis: Direction, at: Point = (0.0, 0.0, 0.0),
        second_axis: Direction | None = None, angle: Quantity | None = None,
    ) -> str:  # fmt: skip
        """Add a constraint: point-on-line, point-in-plane, parallel-axes, perpendicular-axes, constant-angle.

        `axis`: direction in the world, of the line, normal of the plane or axis on a; `at` (m, world): the point of b;
        `second_axis`: the axis on b; `angle` (rad): of constant-angle, by default that of the two axes.
        """
        return self._add(
            Constraint, name, kind=kind, between=(a, b), at=at, axis=axis, second_axis=second_axis, angle=angle
        )

    @adds(Coupler)
    def coupler(
        self, name: str, joints: Sequence[str], factors: Sequence[Quantity], constant: Quantity | None = None
    ) -> str:
        """Tie joint coordinates: sum of factor * coordinate = constant (default: as it is at the start)."""
        return self._add(Coupler, name, joints=tuple(joints), factors=tuple(factors), constant=constant)

    @adds(Gear)
    def gear(self, name: str, first: str, second: str, ratio: Quantity) -> str:
        """Add a pair of gears: joint `second` turns `ratio` times as far as joint `first`."""
        return self._add(Gear, name, joints=(first, second), ratio=ratio)

    @adds(RackAndPinion)
    def rack_and_pinion(self, name: str, pinion: str, rack: str, radius: Quantity) -> str:
        """Add a rack: joint `rack` slides radius (m) times the angle of joint `pinion`."""
        return self._add(RackAndPinion, name, pinion=pinion, rack=rack, radius=radius)

    @adds(RollingDisc)
    def rolling_disc(
        self, name: str, body: str, *, radius: Quantity, axis: Direction, centre: Point = (0.0, 0.0, 0.0),
        normal: Direction = (0.0, 0.0, 1.0), height: Quantity = 0.0,
    ) -> str:  # fmt: skip
        """Let a disc of `radius` (m) with `axis` and `centre` (m, body frame) roll without slipping on a plane of
        ground, `height` (m) along its `normal` (world).
        """
        return self._add(
            RollingDisc, name, body=body, radius=radius, axis=axis, centre=centre, normal=normal, height=height
        )
