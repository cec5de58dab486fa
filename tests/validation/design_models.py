"""Models for optimization and identification: functions of numbers, plane xy, angles from x to y."""

from __future__ import annotations

import cmath
import math

from examples.coupler_path import xyz

import linkwork as lw


def balanced_engine(
    balance: float = 0.5, crank: float = 0.1, rod: float = 0.35, piston: float = 2.0, speed: float = 100.0
) -> lw.Model:
    """A slider-crank with all mass in its piston (kg), and a counterweight (kg) opposite the pin at the same radius."""
    m = lw.Model("engine", plane="xy", gravity=(0, 0, 0))
    m.body("crank", mass=balance, inertia=(1e-3, 1e-3, 1e-3), com=(-crank, 0, 0))
    m.body("rod", mass=1e-9, inertia=(1e-12, 1e-12, 1e-12), at=(crank, 0, 0))
    m.body("piston", mass=piston, inertia=(1e-3, 1e-3, 1e-3), at=(crank + rod, 0, 0))
    m.revolute("shaft", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("pin", "crank", "rod", at=(crank, 0, 0), axis="z")
    m.revolute("wrist", "rod", "piston", at=(crank + rod, 0, 0), axis="z")
    m.prismatic("bore", m.ground, "piston", at=(crank + rod, 0, 0), axis="x")
    m.driver("motor", "shaft", motion=f"{speed!r}*t")
    return m


def wishbones(
    upper: float = 0.25, inner: float = 0.35, height: float = 0.45, lower: float = 0.35, upright: float = 0.3
) -> lw.Model:
    """A double wishbone seen from the front: lower arm driven, 1 rad/s; upper arm from (inner, height), m."""
    C, E = complex(0.2, 0.15), complex(inner, height)
    L = C + lower
    d = abs(E - L)
    angle = cmath.phase(E - L) - math.acos((upright**2 + d**2 - upper**2) / (2.0 * upright * d))
    U = L + upright * cmath.exp(1j * angle)
    m = lw.Model("wishbones", plane="xy", gravity=(0, 0, 0))
    m.link("lower arm", xyz(C), xyz(L), mass=3.0)
    m.link("upper arm", xyz(E), xyz(U), mass=2.0)
    m.link("upright", xyz(L), xyz(U), mass=10.0)
    m.revolute("lower pivot", m.ground, "lower arm", at=xyz(C), axis="z")
    m.revolute("upper pivot", m.ground, "upper arm", at=xyz(E), axis="z")
    m.revolute("lower ball", "lower arm", "upright", at=xyz(L), axis="z")
    m.revolute("upper ball", "upper arm", "upright", at=xyz(U), axis="z")
    m.driver("travel", "lower pivot", motion="t - 0.2")
    return m


def sprung_four_bar(
    coupler: float = 2.0, stiffness: float = 300.0, damping: float = 0.5, rocker: float = 1.5, crank: float = 1.0
) -> lw.Model:
    """A closed loop released from rest under gravity: bars (kg), a spring (N/m) from ground, a viscous pin (N m s)."""
    O, D, A = 0j, 1.0 + 0j, 0.3 * cmath.exp(2.0j)
    d, b, c = abs(D - A), 0.9, 0.7
    B = A + b * cmath.exp(1j * (cmath.phase(D - A) + math.acos((b**2 + d**2 - c**2) / (2.0 * b * d))))
    m = lw.Model("machine", plane="xy", gravity=(0, -9.81, 0))
    m.link("crank", xyz(O), xyz(A), mass=crank)
    m.link("coupler", xyz(A), xyz(B), mass=coupler)
    m.link("rocker", xyz(D), xyz(B), mass=rocker)
    m.revolute("O", m.ground, "crank", at=xyz(O), axis="z")
    m.revolute("A", "crank", "coupler", at=xyz(A), axis="z")
    m.revolute("B", "coupler", "rocker", at=xyz(B), axis="z")
    m.revolute("D", m.ground, "rocker", at=xyz(D), axis="z")
    ends = ((0.5, 1.6, 0.0), xyz(0.5 * (A + B)))
    m.spring_damper("spring", m.ground, "coupler", points=ends, stiffness=stiffness, free_length=0.8)
    m.torsional_spring_damper("bearing", "D", damping=damping)
    return m
