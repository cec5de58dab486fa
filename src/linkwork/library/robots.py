"""Robots: open chains with driven, locked and free joints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.api import Model
from linkwork.errors import OptionError
from linkwork.numerics.rotations import axis_rotation, euler_parameters

GRAVITY = (0.0, 0.0, -9.81)  # m/s2
INCH = 0.0254  # m
POUND = 0.45359237  # kg
POUND_INCH_SECOND2 = 0.1129848290276167  # kg m2
PITCH_JOINTS = (2, 4, 6)


@dataclass(frozen=True)
class ArmLink:
    """One link: modified Denavit-Hartenberg numbers of its joint, mass, inertia about and across its long axis."""

    a_before: float  # in
    alpha_before: float  # deg
    d: float  # in
    mass: float  # lb
    along: float  # lb in s2, about the long (roll) axis
    across: float  # lb in s2


# Masses and inertias: Kim & You 1996 (P2), Table 2, whose "slug" must be lb: 505 slugs would weigh 7 tonnes.  Geometry:
# the manufacturer's published nominal geometry of the RRC K-1607, modified Denavit-Hartenberg in Craig's convention,
# as recorded in Stephen Leake's public robot library; the paper's own figure is lost.
RRC_LINKS = (
    ArmLink(0.0, 0.0, 0.0, 229.5, 6.907, 10.0),
    ArmLink(0.0, 90.0, 0.0, 122.0, 3.056, 7.0),
    ArmLink(-5.625, -90.0, 27.0, 63.5, 1.773, 4.868),
    ArmLink(-4.25, 90.0, 0.0, 45.0, 1.559, 1.7823),
    ArmLink(4.25, -90.0, 27.0, 24.5, 0.374, 1.197),
    ArmLink(-3.125, 90.0, 0.0, 12.5, 0.299, 0.37),
    ArmLink(3.125, -90.0, 0.0, 8.0, 0.2, 0.2),
)
RRC_TOOL_PLATE = 6.6  # in, from the last joint's frame along its axis
RRC_SPRING = 1.7513e7  # N/m: the paper's number; it says lb/in, but 1e5 lb/in are 1.7513e7 N/m
RRC_SPRING_LENGTH = 1.0  # in


def rrc_arm(case: float = 0) -> Model:
    """P2's RRC 7-axis arm: roll joints 1, 3, 5, 7, pitch joints 2, 4, 6; case 0 is its run A, case 1 its run B.

    Run A (5 s): rolls locked, joint 2 driven by pi/3 sin(pi t/5), joints 4 and 6 free.  Run B (1 s): rolls and joint
    2 locked, joint 4 driven by pi/30 sin(pi t - pi), joint 6 free, a spring of 1.7513e7 N/m and 1 in from the tip to
    ground.  Case 2: all joints free.  All joints start at 0.

    Chosen here, because the paper does not say: the arm stands upright on its base, gravity along -z; the centre of
    mass of each link is in the middle between its joint and the next (the tool plate after the last); the spring is
    transverse to the arm in the pitch plane, along +x from the tip, and starts at its free length.
    """
    if case not in (0, 1, 2):
        raise OptionError(f"case is {case:g}; the RRC arm has case 0 (run A), 1 (run B) and 2 (all joints free)",
                          element="case")  # fmt: skip
    m = Model("rrc-arm", gravity=GRAVITY, duration=(5.0, 1.0, 1.0)[int(case)])
    frames = arm_frames()
    tip = frames[-1][1] + frames[-1][0][:, 2] * RRC_TOOL_PLATE * INCH
    ends = [p for _, p in frames[1:]] + [tip]
    for i, (link, (R, p), end) in enumerate(zip(RRC_LINKS, frames, ends, strict=True), start=1):
        long_axis = 1 if i in PITCH_JOINTS else 2  # y in the frames of pitch joints, z in those of roll joints
        inertia = [link.along if k == long_axis else link.across for k in range(3)]
        m.body(f"link {i}", mass=link.mass * POUND, inertia=np.array(inertia) * POUND_INCH_SECOND2,
               com=R.T @ (end - p) / 2.0, at=p, orientation=euler_parameters(R))  # fmt: skip
        inboard = f"link {i - 1}" if i > 1 else m.ground
        m.revolute(f"joint {i}", inboard, f"link {i}", at=p, axis=R[:, 2], start=0.0)
    if case == 2:
        return m
    for i in (1, 3, 5, 7):
        m.lock(f"lock {i}", f"joint {i}")
    if case == 0:
        m.driver("motor 2", "joint 2", "pi/3*sin(pi*t/5)")
    else:
        m.lock("lock 2", "joint 2")
        m.driver("motor 4", "joint 4", "pi/30*sin(pi*t - pi)")
        m.spring_damper("gripped", "link 7", m.ground, points=(tip, tip + np.array([RRC_SPRING_LENGTH * INCH, 0, 0])),
                        stiffness=RRC_SPRING)  # fmt: skip
    return m


def arm_frames() -> list[tuple[np.ndarray, np.ndarray]]:
    """Frames of the joints with all of them at 0: (R, p in m), each from the one before by Rx(alpha) Tx(a) Tz(d)."""
    R, p = np.eye(3), np.zeros(3)
    frames = []
    for link in RRC_LINKS:
        p = p + R[:, 0] * link.a_before * INCH
        R = R @ axis_rotation(np.array([1.0, 0.0, 0.0]), math.radians(link.alpha_before))
        p = p + R[:, 2] * link.d * INCH
        frames.append((R, p))
    return frames
