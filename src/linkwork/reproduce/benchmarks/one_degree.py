"""Mechanisms with one degree of freedom by energy, written without linkwork: J(q) q'^2 / 2 + V(q) = const.

    J q'' = -J'(q) q'^2 / 2 - V'(q)

J comes from the poses of the bodies as functions of q, differentiated by complex steps; J' and V' by differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

STEP, DIFFERENCE = 1e-30, 1e-4  # imaginary step; rad, for the fourth-order difference of J and V


@dataclass(frozen=True)
class Rigid:
    """A body: mass (kg), inertia about its centre of mass in its own axes (kg m2)."""

    mass: float
    inertia: np.ndarray  # [3, 3]


Pose = tuple[np.ndarray, np.ndarray]  # axes [3, 3], centre of mass [3]; complex where q is
Poses = Callable[[complex], Sequence[Pose]]


def inertia_and_height(bodies: Sequence[Rigid], poses: Poses, q: float) -> tuple[float, float]:
    """J(q) of all bodies (kg m2), and the sum of mass times height along z (kg m)."""
    J = moment = 0.0
    for body, (R, p) in zip(bodies, poses(q + 1j * STEP), strict=True):
        spin = (R.imag / STEP) @ R.real.T
        w = R.real.T @ np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        v = p.imag / STEP
        J += body.mass * v @ v + w @ body.inertia @ w
        moment += body.mass * p.real[2]
    return float(J), float(moment)


def motion(
    bodies: Sequence[Rigid], poses: Poses, q: float, rate: float, until: float, gravity: float = 9.81
) -> tuple[float, float]:
    """q and q' at a time (s), by DOP853 at 1e-12."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        samples = [inertia_and_height(bodies, poses, y[0] + k * DIFFERENCE) for k in (-2, -1, 0, 1, 2)]
        dJ, dh = (
            (samples[0][n] - 8 * samples[1][n] + 8 * samples[3][n] - samples[4][n]) / (12 * DIFFERENCE) for n in (0, 1)
        )
        return [y[1], (-0.5 * dJ * y[1] ** 2 - gravity * dh) / samples[2][0]]

    found = solve_ivp(rates, (0.0, until), [q, rate], method="DOP853", rtol=1e-12, atol=1e-12)
    return float(found.y[0, -1]), float(found.y[1, -1])
