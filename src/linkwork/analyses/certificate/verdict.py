"""What a run says of its way: singular positions that it passed, branches that it left, other doubts.

Where the constraints are weakest (rank_monitor.py) singular values of their rows may vanish: the position is singular,
and as many rows are dependent.

Branches cross at singular positions.  Whoever changes from one to the other there, or is thrown back, changes its
velocity at once, and no force does that: the change of velocity between two states is then not that of the
accelerations at its ends.  Energy does not tell: it may be the same on both branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analyses.certificate.rank_monitor import Survey
from linkwork.analyses.certificate.trajectory import Path
from linkwork.analyses.start.assembly import put_on_constraints
from linkwork.compiler.kernels import kernel
from linkwork.formulations.equations import Equations, evaluate
from linkwork.methods.normal_step import factorize
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE, LEVEL_ALL, OK, T_ACCEPTED

VANISHES = 0.05  # of its size one distance of points beside: a singular value below this is zero
REACH = 5.0  # distances of points, within which the weakness must seem to vanish
ZERO = 1e-9  # of a row's natural size: a singular value this small has vanished
ITERATIONS = 8  # of Newton's method for the time of a passage
ASIDE = 1e-3  # of the distance of points: for a slope
JUMP = 0.02  # of the velocity: a change beside a weak position that the accelerations do not explain
ALONE = 4.0  # times the same between the states around: else the states are just too far apart to tell
SMALL_STEPS = 600  # by which a jump is looked into
DOUBT = 1e3  # an energy drift above this multiple of the tolerance is no rounding and no truncation error


def singular_positions(survey: Survey, known: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, and the rank there; but for those that are known."""
    found: list[dict[str, Any]] = []
    for n in survey.minima:
        distance = abs(survey.t[n + 1] - survey.t[n])
        passed = found[-1:] or known[-1:]
        if (passed and abs(passed[0]["t"] - survey.t[n]) < distance) or not _may_vanish(survey.t, survey.weakness, n):
            continue
        here = _passage(survey, n)
        if here and not (passed and abs(here["t"] - passed[0]["t"]) < distance):
            found.append(here)
    return found


def _may_vanish(t: np.ndarray, logarithms: np.ndarray, n: int) -> bool:
    """Whether values, which fall as they do until n, or rise as they do from n + 1 on, may be zero between: lines
    through the two on a side reach zero within REACH distances.  The last pivot may be that of another row until then.
    """
    distances = np.abs(np.diff(t[max(n - 1, 0) : n + 3]))
    reach = REACH * abs(t[n + 1] - t[n])
    with np.errstate(over="ignore"):
        left = np.expm1(logarithms[n - 1] - logarithms[n]) if n > 0 else np.inf
        right = np.expm1(logarithms[n + 2] - logarithms[n + 1]) if n + 2 < len(t) else np.inf
    return bool(distances[0] <= left * reach or distances[-1] <= right * reach)


def _passage(survey: Survey, n: int) -> dict[str, Any] | None:
    """The singular position between points n and n + 1, or a little beside: its time (s) and rank; if there is one.

    With u and w the singular vectors of the smallest singular value at one time, u^T A w at other times is that value,
    with a sign: its zero is found by Newton's method, with new vectors each time, as long as the value falls.
    """
    full, state = len(survey.equations.system.active), int(survey.of[n])
    q = survey.path.between(state, survey.equations.compiled.layout.q_count)
    span = float(survey.t[n + 1] - survey.t[n])
    low, high = sorted((survey.t[n] - 2.0 * span, survey.t[n] + 2.0 * span))
    begin, end = sorted(survey.path.t[[0, -1]])

    def rows(t: float) -> np.ndarray:
        return survey.rows_at(t, state, q(t))

    t, found, least = float(survey.t[n]) + 0.5 * span, None, np.inf
    for _ in range(ITERATIONS):
        left, values, right = np.linalg.svd(rows(t), full_matrices=False)
        if values[full - 1] >= least:
            break
        beside = float(left[:, full - 1] @ rows(t + ASIDE * span) @ right[full - 1])
        ahead = t + ASIDE * span * values[full - 1] / ((values[full - 1] - beside) or np.inf)
        within = max(low, begin) <= ahead <= min(high, end)
        if found is None and not within:
            return None  # the first look tells that there is none near
        found, least, t = t, values[full - 1], ahead
        if not within or least < ZERO:
            break
    assert found is not None
    here, before, after = (np.linalg.svd(rows(s), compute_uv=False)[:full] for s in (found, found - span, found + span))
    rank = int(np.sum(here > VANISHES * np.maximum(before, after)))
    return {"t": float(found), "rank": rank} if rank < full else None


