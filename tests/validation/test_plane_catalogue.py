"""Every element of the catalogue that makes sense in a plane: `Model(plane=...)` moves as the model without it.

A cart on a rail, a bar that hangs on it and a stone that flies; all in the plane xz, symmetric about it, so that the
spatial model stays in the plane by itself.  Each element acts in a direction of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Model

BAR = (0.55, 0, -0.1)  # m, centre of the bar at the start
PIVOT, TIP = (0.2, 0, 0.1), (0.9, 0, -0.3)
BALL = {"mass": 0.8, "inertia": (0.02, 0.03, 0.02)}


def base(plane: str | None) -> Model:
    m = lw.Model("plane", gravity=(0.4, 0, -9.81), plane=plane)
    m.body("cart", **BALL, at=(0.2, 0, 0.1))
    m.body("bar", mass=1.2, inertia=(0.05, 0.06, 0.04), at=BAR, angular_velocity=(0, 0.7, 0))
    m.body("stone", **BALL, at=(0.3, 0, 0.6), velocity=(1.0, 0, -0.5), angular_velocity=(0, 2.0, 0))
    m.prismatic("rail", m.ground, "cart", at=PIVOT, axis=(1, 0, 0.2))
    m.revolute("pin", "cart", "bar", at=PIVOT, axis="y", rate=0.7)
    return m


def wheel(m: Model, name: str, x: float) -> None:
    m.body(name, **BALL, at=(x, 0, 0.25))
    m.revolute(f"axle of {name}", m.ground, name, at=(x, 0, 0.25), axis="y")


def geared(m: Model) -> None:
    wheel(m, "first", 2.0)
    m.gear("it", "pin", "axle of first", -1.5)


def racked(m: Model) -> None:
    wheel(m, "first", 2.0)
    m.rack_and_pinion("it", "axle of first", "rail", 0.3)


def rolled(m: Model) -> None:
    m.body("disc", **BALL, at=(2.0, 0, 0.25), velocity=(1.0, 0, 0), angular_velocity=(0, 4.0, 0))
    m.rolling_disc("it", "disc", radius=0.25, axis="y")
    m.spring_damper("pull", "cart", "disc", points=(PIVOT, (2.0, 0, 0.25)), stiffness=20.0)


def motored(m: Model) -> None:
    m.table("curve", [-20.0, 0.0, 20.0], [2.0, 1.0, -1.0])
    m.motor("it", "pin", "curve", throttle="1 + 0.5*sin(3*t)")


def struck_by_events(m: Model) -> None:
    m.event("low", "z(stone) < 0.4", action="impulse", body="stone", impulse=(0.3, 0, 1.0), at=(0.05, 0, 0.02))
    m.lock("hold", "rail", since=0.3)


SECTION = {"modulus": 2e8, "shear_modulus": 8e7, "area": 1e-4, "Iy": 2e-8, "Iz": 1e-8, "J": 2e-8, "second_axis": "y"}
ELEMENTS: dict[str, Callable[[Model], object]] = {
    "nothing more": lambda m: None,
    "fixed": lambda m: m.fixed("it", "bar", "stone", at=TIP),
    "planar": lambda m: m.planar("it", m.ground, "stone", at=(0, 0, 0), axis="y"),
    "revolute that closes a loop": lambda m: m.revolute("it", "bar", "stone", at=(0.3, 0, 0.6), axis="y"),
    "prismatic between bodies": lambda m: m.prismatic("it", "bar", "stone", at=(0.3, 0, 0.6), axis=(1, 0, 1)),
    "distance": lambda m: m.distance("it", "bar", "stone", points=(TIP, (0.3, 0, 0.6))),
    "gear": geared,
    "coupler": lambda m: m.coupler("it", ["pin", "rail"], [1.0, 2.0]),
    "rack and pinion": racked,
    "rolling disc": rolled,
    "driver": lambda m: m.driver("it", "pin", "0.3*sin(5*t)"),
    "driver by velocity": lambda m: m.driver("it", "rail", velocity="0.4*cos(3*t)"),
    "driver of a body": lambda m: m.driver("it", body="stone", coordinate="x", motion="0.3 + t"),
    "spring": lambda m: m.spring_damper("it", "bar", "stone", points=(TIP, (0.3, 0, 0.6)), stiffness=50, damping=1),
    "spring by a law": lambda m: m.spring_damper("it", "bar", "stone", points=(TIP, (0, 0, 0.6)), force="40*(l-1)^3+v"),
    "torsional spring": lambda m: m.torsional_spring_damper("it", "pin", stiffness=3.0, damping=0.1, free_angle=0.5),
    "applied force": lambda m: m.applied_force("it", "bar", force=("3*t", 0, 1.0), torque=(0, 0.5, 0), axes="body"),
    "force by measures": lambda m: m.applied_force("it", "stone", force=("-5*x(stone)", 0, "-2*vz(stone)")),
    "joint force": lambda m: m.joint_force("it", "rail", "3*sin(4*t) - 2*v - q"),
    "friction": lambda m: m.friction("it", "rail", viscous=0.3, coulomb=0.5, smoothing=0.05),
    "friction by load": lambda m: m.friction("it", "pin", coefficient=0.3, radius=0.05, smoothing=0.2),
    "friction by load of a slide": lambda m: m.friction("it", "rail", coefficient=0.2, smoothing=0.1),
    "stop": lambda m: m.stop("it", "pin", lower=-0.1, upper=0.1, stiffness=500.0, damping=0.2),
    "bushing": lambda m: m.bushing(
        "it", "bar", "stone", at=(0.3, 0, 0.6), stiffness=(90, 70, 80, 3, 2, 4), damping=(1, 1, 2, 0.1, 0.1, 0.1)
    ),
    "beam": lambda m: m.beam("it", "bar", "stone", points=(TIP, (0.3, 0, 0.6)), damping=1e-3, **SECTION),
    "contact": lambda m: m.contact(
        "it", "stone", shape="sphere", radius=0.1, plane_at=(0, 0, 0.3), normal=(0.3, 0, 1), stiffness=3e3, damping=0.2,
        friction=0.4, smoothing=0.02,
    ),
    "contact of a box": lambda m: m.contact(
        "it", "stone", shape="box", size=(0.2, 0.2, 0.1), plane_at=(0, 0, 0.3), normal=(0.3, 0, 1), stiffness=3e3,
        damping=0.2, friction=0.4, smoothing=0.02,
    ),
    "contact with a body": lambda m: m.contact("it", "stone", against="bar", plane_at=BAR, normal="z", stiffness=3e3),
    "motor": motored,
    "controller": lambda m: m.controller("it", "pin", "0.4*t", p=10, i=3, d=1, limit=4.0),
    "python force": lambda m: m.python_force("it", lambda t, x: (-3 * x[0], 0, t), inputs=["x(stone)"], body="stone"),
    "events and locks": struck_by_events,
    "impulse": lambda m: m.impulse("it", "bar", 0.1, impulse=(0.5, 0, 1.0), moment=(0, 0.1, 0), at=(0.2, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTS)
def test_in_the_plane_as_in_space(name: str) -> None:
    runs = []
    for plane, formulation in (("xz", "absolute"), (None, "joint")):
        m = base(plane)
        ELEMENTS[name](m)
        m.measure("far", "dist(bar, stone)")
        m.measure("turned", "wy(stone)")
        runs.append(m.simulate(0.5, rtol=1e-9, every=0.05, formulation=formulation, progress=False))
    flat, space = runs
    bodies = [body.name for body in m.mechanism.body]
    assert len(flat.result.names["v"]) == 3 * len(bodies)
    for body in bodies:
        np.testing.assert_allclose(flat.position(body), space.position(body), atol=1e-7, err_msg=body)
        np.testing.assert_allclose(flat.angular_velocity(body), space.angular_velocity(body), atol=1e-6, err_msg=body)
        assert np.abs(space.position(body)[:, 1]).max() < 1e-9
    for channel in ("far", "turned", "energy.work"):
        np.testing.assert_allclose(flat[channel], space[channel], atol=1e-6)
