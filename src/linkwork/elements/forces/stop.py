"""Stops at the ends of a joint's travel: a force back into it, by the depth d beyond the end, theory (8.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.context import Context
from linkwork.elements.declaration.base import NonNegative, Number
from linkwork.elements.family import BETWEEN_FRAMES, Family, Kink, Phase, record
from linkwork.elements.forces.contact import hunt_crossley
from linkwork.elements.forces.joint_forces import OnCoordinate
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, counted, direction, ends, pair_of
from linkwork.elements.signals.outputs import show

STOP = record(
    [
        ("kind", np.int32),  # of the coordinate
        ("i", np.int32),
        ("angle", np.int32),  # which counted angle, or -1
        ("below", np.int32),  # signal of the depth beyond the lower end, and the one after it: of its rate; -1: no end
        ("above", np.int32),  # the same of the upper end
        ("lower", np.float64),  # m or rad
        ("upper", np.float64),
        ("stiffness", np.float64),  # N/m^n or N m/rad^n
        ("exponent", np.float64),
        ("damping", np.float64),  # s/m or s/rad
        *PAIR,
    ],
    outputs=1,
)
SIZE = STOP.itemsize


class Stop(OnCoordinate):
    """Stops at the ends of a joint's travel: k d^n (1 + c d') beyond them, and never a pull (Hunt & Crossley 1975)."""

    plural: ClassVar[str] = "ends of the travel of joints"

    lower: Number | None = Field(default=None, description="rad or m")
    upper: Number | None = Field(default=None, description="rad or m")
    stiffness: NonNegative = Field(description="N/m^n or N m/rad^n, > 0")
    exponent: NonNegative = Field(default=1.5, description="n, >= 1")
    damping: NonNegative = Field(default=0.0, description="s/m or s/rad, >= 0, c")

    @model_validator(mode="after")
    def _ends(self) -> Self:
        who = f"stop '{self.name}'"
        if self.lower is None and self.upper is None:
            raise ValueError(f"{who}: neither lower nor upper; give at least one end")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"{who}: lower is {self.lower:g} and upper {self.upper:g}; lower must be below upper")
        if self.stiffness <= 0.0 or self.exponent < 1.0:
            raise ValueError(f"{who}: stiffness is {self.stiffness:g}, exponent {self.exponent:g}; need > 0 and >= 1")
        return self

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One record."""
        number = self.number(context)
        angle = context.states.angle(context.places.start_of(number), number) if number.turns else -1
        places = [-1 if end is None else context.signals.slots(2) for end in (self.lower, self.upper)]
        return [(
            number.kind, number.i, angle, *places, self.lower or 0.0, self.upper or 0.0, self.stiffness, self.exponent,
            self.damping, *number.pair,
        )]  # fmt: skip

    def effort(self, context: Context) -> int:
        """The force along the coordinate, N or N m."""
        return context.tables.output(self.name, "force")


@kernel
def stops(system, t, angles, work, first, last):
    """Add the wrenches beyond the ends, and their power; depths and their rates into the signals."""
    R, p = work.R, work.p
    for at in range(first, last, SIZE):
        stop = record_at(system.block, at, STOP)
        pair = pair_of(stop)
        f, n = direction(stop.kind, stop.i, stop.i, R, p, pair)
        _, p_M = ends(R, p, pair)
        q, v = counted(stop.kind, stop.i, stop.i, stop.angle, t, angles, work, pair, p_M, f, n)
        e = 0.0 * q
        if stop.below >= 0:
            depth = stop.lower - q
            work.signals[stop.below], work.signals[stop.below + 1] = depth, -v
            force, _ = hunt_crossley(depth, -v, stop.stiffness, stop.exponent, stop.damping)
            e -= force
        if stop.above >= 0:
            depth = q - stop.upper
            work.signals[stop.above], work.signals[stop.above + 1] = depth, v
            force, _ = hunt_crossley(depth, v, stop.stiffness, stop.exponent, stop.damping)
            e += force
        add_effort(work.F, work.O, pair, p_M, e, f, n)
        work.energy[2] -= e * v
        show(work.signals, stop, 0, -e)


def kinks(stop: np.void) -> Iterable[Kink]:
    """Each of its ends."""
    for end in ("below", "above"):
        if stop[end] >= 0:
            yield Kink(stop[end], stop["kind"] == ANGLE)


STOPS = Family("stops", STOP, {Phase.FORCES: stops}, (Stop,), BETWEEN_FRAMES, {"force": "N"}, kinks=kinks)
