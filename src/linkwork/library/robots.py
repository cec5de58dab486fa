"""Robots: an arm, an open chain with driven, locked and free joints; a platform on six driven legs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY, INCH, POUND, POUND_INCH_SECOND2
from linkwork.library.solids import ALUMINIUM, block, disc, made_of, tube
from linkwork.library.units import Degrees, Metres, Number, Seconds
from linkwork.model import Model
from linkwork.numerics.rotations import axis_rotation, euler_parameters, frame_with_axis

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


def rrc_arm(case: Number = 0) -> Model:
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


# A motion platform: joints in pairs on two circles, m and deg.
PLATFORM_BASE, PLATFORM_TOP, PLATFORM_HEIGHT = 1.5, 1.1, 1.6
PLATFORM_SPREAD = (14.0, 46.0)  # half the angle between the two joints of a pair on the base, and on the platform


def stewart_platform(tilt: Degrees = 15.0, surge: Metres = 0.15, heave: Metres = 0.2, period: Seconds = 4.0) -> Model:
    """A Stewart platform: a cabin on six driven legs (universal, prismatic, spherical joints) that sways and tilts.

    The drivers of the legs are the inverse kinematics of the cabin's motion, w = 2 pi / period (s): roll = tilt sin wt
    about x, then pitch = tilt/2 sin 2wt about y (deg), x = surge sin wt, z = height + heave sin 2wt (m).
    """
    if period <= 0.0:
        raise OptionError(f"period is {period:g} s; it must be > 0", element="period")
    m = Model("stewart-platform", gravity=GRAVITY, duration=period)
    feet, heads = platform_joints()
    rise = np.array([0.0, 0.0, PLATFORM_HEIGHT])
    m.body("platform", **made_of(
        disc(rise + np.array([0, 0, 0.03]), (0, 0, 1), PLATFORM_TOP, 0.06, ALUMINIUM),
        block((1.3, 1.0, 0.9), rise + np.array([0, 0, 0.51]), 300.0), at=rise))  # fmt: skip
    wave = 2.0 * math.pi / period
    for i, (foot, head) in enumerate(zip(feet, heads + rise, strict=True), start=1):
        length = float(np.linalg.norm(head - foot))
        along = (head - foot) / length
        R = frame_with_axis(along)
        pin = np.cross([0.0, 0.0, 1.0], along)
        pin /= np.linalg.norm(pin)
        cylinder, rod = f"cylinder {i}", f"rod {i}"
        m.body(cylinder, **made_of(tube(foot + 0.12 * along, foot + 1.2 * along, 0.06), at=foot))
        m.body(rod, **made_of(tube(head - 1.1 * along, head - 0.06 * along, 0.035), at=head))
        m.frame(f"foot {i}", cylinder, orientation=euler_parameters(R))
        m.frame(f"head {i}", rod, orientation=euler_parameters(R))
        m.universal(f"base joint {i}", m.ground, cylinder, at=foot, axis=pin, second_axis=np.cross(along, pin))
        m.prismatic(f"leg {i}", cylinder, rod, frames=(f"foot {i}", f"head {i}"))
        m.spherical(f"top joint {i}", rod, "platform", at=head)
        m.driver(f"drive {i}", f"leg {i}", _leg_length(foot, heads[i - 1], math.radians(tilt), surge, heave, wave))
    m.measure("x of the platform", "x(platform)", unit="m")
    m.measure("z of the platform", "z(platform)", unit="m")
    return m


def platform_joints() -> tuple[np.ndarray, np.ndarray]:
    """Joints of the legs: on ground, and on the platform in its own frame [leg, 3], m."""
    circles = ((PLATFORM_BASE, PLATFORM_SPREAD[0]), (PLATFORM_TOP, PLATFORM_SPREAD[1]))
    feet, heads = (
        np.array([(radius * math.cos(a), radius * math.sin(a), 0.0)
                  for a in np.radians([120.0 * k + side * spread for k in range(3) for side in (-1, 1)])])
        for radius, spread in circles
    )  # fmt: skip
    return feet, heads


def _leg_length(foot: np.ndarray, head: np.ndarray, tilt: float, surge: float, heave: float, wave: float) -> str:
    """Length of a leg (m) over time: |p + Rx(roll) Ry(pitch) head - foot|."""
    roll, pitch = f"{tilt!r}*sin({wave!r}*t)", f"{tilt / 2!r}*sin({2 * wave!r}*t)"
    bx, by = float(head[0]), float(head[1])
    x = f"{surge!r}*sin({wave!r}*t) + {bx!r}*cos({pitch}) - {float(foot[0])!r}"
    y = f"{by!r}*cos({roll}) + {bx!r}*sin({pitch})*sin({roll}) - {float(foot[1])!r}"
    z = f"{PLATFORM_HEIGHT!r} + {heave!r}*sin({2 * wave!r}*t) + {by!r}*sin({roll}) - {bx!r}*sin({pitch})*cos({roll})"
    return f"sqrt(({x})^2 + ({y})^2 + ({z})^2)"
