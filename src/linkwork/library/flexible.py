"""Mechanisms with bodies that bend."""

from __future__ import annotations

import math
from functools import partial

from linkwork.elements.solids.shapes import rod
from linkwork.library.constants import GRAVITY
from linkwork.library.units import Degrees, Metres, Number
from linkwork.model import Model, beam


def four_bar_flexible(
    angle: Degrees = 10.0, crank: Metres = 1.0, coupler: Metres = 2.0, width: Metres = 0.02, modes: Number = 2,
    elements: Number = 10, damping: Number = 0.0,
) -> Model:  # fmt: skip
    """P1's parallelogram four-bar with a flexible coupler: copper, 10 elements, 11 nodes, 2 vibration modes.

    The cranks are rigid, of the same square section of `width` m (chosen; P1 prints none) and material. The coupler is
    pinned at both ends, bends in the plane of the mechanism, and its frame lies on the chord; undeformed and at rest at
    the start. `damping`: ratio of every mode. Measure `deflection`: local deflection of the middle node (P1 Fig. 17).
    """
    m = Model("four-bar-flexible", gravity=GRAVITY, duration=3.0)
    a, last, middle = math.radians(angle), str(int(elements) + 1), str(int(elements) // 2 + 1)
    x, z = crank * math.cos(a), crank * math.sin(a)
    bar = partial(rod, length=crank, width=width, density=8910.0)
    left = m.body("crank", bar(), at=(x / 2, 0, z / 2), angle=-a, axis="y")
    bent = beam(length=coupler, start=-coupler / 2, width=width, height=width, material="copper", plane="xz",
                elements=int(elements), modes=int(modes), supports={"1": "pinned", last: "roller"},
                damping=damping)  # fmt: skip
    top = m.body("coupler", flexible=bent, at=(x + coupler / 2, 0, z))
    right = m.body("rocker", bar(), at=(coupler + x / 2, 0, z / 2), angle=-a, axis="y")
    m.frame("middle", top, node=middle)
    m.revolute("A", m.ground, left, at=(0, 0, 0), axis="-y")
    m.revolute("B", left, top, at=(x, 0, z), axis="-y")
    m.revolute("C", top, right, at=(coupler + x, 0, z), axis="-y")
    m.revolute("D", m.ground, right, at=(coupler, 0, 0), axis="-y")
    m.measure("deflection", f"z(middle, {top})", unit="m")
    return m
