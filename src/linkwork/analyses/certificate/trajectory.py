"""The trajectory of a mechanism: its states at the accepted steps, for the checks afterwards.

What a run reports of itself must not depend on how densely it is sampled, so it is read from the steps.  Where these
are short, by need or by request, most are left out: the motion between two states counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.certificate.singular.between_states import WINDOW
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import coordinate_rates
from linkwork.integrators.loop.rows import path_row

STEPS, NUMBERS = 4096, 2**21  # most steps whose states a loop writes at a time, and most numbers of these
CLOSE = 0.02  # rad, or of the mechanism's size: a state nearer than this to the one before is left out
TIME, STRENGTH = -2, -1  # places behind the row of the path


@dataclass(frozen=True)
class Path:
    """States in the order of their times.  SI units; one row a state."""

    t: np.ndarray  # s, or the input of a sweep
    y: np.ndarray
    rate: np.ndarray  # dy/dt; at the first state its part dv/dt is not a number
    angles: np.ndarray  # counted
    distance: np.ndarray  # from each state to the next, rad or of the mechanism's size
    strength: np.ndarray  # logarithm of the volume that the active rows span; at the first state it is not known
    left: np.ndarray  # [state, constraint] the same of the rows of each beside those before; NaN where it is not known

    def __len__(self) -> int:
        return len(self.t)


def path_buffer(y: np.ndarray, angles: np.ndarray, constraints: int = 0) -> np.ndarray:
    """Rows of the path for a loop to fill, one a step (integrators/loop/rows.py), with the conditioning of so many
    constraints.
    """
    width = path_row.py_func(len(y), len(angles)).width + constraints
    return np.zeros((min(max(NUMBERS // width, 64), STEPS), width))


class Trajectory:
    """A path that grows chunk by chunk; `scales`: of the entries of y, for the distance between two states.

    Each state is kept as one row: its row of the path, then its time and its strength.
    """

    def __init__(
        self, equations: Equations, scales: np.ndarray, t: float, y: np.ndarray, angles: np.ndarray,
        constraints: int = 0,
    ) -> None:  # fmt: skip
        """`constraints`: how many have their conditioning in the rows of the path."""
        self.equations, self.velocities, self.constraints = equations, equations.compiled.layout.velocities, constraints
        own = scales[self.velocities]
        self.scales = np.where(own > 0.0, own, np.inf)
        self.begin(t, y, angles)

    def begin(self, t: float, y: np.ndarray, angles: np.ndarray) -> None:
        """A new path, from a state at which no accelerations are known yet."""
        rate = np.full(len(y), np.nan)
        coordinate_rates(self.equations.system.dofs, y, y[self.velocities], rate)
        start = np.concatenate([y, rate, angles, np.full(self.constraints, np.nan), [t, np.inf]])
        self.kept, self.last, self.since, self.count = [start[None]], start, 0.0, 1

    def append(self, steps: np.ndarray, rows: np.ndarray) -> None:
        """The steps of a chunk; a state is kept when it is CLOSE or farther from the one kept before."""
        if not len(steps):
            return
        times, speeds = np.append(self.last[TIME], steps["t"]), self._speeds(rows)
        distance = _distances(times, np.append(self._speeds(self.last[None]), speeds))
        marks = np.floor(np.cumsum(np.append(self.since, distance)) / CLOSE)
        far = np.flatnonzero(np.diff(marks) > 0.0)
        self.kept.append(_as_table(rows[far], steps[far]))
        self.count += len(far)
        self.last, self.since = _as_table(rows[-1:], steps[-1:])[0], (self.since + distance.sum()) % CLOSE

    def _speeds(self, table: np.ndarray) -> np.ndarray:
        """Of each state that of the coordinate that moves fastest, in its scale."""
        return np.asarray(np.abs(table[:, self.velocities] / self.scales).max(axis=1, initial=0.0))

    def path(self) -> Path:
        """All of it, to the last step; a state just before that gives way."""
        table = np.concatenate(self.kept)
        self.kept = [table]
        if self.last[TIME] != table[-1, TIME]:
            table = np.vstack([table[:-1] if self.since < 0.5 * CLOSE and len(table) > 1 else table, self.last])
        place = path_row.py_func(len(self.equations.work.rate), len(self.equations.work.angle))
        y, rate, angles, left, t, strength = map(
            np.ascontiguousarray, np.split(table, [place.rate, place.angles, place.width, TIME, STRENGTH], axis=1)
        )
        return Path(t[:, 0], y, rate, angles, _distances(t[:, 0], self._speeds(table)), strength[:, 0], left)

    def shorten(self) -> None:
        """What has been checked goes; a few states stay for what comes next."""
        table = np.concatenate([rows[-2 * WINDOW :] for rows in self.kept])[-2 * WINDOW :]
        self.kept, self.count = [table], len(table)


def _as_table(rows: np.ndarray, steps: np.ndarray) -> np.ndarray:
    return np.column_stack([rows, steps["t"], steps["strength"]])


def _distances(t: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """From each state to the next, with the faster of the two speeds."""
    return np.asarray(np.abs(np.diff(t)) * np.maximum(speeds[1:], speeds[:-1]))
