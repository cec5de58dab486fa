"""The conditioning of the constraints along a path.

At a singular position what is left of some constraint row beside the others vanishes.  It is followed along the path in
small motions, and has a minimum there.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.analyses.certificate.trajectory import Path
from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.state import first_velocity
from linkwork.integrators import stages
from linkwork.integrators.hermite import cubic
from linkwork.methods.normal_step import FLAT, factorize, natural_rows
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION

NEAR_SINGULAR = 1.0  # of the logarithm of the volume below its largest: there the constraints are examined ...
FAR = 0.3  # ... and between states farther apart than this, rad or of the mechanism's size, ...
FINE = 0.05  # ... at points so near to each other, ...
MOST = 200  # ... but at so many between two states at most: one that flies apart has no end
DENSE = 1_000_000  # multiplications: the most that a factorization of all rows may take at each of these points


class RankMonitor:
    """The conditioning of the constraints along the near-singular stretches of a path, at points FINE apart or less.

    `state`: the state before each point.  Near-singular is where the active rows span a small volume: beside singular
    positions, and where they are a poor choice of rows; between states that are far apart it may be anywhere.
    """

    def __init__(self, path: Path, equations: Equations) -> None:
        self.path, self.equations = path, equations
        rows, dofs = len(equations.system.rows), len(equations.system.dofs)
        full = int(equations.work.method[0]["active_count"])
        self.rows = np.zeros((rows, dofs))  # buffer of `rows_at`
        known = path.strength[np.isfinite(path.strength)]
        near = path.strength < known.max(initial=-np.inf) - NEAR_SINGULAR
        examined = (near[1:] | near[:-1] | (path.distance > FAR)) & np.isfinite(path.distance) & (full > 0)
        parts = np.where(examined, np.clip(np.ceil(path.distance / FINE), 1.0, MOST), 0.0).astype(np.int64)
        count = int(np.maximum(parts, 1).sum()) + 1
        self.state = np.repeat(np.arange(len(path)), np.append(np.maximum(parts, 1), 1))
        self.t, self.conditioning = np.zeros(count), np.full(count, np.inf)
        if parts.any():
            dense = self.rows if rows > full and rows * dofs * full < DENSE else self.rows[:0]
            measured = (
                equations.system_ref, equations.work_ref, path.t, path.y, path.rate, path.angles, parts, dense,
                self.t, self.conditioning,
            )  # fmt: skip
            _bind()
            measure_conditioning(evaluate, factorize, natural_rows, factor_rows, *measured)
        self.minima = minima(self.conditioning)

    def rows_at(self, t: float, state: int, q: np.ndarray) -> np.ndarray:
        """The mass-weighted rows, each in units of its natural size, at coordinates q near a state."""
        work = self.equations.work
        y = np.zeros(len(work.rate))
        y[: len(q)] = q
        work.segment["t_accepted"] = self.path.t[state]
        self.equations.evaluate(t, y, self.path.angles[state], LEVEL_POSITION)
        natural_rows(self.equations.system_ref, self.equations.work_ref, self.rows)
        return self.rows


def _bind() -> None:
    """Compile the stages alone, then the loop: their code is not compiled once more inside of it."""
    bind(evaluate, stages.EVALUATE)
    bind(factorize, stages.FACTOR)
    bind(natural_rows, stages.NATURAL_ROWS)
    bind(factor_rows, stages.FACTOR_ROWS)
    bind_loop(measure_conditioning, stages.MEASURE_CONDITIONING)


@kernel
def measure_conditioning(
    evaluate, factor, rows_of, factor_rows, system, work, t, y, rate, angles, parts, dense, times, found
):
    """The conditioning at every state, and between two at as many points as make so many `parts`, by Hermite's cubic:
    the logarithm of what is left of the weakest independent row beside the others, of its natural size, which is the
    last pivot of the rank-revealing factorization of all rows.  Where there are no parts, nothing is found.

    Without a buffer for dense rows, as where there are no others than the active ones: the volume that these span,
    which vanishes at the same places, and where they are a poor choice of rows.
    """
    n, now, full = 0, work.rate, work.method[0].active_count
    for k in range(t.shape[0]):
        work.segment[0].t_accepted = t[k]
        count = parts[k] if k < parts.shape[0] else 1
        for part in range(max(count, 1)):
            times[n] = t[k]
            for i in range(now.shape[0]):
                now[i] = y[k, i]
            if part > 0:
                s, h = part / count, t[k + 1] - t[k]
                times[n] = t[k] + s * h
                for i in range(first_velocity(system)):
                    now[i], _ = cubic(s, h, y[k, i], rate[k, i], y[k + 1, i], rate[k + 1, i])
            if count > 0:
                evaluate(system, times[n], now, angles[k], work, LEVEL_POSITION)
                if dense.shape[0] == 0:
                    factor(system, work)
                    found[n] = work.method[0].volume
                else:
                    rows_of(system, work, dense)
                    for r in range(dense.shape[0]):
                        work.row_scales[r] = 1.0
                    rank = factor_rows(dense, 0.0, work.row_scales, work.z, work.diagonal, work.pivots)
                    found[n] = math.log(abs(work.diagonal[full - 1])) if rank >= full else FLAT
            n += 1


def minima(values: np.ndarray) -> list[int]:
    """Points k such that there may be a minimum between k and k + 1.

    The values fall towards k and rise from k + 1 on, or one of the two is lower than its neighbours, in a narrow dip;
    beyond the ends they are taken to be higher.
    """
    if len(values) < 2:
        return []
    falls = np.concatenate([[True], values[:-1] > values[1:], [False]])  # towards each point; from the last on it rises
    rises = np.concatenate([[False], values[:-1] < values[1:], [True]])
    lowest = falls[:-1] & rises[1:]
    finite = np.isfinite(values[:-1]) & np.isfinite(values[1:])
    both = falls[:-2] & rises[2:]
    return [int(k) for k in np.flatnonzero((both | lowest[:-1] | lowest[1:]) & finite)]


def exports() -> Exports:
    """For the native library: the stages that are bound here, and the loop."""
    yield factorize, stages.FACTOR
    yield natural_rows, stages.NATURAL_ROWS
    yield factor_rows, stages.FACTOR_ROWS
    yield measure_conditioning, stages.MEASURE_CONDITIONING
