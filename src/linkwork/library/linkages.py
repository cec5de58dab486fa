"""Linkages: closed loops, among them the examples of the founding papers."""

from __future__ import annotations

import cmath
import math
from typing import Any

from linkwork.api import Model
from linkwork.elements.shapes import rod

GRAVITY = (0.0, 0.0, -9.81)  # m/s2


def four_bar(
    angle: float = 10.0, crank: float = 1.0, coupler: float = 2.0, width: float = 0.02, density: float = 8910.0
) -> Model:
    """P1's parallelogram four-bar, released at rest; it passes its flat, singular position five times in 3 s.

    Cranks `crank` m, coupler and ground `coupler` m, one square section of `width` m in copper (kg/m3), crank angle
    in deg. The paper's figure with the lengths is lost: these are reconstructed from its flat positions at 0.18 and
    1.0 s.
    """
    m = Model("four-bar", gravity=GRAVITY, duration=3.0)
    a = math.radians(angle)
    x, z = crank * math.cos(a), crank * math.sin(a)
    bar: dict[str, Any] = {"width": width, "density": density}
    left = m.body("crank", rod(length=crank, **bar), at=(x / 2, 0, z / 2), angle=-a, axis="y")
    top = m.body("coupler", rod(length=coupler, **bar), at=(x + coupler / 2, 0, z))
    right = m.body("rocker", rod(length=crank, **bar), at=(coupler + x / 2, 0, z / 2), angle=-a, axis="y")
    m.revolute("A", m.ground, left, at=(0, 0, 0), axis="-y")
    m.revolute("B", left, top, at=(x, 0, z), axis="-y")
    m.revolute("C", top, right, at=(coupler + x, 0, z), axis="-y")
    m.revolute("D", m.ground, right, at=(coupler, 0, 0), axis="-y")
    return m


def slider_crank(crank: float = 0.1, rod_length: float = 0.31, speed: float = 21.648, angle: float = 0.0) -> Model:
    """P5's slider-crank, started at `speed` (rad/s) and left to itself; three redundant equations.

    Masses and inertias are the paper's (its long axis y is x here); the lengths are lost and follow from I = m l^2
    / 12. Gravity and the start angle (deg) are not stated either: none here, and the crank in line with the guide.
    """
    m = Model("slider-crank", gravity=(0.0, 0.0, 0.0), duration=1.0)
    a = math.radians(angle)
    x, z = crank * math.cos(a), crank * math.sin(a)
    lean = math.asin(z / rod_length)
    end = x + rod_length * math.cos(lean)
    arm = m.body("crank", mass=0.12, inertia=(1e-5, 1e-4, 1e-4), at=(x / 2, 0, z / 2), angle=-a, axis="y",
                 angular_velocity=(0.0, -speed, 0.0))  # fmt: skip
    link = m.body("rod", mass=0.5, inertia=(0.0004, 0.004, 0.004), at=((x + end) / 2, 0, z / 2), angle=lean, axis="y")
    slider = m.body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), at=(end, 0, 0))
    m.revolute("main bearing", m.ground, arm, at=(0, 0, 0), axis="-y")
    m.revolute("crank pin", arm, link, at=(x, 0, z), axis="-y")
    m.revolute("wrist pin", link, slider, at=(end, 0, 0), axis="-y")
    m.prismatic("guide", m.ground, slider, at=(end, 0, 0), axis="x")
    return m


def bricard(length: float = 1.0, mass: float = 1.0) -> Model:
    """Bricard's mechanism: six revolute joints along the edges of a cube, one degree of freedom by its proportions.

    Five rods (`length` m, `mass` kg) and ground run around the cube along six of its edges, each at right angles to the
    next; at every corner a revolute joint perpendicular to both.  A count without ranks gives no freedom.
    """
    m = Model("bricard", gravity=(0.0, -9.81, 0.0), duration=2.0)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)]
    points = [tuple(length * c for c in corner) for corner in corners]
    turns: dict[str, dict[str, Any]] = {
        "x": {}, "y": {"angle": math.pi / 2, "axis": "z"}, "z": {"angle": -math.pi / 2, "axis": "y"}
    }  # fmt: skip
    along = ("x", "y", "z", "x", "y")
    for k, axis in enumerate(along):
        middle = tuple((a + b) / 2 for a, b in zip(points[k], points[k + 1], strict=True))
        m.body(f"rod {k + 1}", rod(mass=mass, length=length), at=middle, **turns[axis])
    links = [m.ground, *(f"rod {k}" for k in range(1, 6)), m.ground]
    for k, axis in enumerate(("y", "z", "x", "y", "z", "x")):
        m.revolute(f"hinge {k + 1}", links[k], links[k + 1], at=points[k], axis=axis)
    return m


