"""Verbs for what touches: contacts with planes, tyres and the roads under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from linkwork.elements.forces.contact import Contact
from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.model.builder import Builder, Direction, Point, Quantity, adds


class ContactVerbs(Builder):
    """Contacts, roads, tyres."""

    @adds(Contact)
    def contact(
        self, name: str, body: str, *, stiffness: Quantity, shape: Literal["point", "sphere", "box"] = "point",
        at: Point = (0.0, 0.0, 0.0), radius: Quantity | None = None, size: Point | None = None,
        against: str = "ground", plane_at: Point = (0.0, 0.0, 0.0), normal: Direction = (0.0, 0.0, 1.0),
        exponent: float = 1.5, damping: Quantity = 0.0, friction: float = 0.0, smoothing: Quantity = 1e-3,
    ) -> str:  # fmt: skip
        """Let a point, sphere or box (`shape`) of a body touch a plane: stiffness (N/m^n), exponent n, damping (s/m).

        `at` (m, body frame): the point or centre; `radius` (m) of a sphere, `size` (m) of a box.  The plane is fixed on
        `against`, through `plane_at` (m) with `normal`, world.  `friction` is smoothed by the speed `smoothing` (m/s).
        """
        return self._add(
            Contact, name, body=body, shape=shape, at=at, radius=radius, size=size, against=against, plane_at=plane_at,
            normal=normal, stiffness=stiffness, exponent=exponent, damping=damping, friction=friction,
            smoothing=smoothing,
        )  # fmt: skip

    @adds(Road)
    def road(self, name: str, *pieces: Mapping[str, object]) -> str:
        """Add a road, the sum of pieces: {"kind": "half-round", "at": 20.0, "radius": 0.1}, "cosine", "step", "ramp",
        "sine", "slope", "iso-8608", "table" (elements/tyres/road.py); heights in m over x, "side": "left" or "right".
        """
        return self._add(Road, name, pieces=pieces)

    @adds(Tyre)
    def tyre(
        self, name: str, body: str, *, radius: Quantity, at: Point = (0.0, 0.0, 0.0),
        axis: Direction = (0.0, 1.0, 0.0), road: str | None = None, spin: Literal["free", "body"] = "free",
        stiffness: Quantity | None = None, damping: Quantity = 0.0, friction: float | Sequence[float] = 0.8,
        lateral_stiffness: Quantity | None = None, longitudinal_stiffness: Quantity | None = None,
        relaxation: Quantity | None = None, curve: Literal["linear", "fiala", "magic-formula"] = "fiala",
        shape: float = 1.3, curvature: float = -1.0,
    ) -> str:  # fmt: skip
        """Put a tyre on a body, `at` the wheel's centre (m, body frame) with `axis` to its left, on `road`.

        radius (m), stiffness (N/m), damping (N s/m), friction (one, or longitudinal and lateral), lateral_stiffness
        (N/rad), longitudinal_stiffness (N), relaxation (m), `curve` of force over slip with `shape` and `curvature` of
        the magic formula.  `spin="body"`: the body turns with the wheel; else a wheel without mass rolls freely on it.
        """
        return self._add(
            Tyre, name, body=body, at=at, axis=axis, road=road, spin=spin, radius=radius, stiffness=stiffness,
            damping=damping, friction=friction, lateral_stiffness=lateral_stiffness,
            longitudinal_stiffness=longitudinal_stiffness, relaxation=relaxation, curve=curve, shape=shape,
            curvature=curvature,
        )  # fmt: skip
