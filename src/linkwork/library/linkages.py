"""Linkages: closed loops, among them the examples of the founding papers."""

from __future__ import annotations

import cmath
import math

import numpy as np

from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY
from linkwork.library.solids import ALUMINIUM, Solid, bar, block, made_of
from linkwork.library.units import Metres, Number, RadiansPerSecond
from linkwork.model import Model


def n_four_bar(n: Number = 2) -> Model:
    """IFToMM A02: n four-bars in a row, every link a rod of 1 m and 1 kg, started upright at 1 m/s."""
    if n < 1 or n > 10_000 or n != int(n):
        raise OptionError(f"n is {n:g}; give a whole number of four-bars, 1 to 10000", element="n")
    m = Model("n-four-bar", gravity=GRAVITY, plane="xz", duration=10.0)
    count = int(n)
    mass, inertia = 1.0, (1e-3, 1 / 12, 1 / 12)  # kg, kg m2, of every link
    for i in range(count + 1):
        crank = m.body(f"crank{i}", at=(i, 0, 0.5), angle=-math.pi / 2, axis="y", mass=mass, inertia=inertia,
                       angular_velocity=(0.0, 1.0, 0.0), velocity=(0.5, 0.0, 0.0))  # fmt: skip
        m.revolute(f"pivot{i}", m.ground, crank, at=(i, 0, 0), axis="-y")
        if i:
            bar = m.body(f"bar{i}", at=(i - 0.5, 0, 1), mass=mass, inertia=inertia)
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


def quick_return(
    crank: Metres = 0.2,
    offset: Metres = 0.1,
    arm: Metres = 0.15,
    link: Metres = 0.45,
    speed: RadiansPerSecond = 6.283185307179586,
) -> Model:
    """Whitworth's quick-return of a shaping machine: slow cutting stroke, fast return, crank at constant speed.

    The crank (m) turns at `speed` (rad/s) about a pivot `offset` (m) above that of the slotted lever, which it drives
    by a block in the slot; the lever's `arm` (m) moves the ram by a `link` (m).  With crank > offset the lever turns
    all the way round, and the strokes last in the ratio (pi + 2 a) / (pi - 2 a), sin a = offset / crank.
    """
    if not crank > offset > 0.0 or not link > arm > 0.0:
        values = f"crank is {crank:g} m, offset {offset:g} m, arm {arm:g} m, link {link:g} m"
        raise OptionError(
            f"{values}; need crank > offset > 0 (else the lever cannot turn round) and link > arm > 0", element="crank"
        )
    m = Model("quick-return", gravity=GRAVITY, plane="xz", duration=2.0)
    pivot, pin = np.array([0.0, 0.0, offset]), np.array([crank, 0.0, offset])
    along = pin / np.linalg.norm(pin)
    elbow = -arm * along
    ram = np.array([elbow[0] + math.sqrt(link**2 - elbow[2] ** 2), 0.0, 0.0])
    w = 0.12 * crank  # m, width of the bars; they lie in layers along y
    back, front = np.array([0.0, 1.2 * w, 0.0]), np.array([0.0, -1.2 * w, 0.0])
    end = (crank + offset + 2 * w) * along
    slot = np.array([-along[2], 0.0, along[0]]) * 0.75 * w
    m.body("crank", **made_of(bar(pivot + back, pin + back, w), at=pivot))
    m.body("block", **made_of(bar(pin - w * along, pin + w * along, w, 0.9 * w), at=pin))
    rails = [bar(elbow + side, end + side, w, 0.5 * w) for side in (slot, -slot)]
    m.body("lever", **made_of(*rails, at=(0, 0, 0)))
    m.body("link", **made_of(bar(elbow + front, ram + front, w, density=ALUMINIUM), at=elbow))
    m.body("ram", **made_of(block((crank, 2 * w, 2 * w), ram), at=ram))
    m.revolute("crank shaft", m.ground, "crank", at=pivot, axis="-y")
    m.revolute("crank pin", "crank", "block", at=pin, axis="-y")
    m.prismatic("slot", "lever", "block", at=pin, axis=along)
    m.revolute("lever pivot", m.ground, "lever", at=(0, 0, 0), axis="-y")
    m.revolute("elbow", "lever", "link", at=elbow, axis="-y")
    m.revolute("wrist", "link", "ram", at=ram, axis="-y")
    m.prismatic("guide", m.ground, "ram", at=ram, axis="x")
    m.driver("motor", "crank shaft", f"{speed!r}*t")
    m.measure("ram position", "x(ram)", unit="m")
    m.measure("ram speed", "vx(ram)", unit="m/s")
    return m


