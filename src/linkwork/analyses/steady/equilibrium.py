"""Equilibrium: static, or steady with chosen coordinates at constant speed (P4 section 2), and whether it is stable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.start.assembly import Start, start_from
from linkwork.analyses.start.start_velocities import meet_velocities
from linkwork.analyses.steady.independent import measured_coordinates
from linkwork.analyses.steady.path_dependence import refuse_path_dependence
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.balancing import find_balance
from linkwork.analyses.steady.steadiness import unsteady
from linkwork.mechanism import Mechanism
from linkwork.numerics.blas_threads import one_thread
from linkwork.numerics.quadratic_eigen import independent_shapes, natural_motions
from linkwork.system.coordinates import body_poses
from linkwork.system.units import generalized_force_unit, rate_unit
from linkwork.tables import Shown, Table, facts, warnings_of

NO_SHAPE = 1e-12  # a shape so small is of an auxiliary state alone
ROUNDING = 1e-14  # of a coordinate, rad or of the mechanism's size: shown as 0


@dataclass(frozen=True, repr=False)
class Equilibrium(Shown):
    """A balanced position, in the coordinates of its reduction."""

    reduction: Reduction
    point: Point
    status: str  # found
    how: str  # newton | the forces, then newton | dynamic relaxation | already balanced
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
        """Units of the driving forces: N m of a coordinate that turns, N of one that slides."""
        r = self.reduction
        return {c.name: generalized_force_unit(unit) for c, unit in zip(r.running, r.running_units, strict=True)}

    @property
    def positions(self) -> dict[str, np.ndarray]:
        """Origin of every body frame, m."""
        r = self.reduction
        r.real.evaluate(r.t, self.point.y, self.point.angles, 0)
        return {name: pose.p.copy() for name, pose in body_poses(r.compiled, r.real.work.R, r.real.work.p).items()}

    def __getitem__(self, name: str) -> float:
        return self.coordinates[name]

    def tables(self) -> list[Table]:
        """How it was found, stability, coordinates, what drives it."""
        running = zip(self.reduction.speeds_by_name().items(), self.reduction.running_units, strict=True)
        return [facts(f"{self.reduction.mechanism.name}: equilibrium", [
            ("status", f"{self.status} by {self.how}, {self.iterations} iterations" if self.iterations else self.how),
            ("stability", self.stability),
            ("residual", f"{self.residual:.2e} N or N m"),
            *((f"speed of {name}", f"{value:g} {rate_unit(unit)}") for (name, value), unit in running),
            *self.coordinate_facts(),
            *((f"driving of {name}", f"{value:.6g} {self.driving_units[name]}")
              for name, value in self.driving.items()),
            *warnings_of(self.notes),
        ])]  # fmt: skip

    def coordinate_facts(self) -> list[tuple[str, str]]:
        """Every coordinate with its unit."""
        length = float(self.reduction.system.whole[0]["length"])
        noise = {"m": ROUNDING * length, "rad": ROUNDING}
        shown = {k: 0.0 if abs(x) < noise.get(self.units[k], 0.0) else x for k, x in self.coordinates.items()}
        return [(name, f"{value:.8g} {self.units[name]}".rstrip()) for name, value in shown.items()]


def equilibrium(
    mechanism: Mechanism,
    speeds: Mapping[str, float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    formulation: str = "joint",
    t: float = 0.0,
) -> Equilibrium:
    """The position near the start with r = T^T (Q - M v_dot) = 0 at rest or at constant `speeds` (P4 section 2).

    `speeds`: rad/s or m/s by joint coordinate; `independent`: names of the coordinates to be used; t (s): when drivers
    and expressions are read.  Refused: speeds of coordinates that are driven or fixed, independent coordinates that do
    not determine the motion.  A NumericalError names the forces that remain where no balance is found.

    In absolute coordinates the search itself is done in joint coordinates, where independent ones can be exchanged
    while it goes on; the result is then balanced and judged by the absolute equations.
    """
    if formulation == "joint" or independent is not None:
        return balance(Reduction(mechanism, speeds, independent=independent, formulation=formulation, t=t))
    found = equilibrium(mechanism, speeds, t=t)
    there = found.reduction
    start = start_from(there.mechanism, formulation, there.real, found.point.y, found.point.angles, there.notes)
    measured = measured_coordinates(there.mechanism)
    names = there.names if all(name in measured for name in there.names) else None
    return balance(Reduction(there.mechanism, speeds, independent=names, formulation=formulation, t=t, start=start))


def start_in_equilibrium(mechanism: Mechanism, formulation: str) -> Start:
    """A start where the forces are in balance at rest, then with the velocities that the model gives; what is driven
    later is what the run is for.
    """
    there = Reduction(mechanism)
    with one_thread(there.layout.v_count):
        found = find_balance(there, there.rough)
    y, angles = found.point.y.copy(), found.point.angles
    notes = (*there.notes, *meet_velocities(there.real, y, angles))
    start = start_from(mechanism, formulation, there.real, y, angles, notes)
    return replace(start, assembled=there.start, neutral=found.neutral)


def balance(reduction: Reduction) -> Equilibrium:
    """The equilibrium that is found from the start; a NumericalError names what remains if there is none."""
    with one_thread(reduction.layout.v_count):
        point, how, iterations, _ = find_balance(reduction, reduction.rough)
        reduction.choose_again(point.y, point.angles)
        return judged(reduction, reduction.point(point.y, point.angles), how, iterations)


def judged(reduction: Reduction, point: Point, how: str, iterations: int) -> Equilibrium:
    """A balanced point and whether it is stable; what is balanced for an instant only leaves that undecided."""
    eigenvalues, free = free_motion(reduction, point)
    stable, words = stability(eigenvalues, free)
    varying = unsteady(reduction, point)
    if varying and (reduction.running or not len(point.r)):
        stable, words = False, "undecided: no steady state"
    elif not len(point.r) and np.any(point.v):
        words = "stable: all motion is given"
    return Equilibrium(
        reduction, point, "found", how, iterations, stable, words, eigenvalues,
        float(np.abs(point.r).max(initial=0.0)), (*reduction.notes, *varying),
    )  # fmt: skip


def free_motion(reduction: Reduction, point: Point) -> tuple[np.ndarray, int]:
    """Eigenvalues of M_hat x'' + C_hat x' + K_hat x = 0, 1/s, of rigid-body motions 0; and how many of these are."""
    refuse_path_dependence(reduction, point)
    A = reduction.system_matrix(point) if len(reduction.states) or np.any(reduction.turning(point)) else None
    s, X, still = natural_motions(point.M_hat, reduction.damping(point), reduction.stiffness(point), A)
    moving = np.linalg.norm(X, axis=0) > NO_SHAPE
    free = len(independent_shapes(X[:, still], point.M_hat))
    return np.where(still, 0.0, s)[moving | ~still], free  # an idle state that moves nothing is left out


def stability(s: np.ndarray, free: int = 0) -> tuple[bool, str]:
    """Whether small disturbances stay small, and in words; `free`: motions without stiffness."""
    if not len(s):
        return True, "stable: nothing can move"
    largest = float(np.abs(s).max())
    noise = 1e-7 * np.abs(s) + 1e-10 * largest
    still = s == 0.0
    growing = (s.real > noise) & ~still
    if np.any(growing):
        worst = s[np.argmax(np.where(growing, s.real, -np.inf))]
        how = "diverges" if abs(worst.imag) < 1e-9 * abs(worst) else "flutters"
        return False, f"unstable: it {how}, growing as exp({worst.real:.4g} t)"
    if np.any(still):
        return True, f"neutral: {free} motion(s) without stiffness"
    return True, "stable"