def branches_left(survey: Survey, sizes: np.ndarray, breaks: Sequence[float]) -> list[str]:
    """Weak positions beside which the velocity jumps; `sizes`: of the velocities, for their common norm.

    Where forces may jump, or an event happened (`breaks`, s), the velocities tell nothing.  A change that looks like a
    jump may be a motion too quick for the states: then small steps from the state before lead to the one after.
    """
    path, equations = survey.path, survey.equations
    own = equations.compiled.layout.velocities
    v, v_dot = path.y[:, own], path.rate[:, own]
    speed = np.linalg.norm(v / sizes, axis=1)
    mean = 0.5 * (v_dot[1:] + v_dot[:-1])
    change = np.linalg.norm((np.diff(v, axis=0) - np.diff(path.t)[:, None] * mean) / sizes, axis=1)
    change[~np.isfinite(change)] = 0.0
    change[_touched(path.t, breaks)] = 0.0
    found, last = [], -np.inf
    for n in survey.minima:
        k = int(survey.of[n])
        beside = slice(max(k - 1, 0), k + 2)
        around = np.concatenate([change[max(k - 4, 0) : beside.start], change[beside.stop : k + 5]])
        jump = change[beside].max() / max(float(speed[max(k - 1, 0) : k + 3].max()), 1e-300)
        alone = change[beside].max() > ALONE * around.max(initial=0.0)
        if jump > JUMP and alone and path.t[k] > last and not _explained(path, k, sizes, equations):
            found.append(
                f"beside the weak or singular position at t = {survey.t[n]:.4g} s the velocities jump by {jump:.0%} "
                "without a force that explains it: the run has left its branch there, or lost momentum; "
                "do not trust what follows: use method 'auto' or a hybrid, or a smaller rtol"
            )
            last = path.t[min(k + 3, len(path) - 1)]
    return found


def _touched(t: np.ndarray, instants: Sequence[float]) -> np.ndarray:
    """Which intervals between states hold one of these instants, or end or begin there."""
    both = [np.searchsorted(t, instants, side) - 1 for side in ("left", "right")]
    found = np.concatenate(both)
    return found[(found >= 0) & (found < len(t) - 1)]


def _explained(path: Path, k: int, sizes: np.ndarray, equations: Equations) -> bool:
    """Whether the equations of motion lead from the state before k to the one after k + 1.

    The start is put onto the constraints to rounding: a mechanism that is a little off may truly leave its branch.
    """
    first, last = max(k - 1, 0), min(k + 2, len(path) - 1)
    t, y, angles = float(path.t[first]), path.y[first].copy(), path.angles[first].copy()
    equations.work.settings[T_ACCEPTED] = t
    put_on_constraints(equations, t, y, angles)
    rates = np.zeros((2, len(y)))
    h = float(path.t[last] - t) / SMALL_STEPS
    status = small_steps(equations.system_ref, equations.work_ref, t, y, angles, h, rates)
    own = equations.compiled.layout.velocities
    speed = np.linalg.norm(path.y[first : last + 1, own] / sizes, axis=1).max()
    with np.errstate(over="ignore"):  # of a motion that grew without bound
        missed = np.linalg.norm((y[own] - path.y[last, own]) / sizes)
    return bool(status == OK and missed < 0.5 * JUMP * speed)


@kernel
def small_steps(system, work, t, y, angles, h, rates):
    """Classical Runge-Kutta without correction, SMALL_STEPS steps of h from (t, y), which moves."""
    now, total = rates[0], rates[1]
    for n in range(SMALL_STEPS):
        for i in range(y.shape[0]):
            now[i] = y[i]
            total[i] = 0.0
        for stage in range(4):
            node = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
            evaluate(system, t + (n + node) * h, now, angles, work, LEVEL_ALL)
            status = factorize(system, work)
            if status != OK:
                return status
            constrain(system, work, ACCELERATE)
            weight = 1.0 / 6.0 if stage in (0, 3) else 1.0 / 3.0
            ahead = 1.0 if stage == 2 else 0.5
            for i in range(y.shape[0]):
                total[i] += weight * work.rate[i]
                now[i] = y[i] + ahead * h * work.rate[i]
        for i in range(y.shape[0]):
            y[i] += h * total[i]
    return OK


def doubts(energy_drift: float, tolerance: float, singular: list[dict[str, Any]]) -> list[str]:
    """Why the result is not to be trusted, if so: an energy balance that does not close."""
    if energy_drift <= max(DOUBT * tolerance, 1e-9):
        return []
    passed = ", ".join(f"{entry['t']:.4g}" for entry in singular[:4])
    where = f"; it passed singular positions at t = {passed} s and may have left its branch there" if singular else ""
    return [
        f"the energy balance is off by {energy_drift:.2g} of the energy exchanged, far beyond the tolerance{where}; "
        "do not trust this result: try a smaller rtol or hmax, or another method"
    ]
