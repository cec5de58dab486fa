"""Machines: shafts."""

from __future__ import annotations

import math

import numpy as np

from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY
from linkwork.library.solids import Solid, bar, disc, made_of, tube
from linkwork.library.units import Degrees, RadiansPerSecond
from linkwork.model import Model
from linkwork.numerics.rotations import axis_rotation, euler_parameters, frame_with_axis


def hooke_shaft(angle: Degrees = 30.0, phase: Degrees = 0.0, speed: RadiansPerSecond = 12.566370614359172) -> Model:
    """A double Cardan shaft: two universal joints; the shaft between them turns unevenly, the output does not.

    Input and output are parallel, the shaft between them stands at an `angle` (deg) to both; the input turns at `speed`
    (rad/s), the output drives a flywheel against 0.5 N m s/rad.  `phase` (deg) is the angle between the two yokes of
    the middle shaft: with 0 the two errors cancel, with 90 they add up.
    """
    if not 0.0 <= angle < 80.0:
        raise OptionError(f"angle is {angle:g} deg; the joints bend by 0 to 80 deg", element="angle")
    m = Model("hooke-shaft", gravity=GRAVITY, duration=1.0)
    bend, twist, reach, r = math.radians(angle), math.radians(phase), 0.4, 0.02
    x = np.array([1.0, 0.0, 0.0])
    along = np.array([math.cos(bend), 0.0, -math.sin(bend)])
    first = np.zeros(3)
    second = reach * along
    yoke = np.array([0.0, 1.0, 0.0])  # pins: on the input, on both ends of the middle shaft, on the output
    middle_in = np.cross(yoke, along)
    middle_out = axis_rotation(along, twist) @ middle_in
    yoke_out = np.cross(middle_out, x) / np.linalg.norm(np.cross(middle_out, x))
    m.body("input", **made_of(tube(-0.25 * x, -0.05 * x, r), *_yoke(first, -x, yoke), at=-0.14 * x))
    m.body("middle", **made_of(tube(0.05 * along, second - 0.05 * along, r), *_yoke(first, along, middle_in),
                               *_yoke(second, -along, middle_out), at=second / 2))  # fmt: skip
    m.body("output", **made_of(tube(second + 0.05 * x, second + 0.25 * x, r), *_yoke(second, x, yoke_out),
                               disc(second + 0.2 * x, x, 0.1, 0.03), at=second + 0.14 * x))  # fmt: skip
    m.revolute("input bearing", m.ground, "input", at=-0.2 * x, axis="x")
    m.universal("input joint", "input", "middle", at=first, axis=yoke, second_axis=middle_in)
    m.universal("output joint", "middle", "output", at=second, axis=middle_out, second_axis=yoke_out)
    m.cylindrical("output bearing", m.ground, "output", at=second + 0.12 * x, axis="x")
    m.driver("motor", "input bearing", f"{speed!r}*t")
    m.friction("load", "output bearing", coordinate="angle", viscous=0.5)
    m.frame("middle line", m.ground, at=first, orientation=euler_parameters(frame_with_axis(along)))
    m.measure("input speed", "velocity('input bearing')", unit="rad/s")
    m.measure("middle speed", "wz(middle, 'middle line')", unit="rad/s")
    m.measure("output speed", "velocity('output bearing', angle)", unit="rad/s")
    return m


def _yoke(joint: np.ndarray, shaft: np.ndarray, pin: np.ndarray) -> list[Solid]:
    """A fork from a shaft (a direction away from the joint) to the ends of a pin of the joint's cross."""
    root, gap = joint + 0.05 * shaft, 0.03 * pin
    prongs = [bar(root + s * gap, joint + s * gap, 0.02, 0.012) for s in (-1.0, 1.0)]
    return [bar(root - 1.2 * gap, root + 1.2 * gap, 0.02, 0.012), *prongs]
