"""The conditioning of the constraints along a path.

At a singular position what is left of some constraint row beside the others vanishes.  It is followed along the path in
small motions, and has a minimum there.  Of every constraint its own: in the volume of many rows together one that
vanishes does not show.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.analyses.certificate.singular.conditioning import bind_conditioning, measure_conditioning
from linkwork.analyses.certificate.singular.dips import settle
from linkwork.analyses.certificate.singular.minima import minima
from linkwork.analyses.certificate.trajectory import Path
from linkwork.analyses.start.row_space import is_large
from linkwork.formulations.equations import Equations, evaluate
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.normal_step import factorize
from linkwork.numerics.rank_revealing import factor_rows

NEAR_SINGULAR = 1.0  # of the logarithm of the volume below its largest: there the constraints are examined ...
FAR = 0.3  # ... and between states farther apart than this, rad or of the mechanism's size, ...
FINE = 0.05  # ... at points so near to each other, ...
FINER = 0.01  # ... or so near, where a poor choice of rows may hide a minimum of the volume, ...
MOST = 200  # ... but at so many between two states at most: one that flies apart has no end


class RankMonitor:
    """The conditioning of the constraints along the near-singular stretches of a path, at points FINE apart or less:
    `conditioning` [point, column] has a column for each constraint.

    `state`: the state before each point.  Near-singular is where the active rows of a constraint span a small volume
    beside those before: beside singular positions, and where they are a poor choice of rows; between states that are
    far apart it may be anywhere.  Of very many rows that are redundant the choice may be poor everywhere: then the
    whole path is examined.  Few rows that are redundant are looked at together, as one column.

    `recursive`: the same equations as a run eliminates them by recursion, if it does.  Where all rows are active it is
    measured as the run has measured it, beside the rows before in that order.
    """

    def __init__(self, path: Path, equations: Equations, recursive: Equations | None = None) -> None:
        self.path, self.equations = path, equations
        rows, dofs = len(equations.system.rows), len(equations.system.dofs)
        full = int(equations.work.method[0]["active_count"])
        self.rows = np.zeros((0, dofs) if is_large(equations) else (rows, dofs))  # a buffer
        self.poor = is_large(equations) and rows > full  # the choice of rows may be poor everywhere
        apart = is_large(equations) or rows == full
        self.measuring = recursive if recursive is not None and rows == full else equations
        self.column = np.where(apart, equations.system.rows["constraint"], 0).astype(np.int64)  # of each row
        self.columns = int(self.column.max(initial=0)) + 1
        bind_conditioning()
        strength = self._at_states() if self.columns > 1 else path.strength[:, None]
        self.largest = strength.max(axis=0, initial=-np.inf, where=np.isfinite(strength))  # [column]
        self._look(self._near(strength), strength)

    def _at_states(self) -> np.ndarray:
        """The conditioning [state, column]: as the run has left it, where it has and all rows are active, in the path
        itself, with what it has not; else anew.
        """
        path, rows = self.path, self.equations.work.row_state
        known = path.left.shape[1] and len(rows) == int(self.equations.work.method[0]["active_count"])
        found = path.left[:, : self.columns] if known else np.full((len(path), self.columns), np.nan)
        unknown = np.flatnonzero(np.isnan(found[:, 0]))
        found[unknown] = self.measured(unknown, path.t[unknown])
        return found

    def _near(self, strength: np.ndarray) -> np.ndarray:
        """Which constraints are near-singular in which intervals between states, by the conditioning at the states, or
        may be, where that is not known.
        """
        near = (strength < self.largest - NEAR_SINGULAR) | (strength == np.inf)
        return np.asarray(near[1:] | near[:-1])

    def _look(self, near: np.ndarray, strength: np.ndarray) -> None:
        """Intervals between states that are to be examined, points there, and what is found: minima, and where columns
        may vanish.  Of several columns, which are known at the states, it is only beside a minimum that they may.
        """
        path, far = self.path, self.path.distance > FAR
        possible = np.isfinite(path.distance) & (self.equations.work.method[0]["active_count"] > 0)
        if self.columns > 1:
            values, lowest = strength, minima(path.t, strength)
            watched = ((near & beside(lowest)).any(axis=1) | self.poor | far) & possible
        else:
            watched = (near[:, 0] | far) & possible
            values = self._at(_around(watched))
            lowest = minima(path.t, values)
        examined, crosses = watched, np.zeros_like(lowest)
        if len(self.equations.system.constraints) == self.columns and not self.poor:
            crosses = settle(path.t, values, lowest)
            if self.columns > 1:
                near[2:-2] = True  # of what is not settled there nothing is known
            examined = ((near & beside(lowest)).any(axis=1) | far) & possible
        self._measure_where(examined, values)
        inside = examined[self.state[:-1]]
        lowest = minima(self.t, self.conditioning) if (examined | watched).any() else crosses
        self.minima = np.flatnonzero(lowest.any(axis=1) & watched[self.state[:-1]]).tolist()
        self.crosses = crosses[self.state[:-1]] & ~inside[:, None]
        closely = examined.any() and not self.poor
        doubtful = minima(self.t, self.conditioning, vanish=True) if closely else lowest
        self.doubtful = (doubtful & inside[:, None]) | self.crosses

    def _at(self, wanted: np.ndarray) -> np.ndarray:
        """The conditioning [state, column] at some states; infinite at others."""
        found = np.full((len(self.path), self.columns), np.inf)
        state = np.flatnonzero(wanted)
        found[state] = self.measured(state, self.path.t[state])
        return found

    def _measure_where(self, examined: np.ndarray, values: np.ndarray) -> None:
        """Points in these intervals, and all states, with the conditioning there; `values`: at the states.

        `span`: of each interval the distance of points that there is, or would be, s.
        """
        path = self.path
        fine = np.clip(np.ceil(path.distance / (FINER if self.poor else FINE)), 1.0, MOST)
        fine[~np.isfinite(fine)] = 1.0
        counts = np.append(np.where(examined, fine, 1.0).astype(np.int64), 1)
        self.state = np.repeat(np.arange(len(path)), counts)
        within = (np.arange(len(self.state)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[self.state]
        steps = np.diff(path.t)
        self.t = path.t[self.state] + within * np.append(steps, 0.0)[self.state]
        self.span = (steps / fine)[self.state[:-1]]
        self.conditioning = values[self.state]
        self.conditioning[within > 0.0] = self.measured(self.state[within > 0.0], self.t[within > 0.0])

    def measured(self, state: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The conditioning [point, column] at times t, each behind its state."""
        equations, path = self.measuring, self.path
        found = np.zeros((len(t), self.columns))
        measure_conditioning(
            evaluate, factorize, natural_rows, factor_rows, equations.system_ref, equations.work_ref, path.t, path.y,
            path.rate, path.angles, state, np.ascontiguousarray(t), self.rows, self.column, found,
        )  # fmt: skip
        return found

    @cached_property
    def in_space(self) -> Equations:
        """The same equations in space, where joints move."""
        equations = self.equations
        flat = len(equations.work.plane) > 0
        return Equations(equations.compiled, row_state=equations.work.row_state) if flat else equations

    @property
    def along(self) -> float:
        """1 where the path leads through growing times, -1 where it leads backwards."""
        return 1.0 if self.path.t[-1] >= self.path.t[0] else -1.0


def _around(intervals: np.ndarray) -> np.ndarray:
    """States at the ends of these intervals, and of those next to them."""
    wide = beside(intervals)
    return np.asarray(np.append(wide, False) | np.append(False, wide))


def beside(chosen: np.ndarray) -> np.ndarray:
    """Intervals [interval, column] that are chosen, or next to one."""
    wide = chosen.copy()
    wide[1:] |= chosen[:-1]
    wide[:-1] |= chosen[1:]
    return wide
