"""What channels are of a sample: their derivatives with respect to its numbers, and to parameters at a given sample.

A channel is differenced, like a slope of forward mode (simulation.py), at many samples at once: those beside a given
one are further samples of one Result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.gradients.adjoint.parameters import Parameters
from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.formulations.equations import Equations
from linkwork.results.result import Result
from linkwork.system.compile import Compiled

STEP = 1e-3  # of a number's size: differences of fourth order
LEAST = 1e-3  # of the largest acceleration, or load: the size of those that are zero but for rounding
PLACES, WEIGHTS = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
AT_ONCE = 2_000_000  # numbers of samples that are made at a time
PROBES = 3  # samples at which it is seen on what a channel depends

Weights = Mapping[str, np.ndarray]  # [sample] dJ/d(channel), by the channel's name


class Channels:
    """The channels of a run, at some of its samples."""

    def __init__(self, result: Result, compiled: Compiled, t: np.ndarray, rows: np.ndarray, scales: np.ndarray) -> None:
        """`rows`: of the samples (integrators/loop/rows.py); `scales`: of the state."""
        self.result, self.equations, self.t, self.rows = result, Equations(compiled), t, rows
        sizes = np.abs(rows).max(axis=0, initial=0.0)
        sizes[: len(scales)] = np.where(scales > 0.0, scales, sizes[: len(scales)])
        column = columns_of(self.equations)
        for kind in (slice(column.v_dot, column.lam), slice(column.lam, column.kinetic)):
            sizes[kind] = np.maximum(sizes[kind], LEAST * sizes[kind].max(initial=0.0))
        self.steps = STEP * np.where(sizes > 0.0, sizes, 1.0)

    def by_numbers(self, weights: Weights) -> np.ndarray:
        """dJ/d(row), [sample, number]."""
        found = np.zeros_like(self.rows)
        for name, weight in weights.items():
            used = np.flatnonzero(weight)
            columns = self._columns(name, used)
            many = max(1, AT_ONCE // (len(used) * len(PLACES) * self.rows.shape[1]))
            for first in range(0, len(columns), many):
                some = columns[first : first + many]
                found[np.ix_(used, some)] += weight[used, None] * self._slopes(name, used, some).T
        return found

    def _slopes(self, name: str, used: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """[column, sample]."""
        rows = np.broadcast_to(self.rows[used], (len(columns), len(PLACES), len(used), self.rows.shape[1])).copy()
        for k, column in enumerate(columns):
            rows[k, :, :, column] += PLACES[:, None] * self.steps[column]
        values = self._values(self.equations, name, np.tile(self.t[used], len(columns) * len(PLACES)), rows)
        slopes: np.ndarray = np.einsum("p,cpi->ci", WEIGHTS, values.reshape(rows.shape[:3]))
        return slopes / self.steps[columns, None]

    def _columns(self, name: str, used: np.ndarray) -> np.ndarray:
        """The numbers of a sample on which a channel depends, at states beside those of the run: by groups, then one by
        one.
        """
        probes = used[np.linspace(0, len(used) - 1, min(PROBES, len(used))).astype(int)]
        everyone = np.arange(self.rows.shape[1])
        groups = np.array_split(everyone, math.isqrt(len(everyone)))
        some = np.concatenate([everyone[:0], *self._that_move(name, probes, groups)])
        return np.concatenate([everyone[:0], *self._that_move(name, probes, np.split(some, len(some)))])

    def _that_move(self, name: str, probes: np.ndarray, groups: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Those groups of numbers that move a channel."""
        width, rng = self.rows.shape[1], np.random.default_rng(0)
        base = self.rows[probes] + self.steps * rng.uniform(0.5, 1.0, (len(probes), width))
        beside = self.steps * rng.uniform(0.5, 1.0, width)
        rows = np.broadcast_to(base, (len(groups) + 1, *base.shape)).copy()
        for k, group in enumerate(groups):
            rows[k, :, group] += beside[group, None]
        values = self._values(self.equations, name, np.tile(self.t[probes], len(rows)), rows)
        values = values.reshape(len(rows), len(probes))
        return [group for group, moved in zip(groups, np.any(values[:-1] != values[-1], axis=1), strict=True) if moved]

    def by_parameters(self, weights: Weights, parameters: Parameters) -> np.ndarray:
        """dJ/dp, [parameter], at the samples as they are."""
        found = np.zeros(len(parameters.names))
        for name, weight in weights.items():
            used = np.flatnonzero(weight)

            def channel(compiled: Compiled, name: str = name, used: np.ndarray = used) -> np.ndarray:
                return self._values(Equations(compiled), name, self.t[used], self.rows[used])

            for k, slope in parameters.slopes_of(channel).items():
                found[k] += weight[used] @ slope
        return found

    def _values(self, equations: Equations, name: str, t: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The channel at such samples."""
        result, rows = self.result, rows.reshape(-1, rows.shape[-1])
        at = samples_as_result(equations, t, rows, result.steps[:0], result.options, result.certificate)
        return result.channel_of(at, name)
