"""Branches that a run left.

Branches cross at singular positions.  Whoever changes from one to the other there, or is thrown back, changes its
velocity at once, and no force does that: the change of velocity between two states is then not that of the
accelerations at its ends, theory (11.4).  The energy does not show it: it may be the same on both branches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from linkwork.analyses.certificate.singular.rank_monitor import RankMonitor
from linkwork.analyses.start.closing import put_on_constraints
from linkwork.compiler.argument_types import MATRIX, VECTOR, VOID, WHOLE
from linkwork.compiler.kernels import Exports, Kernel, export, kernel
from linkwork.errors import AssemblyError
from linkwork.formulations.equations import Equations
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.fixed_steps import bind_fixed_steps, fixed_steps
from linkwork.integrators.rk4 import INTEGRATOR as RK4
from linkwork.methods.baumgarte import METHOD as BAUMGARTE
from linkwork.methods.parametrization import METHOD
from linkwork.numerics.status import Status

JUMP = 0.02  # of the velocity: a change beside a near-singular position that the accelerations do not explain
ALONE = 4.0  # times the same between the states around: else the states are just too far apart to decide
PIECE = 10  # steps of RK4 between two comparisons, where a jump is examined
SAME = 1e-6  # of the velocity: what these may differ by
MOST_PIECES = 2000
UNCORRECTED = BAUMGARTE.correct


def branches_left(monitor: RankMonitor, scales: np.ndarray, breaks: Sequence[float]) -> list[str]:
    """Near-singular positions beside which the velocity jumps; `scales`: of the velocities, for their common norm.

    Where forces may jump, or an event occurred (`breaks`, s), the velocities prove nothing.  What appears to be a jump
    may be a motion too quick for the states: then small steps from the state before lead to the one after.
    """
    if not monitor.minima:
        return []
    path, own = monitor.path, monitor.equations.compiled.layout.velocities
    speed, change = np.zeros(len(path)), np.zeros(len(path) - 1)
    compare_velocities(path.t, path.y, path.rate, own.start, np.ascontiguousarray(scales), speed, change)
    change[_intervals_at(path.t, breaks)] = 0.0
    places = monitor.state[monitor.minima]
    around = _windows(change, 4, 4)[places]
    beside = around[:, 3:6].max(axis=1)
    jumps = beside / np.maximum(_windows(speed, 1, 2)[places].max(axis=1), 1e-300)
    alone = beside > ALONE * np.maximum(around[:, :3], around[:, 6:]).max(axis=1)
    found, last = [], -np.inf
    for place in np.flatnonzero((jumps > JUMP) & alone):
        n, k, jump = monitor.minima[place], int(places[place]), jumps[place]
        if path.t[k] > last and not _explained(monitor, k, scales):
            found.append(
                f"beside the near-singular position at t = {monitor.t[n]:.4g} s the velocities jump by {jump:.0%} "
                "without a force that explains it: the run has left its branch there, or lost momentum; "
                "do not trust what follows: use method 'auto' or a hybrid, or a smaller rtol"
            )
            last = path.t[min(k + 3, len(path) - 1)]
    return found


@kernel
def compare_velocities(t, y, rate, first, scales, speed, change):
    """The speed at each state of a path, and how much more velocities change from each to the next than by the mean of
    the accelerations at both, 0 where that is not known; norms in `scales`.  `first`: place of the velocities.
    """
    for k in range(t.shape[0]):
        square, other = 0.0, 0.0
        for j in range(scales.shape[0]):
            i = first + j
            square += (y[k, i] / scales[j]) ** 2
            if k + 1 < t.shape[0]:
                by_force = 0.5 * (t[k + 1] - t[k]) * (rate[k, i] + rate[k + 1, i])
                other += ((y[k + 1, i] - y[k, i] - by_force) / scales[j]) ** 2
        speed[k] = math.sqrt(square)
        if k + 1 < t.shape[0]:
            change[k] = math.sqrt(other) if other < math.inf else 0.0


def _windows(values: np.ndarray, before: int, after: int) -> np.ndarray:
    """Of each value so many before and after it, 0 beyond the ends: [value, before + 1 + after]."""
    return sliding_window_view(np.pad(values, (before, after)), before + 1 + after)


def _intervals_at(t: np.ndarray, instants: Sequence[float]) -> np.ndarray:
    """Which intervals between states hold one of these instants, or end or begin there."""
    both = [np.searchsorted(t, instants, side) - 1 for side in ("left", "right")]
    found = np.concatenate(both)
    return found[(found >= 0) & (found < len(t) - 1)]


def _explained(monitor: RankMonitor, k: int, scales: np.ndarray) -> bool:
    """Whether the equations of motion lead from the state before k to the one after k + 1.

    The start is put onto the constraints to rounding: a mechanism that is a little off may truly leave its branch.
    """
    path, equations = monitor.path, monitor.in_space
    first, last = max(k - 1, 0), min(k + 2, len(path) - 1)
    t, y, angles = float(path.t[first]), path.y[first].copy(), path.angles[first].copy()
    equations.work.segment["t_accepted"] = t
    try:
        put_on_constraints(equations, t, y, angles)
    except AssemblyError:  # it is not on them at all
        return False
    own = equations.compiled.layout.velocities
    speed = float(np.linalg.norm(path.y[first : last + 1, own] / scales, axis=1).max())
    again = _retraced(equations, t, float(path.t[last]), y, angles, scales * max(speed, 1e-300))
    return again is not None and bool(np.linalg.norm((again - path.y[last])[own] / scales) < 0.5 * JUMP * speed)


def _retraced(
    equations: Equations, t: float, t_end: float, y: np.ndarray, angles: np.ndarray, scales: np.ndarray
) -> np.ndarray | None:
    """The state at `t_end`, by steps as small as the motion is quick: a light link beside a heavy one may snap over in
    1e-6 of the time.  None where no step is small enough.  `scales`: of the velocities.

    Each piece is made with corrections and, in steps half as long, without: corrections alone could hide that a piece
    leads elsewhere, and without them a mechanism comes off its constraints, by rounding, as it nears a singular
    position, and truly goes on along another branch there.
    """
    own, h, pieces = equations.compiled.layout.velocities, (t_end - t) / PIECE, 0
    while t < t_end:
        until, pieces = t + h if t + 1.1 * h < t_end else t_end, pieces + 1
        closed = _small_steps(equations, t, until, y, angles, PIECE, METHOD.correct)
        free = _small_steps(equations, t, until, y, angles, 2 * PIECE, UNCORRECTED)
        apart = np.inf if closed is None or free is None else np.linalg.norm((closed[0] - free[0])[own] / scales)
        if closed is not None and apart < SAME:
            t, (y, angles) = until, closed
            h *= 1.0 if apart > SAME / 64.0 else 2.0
        elif pieces > MOST_PIECES or not t + 0.5 * h / PIECE > t:
            return None
        else:
            h *= 0.5
    return y


def _small_steps(
    equations: Equations, t: float, t_end: float, y: np.ndarray, angles: np.ndarray, count: int, correct: Kernel
) -> tuple[np.ndarray, np.ndarray] | None:
    """State and angles after `count` steps of RK4."""
    y, angles = y.copy(), angles.copy()
    control, memory = np.zeros(1, CONTROL), RK4.memory(len(y))
    control["t"], control["t_stop"], control["h"], control["fresh"] = t, t_end, (t_end - t) / count, 1
    stages = bind_fixed_steps(METHOD.factor, METHOD.solve, correct, RK4.step)
    equations.work.segment["t_accepted"] = t
    status = fixed_steps(*stages, equations.system_ref, y, angles, equations.work_ref, memory, control, count)
    return (y, angles) if Status(status) == Status.OK and np.isfinite(y).all() else None


def exports() -> Exports:
    """For the native library."""
    yield export(compare_velocities, VOID, VECTOR, MATRIX, MATRIX, WHOLE, *(VECTOR,) * 3)
