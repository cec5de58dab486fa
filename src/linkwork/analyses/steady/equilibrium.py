"""Equilibrium: static, or steady with chosen coordinates at constant speed (P4 section 2), and whether it is stable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.assembly import Start, meet_velocities, start_from
from linkwork.analyses.steady.balancing import find
from linkwork.analyses.steady.differences import ReductionByDifferences
from linkwork.analyses.steady.independent import measured_coordinates
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.steadiness import unsteady
from linkwork.elements.constraints.rows import ANGLE
from linkwork.mechanism import Mechanism
from linkwork.numerics.quadratic_eigen import (
    first_order_eigen,
    independent_shapes,
    quadratic_eigen,
    without_stiffness,
)
from linkwork.system.coordinates import body_poses


@dataclass(frozen=True)
class Equilibrium:
    """A balanced position, in the coordinates of its reduction."""

    reduction: Reduction
    point: Point
    status: str  # found
    how: str  # newton | dynamic relaxation | already balanced
    iterations: int
    stable: bool
    stability: str  # stable | neutral | unstable | undecided, in words
    eigenvalues: np.ndarray  # 1/s, of the motion about it
    residual: float  # largest entry of the balance, N or N m
    notes: tuple[str, ...]

    @property
    def coordinates(self) -> dict[str, float]:
        """Every coordinate by name, rad or m."""
        return self.reduction.coordinates(self.point)

    @property
    def units(self) -> dict[str, str]:
        """Units of the coordinates."""
        units = self.reduction.mechanism.coordinate_units()
        return {name: units.get(name, "") for name in self.coordinates}

    @property
    def driving(self) -> dict[str, float]:
        """What keeps the running coordinates at their speed, N m or N."""
        r = self.reduction
        return {c.name: float(0.0 - self.point.lam[row]) for c, row in zip(r.running, r.running_rows, strict=True)}

    @property
    def driving_units(self) -> dict[str, str]:
        """Units of what drives: N m of a coordinate that turns, N of one that slides."""
        r = self.reduction
        kinds = r.system.rows["kind"][r.running_rows]
        return {c.name: "N m" if kind == ANGLE else "N" for c, kind in zip(r.running, kinds, strict=True)}

    @property
    def positions(self) -> dict[str, np.ndarray]:
        """Origin of every body frame, m."""
        r = self.reduction
        r.real.evaluate(r.t, self.point.y, self.point.angles, 0)
        return {name: pose.p.copy() for name, pose in body_poses(r.compiled, r.real.work.R, r.real.work.p).items()}

    def __getitem__(self, name: str) -> float:
        return self.coordinates[name]


def equilibrium(
    mechanism: Mechanism,
    speeds: Mapping[str, float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    formulation: str = "joint",
    t: float = 0.0,
) -> Equilibrium:
    """Where the mechanism stays: assembled, reduced, balanced, judged.

    In absolute coordinates the search itself goes on in joint coordinates, where independent ones can be changed on the
    way; what is found is then balanced and judged by the absolute equations.
    """
    if formulation == "joint" or independent is not None:
        reduction = Reduction(mechanism, speeds, independent=independent, formulation=formulation, t=t)
        return balance(reduction, reduction.rough)
    found = equilibrium(mechanism, speeds, t=t)
    there = found.reduction
    mechanism = there.mechanism
    start = start_from(mechanism, formulation, there.real, found.point.y, found.point.angles, there.notes)
    measured = measured_coordinates(mechanism)
    names = found.reduction.names if all(name in measured for name in found.reduction.names) else None
    reduction = Reduction(mechanism, speeds, independent=names, formulation=formulation, t=t, start=start)
    return balance(reduction, reduction.rough)


def start_in_equilibrium(mechanism: Mechanism, formulation: str) -> Start:
    """A start where the forces are in balance at rest, then given the velocities that were said."""
    there = ReductionByDifferences(mechanism)
    found, _, _ = find(there, there.rough)
    y, angles = found.y.copy(), found.angles
    notes = (*there.notes, *unsteady(there, found), *meet_velocities(there.real, y, angles))
    return start_from(mechanism, formulation, there.real, y, angles, notes)


def balance(reduction: Reduction, start: Point) -> Equilibrium:
    """The equilibrium that is found from a point; a NumericalError names what remains if there is none."""
    point, how, iterations = find(reduction, start)
    reduction.choose_again(point.y, point.angles)
    point = reduction.point(point.y, point.angles)
    return described(reduction, point, how, iterations)


def described(reduction: Reduction, point: Point, how: str, iterations: int) -> Equilibrium:
    """A balanced point and whether it is stable; what is balanced for an instant only leaves that undecided."""
    eigenvalues, free = free_motion(reduction, point)
    stable, words = judged(eigenvalues, free)
    varying = unsteady(reduction, point)
    if varying and reduction.running:
        stable, words = False, "undecided: no steady state"
    return Equilibrium(
        reduction, point, "found", how, iterations, stable, words, eigenvalues,
        float(np.abs(point.r).max(initial=0.0)), (*reduction.notes, *varying),
    )  # fmt: skip


def free_motion(reduction: Reduction, point: Point) -> tuple[np.ndarray, int]:
    """Eigenvalues of M_hat x'' + C_hat x' + K_hat x = 0, 1/s, of rigid-body motions 0; and how many of these are."""
    K = reduction.stiffness(point)
    if len(reduction.states):
        s, X = first_order_eigen(reduction.system_matrix(point), len(point.r))
    else:
        s, X = quadratic_eigen(point.M_hat, reduction.damping(point), K)
    still, moving = without_stiffness(s, X, point.M_hat, K), np.linalg.norm(X, axis=0) > 1e-12
    free = len(independent_shapes(X[:, still], point.M_hat))
    return np.where(still, 0.0, s)[moving | ~still], free  # an idle state that moves nothing is left out


def judged(s: np.ndarray, free: int = 0) -> tuple[bool, str]:
    """Whether small disturbances stay small; `free`: motions without stiffness."""
    if not len(s):
        return True, "stable: nothing can move"
    largest = float(np.abs(s).max())
    noise = 1e-7 * np.abs(s) + 1e-10 * largest
    still = s == 0.0
    growing = s.real > noise
    if np.any(growing & ~still):
        worst = s[np.argmax(np.where(growing & ~still, s.real, -np.inf))]
        how = "diverges" if abs(worst.imag) < 1e-9 * abs(worst) else "flutters"
        return False, f"unstable: it {how}, growing as exp({worst.real:.4g} t)"
    if np.any(still):
        return True, f"neutral: {free} motion(s) without stiffness"
    return True, "stable"
