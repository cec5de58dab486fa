"""Whipple's bicycle with the parameters of the benchmark (Meijaard, Papadopoulos, Ruina & Schwab 2007, Table 1).

The paper's axes have z down; here z is up and y to the left, so that products of inertia xz have the other sign.  Lean
(about x, forwards) and steer (about the steering axis, downwards) are positive to the right, as in the paper.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.errors import OptionError
from linkwork.library.solids import Solid, bar, disc, hoop, pictures_of
from linkwork.library.units import MetresPerSecond, RadiansPerSecond
from linkwork.model import Model

WHEELBASE, TRAIL, TILT = 1.02, 0.08, math.pi / 10.0  # m, m, rad
GRAVITY = (0.0, 0.0, -9.81)  # m/s2
REAR, FRONT = 0.3, 0.35  # m, radii of the wheels
REAR_HUB, FRONT_HUB = np.array([0.0, 0.0, REAR]), np.array([WHEELBASE, 0.0, FRONT])
RIDER, FORK = np.array([0.3, 0.0, 0.9]), np.array([0.9, 0.0, 0.7])  # m, centres of mass
DOWN = np.array([math.sin(TILT), 0.0, -math.cos(TILT)])  # the steering axis
HEAD = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) - 0.95 * DOWN  # a point of it
Y = np.array([0.0, 1.0, 0.0])


def bicycle(speed: MetresPerSecond = 5.0, lean_rate: RadiansPerSecond = 0.1) -> Model:
    """Whipple's bicycle with a stiff rider, rolling without slip at `speed` (m/s); left to itself it rights itself.

    Between 4.292 m/s (weave) and 6.024 m/s (capsize) it is stable.  It starts upright, with a `lean_rate` (rad/s).
    Constant speed is that of `rear hub`, speed / 0.3 m; lean is `rear frame.wx`, steer `steer.angle`.
    """
    if speed < 0.0:
        raise OptionError(f"speed is {speed:g} m/s; the bicycle rides forwards, give a speed >= 0", element="speed")
    m = Model("bicycle", gravity=GRAVITY, duration=5.0)
    seat = np.array([0.22, 0.0, 0.85])
    crank = np.array([0.4, 0.0, 0.28])
    tubes = ((REAR_HUB, seat), (seat, HEAD), (HEAD, crank), (crank, REAR_HUB), (crank, seat))
    frame = [bar(a, b, 0.03) for a, b in tubes]
    trunk = [bar(seat, (0.45, 0.0, 1.35), 0.3, 0.18), bar((0.47, 0.0, 1.42), (0.52, 0.0, 1.62), 0.16, 0.18)]
    bars = HEAD - 0.12 * DOWN
    fork = [bar(FRONT_HUB, bars, 0.03), bar(bars - 0.28 * Y, bars + 0.28 * Y, 0.03)]
    moving = (speed, -lean_rate * RIDER[2], 0.0)  # it leans about the line through the points of contact
    m.body("rear frame", mass=85.0, inertia=_about_y(9.2, 11.0, 2.8, -2.4), at=RIDER, velocity=moving,
           angular_velocity=(lean_rate, 0.0, 0.0), pictures=pictures_of(RIDER, *frame, *trunk))  # fmt: skip
    m.body("front frame", mass=4.0, inertia=_about_y(0.05892, 0.06, 0.00708, 0.00756), at=FORK,
           pictures=pictures_of(FORK, *fork))  # fmt: skip
    m.body("rear wheel", mass=2.0, inertia=(0.0603, 0.12, 0.0603), at=REAR_HUB,
           pictures=pictures_of(REAR_HUB, *_wheel(REAR_HUB, REAR)))  # fmt: skip
    m.body("front wheel", mass=3.0, inertia=(0.1405, 0.28, 0.1405), at=FRONT_HUB,
           pictures=pictures_of(FRONT_HUB, *_wheel(FRONT_HUB, FRONT)))  # fmt: skip
    m.revolute("rear hub", "rear frame", "rear wheel", at=REAR_HUB, axis="y", rate=speed / REAR)
    m.revolute("steer", "rear frame", "front frame", at=HEAD, axis=DOWN, start=0.0, rate=0.0)
    m.revolute("front hub", "front frame", "front wheel", at=FRONT_HUB, axis="y")
    m.rolling_disc("rear contact", "rear wheel", radius=REAR, axis="y")
    m.rolling_disc("front contact", "front wheel", radius=FRONT, axis="y")
    return m


def _about_y(xx: float, yy: float, zz: float, xz: float) -> list[list[float]]:
    """Inertia (kg m2) of a body that is symmetric about the plane xz."""
    return [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]


def _wheel(centre: np.ndarray, radius: float) -> list[Solid]:
    spokes = [bar(centre - d, centre + d, 0.006) for angle in np.arange(0.0, math.pi, math.pi / 6)
              for d in (0.95 * radius * np.array([math.cos(angle), 0.0, math.sin(angle)]),)]  # fmt: skip
    return [hoop(centre, Y, radius, 0.92 * radius, 0.03), disc(centre, Y, 0.04, 0.06), *spokes]
