"""What a finished run says of itself: singular positions that it passed, branches that it left, other doubts.

Near a singular position the volume that the constraint rows span has a minimum between two samples.  Such a minimum
is looked at: between the samples the smallest singular value of the rows is followed to its own minimum, and if it
vanishes there, the position is singular; as many rows are dependent as singular values vanish.

Branches cross at singular positions.  Whoever changes from one to the other there, or is thrown back, changes its
velocity at once, and no force does that: the change of velocity between two samples is then not that of the
accelerations at its ends.  Energy does not tell: it may be the same on both branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.analyses.assembly import put_on_constraints
from linkwork.formulations.equations import Equations, evaluate
from linkwork.methods.normal_step import factorize, natural_rows
from linkwork.methods.parametrization import constrain
from linkwork.numerics.codes import ACCELERATE, LEVEL_ALL, LEVEL_POSITION, OK, T_ACCEPTED
from linkwork.numerics.jit import kernel
from linkwork.results.result import Result

VANISHES = 0.05  # of its size at the samples beside: a singular value below this is zero at the position between
WEAK = 1.0  # of the logarithm of the volume below its largest: there the singular values are looked at, ...
MOST = 5000  # ... at so many samples at most
WINDOW = 4  # samples, through which the positions between two are interpolated
NARROWINGS = 30  # of the golden section: the time is found to 1e-6 of the distance of samples
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
JUMP = 0.02  # of the velocity: a change beside a weak position that the accelerations do not explain
ALONE = 4.0  # times the same between the samples around: else the samples are just too far apart to tell
SMALL_STEPS = 600  # by which a jump is looked into
WEAKER = 1e-6  # of the logarithm of the volume: less is rounding, as where the constraints do not change at all
DOUBT = 1e3  # an energy drift above this multiple of the tolerance is no rounding and no truncation error


def singular_positions(result: Result, equations: Equations, angles: np.ndarray) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, and the rank there."""
    found: list[dict[str, Any]] = []
    for k in _candidates(result, equations, angles) if len(equations.system.active) else ():
        passed = _Passage(result, equations, angles, k)
        rank = passed.rank()
        known = found and abs(passed.t - found[-1]["t"]) < abs(result.t[k + 1] - result.t[k])
        if rank < len(equations.system.active) and not known:
            found.append({"t": passed.t, "rank": rank})
    return found


def _candidates(result: Result, equations: Equations, angles: np.ndarray) -> list[int]:
    """Samples k such that the constraints may be weakest between k and k + 1.

    By the volume of the active rows; and where it is small, by the smallest singular value, since it is small also
    where the active rows are a poor choice.
    """
    weakest = np.full(len(result.t), np.inf)
    for k in np.flatnonzero(result.strength < result.strength.max(initial=-np.inf) - WEAK)[:MOST]:
        weakest[k] = _singular_values(equations, float(result.t[k]), result.q[k], angles)[-1]
    return sorted({*_minima(result.strength), *_minima(weakest)})


def _minima(values: np.ndarray) -> list[int]:
    """Samples k such that there may be a minimum between k and k + 1.

    The values fall towards k and rise from k + 1 on, as far as there are samples; or one of the two is lower than its
    neighbours, in a narrow dip.
    """
    if len(values) < WINDOW:
        return []
    before = np.concatenate([[True], values[:-2] > values[1:-1]])  # it falls towards k
    behind = np.concatenate([values[1:-1] < values[2:], [True]])  # it rises from k + 1 on
    lowest = np.concatenate([[False], before[1:] & (values[1:-1] < values[2:]), [False]])
    return [int(k) for k in np.flatnonzero((before & behind) | lowest[:-1] | lowest[1:])]


class _Passage:
    """The mechanism between samples k and k + 1, by cubic interpolation over four samples."""

    def __init__(self, result: Result, equations: Equations, angles: np.ndarray, k: int) -> None:
        self.equations, self.angles = equations, angles
        first = min(max(k - 1, 0), len(result.t) - WINDOW)
        around = slice(first, first + WINDOW)
        self.times = result.t[around]
        self.q = np.polynomial.polynomial.polyfit(self.times - result.t[k], result.q[around], WINDOW - 1)
        self.start = result.t[k]
        self.t = self._weakest(result.t[k], result.t[k + 1])

    def _weakest(self, low: float, high: float) -> float:
        """Where the smallest singular value is least: golden section."""
        for _ in range(NARROWINGS):
            a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            if self.singular_values(a)[-1] < self.singular_values(b)[-1]:
                high = b
            else:
                low = a
        return float(0.5 * (low + high))

    def rank(self) -> int:
        """How many singular values stay, compared with the outer samples."""
        beside = np.minimum(self.singular_values(self.times[0]), self.singular_values(self.times[-1]))
        return int(np.sum(self.singular_values(self.t) > VANISHES * beside))

    def singular_values(self, t: float) -> np.ndarray:
        """At a time between the samples."""
        q = np.polynomial.polynomial.polyval(t - self.start, self.q)
        return _singular_values(self.equations, t, q, self.angles)


