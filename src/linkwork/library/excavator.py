"""An excavator: boom, stick and bucket moved by three hydraulic cylinders, on a house that swings.

All points of the arm are in the plane x-z of the house (m), x forward.  Each cylinder is a universal, a prismatic and a
spherical joint, the bucket's link a universal and a spherical one: so there is no redundant equation, and every load
is unique.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass

import numpy as np

from linkwork.elements.solids.shapes import sphere
from linkwork.errors import OptionError
from linkwork.library.constants import GRAVITY
from linkwork.library.solids import Solid, bar, block, disc, made_of, tube
from linkwork.library.units import Kilograms, Seconds
from linkwork.model import Model
from linkwork.numerics.rotations import euler_parameters, frame_with_axis

# Points as complex numbers x + i z, m.  On the house:
BOOM_FOOT, BOOM_CYLINDER = 0.4 + 1.75j, 1.0 + 1.35j
# On the boom, x from its foot to the pivot of the stick:
STICK_PIVOT, BOOM_KNEE, BOOM_ROD, STICK_CYLINDER = 5.6 + 0j, 2.5 + 1.0j, 2.55 + 0.7j, 2.6 + 1.35j
# On the stick, x from its pivot to that of the bucket:
BUCKET_PIVOT, STICK_ROD, BUCKET_CYLINDER, ROCKER_PIVOT = 2.9 + 0j, -0.75 + 0.2j, 0.3 + 0.6j, 2.45 + 0.05j
# On the bucket, x from its pivot to the teeth:
BUCKET_EAR, TEETH = -0.1 + 0.45j, 1.45 + 0j
ROCKER, LINK = 0.6, 0.6  # m

# One cycle: at these shares of it the boom's angle to the horizontal, those of stick and bucket to the part before, deg
CYCLE = (0.0, 0.2, 0.4, 0.55, 0.7, 0.85, 1.0)
BOOM = (20.0, 6.0, 8.0, 35.0, 42.0, 34.0, 20.0)
STICK = (-75.0, -65.0, -105.0, -115.0, -80.0, -70.0, -75.0)
BUCKET = (-25.0, -15.0, -75.0, -125.0, -45.0, 0.0, -25.0)
SWING = (0.0, 0.0, 0.0, 30.0, 75.0, 45.0, 0.0)


@dataclass(frozen=True)
class Pose:
    """Where the points of the arm are, in the plane of the house, m."""

    boom: complex  # directions, of unit length
    stick: complex
    bucket: complex
    knee: complex
    stick_pivot: complex
    bucket_pivot: complex
    rocker_pivot: complex
    rocker_end: complex
    ear: complex
    teeth: complex
    cylinders: tuple[tuple[complex, complex], ...]  # ends of the cylinders of boom, stick and bucket


def arm_pose(boom: float, stick: float, bucket: float) -> Pose:
    """The arm at these angles (deg): the boom's to the horizontal, the others' to the part before."""
    a, b, c = (cmath.exp(1j * math.radians(total)) for total in (boom, boom + stick, boom + stick + bucket))
    pivot = BOOM_FOOT + STICK_PIVOT * a
    hinge = pivot + BUCKET_PIVOT * b
    ear, rocker = hinge + BUCKET_EAR * c, pivot + ROCKER_PIVOT * b
    end = rocker + _meeting(ear - rocker)
    cylinders = (
        (BOOM_CYLINDER, BOOM_FOOT + BOOM_ROD * a),
        (BOOM_FOOT + STICK_CYLINDER * a, pivot + STICK_ROD * b),
        (pivot + BUCKET_CYLINDER * b, end),
    )
    return Pose(a, b, c, BOOM_FOOT + BOOM_KNEE * a, pivot, hinge, rocker, end, ear, hinge + TEETH * c, cylinders)


def _meeting(ear: complex) -> complex:
    """Where rocker and link meet, from the rocker's pivot: the triangle over the line to the bucket's ear."""
    cosine = (ROCKER**2 + abs(ear) ** 2 - LINK**2) / (2.0 * ROCKER * abs(ear))
    return ROCKER * ear / abs(ear) * cmath.exp(1j * math.acos(cosine))


def excavator(period: Seconds = 12.0, payload: Kilograms = 800.0) -> Model:
    """An excavator digs, lifts, swings and dumps: three hydraulic cylinders and a swing drive, given by tables.

    One cycle lasts `period` (s); `payload` (kg) is what the bucket carries all the time.
    """
    if payload < 0.0 or period <= 0.0:
        raise OptionError(
            f"payload is {payload:g} kg, period {period:g} s; need payload >= 0 and period > 0", element="payload"
        )
    m = Model("excavator", gravity=GRAVITY, duration=period)
    poses = [arm_pose(*angles) for angles in zip(BOOM, STICK, BUCKET, strict=True)]
    start = poses[0]
    _house(m)
    _arm(m, start, payload)
    times = [period * share for share in CYCLE]
    for k, name in enumerate(("boom", "stick", "bucket")):
        below = ("house", "boom", "stick")[k]
        above = ("boom", "stick", "rocker")[k]
        _cylinder(m, name, below, above, *start.cylinders[k], _stroke(poses, k))
        m.table(f"{name} program", times, [abs(pose.cylinders[k][1] - pose.cylinders[k][0]) for pose in poses])
        m.driver(f"{name} valve", f"{name} stroke", f"table('{name} program', t)")
        m.measure(f"{name} cylinder", f"coordinate('{name} stroke')", unit="m")
    m.table("swing program", times, [math.radians(angle) for angle in SWING])
    m.driver("swing drive", "swing", "table('swing program', t)")
    m.frame("teeth", "bucket", at=_xz(start.teeth - start.bucket_pivot))
    m.measure("reach of the teeth", "sqrt(x(teeth)^2 + y(teeth)^2)", unit="m")
    m.measure("height of the teeth", "z(teeth)", unit="m")
    return m


def _house(m: Model) -> None:
    """The upper structure with cab and counterweight, on tracks that stand still."""
    deck = block((4.2, 2.6, 0.25), (-0.9, 0, 1.15), 2000.0)
    cab, engine = block((1.5, 0.9, 1.4), (0.3, 0.85, 2.0), 300.0), block((1.6, 2.6, 0.9), (-2.2, 0, 1.75), 1500.0)
    horns = [bar((0.9, s, 1.3), _xz(BOOM_FOOT) + np.array([0, s, 0]), 0.08, 0.35) for s in (-0.3, 0.3)]
    ring = disc((0, 0, 0.85), (0, 0, 1), 0.8, 0.35, 2000.0)
    m.body("house", **made_of(deck, cab, engine, *horns, ring, at=(0, 0, 1)))
    tracks = [block((4.0, 0.6, 0.7), (0, s, 0.35), 3000.0) for s in (-1.0, 1.0)]
    m.body("tracks", **made_of(*tracks, block((1.6, 1.6, 0.3), (0, 0, 0.5), 3000.0), at=(0, 0, 0.5)))
    m.fixed("standing", m.ground, "tracks")
    m.revolute("swing", "tracks", "house", at=(0, 0, 1), axis="z")


def _arm(m: Model, pose: Pose, payload: float) -> None:
    """Boom, stick, bucket, and the rocker and link that move the bucket."""
    foot, knee, pivot, hinge = map(_xz, (BOOM_FOOT, pose.knee, pose.stick_pivot, pose.bucket_pivot))
    tail, rocker, end, ear = map(_xz, (pose.cylinders[1][1], pose.rocker_pivot, pose.rocker_end, pose.ear))
    m.body("boom", **made_of(bar(foot, knee, 0.35, 0.5, 2200.0), bar(knee, pivot, 0.35, 0.4, 2200.0), at=foot))
    m.body("stick", **made_of(bar(tail, pivot, 0.3, 0.35, 2500.0), bar(pivot, hinge, 0.3, 0.35, 2200.0), at=pivot))
    m.body("bucket", **made_of(*_bucket(pose, payload), at=hinge))
    m.body("rocker", **made_of(*_pair(rocker, end, 0.2), at=rocker))
    m.body("link", **made_of(*_pair(end, ear, 0.12), at=end))
    m.revolute("boom foot", "house", "boom", at=foot, axis="-y")
    m.revolute("stick pivot", "boom", "stick", at=pivot, axis="-y")
    m.revolute("bucket pivot", "stick", "bucket", at=hinge, axis="-y")
    m.revolute("rocker pivot", "stick", "rocker", at=rocker, axis="-y")
    m.universal("link head", "rocker", "link", at=end, axis="y", second_axis=np.cross(ear - end, [0.0, 1.0, 0.0]))
    m.spherical("link foot", "link", "bucket", at=ear)


def _pair(a: np.ndarray, b: np.ndarray, half: float) -> list[Solid]:
    """Two flat bars side by side."""
    return [bar(a + np.array([0, s * half, 0]), b + np.array([0, s * half, 0]), 0.05, 0.14) for s in (-1, 1)]


def _bucket(pose: Pose, payload: float) -> list[Solid]:
    """Back, floor and sides of the bucket, and what it carries as a ball inside."""
    c, hinge = pose.bucket, pose.bucket_pivot
    ear, back, teeth = hinge + BUCKET_EAR * c, hinge + (0.55 + 0.85j) * c, pose.teeth
    inside = hinge + (0.6 + 0.35j) * c
    floor = [bar(_xz(a), _xz(b), 1.1, 0.05) for a, b in ((ear, back), (back, teeth), (hinge, ear))]
    radius = 0.38
    load = [Solid(sphere(radius=radius, mass=payload), _xz(inside), np.eye(3))] if payload > 0.0 else []
    return [*floor, *load]


def _cylinder(
    m: Model, name: str, below: str, above: str, foot: complex, head: complex, stroke: tuple[float, float]
) -> None:
    """A hydraulic cylinder between two bodies; its joint coordinate is its length from pin to pin."""
    a, b = _xz(foot), _xz(head)
    along = (b - a) / np.linalg.norm(b - a)
    shortest, longest = stroke
    barrel, rod = f"{name} barrel", f"{name} rod"
    turn = euler_parameters(frame_with_axis(along))
    m.body(barrel, **made_of(tube(a, a + 0.9 * shortest * along, 0.1, 4000.0), at=a))
    m.body(rod, **made_of(tube(b - (longest - 0.8 * shortest) * along, b, 0.055), at=b))
    m.frame(f"{name} cylinder foot", barrel, orientation=turn)
    m.frame(f"{name} cylinder head", rod, orientation=turn)
    m.universal(f"{name} foot pin", below, barrel, at=a, axis="y", second_axis=np.cross(along, [0.0, 1.0, 0.0]))
    m.prismatic(f"{name} stroke", barrel, rod, frames=(f"{name} cylinder foot", f"{name} cylinder head"))
    m.spherical(f"{name} head pin", rod, above, at=b)


def _stroke(poses: list[Pose], k: int) -> tuple[float, float]:
    """Least and greatest length (m) of a cylinder in the cycle."""
    lengths = [abs(pose.cylinders[k][1] - pose.cylinders[k][0]) for pose in poses]
    return min(lengths), max(lengths)


def _xz(point: complex) -> np.ndarray:
    return np.array([point.real, 0.0, point.imag])