def n_four_bar(n: float = 2) -> Model:
    """IFToMM A02: n four-bars in a row, every link a 1 m, 1 kg rod; the cranks start upright with the top moving at
    1 m/s.
    """
    m = Model("n-four-bar", gravity=GRAVITY, plane="xz", duration=10.0)
    count = int(n)
    link: dict[str, Any] = {"mass": 1.0, "inertia": (1e-3, 1 / 12, 1 / 12)}
    upright: dict[str, Any] = {"angle": -math.pi / 2, "axis": "y", **link}
    moving: dict[str, Any] = {"angular_velocity": (0.0, 1.0, 0.0), "velocity": (0.5, 0.0, 0.0)}
    for i in range(count + 1):
        crank = m.body(f"crank{i}", at=(i, 0, 0.5), **upright, **moving)
        m.revolute(f"pivot{i}", m.ground, crank, at=(i, 0, 0), axis="-y")
        if i:
            bar = m.body(f"bar{i}", at=(i - 0.5, 0, 1), **link)
            m.revolute(f"left{i}", f"crank{i - 1}", bar, at=(i - 1, 0, 1), axis="-y")
            m.revolute(f"right{i}", bar, crank, at=(i, 0, 1), axis="-y")
    return m


def andrews() -> Model:
    """IFToMM A03: Andrews' squeezing mechanism, seven bodies, driven by a torque of 0.033 N m (Schiehlen 1990).

    Data and the names of the points after the Test Set for IVP Solvers; the plane is x-z here, the unit of angles rad.
    """
    m = Model("andrews", gravity=(0.0, 0.0, 0.0), plane="xz", duration=0.05)
    beta, theta, gamma = -0.06171389001427645, 0.0, 0.45527981916307037
    phi, delta, omega, epsilon = 0.22266839016588588, 0.48736497954384256, -0.22266839016588588, 1.2305474445498212
    A, B, C = complex(-0.06934, -0.00227), complex(-0.03635, 0.03273), complex(0.014, 0.072)

    def turn(angle: float) -> complex:
        return cmath.exp(1j * angle)

    F = 0.007 * turn(beta)
    E = F - 0.028 * turn(beta + theta)
    D = B + (0.02 - 0.018j) * turn(gamma)
    G = A + 0.04 * turn(delta)
    H = A - 0.04j * turn(epsilon)
    centres = {  # of the pivoted bodies 3, 5, 7 only the distance from the pivot matters: no gravity
        "K1": (0.04325, 2.194e-6, 0.00092 * turn(beta)),
        "K2": (0.00365, 4.410e-7, F - 0.0115 * turn(beta + theta)),
        "K3": (0.02373, 5.255e-6, B + (0.01874 + 0.01043j) * turn(gamma)),
        "K4": (0.00706, 5.667e-7, G - 1j * (0.02 - 0.01421) * turn(phi + delta)),
        "K5": (0.07050, 1.169e-5, A + (0.02308 - 0.00916j) * turn(delta)),
        "K6": (0.00706, 5.667e-7, H + (0.02 - 0.01421) * turn(omega + epsilon)),
        "K7": (0.05498, 1.912e-5, A + (0.01228 - 0.00449j) * turn(epsilon)),
    }
    for name, (mass, inertia, at) in centres.items():
        m.body(name, mass=mass, inertia=(inertia, inertia, inertia), at=(at.real, 0, at.imag))
    pins = (
        ("O", m.ground, "K1", 0j), ("F", "K1", "K2", F), ("B", m.ground, "K3", B), ("E", "K2", "K3", E),
        ("A5", m.ground, "K5", A), ("G", "K5", "K4", G), ("E4", "K4", "K3", E),
        ("A7", m.ground, "K7", A), ("H", "K7", "K6", H), ("E6", "K6", "K3", E),
    )  # fmt: skip
    for name, a, b, at in pins:
        m.revolute(name, a, b, at=(at.real, 0, at.imag), axis="-y")
    m.spring_damper("spring", "K3", m.ground, points=((D.real, 0, D.imag), (C.real, 0, C.imag)), stiffness=4530.0,
                    free_length=0.07785)  # fmt: skip
    m.applied_force("motor", "K1", torque=(0.0, -0.033, 0.0))
    return m
