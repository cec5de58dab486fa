"""Equilibrium: static, or steady with chosen coordinates at constant speed (P4 section 2).

Newton on the independent coordinates with the exact stiffness K = -dr/dx, made safe: along directions in which the
mechanism is unstable the sign of the curvature is turned round (Dauphin et al. 2014, for minima of energy), so that the
search goes with the forces and not towards the nearest balance of any kind.  A step is shortened until it helps.  Then
plain Newton, then dynamic relaxation: the motion from rest, stopped whenever its kinetic energy has a peak (Day 1965).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.reduction import Point, Reduction
from linkwork.errors import NumericalError
from linkwork.mechanism import Mechanism
from linkwork.numerics.quadratic_eigen import quadratic_eigen
from linkwork.system.coordinates import body_poses

ITERATIONS = 100  # of Newton
HALVINGS = 14
LARGEST_STEP = 0.25  # rad, or of the mechanism's size
NEUTRAL = 1e-11  # of the largest curvature: below it a direction has none
BALANCED = 1e-10  # of the forces involved: what may remain
POOR = 30.0  # times as mobile as the independent coordinates: then others serve better
RELAXATIONS = 4000  # steps of dynamic relaxation
AHEAD = 0.5  # rad, or sizes: how far the running coordinates are moved to see whether the balance is steady


@dataclass(frozen=True)
class Equilibrium:
    """A balanced position, in the coordinates of its reduction."""

    reduction: Reduction
    point: Point
    status: str  # found
    how: str  # newton | dynamic relaxation | already balanced
    iterations: int
    stable: bool
    stability: str  # stable | neutral | unstable, in words
    eigenvalues: np.ndarray  # 1/s, of the motion about it
    residual: float  # largest entry of the balance, N or N m
    notes: tuple[str, ...]

    @property
    def coordinates(self) -> dict[str, float]:
        """Every coordinate by name, rad or m."""
        return self.reduction.coordinates(self.point)

    @property
    def driving(self) -> dict[str, float]:
        """What keeps the running coordinates at their speed, N m or N."""
        r = self.reduction
        return {
            c.name: float(-self.point.lam[row]) for c, row in zip(r.running, r.running_rows, strict=True)
        }

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
    """Where the mechanism stays: assembled, reduced, balanced, judged."""
    reduction = Reduction(mechanism, speeds, independent=independent, formulation=formulation, t=t)
    return balance(reduction, reduction.rough)


def balance(reduction: Reduction, start: Point) -> Equilibrium:
    """The equilibrium that is found from a point; a NumericalError names what remains if there is none."""
    point, how, iterations = find(reduction, start)
    reduction.choose_again(point.y, point.angles)
    point = reduction.point(point.y, point.angles)
    eigenvalues = free_motion(reduction, point)
    stable, words = judged(eigenvalues)
    return Equilibrium(
        reduction, point, "found", how, iterations, stable, words, eigenvalues,
        float(np.abs(point.r).max(initial=0.0)), (*reduction.notes, *unsteady(reduction, point)),
    )  # fmt: skip


def find(reduction: Reduction, start: Point) -> tuple[Point, str, int]:
    """Newton along the forces, plain Newton, dynamic relaxation and Newton again: the first that balances."""
    if balanced(reduction, start):
        return polished(reduction, start), "already balanced", 0
    best, count = start, 0
    for attempt in (with_the_forces, plain_newton):
        point, used = attempt(reduction, start)
        count += used
        if balanced(reduction, point):
            return polished(reduction, point), "newton", count
        best = min(best, point, key=merit)
    relaxed = relaxation(reduction, start)
    point, used = with_the_forces(reduction, relaxed)
    count += used
    if balanced(reduction, point):
        return polished(reduction, point), "dynamic relaxation", count
    raise no_equilibrium(reduction, min(best, relaxed, point, key=merit))


def merit(point: Point) -> float:
    """r^T M_hat^-1 r: the square of the acceleration that is left, the same in all coordinates."""
    return float(point.r @ np.linalg.solve(point.M_hat, point.r)) if len(point.r) else 0.0


def balanced(reduction: Reduction, point: Point) -> bool:
    """What remains is rounding, beside the forces summed up and those that a displacement of unit size would raise."""
    if not np.all(np.isfinite(point.r)):
        return False
    if not np.any(point.r):
        return True
    K = reduction.stiffness(point)
    scale = point.size + np.abs(K) @ reduction.lengths
    return bool(np.all(np.abs(point.r) <= BALANCED * scale))


def polished(reduction: Reduction, point: Point) -> Point:
    """Newton on, as long as it halves what remains."""
    for _ in range(6):
        K = reduction.stiffness(point)
        step = np.linalg.lstsq(K, point.r, rcond=NEUTRAL)[0]
        try:
            trial = reduction.moved(point, limited(reduction, step))
        except NumericalError:
            return point
        if not merit(trial) < 0.25 * merit(point):
            return point
        point = trial
    return point


# -- Newton -----------------------------------------------------------------------------------------------------------
Direction = Callable[[Reduction, Point], np.ndarray]


def with_the_forces(reduction: Reduction, start: Point) -> tuple[Point, int]:
    """Newton with curvatures made positive: a step always goes along the forces, r . step > 0."""

    def accept(before: Point, after: Point, step: np.ndarray, share: float) -> bool:
        if merit(after) <= (1.0 - 0.2 * share) * merit(before):
            return True
        return bool(after.r @ step >= -0.5 * (before.r @ step))

    return _newton(reduction, start, uphill_turned, accept)


def plain_newton(reduction: Reduction, start: Point) -> tuple[Point, int]:
    """Newton for a balance of any kind, with step halving on the remaining acceleration."""

    def direction(reduction: Reduction, point: Point) -> np.ndarray:
        return np.linalg.lstsq(reduction.stiffness(point), point.r, rcond=NEUTRAL)[0]

    def accept(before: Point, after: Point, step: np.ndarray, share: float) -> bool:
        return merit(after) <= (1.0 - 0.1 * share) * merit(before)

    return _newton(reduction, start, direction, accept)


def _newton(
    reduction: Reduction,
    point: Point,
    direction: Direction,
    accept: Callable[[Point, Point, np.ndarray, float], bool],
) -> tuple[Point, int]:
    """Steps in a direction, halved until they are acceptable; ends when balanced or when no step helps."""
    for n in range(ITERATIONS):
        if balanced(reduction, point):
            return point, n
        point = well_described(reduction, point)
        step = limited(reduction, direction(reduction, point))
        for halving in range(HALVINGS):
            share = 0.5**halving
            try:
                trial = reduction.moved(point, share * step)
            except NumericalError:
                continue
            if np.all(np.isfinite(trial.r)) and accept(point, trial, step, share):
                break
        else:
            return point, n
        point = trial
    return point, ITERATIONS


def well_described(reduction: Reduction, point: Point) -> Point:
    """The same position in other independent coordinates, where those in use have become poor."""
    weight = np.sqrt(np.diag(point.M))
    if np.abs(point.T * weight[:, None]).max(initial=0.0) < POOR * np.sqrt(np.diag(point.M_hat)).min(initial=np.inf):
        return point
    reduction.choose_again(point.y, point.angles)
    return reduction.point(point.y, point.angles)


def limited(reduction: Reduction, step: np.ndarray) -> np.ndarray:
    """A step no longer than LARGEST_STEP."""
    longest = float(np.abs(step / reduction.lengths).max(initial=0.0))
    return step * min(1.0, LARGEST_STEP / longest) if longest > 0.0 else step


def uphill_turned(reduction: Reduction, point: Point) -> np.ndarray:
    """(K + shift) step = r in the principal directions of the curvature: negative curvatures change sign."""
    from scipy.linalg import eigh

    K = reduction.stiffness(point)
    curvature, V = eigh(0.5 * (K + K.T), point.M_hat)
    largest = max(float(np.abs(curvature).max()), 1e-300)
    r = V.T @ point.r
    forced = np.abs(r) > BALANCED * (np.abs(V).T @ point.size)
    flat = np.abs(curvature) <= NEUTRAL * largest
    shift = np.where(curvature < 0.0, -2.0 * curvature, 0.0)
    shift = np.where(flat & forced, 1e3 * NEUTRAL * largest, np.where(flat, largest, shift))
    return V @ np.linalg.solve(V.T @ K @ V + np.diag(shift), r)


# -- dynamic relaxation -----------------------------------------------------------------------------------------------
def relaxation(reduction: Reduction, point: Point) -> Point:
    """M_hat z' = r from rest, z set to zero at each peak of the kinetic energy; steps by the stiffest mode."""
    from scipy.linalg import eigh

    z, energy, step = np.zeros(len(point.r)), 0.0, 0.0
    for n in range(RELAXATIONS):
        if n % 50 == 0:
            K = reduction.stiffness(point)
            stiffest = float(np.abs(eigh(0.5 * (K + K.T), point.M_hat, eigvals_only=True)).max(initial=0.0))
            acceleration = np.sqrt(merit(point) / max(float(np.trace(point.M_hat)), 1e-300))
            step = 1.0 / np.sqrt(stiffest) if stiffest > 0.0 else 0.1 / max(np.sqrt(acceleration), 1e-3)
        z = z + step * np.linalg.solve(point.M_hat, point.r)
        now = float(z @ point.M_hat @ z)
        if now < energy:
            z, energy = np.zeros_like(z), 0.0
            if balanced(reduction, point):
                break
            continue
        energy = now
        try:
            point = reduction.moved(point, limited(reduction, step * z))
        except NumericalError:
            z, energy, step = np.zeros_like(z), 0.0, 0.5 * step
    return point


