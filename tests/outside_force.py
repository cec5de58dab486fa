"""A force as somebody might bring it along in a package of their own: two magnets that attract each other.

F = c / d^2 along the line that joins them,    potential -c / d
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pydantic import Field

import linkwork as lw
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import NonNegative, Vector
from linkwork.elements.family import BETWEEN_POINTS, Family, Phase, record
from linkwork.elements.forces.force import Force, attached
from linkwork.elements.signals.frame_pairs import PAIR, ends, pair_of
from linkwork.elements.solids.pictures import Line
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add_wrench, dot, scale, sub


class Magnet(Force):
    """Two magnets: they attract each other with c / d^2."""

    between: tuple[str, str] = Field(description="names of the two bodies; 'ground' is a body")
    points: tuple[Vector, Vector] = Field(description="m, the magnets in the world, with the bodies as modelled")
    strength: NonNegative = Field(description="N m2, c")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between)

    def attachments(self) -> tuple[Attachment, ...]:
        """The magnets."""
        return attached(self.between, self.points)

    def line(self) -> Line:
        """A bar."""
        return Line("bar", "magnet", self.between, self.points, 0.0)

    def records(self, context: Context) -> Iterable[tuple]:
        """One record."""
        return [(self.strength, *context.places.distance(self.between, self.points).pair)]


MAGNET = record([("strength", np.float64), *PAIR])  # N m2
SIZE = MAGNET.itemsize


@kernel
def magnets(system, t, angles, work, first, last):
    """Add the wrenches; energy[1] gains -c / d."""
    for at in range(first, last, SIZE):
        magnet = record_at(system.block, at, MAGNET)
        p_A, p_B = ends(work.R, work.p, pair_of(magnet))
        to_b = sub(p_B, p_A)
        d = sqrt(dot(to_b, to_b))
        on_a = scale(magnet.strength / d**3, to_b)
        zero = scale(0.0, on_a)
        add_wrench(work.F, magnet.body_a, work.O, p_A, on_a, zero)
        add_wrench(work.F, magnet.body_b, work.O, p_B, scale(-1.0, on_a), zero)
        work.energy[1] -= magnet.strength / d


MAGNETS = Family(
    "magnets", MAGNET, {Phase.FORCES: magnets}, (Magnet,), BETWEEN_POINTS, conservative=lambda records: True
)

lw.register(MAGNETS)
