"""Vehicles: a quarter of a car (the whole one: hmmwv.py)."""

from __future__ import annotations

import math

import numpy as np

from linkwork.elements.declaration.shapes import box
from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY
from linkwork.library.solids import BodyFields, Solid, disc, made_of, tube
from linkwork.library.units import Damping, Kilograms, Metres, MetresPerSecond, Stiffness
from linkwork.model import Model


def quarter_car(
    sprung: Kilograms = 400.0, unsprung: Kilograms = 40.0, stiffness: Stiffness = 20e3, damping: Damping = 1500.0,
    tyre: Stiffness = 180e3, height: Metres = 0.05, length: Metres = 1.0, speed: MetresPerSecond = 10.0,
) -> Model:  # fmt: skip
    """A quarter of a car that drives over a bump: body, wheel, suspension and tyre, standing still at the start.

    Masses in kg, spring of the suspension and of the tyre in N/m, damping in N s/m; the bump is a full cosine wave of
    `height` and `length` (m), met at `speed` (m/s) 0.2 s after the start.
    """
    if min(stiffness, tyre, length, speed) <= 0.0:
        values = f"stiffness is {stiffness:g} N/m, tyre {tyre:g} N/m, length {length:g} m, speed {speed:g} m/s"
        raise OptionError(f"{values}; all must be > 0", element="quarter-car")
    m = Model("quarter-car", gravity=GRAVITY, duration=3.0)
    radius, top = 0.3, 1.0  # m, of the wheel; height of the strut's upper end
    g = -GRAVITY[2]
    hub, strut = np.array([0.0, 0.15, radius]), np.array([0.0, -0.15, radius])
    patch = np.array([0.0, 0.15, 0.0])  # where the tyre stands on the road
    m.body("road", box((1.2, 0.7, 0.04), mass=100.0), at=(0, 0, -0.02))
    m.body("wheel", **_of_mass(unsprung, disc(hub, (0, 1, 0), radius, 0.2), tube(hub, strut, 0.03), at=hub))
    m.body("car", box((1.2, 0.7, 0.25), mass=sprung), at=(0, 0, top + 0.125))
    m.prismatic("bump", m.ground, "road", at=(0, 0, 0), axis="z")
    m.prismatic("wheel travel", m.ground, "wheel", at=hub, axis="z")
    m.prismatic("car travel", m.ground, "car", at=(0, 0, top), axis="z")
    sag, squash = sprung * g / stiffness, (sprung + unsprung) * g / tyre
    m.spring_damper("suspension", "wheel", "car", points=(strut, (0, strut[1], top)), stiffness=stiffness,
                    damping=damping, free_length=top - radius + sag)  # fmt: skip
    m.spring_damper("tyre", "road", "wheel", points=(patch, hub), stiffness=tyre, free_length=radius + squash)
    begin, end = 0.2, 0.2 + length / speed
    wave = f"{height / 2!r}*(1 - cos({2.0 * math.pi * speed / length!r}*(t - {begin!r})))"
    m.driver("profile", "bump", f"if(t < {begin!r}, 0, if(t < {end!r}, {wave}, 0))")
    m.measure("body travel", "coordinate('car travel')", unit="m")
    m.measure("body acceleration", "acceleration('car travel')", unit="m/s2")
    m.measure("suspension travel", "coordinate('car travel') - coordinate('wheel travel')", unit="m")
    m.measure("tyre load", f"{(sprung + unsprung) * g!r} + {tyre!r}*(coordinate(bump) - coordinate('wheel travel'))",
              unit="N")  # fmt: skip
    return m


def _of_mass(mass: float, *solids: Solid, at: np.ndarray) -> BodyFields:
    """A body of these solids with a given mass (kg), its inertia in proportion."""
    made = made_of(*solids, at=at)
    made["inertia"], made["mass"] = made["inertia"] * mass / made["mass"], mass
    return made