# -- what was found ---------------------------------------------------------------------------------------------------
def free_motion(reduction: Reduction, point: Point) -> np.ndarray:
    """Eigenvalues of M_hat x'' + C_hat x' + K_hat x = 0, 1/s."""
    return quadratic_eigen(point.M_hat, reduction.damping(point), reduction.stiffness(point))[0]


def judged(s: np.ndarray) -> tuple[bool, str]:
    """Whether small disturbances stay small."""
    if not len(s):
        return True, "stable: nothing can move"
    largest = float(np.abs(s).max())
    noise = 1e-7 * np.abs(s) + 1e-10 * largest
    still = np.abs(s) <= 1e-7 * largest
    growing = s.real > noise
    if np.any(growing & ~still):
        worst = s[np.argmax(np.where(growing & ~still, s.real, -np.inf))]
        how = "diverges" if abs(worst.imag) < 1e-9 * abs(worst) else "flutters"
        return False, f"unstable: it {how}, growing as exp({worst.real:.4g} t)"
    if np.any(still):
        return True, f"neutral: {int(np.sum(still)) // 2 or 1} motion(s) without stiffness"
    return True, "stable"


def unsteady(reduction: Reduction, point: Point) -> tuple[str, ...]:
    """A note if the balance is lost when the running coordinates go on: then it is an instant, not a steady state."""
    fastest = float(np.abs(point.v).max(initial=0.0))
    ahead = AHEAD / fastest if fastest > 0.0 else 1.0
    try:
        later = reduction.shifted(point, ahead)
    except NumericalError:
        return ("the running coordinates cannot go on from here: this is no steady state",)
    scale = later.size + np.abs(reduction.stiffness(point)) @ reduction.lengths
    if np.all(np.abs(later.r) <= 1e-7 * scale):
        return ()
    worst = int(np.argmax(np.abs(later.r) / np.maximum(scale, 1e-300)))
    return (
        f"balanced at t = {reduction.t:g} s only: {ahead:.3g} s later {abs(later.r[worst]):.3g} "
        f"{reduction.units[worst]} act on '{reduction.names[worst]}'; this is no steady state",
    )


def no_equilibrium(reduction: Reduction, point: Point) -> NumericalError:
    """What remains, the largest entries by name."""
    share = np.abs(point.r) / np.maximum(point.size, 1e-300)
    worst = [k for k in np.argsort(-share)[:3] if share[k] > BALANCED]
    left = ", ".join(f"{point.r[k]:.4g} {reduction.units[k]} on '{reduction.names[k]}'" for k in worst)
    remedy = "hold those coordinates, add a force that balances them, or start nearer to the equilibrium"
    return NumericalError(
        f"no equilibrium was found: {left} remain at the best position; {remedy}",
        element=reduction.names[worst[0]].split(".")[0] if worst else None,
        remedy=remedy,
    )
