"""Newton on the balance r = 0 of the independent coordinates, with the stiffness K = -dr/dx, made safe.

Along directions in which the mechanism is unstable the sign of the curvature is turned round (Dauphin et al. 2014, for
minima of energy), so that the search goes with the forces and not towards the nearest balance of any kind.  A step is
shortened until it helps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.neutral import NEUTRAL, balance_slopes
from linkwork.analyses.steady.search.residual import BALANCED, balanced, merit
from linkwork.errors import NumericalError

ITERATIONS = 100
HALVINGS = 14
FINER = 45  # halvings more where something hard is met
HARD = 20.0  # times the force along a step, against it: what was met is hard
UNMET = 0.95  # of the force along a step: nothing is met yet
PATIENCE = 4  # tiny steps that may fail to halve what remains
TINY = 1e-8  # rad, or of the mechanism's size: a step so small corrects rounding only
LARGEST_STEP = 0.25  # rad, or of the mechanism's size
FARTHEST = 1e-3  # inverse of the longest step, in the same units, along a direction without curvature
POOR = 30.0  # times as mobile as an independent coordinate: then others serve better

Direction = Callable[[Reduction, Point], np.ndarray]
Accept = Callable[[Point, Point, np.ndarray, float], bool]


def along_forces(reduction: Reduction, start: Point) -> tuple[Point, int]:
    """Newton with curvatures made positive: a step always goes along the forces, r . step > 0; and its iterations."""

    def accept(before: Point, after: Point, step: np.ndarray, share: float) -> bool:
        if merit(after) <= (1.0 - 0.2 * share) * merit(before):
            return True
        return bool(after.r @ step >= -0.5 * (before.r @ step))

    return _newton(reduction, start, uphill_turned, accept)


def plain_newton(reduction: Reduction, start: Point) -> tuple[Point, int]:
    """Newton for a balance of any kind, with step halving on the remaining acceleration; and its iterations."""

    def accept(before: Point, after: Point, step: np.ndarray, share: float) -> bool:
        return merit(after) <= (1.0 - 0.1 * share) * merit(before)

    return _newton(reduction, start, newton_step, accept)


def with_states(reduction: Reduction, point: Point) -> tuple[Point, int]:
    """Newton on r = 0 and s' = 0 together, with step halving; and its iterations.

    States that nothing changes at rest, such as the slip of a standing tyre, stay as they are.
    """
    for n in range(ITERATIONS):
        x, s = _step_with_states(reduction, point)
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


def _step_with_states(reduction: Reduction, point: Point) -> tuple[np.ndarray, np.ndarray]:
    """Changes of displacements and states for which r and s' vanish to first order."""
    change = -np.linalg.lstsq(balance_slopes(reduction, point), np.concatenate([point.r, point.s_dot]), rcond=1e-13)[0]
    return change[: len(point.r)], change[len(point.r) :]


def polished(reduction: Reduction, point: Point) -> Point:
    """Newton on, as long as it halves what remains."""
    for _ in range(0 if len(reduction.states) else 6):
        try:
            trial = reduction.moved(point, limited(reduction, newton_step(reduction, point)))
        except NumericalError:
            return point
        if not merit(trial) < 0.25 * merit(point):
            return point
        point = trial
    return point


def _newton(reduction: Reduction, point: Point, direction: Direction, accept: Accept) -> tuple[Point, int]:
    """Steps in a direction, halved until they are acceptable; ends when balanced or when no step helps.

    Tiny steps that no longer help are rounding, and end it too.
    """
    best, since = np.inf, 0
    for n in range(ITERATIONS):
        point = well_described(reduction, point)
        left = merit(point)
        best, since = (left, 0) if left < 0.5 * best else (best, since + 1)
        if balanced(reduction, point) or since > PATIENCE:
            return point, n
        step = limited(reduction, direction(reduction, point))
        trial = _largest_share(reduction, point, step, accept)
        if trial is None:
            return point, n
        point = trial
        if np.abs(step / reduction.lengths).max(initial=0.0) > TINY:
            since = 0
    return point, ITERATIONS


# -- steps ------------------------------------------------------------------------------------------------------------
def newton_step(reduction: Reduction, point: Point) -> np.ndarray:
    """K step = r, the shortest where K is singular."""
    return np.asarray(np.linalg.lstsq(reduction.stiffness(point), point.r, rcond=NEUTRAL)[0])


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
    least = max(1e3 * NEUTRAL * largest, FARTHEST * float(np.abs(V @ r / reduction.lengths).max(initial=0.0)))
    shift = np.where(flat & forced, least, np.where(flat, largest, shift))
    return np.asarray(V @ np.linalg.solve(V.T @ K @ V + np.diag(shift), r))


def limited(reduction: Reduction, step: np.ndarray) -> np.ndarray:
    """A step no longer than LARGEST_STEP."""
    longest = float(np.abs(step / reduction.lengths).max(initial=0.0))
    return step * min(1.0, LARGEST_STEP / longest) if longest > 0.0 else step


def well_described(reduction: Reduction, point: Point) -> Point:
    """The same position in other independent coordinates, where those in use have become poor."""
    weight = np.sqrt(point.M.diagonal())
    if not reduction.may_choose or np.all(np.abs(point.T * weight[:, None]) < POOR * weight[reduction.motions]):
        return point
    reduction.choose_again(point.y, point.angles)
    return reduction.point(point.y, point.angles)


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
    """The point after a step, or None where the mechanism does not reach it."""
    try:
        trial = reduction.moved(point, step)
    except NumericalError:
        return None
    return trial if np.all(np.isfinite(trial.r)) else None
