"""A mechanism to step many times side by side, and what drives it."""

from __future__ import annotations

import numpy as np

import linkwork as lw

INPUTS = ["cart.force.x", "hinge motor"]
OUTPUTS = ["rail.distance", "hinge.angle", "pole.position.z"]
FIXED = {"integrator": "rk4", "step": 0.005}
COUNT = 5


def cart() -> lw.Model:
    """A cart with a pole, laws of the state and of time, and an end."""
    model = lw.Model("cart", gravity=(0, 0, -9.81))
    model.body("cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
    model.prismatic("rail", model.ground, "cart", at=(0, 0, 0), axis="x")
    model.body("pole", lw.rod(mass=0.2, length=0.6), at=(0, 0, 0.3), angle=-1.5, axis="y")
    model.revolute("hinge", "cart", "pole", at=(0, 0, 0), axis="y")
    model.measure("law", "0.3*x(cart)^2 + 0.1*sin(9*t) - 0.05*vx(cart)")
    model.joint_force("drag", "rail", "law - 0.1*rail.speed")
    model.joint_force("hinge motor", "hinge", 0.0)
    model.event("end", "abs(rail.distance) > 0.12", "stop")
    return model


def forces(steps: int) -> np.ndarray:
    """[step, input, simulation]"""
    rng = np.random.default_rng(3)
    held = rng.uniform(-1.0, 1.0, (steps, 2, COUNT)) * [[2.0], [0.05]]
    held[:, 0, 0] = 9.0  # the first comes to its end
    return held
