"""Periodic motion of a mechanism that is driven periodically, by shooting.

The state u = (x, z, s) of the independent coordinates after one period is a function P of that at the start; a periodic
motion is a fixed point of P, found by Newton with the monodromy matrix Psi = P', theory (12.1):

    u <- u + (1 - Psi)^-1 (P(u) - u)

Where Newton goes too far, as near resonances, the motion is let run for many periods first: u <- P(P(...(u))).  Each P
is one run of the compiled loop.  Angles are taken on the nearest turn: what rotates comes back to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.steady.search.balancing import find_balance
from linkwork.analyses.vibration.periodic.monodromy import matrices_along, monodromy
from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.joints.motions import BALL, BALL_REST, HELIX, ROTATE
from linkwork.errors import Entry, NumericalError
from linkwork.mechanism import Mechanism
from linkwork.numerics.blas_threads import one_thread
from linkwork.numerics.rotations import rotation_matrix
from linkwork.results.result import Result

NEWTON = 30  # steps at most
SETTLING = 64  # periods that the motion is let run where Newton goes too far
LONGEST = 0.5  # rad, or of the mechanism's size: of one Newton step
CLOSED = 1e-8  # rad, or of the mechanism's size, or of what moves in a period: a motion that comes back
ROUNDING = 1e3  # times that: what no longer halves there is rounding
RTOL = 1e-11  # of the runs
SAMPLES, MOST_SAMPLES = 64, 1024  # of a period
CONVERGED = 1e-8  # of the largest entry of the monodromy matrix: what half of the samples may change


@dataclass(frozen=True)
class PeriodicOrbit:
    """A periodic motion and its monodromy matrix."""

    reduction: Reduction
    result: Result  # one period
    period: float  # s
    Psi: np.ndarray  # of (x, z, s)
    iterations: int
    residual: float  # what it misses after a period, rad or of the mechanism's size
    notes: tuple[str, ...]


def driven_at(mechanism: Mechanism, speeds: Mapping[str, float]) -> tuple[Mechanism, np.ndarray | None]:
    """The mechanism with a driver for each coordinate that runs at a constant speed (rad/s, m/s), from its start.

    And a state from which to seek the periodic motion: where the forces are in balance at those speeds, if they are.
    """
    steady = Reduction(mechanism, speeds)
    drivers = [
        Driver.model_validate({
            "name": f"{c.joint} {c.coordinate} at constant speed", "joint": c.joint, "coordinate": c.coordinate,
            "motion": f"{float(steady.target[row])!r} + {float(speed)!r}*t",
        })
        for c, speed, row in zip(steady.running, steady.speeds, steady.running_rows, strict=True)
    ]  # fmt: skip
    try:
        balanced: np.ndarray | None = find_balance(steady, steady.rough)[0].y
    except NumericalError:
        balanced = None
    return steady.mechanism.model_copy(update={"driver": (*steady.mechanism.driver, *drivers)}), balanced


def periodic_orbit(mechanism: Mechanism, period: float, near: np.ndarray | None = None) -> PeriodicOrbit:
    """The periodic motion near the start, or near a state; a NumericalError says what it misses where none is found."""
    reduction = Reduction(mechanism)
    with one_thread(reduction.layout.v_count):
        return _by_shooting(mechanism, reduction, period, near)


def _by_shooting(mechanism: Mechanism, reduction: Reduction, period: float, near: np.ndarray | None) -> PeriodicOrbit:
    first = reduction.start if near is None else replace(reduction.start, y=near)
    start, best, settled = first, np.inf, False
    for iteration in range(NEWTON + 1):
        result = _one_period(mechanism, start, period, SAMPLES)
        missing = _missing(reduction, result)
        residual = float(np.abs(missing / _scales(reduction, result)).max(initial=0.0))
        if residual <= CLOSED or (residual < ROUNDING * CLOSED and residual > 0.5 * best):
            return _resolved(mechanism, reduction, start, period, iteration, residual)
        if residual < best:
            best = residual
            Psi = monodromy(matrices_along(reduction, result), period)
            start = _moved(reduction, result, np.linalg.lstsq(np.eye(len(Psi)) - Psi, missing, rcond=1e-10)[0])
        elif not settled:  # too far: let it settle, as it does where it is stable
            long = _one_period(mechanism, first, SETTLING * period, SAMPLES)
            start, best, settled = _moved(reduction, long, _missing(reduction, long)), np.inf, True
        else:
            break
    raise NumericalError(
        f"no periodic motion of {period:.6g} s is found from the start: after {iteration} steps it misses {best:.3g}; "
        "start nearer to it, or at another speed",
        element="period",
        entry=Entry.NO_PERIOD,
    )


def _one_period(mechanism: Mechanism, start: Start, period: float, samples: int) -> Result:
    options = Options(until=period, formulation="joint", rtol=RTOL)
    return simulate(mechanism, options, start=start, times=np.linspace(0.0, period, samples + 1))


def _resolved(
    mechanism: Mechanism, reduction: Reduction, start: Start, period: float, iterations: int, residual: float
) -> PeriodicOrbit:
    """The motion from its start with so many samples that half of them give the same monodromy matrix."""
    samples, notes = SAMPLES, tuple[str, ...]()
    while True:
        result = _one_period(mechanism, start, period, samples)
        A = matrices_along(reduction, result)
        Psi, coarse = monodromy(A, period), monodromy(A[::2], period)
        if np.abs(Psi - coarse).max(initial=0.0) <= CONVERGED * np.abs(Psi).max(initial=1.0):
            break
        if samples >= MOST_SAMPLES:
            notes = (
                f"{samples} samples a period do not resolve the coefficients, which may jump: multipliers are rough",
            )
            break
        samples *= 2
    return PeriodicOrbit(reduction, result, period, Psi, iterations, residual, notes)


def _missing(reduction: Reduction, result: Result) -> np.ndarray:
    """State after a period less that at the start: displacements, velocities, auxiliary states."""
    first, last = result.q[0], result.q[-1]
    xi = np.zeros(reduction.layout.v_count)
    for j, dof in enumerate(reduction.system.dofs):
        k, kind = dof["q"], dof["kind"]
        if kind == BALL:
            xi[j : j + 3] = _rotation(first[k : k + 4], last[k : k + 4])
        elif kind in (ROTATE, HELIX):
            xi[j] = np.remainder(last[k] - first[k] + np.pi, 2.0 * np.pi) - np.pi
        elif kind != BALL_REST:
            xi[j] = last[k] - first[k]
    x, z = xi[reduction.motions], (result.v[-1] - result.v[0])[reduction.motions]
    return np.concatenate([x, z, result.states[-1, reduction.states] - result.states[0, reduction.states]])


def _rotation(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The rotation (rad, axes of the frame before it) that turns a ball from one orientation to another."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(rotation_matrix(after) @ rotation_matrix(before).T).as_rotvec())


def _scales(reduction: Reduction, result: Result) -> np.ndarray:
    """What a difference is measured by: 1 rad or the mechanism's size, that a period, the size of the states."""
    lengths = reduction.lengths
    states = np.abs(result.states[:, reduction.states]).max(axis=0, initial=0.0)
    return np.concatenate([lengths, lengths * 2.0 * np.pi / result.t[-1], np.maximum(states, 1.0)])


def _moved(reduction: Reduction, result: Result, step: np.ndarray) -> Start:
    """The start of the last run, changed by a step of (x, z, s): shortened, closed, with velocities that fit."""
    n = len(reduction.motions)
    step = step * min(1.0, LONGEST / max(float(np.abs(step[:n] / reduction.lengths).max(initial=0.0)), 1e-300))
    y = np.concatenate([result.q[0], result.v[0], result.states[0]])
    z = result.v[0, reduction.motions] + step[n : 2 * n]
    near = reduction.point(y, reduction.angles, result.v[0].copy())
    point = reduction.moved(near, step[:n], step[2 * n :])
    y = point.y.copy()
    y[reduction.layout.velocities] = point.v + point.T @ z
    return replace(reduction.start, y=y, angles=point.angles)
