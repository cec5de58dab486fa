"""IFToMM A05, the stiff flyball governor, by Lagrange's equations of its three degrees of freedom.

Slider at the height s, rods at the angle a below the horizontal, the whole turning by psi (both rods move alike):

    2 T = I(a) psi'^2 + m_s s'^2 + 2 J a'^2,    d/dt (I psi') = 0,    J: of a rod about its hinge

with the springs of length d(s, a), which pull by k (d - d0) + c d'.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import solve_ivp

from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.peers import beside

G, SPIN, ANGLE = 9.81, 2.0 * math.pi, math.pi / 6.0  # m/s2, rad/s, rad
SHAFT, SLIDER, ROD, BALL = 0.3, 3.0, 0.3, 5.0  # kg
HUB, LENGTH, WIDTH, CUBE = 0.05, 1.0, 0.01, 0.1  # m
STIFFNESS, DAMPING, FREE = 8e5, 4e4, 0.5  # N/m, N s/m, m


def prism(mass: float, x: float, y: float, z: float) -> np.ndarray:
    """Principal inertias of a prism, kg m2."""
    return mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])


def flyball_governor(angle: float = ANGLE) -> Model:
    """Shaft about z, slider on it, two hinged rods with 5 kg at their ends; stiff spring-dampers slider to rods."""
    m, spin = Model("flyball governor", gravity=(0.0, 0.0, -G)), np.array([0.0, 0.0, SPIN])
    m.body("shaft", mass=SHAFT, inertia=prism(SHAFT, WIDTH, WIDTH, 1.0), at=(0, 0, 0.5), angular_velocity=spin)
    m.body("slider", mass=SLIDER, inertia=prism(SLIDER, CUBE, CUBE, CUBE), at=(0, 0, 0.5), angular_velocity=spin)
    m.revolute("bearing", m.ground, "shaft", at=(0, 0, 0), axis="z")
    m.prismatic("guide", "shaft", "slider", at=(0, 0, 0.5), axis="z")
    com = BALL * LENGTH / 2 / (ROD + BALL)  # m from the middle of a rod
    J = prism(ROD, LENGTH, WIDTH, WIDTH) + (ROD * com**2 + BALL * (LENGTH / 2 - com) ** 2) * np.array([0.0, 1.0, 1.0])
    for name, side, turn in (("right", 1.0, angle), ("left", -1.0, math.pi - angle)):
        hinge = np.array([HUB * side, 0.0, 1.0])
        middle = hinge + LENGTH / 2 * np.array([side * math.cos(angle), 0.0, -math.sin(angle)])
        m.body(name, mass=ROD + BALL, com=(com, 0, 0), inertia=J, at=middle, angle=turn, axis="y",
               velocity=np.cross(spin, middle), angular_velocity=spin)  # fmt: skip
        m.revolute(f"hinge {name}", "shaft", name, at=hinge, axis="y")
        m.spring_damper(f"spring {name}", "slider", name, points=((HUB * side, 0, 0.5), middle), stiffness=STIFFNESS,
                        damping=DAMPING, free_length=FREE)  # fmt: skip
    return m


def known(until: float) -> tuple[float, float, float]:
    """s (m), a (rad) and psi' (rad/s) at a time (s), by Radau at 1e-11."""
    J = ROD * LENGTH**2 / 3 + ROD * WIDTH**2 / 12 + BALL * LENGTH**2
    first = ROD * LENGTH / 2 + BALL * LENGTH  # kg m, of a rod about its hinge
    thin, long = ROD * WIDTH**2 / 6, ROD * (LENGTH**2 + WIDTH**2) / 12

    def turning(a: float) -> tuple[float, float]:
        """I(a) and I'(a)."""
        c, s = math.cos(a), math.sin(a)
        r, R = HUB + LENGTH / 2 * c, HUB + LENGTH * c
        rods = ROD * r**2 + BALL * R**2 + long * c**2 + thin * s**2
        slope = -2 * ROD * r * LENGTH / 2 * s - 2 * BALL * R * LENGTH * s + 2 * (thin - long) * c * s
        return SHAFT * WIDTH**2 / 6 + SLIDER * CUBE**2 / 6 + 2 * rods, 2 * slope

    momentum = turning(ANGLE)[0] * SPIN

    def rates(_: float, y: np.ndarray) -> list[float]:
        s, a, s_dot, a_dot = y
        across, up = LENGTH / 2 * math.cos(a), 1.0 - LENGTH / 2 * math.sin(a) - s
        d = math.hypot(across, up)
        by_s, by_a = -up / d, LENGTH / 2 * (-across * math.sin(a) - up * math.cos(a)) / d
        pull = STIFFNESS * (d - FREE) + DAMPING * (by_s * s_dot + by_a * a_dot)
        I, slope = turning(a)
        psi_dot = momentum / I
        return [
            s_dot, a_dot, -G - 2 * pull * by_s / SLIDER,
            (0.25 * slope * psi_dot**2 + G * first * math.cos(a) - pull * by_a) / J,
        ]  # fmt: skip

    found = solve_ivp(rates, (0.0, until), [0.5, ANGLE, 0.0, 0.0], method="Radau", rtol=1e-11, atol=1e-12)
    s, a = found.y[:2, -1]
    return float(s), float(a), float(momentum / turning(a)[0])


def findings(quick: bool = False) -> list[Finding]:
    """Slider, rods and speed of the shaft."""
    until = 2.0 if quick else 10.0
    run, seconds = timed(lambda: flyball_governor().simulate(until, rtol=1e-7, progress=False))
    ours = (
        run["slider.position.z"][-1], math.asin((1.0 - run["right.position.z"][-1]) / (LENGTH / 2)),
        run["shaft.angular_velocity.z"][-1],
    )  # fmt: skip
    names = (("height of the slider", "m"), ("angle of the rods", "rad"), ("speed of the shaft", "rad/s"))
    return [
        Finding("IFToMM A05, flyball governor", f"{name} at {until:g} s, {unit}", float(value), reference,
                "Lagrange's equations by Radau (SciPy)", 1e-5, seconds, "auto, rtol 1e-7",
                note="" if k else beside("flyball governor 10 s"))
        for k, ((name, unit), value, reference) in enumerate(zip(names, ours, known(until), strict=True))
    ]  # fmt: skip
