"""Units of the parameters of library models, as their annotations: `def pendulum(length: Metres = 1.0)`."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

Number: TypeAlias = float
Metres: TypeAlias = float
Kilograms: TypeAlias = float
Seconds: TypeAlias = float
Degrees: TypeAlias = float
MetresPerSecond: TypeAlias = float
RadiansPerSecond: TypeAlias = float
Density: TypeAlias = float
Stiffness: TypeAlias = float
Damping: TypeAlias = float
HertzStiffness: TypeAlias = float


class Unit(NamedTuple):
    """As it is shown, the SI unit of its kind, and how much of that it is."""

    name: str
    si: str
    size: float = 1.0


UNITS = {
    "Number": Unit("", ""),
    "Metres": Unit("m", "m"),
    "Kilograms": Unit("kg", "kg"),
    "Seconds": Unit("s", "s"),
    "Degrees": Unit("deg", "rad", math.pi / 180.0),
    "MetresPerSecond": Unit("m/s", "m/s"),
    "RadiansPerSecond": Unit("rad/s", "rad/s"),
    "Density": Unit("kg/m3", "kg/m3"),
    "Stiffness": Unit("N/m", "N/m"),
    "Damping": Unit("N s/m", "N s/m"),
    "HertzStiffness": Unit("N/m^1.5", "N/m^1.5"),
}
