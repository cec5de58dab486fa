"""The trajectory of a mechanism: its states at the accepted steps, for the checks afterwards.

What a run reports of itself must not depend on how densely it is sampled, so it is read from the steps.  Where these
are short, by need or by request, most are left out: the motion between two states counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.analyses.certificate.singular.between_states import WINDOW
from linkwork.compiler.argument_types import MATRIX, REAL, VECTOR, WHOLE, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import coordinate_rates
from linkwork.integrators.loop.chunks import HISTORY
from linkwork.integrators.loop.rows import path_row

STEPS, NUMBERS = 4096, 2**19  # most steps whose states a loop writes at a time, and most numbers of these; but ...
LEAST_STEPS = 16  # ... so many steps at least
CLOSE = 0.02  # rad, or of the mechanism's size: a state nearer than this to the one before is left out
LEAST_ROOM, FIRST_NUMBERS = 512, 2**18  # states for which there is room at first, or as many as have so many numbers


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
    return np.zeros((min(max(NUMBERS // width, LEAST_STEPS), STEPS), width))


class States(NamedTuple):
    """States in the order of their times, with room for more; behind them the last step, kept or not."""

    t: np.ndarray
    strength: np.ndarray
    speed: np.ndarray  # 1/s, of the coordinate that moves fastest, in its scale
    y: np.ndarray
    rate: np.ndarray
    angles: np.ndarray
    left: np.ndarray


class Trajectory:
    """A path that grows chunk by chunk; `scales`: of the entries of y, for the distance between two states."""

    def __init__(
        self, equations: Equations, scales: np.ndarray, t: float, y: np.ndarray, angles: np.ndarray,
        constraints: int = 0,
    ) -> None:  # fmt: skip
        """`constraints`: how many have their conditioning in the rows of the path."""
        self.equations, self.velocities = equations, equations.compiled.layout.velocities
        own = scales[self.velocities]
        self.scales = np.where(own > 0.0, own, np.inf)
        self.widths = (len(y), len(y), len(angles), constraints)
        self.states = _no_states(max(FIRST_NUMBERS // (1 + sum(self.widths)), LEAST_ROOM), self.widths)
        self.count = 0
        self.begin(t, y, angles)

    def begin(self, t: float, y: np.ndarray, angles: np.ndarray) -> None:
        """A new path, from a state at which no accelerations are known yet."""
        rate = np.full(len(y), np.nan)
        coordinate_rates(self.equations.system.dofs, y, y[self.velocities], rate)
        start = np.concatenate([y, rate, angles, np.full(self.widths[-1], np.nan), [t, np.inf]])
        self.resume(start[None], start, 0.0)

    def append(self, steps: np.ndarray, rows: np.ndarray) -> None:
        """The steps of a chunk; a state is kept when it is CLOSE or farther from the one kept before."""
        if not len(steps):
            return
        self._put_back()
        self._make_room(len(steps))
        first = self.velocities.start
        self.count = keep_states(steps, rows, first, self.scales, CLOSE, self.since, self.count, *self.states)

    def path(self) -> Path:
        """All of it, to the last step; a state just before that gives way.  It holds until the next steps are added."""
        self._put_back()
        states, n = self.states, self.count
        if states.t[n] != states.t[n - 1]:
            if self.since[0] < 0.5 * CLOSE and n > 1:
                self._swap()
            else:
                n += 1
        t, strength, speed, y, rate, angles, left = (column[:n] for column in states)
        return Path(t, y, rate, angles, _distances(t, speed), strength, left)

    def shorten(self) -> None:
        """What has been checked goes; a few states stay for what comes next."""
        self._put_back()
        kept = min(2 * WINDOW, self.count)
        for column in self.states:
            column[: kept + 1] = column[self.count - kept : self.count + 1].copy()
        self.count = kept

    # -- as one table, for a checkpoint ---------------------------------------------------------------------------
    def table(self) -> np.ndarray:
        """The states that are kept, and the last step behind them, one a row: its row of the path, time, strength."""
        self._put_back()
        states = self.states
        columns = (states.y, states.rate, states.angles, states.left, states.t, states.strength)
        return np.column_stack([column[: self.count + 1] for column in columns])

    def resume(self, kept: np.ndarray, last: np.ndarray, since: float) -> None:
        """From such states on, and the last step; `since`: how far it is from the last mark."""
        self.since, self.count, self.gave_way = np.array([since]), len(kept), False
        self._make_room(0)
        table, states = np.vstack([kept, last]), self.states
        parts = np.split(table, [*np.cumsum(self.widths), -1], axis=1)
        for column, part_of_row in zip((*states[3:], states.t, states.strength), parts, strict=True):
            column[: len(table)] = part_of_row.reshape(column[: len(table)].shape)
        states.speed[: len(table)] = np.abs(states.y[: len(table), self.velocities] / self.scales).max(
            axis=1, initial=0.0
        )

    # -- where they are -------------------------------------------------------------------------------------------
    def _make_room(self, more: int) -> None:
        """For so many states more."""
        room, needed = len(self.states.t), self.count + more + 1
        if needed > room:
            before, self.states = self.states, _no_states(max(4 * room, needed), self.widths)
            for old, new in zip(before, self.states, strict=True):
                new[: min(self.count + 1, room)] = old[: self.count + 1]

    def _swap(self) -> None:
        """The last state that is kept, and the last step, change places."""
        for column in self.states:
            column[self.count - 1 : self.count + 1] = column[self.count - 1 : self.count + 1][::-1].copy()
        self.gave_way = not self.gave_way

    def _put_back(self) -> None:
        """The state that gave way to the last step."""
        if self.gave_way:
            self._swap()


def _no_states(room: int, widths: tuple[int, ...]) -> States:
    return States(*(np.empty(room) for _ in range(3)), *(np.empty((room, width)) for width in widths))


def _distances(t: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """From each state to the next, with the faster of the two speeds."""
    return np.asarray(np.abs(np.diff(t)) * np.maximum(speeds[1:], speeds[:-1]))


@kernel
def keep_states(steps, rows, first, scales, close, since, count, t, strength, speed, y, rate, angles, left):
    """Append those steps of a chunk that are CLOSE or farther from the one kept before, then the last; how many are
    kept, with those before.  `first`: place of the velocities; `since`: the distance since the last mark.
    """
    now, faster, total = t[count], speed[count], since[0]
    for n in range(steps.shape[0]):
        own = _speed(rows[n], first, scales)
        before = np.floor(total / close)
        total += abs(steps[n].t - now) * max(own, faster)
        now, faster = steps[n].t, own
        if np.floor(total / close) > before:
            _keep(steps[n], rows[n], own, count, t, strength, speed, y, rate, angles, left)
            count += 1
    last = steps.shape[0] - 1
    _keep(steps[last], rows[last], faster, count, t, strength, speed, y, rate, angles, left)
    since[0] = total - close * np.floor(total / close)
    return count


@part
def _speed(row, first, scales):
    fastest = 0.0
    for j in range(scales.shape[0]):
        fastest = max(fastest, abs(row[first + j] / scales[j]))
    return fastest


@part
def _keep(step, row, own, k, t, strength, speed, y, rate, angles, left):
    """A step as state k."""
    t[k], strength[k], speed[k] = step.t, step.strength, own
    place = y.shape[1]
    for j in range(y.shape[1]):
        y[k, j], rate[k, j] = row[j], row[place + j]
    place *= 2
    for j in range(angles.shape[1]):
        angles[k, j] = row[place + j]
    place += angles.shape[1]
    for j in range(left.shape[1]):
        left[k, j] = row[place + j]


def exports() -> Exports:
    """For the native library."""
    yield export(
        keep_states, WHOLE, records(HISTORY), MATRIX, WHOLE, VECTOR, REAL, VECTOR, WHOLE, *(VECTOR,) * 3, *(MATRIX,) * 4
    )
