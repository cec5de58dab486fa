"""The search for a balanced position: r = 0 in the independent coordinates (reduction.py).

Newton on the independent coordinates with the exact stiffness K = -dr/dx, made safe: along directions in which the
mechanism is unstable the sign of the curvature is turned round (Dauphin et al. 2014, for minima of energy), so that the
search goes with the forces and not towards the nearest balance of any kind.  A step is shortened until it helps.  Then
plain Newton, then dynamic relaxation: the motion from rest, stopped whenever its kinetic energy has a peak (Day 1965).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.analyses.steady.reduction import Columns, Point, Reduction
from linkwork.errors import NumericalError

ITERATIONS = 100  # of Newton
HALVINGS = 14
FINER = 45  # halvings more where something hard is met
HARD = 20.0  # times the force along a step, against it: what was met is hard
UNMET = 0.95  # of the force along a step: nothing is met yet
PATIENCE = 4  # tiny steps that may fail to halve what remains
TINY = 1e-8  # rad, or of the mechanism's size: a step so small corrects rounding only
LARGEST_STEP = 0.25  # rad, or of the mechanism's size
FARTHEST = 1e-3  # inverse of the longest step, in the same units, along a direction without curvature
NEUTRAL = 1e-11  # of the largest curvature: below it a direction has none
BALANCED = 1e-10  # of the forces involved: what may remain
ROUNDED = 1e-4  # of the largest force: what it leaves, times BALANCED, where nothing else acts
POOR = 30.0  # times as mobile as the independent coordinates: then others serve better
RELAXATIONS = 4000  # steps of dynamic relaxation


def find(reduction: Reduction, start: Point) -> tuple[Point, str, int]:
    """Newton along the forces, plain Newton, dynamic relaxation and Newton again: the first that balances."""
    if balanced(reduction, start):
        return polished(reduction, start), "already balanced", 0
    if len(reduction.states):
        return find_with_states(reduction, start)
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


def find_with_states(reduction: Reduction, start: Point) -> tuple[Point, str, int]:
    """Displacements and auxiliary states together, by Newton; if that fails, first along the forces alone."""
    point, count = newton_with_states(reduction, start)
    if not balanced(reduction, point):
        there, before = with_the_forces(reduction, start)
        point, after = newton_with_states(reduction, there)
        count += before + after
    if not balanced(reduction, point):
        raise no_equilibrium(reduction, point)
    return point, "newton", count


def newton_with_states(reduction: Reduction, point: Point) -> tuple[Point, int]:
    """Newton on r = 0 and s' = 0, with step halving.

    States that nothing changes at rest, such as the slip of a standing tyre, stay as they are.
    """
    for n in range(ITERATIONS):
        along_x, along_s = reduction.along_independent(point), reduction.state_columns(point)
        J = np.block([[along_x.r, along_s.r], [along_x.rates, along_s.rates]])
        idle = len(point.r) + np.flatnonzero(~np.any(J[len(point.r) :], axis=1))
        J[:, idle] = 0.0
        change = -np.linalg.lstsq(J, np.concatenate([point.r, point.s_dot]), rcond=1e-13)[0]
        x, s = change[: len(point.r)], change[len(point.r) :]
        share = LARGEST_STEP / max(float(np.abs(x / reduction.lengths).max(initial=0.0)), LARGEST_STEP)
        for halving in range(HALVINGS):
            step = share * 0.5**halving
            try:
                trial = reduction.moved(point, step * x, step * s)
            except NumericalError:
                continue
            if merit(trial) <= (1.0 - 0.1 * step) * merit(point):
                break
        else:
            return point, n
        point = trial
    return point, ITERATIONS


def merit(point: Point) -> float:
    """r^T M_hat^-1 r: the square of the acceleration that is left, the same in all coordinates; and of the rates."""
    left = float(point.r @ np.linalg.solve(point.M_hat, point.r)) if len(point.r) else 0.0
    return left + float(point.s_dot @ point.s_dot)


def balanced(reduction: Reduction, point: Point) -> bool:
    """What remains is rounding, beside the forces summed up and those that a displacement of unit size would raise."""
    if not np.all(np.isfinite(point.r)):
        return False
    if not np.any(point.r) and not np.any(point.s_dot):
        return True
    along_x = reduction.along_independent(point)
    rates = np.abs(along_x.rates) @ reduction.lengths + 1e-3
    still = np.all(np.abs(point.s_dot) <= BALANCED * rates)
    return bool(still and np.all(np.abs(point.r) <= BALANCED * natural_sizes(reduction, point, along_x)))


def natural_sizes(reduction: Reduction, point: Point, along_x: Columns) -> np.ndarray:
    """Beside which a force is small: the forces summed up, and those that a displacement of unit size would raise."""
    return point.size + np.abs(along_x.r) @ reduction.lengths + ROUNDED * point.size.max(initial=0.0)


def polished(reduction: Reduction, point: Point) -> Point:
    """Newton on, as long as it halves what remains."""
    for _ in range(0 if len(reduction.states) else 6):
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
Accept = Callable[[Point, Point, np.ndarray, float], bool]


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
    accept: Accept,
) -> tuple[Point, int]:
    """Steps in a direction, halved until they are acceptable; ends when balanced or when no step helps.

    Tiny steps that no longer help are rounding, and end it too.
    """
    best, since = np.inf, 0
    for n in range(ITERATIONS):
        left = merit(point)
        best, since = (left, 0) if left < 0.5 * best else (best, since + 1)
        if balanced(reduction, point) or since > PATIENCE:
            return point, n
        point = well_described(reduction, point)
        step = limited(reduction, direction(reduction, point))
        trial = _largest_share(reduction, point, step, accept)
        if trial is None:
            return point, n
        point = trial
        if np.abs(step / reduction.lengths).max(initial=0.0) > TINY:
            since = 0
    return point, ITERATIONS


def _largest_share(reduction: Reduction, point: Point, step: np.ndarray, accept: Accept) -> Point | None:
    """The point after the largest acceptable share of a step, by halving.

    Where the force along the step is still the whole one, and at twice the share many times as large and opposed, there
    is something hard between (a floor that is not touched yet): then halving goes on until it carries a part.
    """
    push, far, hard = float(point.r @ step), 0.0, False
    for halving in range(HALVINGS):
        share = 0.5**halving
        trial = _tried(reduction, point, share * step)
        if trial is not None and accept(point, trial, step, share):
            break
        far, hard = share, trial is not None and trial.r @ step < -HARD * push
    else:
        return None
    for _ in range(FINER if hard else 0):
        if trial.r @ step < UNMET * push:
            break
        middle = 0.5 * (share + far)
        nearer = _tried(reduction, point, middle * step)
        if nearer is not None and accept(point, nearer, step, middle):
            share, trial = middle, nearer
        else:
            far = middle
    return trial


def _tried(reduction: Reduction, point: Point, step: np.ndarray) -> Point | None:
    try:
        trial = reduction.moved(point, step)
    except NumericalError:
        return None
    return trial if np.all(np.isfinite(trial.r)) else None


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
    weak = max(1e3 * NEUTRAL * largest, FARTHEST * float(np.abs(V @ r / reduction.lengths).max(initial=0.0)))
    shift = np.where(flat & forced, weak, np.where(flat, largest, shift))
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


def no_equilibrium(reduction: Reduction, point: Point) -> NumericalError:
    """What remains, the largest entries by name."""
    share = np.abs(point.r) / np.maximum(natural_sizes(reduction, point, reduction.along_independent(point)), 1e-300)
    worst = [k for k in np.argsort(-share)[:3] if share[k] > BALANCED]
    left = ", ".join(f"{point.r[k]:.4g} {reduction.units[k]} on '{reduction.names[k]}'" for k in worst)
    remedy = "hold those coordinates, add a force that balances them, or start nearer to the equilibrium"
    if not worst:  # forces are balanced, but states run on
        left = f"rates of {', '.join(f'{rate:.4g}' for rate in point.s_dot)} of the controllers' integrals"
        remedy = "give targets that can be reached within the limits"
    return NumericalError(
        f"no equilibrium was found: {left} remain at the best position; {remedy}",
        element=reduction.names[worst[0]].split(".")[0] if worst else None,
        remedy=remedy,
    )
