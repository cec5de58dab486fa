"""The search for a balanced position, r = 0 in the independent coordinates (reduction.py).

Newton along the forces, then plain Newton (newton.py), then dynamic relaxation: the motion from rest, stopped whenever
its kinetic energy has a peak (Day 1965).  What the balance leaves free is then put back to where it was (neutral.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.neutral import put_back
from linkwork.analyses.steady.search.newton import (
    along_forces,
    limited,
    plain_newton,
    polished,
    well_described,
    with_states,
)
from linkwork.analyses.steady.search.residual import balanced, merit, no_equilibrium
from linkwork.errors import NumericalError

NEWTON, BALANCED_ALREADY = "newton", "already balanced"
RELAXATIONS = 4000  # steps of dynamic relaxation
STIFFNESS_EVERY = 50  # steps for which a stiffness is kept


class Found(NamedTuple):
    """A balanced point, by which search it was found, the number of its iterations, and the neutral coordinates."""

    point: Point
    how: str
    iterations: int
    neutral: tuple[str, ...]  # which are where they were assembled


def find_balance(reduction: Reduction, start: Point) -> Found:
    """The balance that the first of the searches finds; a NumericalError names what remains if none does."""
    point, how, count = _searched(reduction, start)
    there, neutral = put_back(reduction, point)
    return Found(there, how, count, neutral)


def _searched(reduction: Reduction, start: Point) -> tuple[Point, str, int]:
    if balanced(reduction, start):
        return polished(reduction, start), BALANCED_ALREADY, 0
    if len(reduction.states):
        return _find_with_states(reduction, start)
    best, count = start, 0
    for attempt in (along_forces, plain_newton):
        point, used = attempt(reduction, start)
        count += used
        if balanced(reduction, point):
            return polished(reduction, point), NEWTON, count
        best = min(best, point, key=merit)
    relaxed = relaxation(reduction, start)
    point, used = along_forces(reduction, relaxed)
    if balanced(reduction, point):
        return polished(reduction, point), "dynamic relaxation", count + used
    raise no_equilibrium(reduction, min(best, relaxed, point, key=merit))


def _find_with_states(reduction: Reduction, start: Point) -> tuple[Point, str, int]:
    """Displacements and auxiliary states together, by Newton; if that fails, first along the forces alone."""
    point, count = with_states(reduction, start)
    how = NEWTON
    if not balanced(reduction, point):
        there, before = along_forces(reduction, start)
        point, after = with_states(reduction, there)
        count, how = count + before + after, "the forces, then newton"
    if not balanced(reduction, point):
        raise no_equilibrium(reduction, point)
    return point, how, count


def relaxation(reduction: Reduction, point: Point) -> Point:
    """M_hat z' = r from rest, z set to zero at each peak of the kinetic energy; steps by the stiffest mode."""
    z, energy, step = np.zeros(len(point.r)), 0.0, 0.0
    for n in range(RELAXATIONS):
        before, point = point, well_described(reduction, point)
        if point is not before:  # from rest, in other coordinates
            z, energy = np.zeros_like(z), 0.0
        if point is not before or n % STIFFNESS_EVERY == 0:
            step = _time_step(reduction, point)
        z = z + step * np.linalg.solve(point.M_hat, point.r)
        kinetic = float(z @ point.M_hat @ z)
        if kinetic < energy:
            z, energy = np.zeros_like(z), 0.0
            if balanced(reduction, point):
                break
            continue
        energy = kinetic
        try:
            point = reduction.moved(point, limited(reduction, step * z))
        except NumericalError:
            z, energy, step = np.zeros_like(z), 0.0, 0.5 * step
    return point


def _time_step(reduction: Reduction, point: Point) -> float:
    """1 / omega of the stiffest mode (s); without stiffness by the acceleration."""
    from scipy.linalg import eigh

    K = reduction.stiffness(point)
    stiffest = float(np.abs(eigh(0.5 * (K + K.T), point.M_hat, eigvals_only=True)).max(initial=0.0))
    acceleration = np.sqrt(merit(point) / max(float(np.trace(point.M_hat)), 1e-300))
    return float(1.0 / np.sqrt(stiffest) if stiffest > 0.0 else 0.1 / max(np.sqrt(acceleration), 1e-3))
