"""Ride: the modes in which a vehicle bounces, pitches and rolls on its springs, and its wheels hop on their tyres."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.analyses.vibration.linearization import Linearization
from linkwork.analyses.vibration.modes import OSCILLATION, Mode, Modes
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_module
from linkwork.system.frames import given_poses

scipy_linalg = lazy_module("scipy.linalg")

STILL = 5e-4  # of the largest omega^2: below it a motion has no spring of its own
CHASSIS_MOTIONS = ("longitudinal", "lateral", "bounce", "roll", "pitch", "yaw")


@dataclass(frozen=True)
class RideMode:
    """A mode of a vehicle by what moves most: a motion of the chassis, or the wheels (`hop`)."""

    name: str
    frequency_hz: float  # of the motion on the springs, without dampers
    damping: float  # x^T C x / (2 omega x^T M x): a share of the critical damping
    shape: np.ndarray = field(repr=False)  # [independent]


def ride_modes(linear: Linearization, chassis: str) -> list[RideMode]:
    """Vibration on springs and tyres, the treads as they are: named `hop` where a wheel moves more than the chassis at
    its corners, else after the motion of the chassis.

    Without dampers, since a well damped pitch does not oscillate at all; K is taken symmetric, as springs make it.
    """
    mechanism = linear.reduction.mechanism
    poses, wheels = given_poses(mechanism), [tyre.body for tyre in mechanism.of(Tyre)]
    if chassis not in poses or not wheels:
        raise OptionError(f"there is no body '{chassis}' with tyres; {nearest(chassis, poses)}", element=chassis)
    arms = np.array([poses[wheel].p - poses[chassis].p for wheel in wheels])
    size = 0.5 * float(np.linalg.norm(arms, axis=1).max())  # lever that makes a rotation comparable with a translation
    squares, shapes = scipy_linalg.eigh(0.5 * (linear.K + linear.K.T), linear.M)
    moving = np.flatnonzero(squares > STILL * squares.max(initial=0.0))
    modes = Modes(linear, tuple(Mode(1j * np.sqrt(squares[k]), OSCILLATION, shapes[:, k]) for k in moving))
    found = []
    for n, mode in enumerate(modes):
        bodies = modes.body_shapes(n)
        own = bodies[chassis]
        corners = own.translation + np.cross(own.rotation, arms)
        hop = max(abs(complex(bodies[wheel].translation[2])) for wheel in wheels)
        parts = np.abs(np.concatenate([own.translation, size * own.rotation]))
        name = "hop" if hop > np.linalg.norm(corners, axis=1).max() else CHASSIS_MOTIONS[int(np.argmax(parts))]
        x = mode.shape
        damping = float(x @ linear.C @ x / (2.0 * mode.omega * (x @ linear.M @ x)))
        found.append(RideMode(name, mode.frequency_hz, damping, x))
    return found
