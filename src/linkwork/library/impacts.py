"""Impacts: bodies that touch and part again."""

from __future__ import annotations

import math

from linkwork.elements.solids.shapes import sphere
from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY
from linkwork.library.units import HertzStiffness, Kilograms, Metres, MetresPerSecond, Number
from linkwork.model import Model


def bouncing_ball(
    height: Metres = 1.0, restitution: Number = 0.8, speed: MetresPerSecond = 0.5, radius: Metres = 0.05,
    mass: Kilograms = 0.5, stiffness: HertzStiffness = 1e7, friction: Number = 0.3,
) -> Model:  # fmt: skip
    """A ball is thrown, bounces, loses height each time and starts to roll.

    It falls from `height` (m, of its lowest point) with a level `speed` (m/s) onto a floor of Hertz stiffness (N/m^1.5)
    with friction; the damping of the contact is chosen so that the first impact has the `restitution`, later and
    slower ones more.  Radius in m, mass in kg.
    """
    if not 0.0 < restitution <= 1.0 or height <= 0.0:
        raise OptionError(
            f"restitution is {restitution:g}, height {height:g} m; need 0 < restitution <= 1 and height > 0",
            element="restitution",
        )
    m = Model("bouncing-ball", gravity=GRAVITY, duration=3.0)
    m.body("ball", sphere(radius=radius, mass=mass), at=(0, 0, height + radius), velocity=(speed, 0, 0))
    impact = math.sqrt(-2.0 * GRAVITY[2] * height)
    m.contact("floor", "ball", shape="sphere", radius=radius, stiffness=stiffness, friction=friction, smoothing=1e-2,
              damping=damping_for(restitution) / impact)  # fmt: skip
    m.event("bounce", f"z(ball) < {radius!r}")
    m.measure("height", f"z(ball) - {radius!r}", unit="m")
    m.measure("spin", "wy(ball)", unit="rad/s")
    m.measure("slip", f"vx(ball) - {radius!r}*wy(ball)", unit="m/s")
    return m


def damping_for(e: float) -> float:
    """x = c v of a Hunt-Crossley contact that gives the restitution e to an impact at the speed v.

    With d'' = -(k/m) d^n (1 + c d') both halves of the impact have the same integral of d^n, so that
    x - ln(1 + x) = -e x - ln(1 - e x): one root between 0 and 1/e, found by halving.
    """
    if e >= 1.0:
        return 0.0
    low, high = 1e-9, (1.0 - 1e-15) / e
    for _ in range(200):
        x = (low + high) / 2.0
        if x - math.log1p(x) > -e * x - math.log1p(-e * x):
            low = x
        else:
            high = x
    return low
