"""Pendulums: the smallest mechanisms."""

from __future__ import annotations

import math

from linkwork.elements.declaration.shapes import rod
from linkwork.library.constants import GRAVITY
from linkwork.library.units import Degrees, Kilograms, Metres
from linkwork.model import Model


def pendulum(mass: Kilograms = 1.0, length: Metres = 1.0, angle: Degrees = 90.0) -> Model:
    """A bar on a pin, released from an angle (deg) against the vertical."""
    m = Model("pendulum", gravity=GRAVITY, duration=5.0)
    a = math.radians(angle)
    middle = (0.5 * length * math.sin(a), 0.0, -0.5 * length * math.cos(a))
    bar = m.body("bar", rod(mass=mass, length=length), at=middle, angle=math.pi / 2 - a, axis="y")
    m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="-y")
    return m


def double_pendulum(mass: Kilograms = 1.0, length: Metres = 1.0, angle: Degrees = 90.0) -> Model:
    """Two equal bars, one on the other, released in line from an angle (deg) against the vertical."""
    m = Model("double-pendulum", gravity=GRAVITY, duration=5.0)
    a = math.radians(angle)
    x, z = length * math.sin(a), -length * math.cos(a)
    upper = m.body("upper", rod(mass=mass, length=length), at=(0.5 * x, 0, 0.5 * z), angle=math.pi / 2 - a, axis="y")
    lower = m.body("lower", rod(mass=mass, length=length), at=(1.5 * x, 0, 1.5 * z), angle=math.pi / 2 - a, axis="y")
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis="-y")
    m.revolute("elbow", upper, lower, at=(x, 0, z), axis="-y")
    return m