def _singular_values(equations: Equations, t: float, q: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Of the mass-weighted rows, each in units of its natural size; as many as there are independent rows."""
    system, work = equations.system, equations.work
    y = np.zeros(len(work.rate))
    y[: len(q)] = q
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    rows = np.zeros((len(system.rows), len(system.dofs)))
    natural_rows(equations.system_ref, equations.work_ref, rows)
    return np.linalg.svd(rows, compute_uv=False)[: len(system.active)]


def branches_left(
    result: Result, sizes: np.ndarray, breaks: Sequence[float], equations: Equations, angles: np.ndarray
) -> list[str]:
    """Weak positions beside which the velocity jumps; `sizes`: of the velocities, for their common norm.

    Where forces may jump, or an event happened (`breaks`, s), the velocities tell nothing.  A change that looks like a
    jump may be a motion too quick for the samples: then small steps from the sample before lead to the one after.
    """
    speed = np.linalg.norm(result.v / sizes, axis=1)
    mean = 0.5 * (result.v_dot[1:] + result.v_dot[:-1])
    change = np.linalg.norm((np.diff(result.v, axis=0) - np.diff(result.t)[:, None] * mean) / sizes, axis=1)
    change[_touched(result.t, [*breaks, *(event["t"] for event in result.certificate.events)])] = 0.0
    found, last = [], -np.inf
    for k in map(int, np.flatnonzero(_weak_spans(result))):
        beside = slice(max(k - 1, 0), k + 2)
        around = np.concatenate([change[max(k - 4, 0) : beside.start], change[beside.stop : k + 5]])
        jump = change[beside].max() / max(float(speed[max(k - 1, 0) : k + 3].max()), 1e-300)
        alone = change[beside].max() > ALONE * around.max(initial=0.0)
        if jump > JUMP and alone and result.t[k] > last and not _explained(result, k, sizes, equations, angles):
            found.append(
                f"beside the weak or singular position at t = {result.t[k]:.4g} s the velocities jump by {jump:.0%} "
                "without a force that explains it: the run has left its branch there, or lost momentum; "
                "do not trust what follows: use method 'auto' or a hybrid, or a smaller rtol"
            )
            last = result.t[min(int(k) + 3, len(result.t) - 1)]
    return found


def _touched(t: np.ndarray, instants: Sequence[float]) -> np.ndarray:
    """Which intervals between samples hold one of these instants, or end or begin there."""
    both = [np.searchsorted(t, instants, side) - 1 for side in ("left", "right")]
    found = np.concatenate(both)
    return found[(found >= 0) & (found < len(t) - 1)]


def _explained(result: Result, k: int, sizes: np.ndarray, equations: Equations, angles: np.ndarray) -> bool:
    """Whether the equations of motion lead from the sample before k to the one after k + 1.

    The start is put onto the constraints to rounding: a mechanism that is a little off may truly leave its branch.
    """
    first, last = max(k - 1, 0), min(k + 2, len(result.t) - 1)
    y = np.concatenate([result.q[first], result.v[first], result.states[first]])
    angles = angles_at(result, first, equations, angles)
    put_on_constraints(equations, float(result.t[first]), y, angles)
    span = float(result.t[last] - result.t[first])
    rates = np.zeros((2, len(y)))
    status = small_steps(
        equations.system_ref, equations.work_ref, float(result.t[first]), y, angles, span / SMALL_STEPS, rates
    )
    own = slice(result.q.shape[1], result.q.shape[1] + result.v.shape[1])
    speed = np.linalg.norm(result.v[first : last + 1] / sizes, axis=1).max()
    with np.errstate(over="ignore"):  # of a motion that grew without bound
        missed = np.linalg.norm((y[own] - result.v[last]) / sizes)
    return bool(status == OK and missed < 0.5 * JUMP * speed)


def angles_at(result: Result, n: int, equations: Equations, angles: np.ndarray) -> np.ndarray:
    """Counted angles at sample n, from those at the end: back from sample to sample."""
    angles, settings = angles.copy(), equations.work.settings
    settings[T_ACCEPTED] = result.t[-1]
    for i in range(len(result.t) - 1, n - 1, -1):
        y = np.concatenate([result.q[i], result.v[i], result.states[i]])
        equations.evaluate(float(result.t[i]), y, angles, LEVEL_ALL)
        angles[:] = equations.work.angle
        settings[T_ACCEPTED] = result.t[i]
    return angles


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


def _weak_spans(result: Result) -> np.ndarray:
    """Between which samples the volume of the constraint rows is less, at some step, than at both of them."""
    volume, steps = result.strength, result.steps
    lowest = np.minimum(volume[:-1], volume[1:]) if len(volume) else volume
    inside = lowest.copy()
    span = np.clip(np.searchsorted(result.t, steps["t"]) - 1, 0, max(len(lowest) - 1, 0))
    if len(lowest):
        np.minimum.at(inside, span, np.asarray(steps["strength"]))
    weak = inside < lowest - WEAKER
    before, here, after = lowest[:-2], lowest[1:-1], lowest[2:]
    weak[1:-1] |= (here <= before) & (here <= after) & (here < np.maximum(before, after) - WEAKER)
    return weak


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
