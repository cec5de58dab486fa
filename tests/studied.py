"""Mechanisms to study: a planar crank-rocker with masses given as such, and a model file of it with parameters."""

from __future__ import annotations

import math
from pathlib import Path

import linkwork as lw

FOUR_BAR = (Path(__file__).resolve().parents[1] / "examples" / "crank_rocker.toml").read_text()


def four_bar(damping: float = 0.05) -> lw.Model:
    """A crank-rocker that swings under gravity, with a damper and a spring; masses and inertias are given as such."""
    a, b, c, d = 0.1, 0.25, 0.2, 0.25  # m: crank, coupler, rocker, ground
    far = math.hypot(d, a)
    at_a = math.acos((b * b + far * far - c * c) / (2 * b * far)) - math.asin(a / far)
    x, z = b * math.cos(at_a), a + b * math.sin(at_a)
    model = lw.Model("crank-rocker", gravity=(0, 0, -9.81), plane="xz")
    model.body("crank", mass=0.5, inertia=(1e-4, 5e-4, 5e-4), at=(0, 0, a / 2), angle=-math.pi / 2, axis="y")
    model.body("coupler", mass=1.0, inertia=(1e-4, 5e-3, 5e-3), at=(x / 2, 0, (a + z) / 2), angle=-at_a, axis="y")
    tilt = -math.atan2(z, x - d)
    model.body("rocker", mass=0.8, inertia=(1e-4, 3e-3, 3e-3), at=((x + d) / 2, 0, z / 2), angle=tilt, axis="y")
    model.revolute("A", model.ground, "crank", at=(0, 0, 0), axis="y")
    model.revolute("B", "crank", "coupler", at=(0, 0, a), axis="y")
    model.revolute("C", "coupler", "rocker", at=(x, 0, z), axis="y")
    model.revolute("D", "rocker", model.ground, at=(d, 0, 0), axis="y")
    model.spring_damper(
        "strut", model.ground, "coupler", points=((0.1, 0, -0.2), (0, 0, 0)), stiffness=200.0, free_length=0.3,
        damping=damping,
    )  # fmt: skip
    return model
