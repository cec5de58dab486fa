"""Rotating machines: what vibrates while it turns at a constant speed."""

from __future__ import annotations

import math

from linkwork.api import Model

# Choi, Park & Yoo (P4), Tables 2 and 3.  Two numbers are not printed: g = 9.806 m/s2 and a spring whose natural length
# is 0.15 m (the paper calls that the deformed length) give all published digits.
GOVERNOR_GRAVITY = 9.806  # m/s2, along -y
GOVERNOR_SPEED = 11.0174  # rad/s
LINK = 0.10922  # m, from a ball's arm to the collar
TOP = 0.2  # m, height of the pivots
ARM, PIN = 0.16, 0.08  # m, from the pivot to the ball, and to the link's pin
LIGHT = 1e-8  # kg, of the links, which the paper replaces by constant distances


def governor() -> Model:
    """P4's governor: a spindle, two balls on arms, a collar on a spring; 2 loops, 1 degree of freedom at a given speed.

    The running coordinate is `spindle`, the paper's independent coordinate d is `collar.distance` below its start at
    horizontal arms: d = d0 - distance.  The massless links are bars of 10 ug between pins.
    """
    m = Model("governor", gravity=(0.0, -GOVERNOR_GRAVITY, 0.0), duration=5.0)
    d = math.sqrt(LINK**2 - PIN**2)  # with horizontal arms; the paper's 0.0744 leaves the links open by 2.9e-5 m
    m.body("shaft", mass=200.0, inertia=(25.0, 50.0, 25.0), at=(0, TOP, 0))
    m.revolute("spindle", m.ground, "shaft", at=(0, TOP, 0), axis="y")
    m.body("slider", mass=1.0, inertia=(0.15, 0.125, 0.15), at=(0, TOP - d, 0))
    m.prismatic("collar", "shaft", "slider", at=(0, TOP - d, 0), axis="-y")
    for n, side in ((1, -1.0), (2, 1.0)):
        m.body(f"ball {n}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(side * ARM, TOP, 0))
        m.revolute(f"arm {n}", "shaft", f"ball {n}", at=(0, TOP, 0), axis="z")
        round_bar = LIGHT * LINK**2 / 12.0
        m.body(f"link {n}", mass=LIGHT, inertia=(round_bar, round_bar, round_bar), at=(side * PIN / 2, TOP - d / 2, 0))
        m.revolute(f"pin {n}", f"ball {n}", f"link {n}", at=(side * PIN, TOP, 0), axis="z")
        m.revolute(f"collar pin {n}", f"link {n}", "slider", at=(0, TOP - d, 0), axis="z")
    m.spring_damper("spring", "shaft", "slider", points=((0, TOP, 0), (0, TOP - d, 0)), stiffness=1000.0, damping=30.0,
                    free_length=0.15)  # fmt: skip
    return m