def windscreen_wiper(
    crank: Metres = 0.045, rocker: Metres = 0.065, rod_length: Metres = 0.4, speed: RadiansPerSecond = 4.71238898038469
) -> Model:
    """A windscreen wiper: a motor's crank turns, two arms sweep to and fro together.

    The crank (m) drives the left rocker (m) by a rod (m), a second rod ties the right rocker to the left as a
    parallelogram.  Speed in rad/s (45 turns a minute); the blades rub on the glass with 2 N m s/rad at each arm.
    """
    m = Model("windscreen-wiper", gravity=(0.0, 0.0, 0.0), plane="xz", duration=4.0)
    motor, left, right = np.array([0.0, 0.0, -0.05]), np.array([-0.4, 0.0, 0.0]), np.array([0.3, 0.0, 0.0])
    ground = math.hypot(*(motor - left))
    if crank <= 0.0 or rod_length - crank <= abs(ground - rocker) or rod_length + crank >= ground + rocker:
        links = f"a rocker of {rocker:g} m and a rod of {rod_length:g} m over {ground:.4g} m"
        raise OptionError(
            f"a crank of {crank:g} m cannot turn round with {links}; choose a shorter crank", element="crank"
        )
    pin = motor + np.array([0.0, 0.0, crank])
    end = left + meeting(pin - left, rod_length, rocker)
    across = right - left
    w = 0.012  # m, width of the bars
    arm = rotated(end - left, math.radians(52.0)) / rocker
    m.body("crank", **made_of(bar(motor, pin, w), at=motor))
    m.body("drive rod", **made_of(bar(pin, end, w, density=ALUMINIUM), at=pin))
    m.body("tie rod", **made_of(bar(end, end + across, w, density=ALUMINIUM), at=end))
    for name, foot, reach in (("left arm", left, 0.5), ("right arm", right, 0.45)):
        lever = bar(foot, foot + (end - left), w)
        stem, blade = bar(foot, foot + 0.8 * reach * arm, w), _blade(foot, arm, reach)
        m.body(name, **made_of(lever, stem, blade, at=foot))
    m.revolute("motor shaft", m.ground, "crank", at=motor, axis="-y")
    m.revolute("crank pin", "crank", "drive rod", at=pin, axis="-y")
    m.revolute("rocker pin", "drive rod", "left arm", at=end, axis="-y")
    m.revolute("left pivot", m.ground, "left arm", at=left, axis="-y")
    m.revolute("tie pin left", "left arm", "tie rod", at=end, axis="-y")
    m.revolute("tie pin right", "tie rod", "right arm", at=end + across, axis="-y")
    m.revolute("right pivot", m.ground, "right arm", at=right, axis="-y")
    m.driver("motor", "motor shaft", f"{speed!r}*t")
    for side in ("left", "right"):
        m.friction(f"{side} blade", f"{side} pivot", viscous=2.0)
        m.measure(f"{side} angle", f"coordinate('{side} pivot')", unit="rad")
    m.measure("arm speed", "velocity('left pivot')", unit="rad/s")
    return m


def _blade(foot: np.ndarray, arm: np.ndarray, reach: float) -> Solid:
    """A wiper blade along the outer part of its arm."""
    lift = np.array([0.0, -0.012, 0.0])
    return bar(foot + 0.3 * reach * arm + lift, foot + 1.2 * reach * arm + lift, 0.01, 0.02, density=1200.0)


def meeting(p: np.ndarray, far: float, near: float) -> np.ndarray:
    """Where the circle of radius `far` about p meets that of radius `near` about the origin (m), in the plane x-z.

    Of the two points the one on the left hand, seen from the origin towards p.
    """
    distance = math.hypot(p[0], p[2])
    if not abs(far - near) <= distance <= far + near:
        raise OptionError(
            f"links of {far:g} m and {near:g} m do not meet over {distance:g} m; change one of the lengths",
            element="length",
        )
    cosine = (near**2 + distance**2 - far**2) / (2.0 * near * distance)
    return near / distance * rotated(p, math.acos(cosine))


def rotated(p: np.ndarray, angle: float) -> np.ndarray:
    """A vector turned in the plane x-z by an angle (rad) from x to z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * p[0] - s * p[2], 0.0, s * p[0] + c * p[2]])
