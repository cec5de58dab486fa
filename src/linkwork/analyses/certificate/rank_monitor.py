"""The conditioning of the constraints along a path.

At a singular position what is left of some constraint row beside the others vanishes.  It is followed along the path in
small motions, and has a minimum there.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.analyses.certificate.trajectory import Path
from linkwork.analyses.start.row_space import is_large
from linkwork.analyses.start.scales import motion_sizes, row_sizes
from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel, part
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.jacobians import dense_jacobian
from linkwork.formulations.state import first_velocity
from linkwork.integrators import stages
from linkwork.integrators.hermite import cubic
from linkwork.methods.natural_rows import factor_natural, natural_rows
from linkwork.methods.normal_step import FLAT, factorize
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION

NEAR_SINGULAR = 1.0  # of the logarithm of the volume below its largest: there the constraints are examined ...
FAR = 0.3  # ... and between states farther apart than this, rad or of the mechanism's size, ...
FINE = 0.05  # ... at points so near to each other, ...
FINER = 0.01  # ... or so near, where a poor choice of rows may hide a minimum of the volume, ...
REDUNDANT = 1e-9  # of a row's natural size: what rounding may leave of redundant rows, of very many
MOST = 200  # ... but at so many between two states at most: one that flies apart has no end


class RankMonitor:
    """The conditioning of the constraints along the near-singular stretches of a path, at points FINE apart or less.

    `state`: the state before each point.  Near-singular is where the active rows span a small volume: beside singular
    positions, and where they are a poor choice of rows; between states that are far apart it may be anywhere.  Of very
    many rows that are redundant the choice may be poor everywhere: then the whole path is examined.
    """

    def __init__(self, path: Path, equations: Equations) -> None:
        self.path, self.equations = path, equations
        rows, dofs = len(equations.system.rows), len(equations.system.dofs)
        full = int(equations.work.method[0]["active_count"])
        self.rows = np.zeros((0, dofs) if is_large(equations) else (rows, dofs))  # buffer of `rows_at`
        known = path.strength[np.isfinite(path.strength)]
        self.poor = is_large(equations) and rows > full  # the choice of rows may be poor everywhere
        near = (path.strength < known.max(initial=-np.inf) - NEAR_SINGULAR) | self.poor
        examined = (near[1:] | near[:-1] | (path.distance > FAR)) & np.isfinite(path.distance) & (full > 0)
        fine = FINER if self.poor else FINE
        parts = np.where(examined, np.clip(np.ceil(path.distance / fine), 1.0, MOST), 0.0).astype(np.int64)
        count = int(np.maximum(parts, 1).sum()) + 1
        self.state = np.repeat(np.arange(len(path)), np.append(np.maximum(parts, 1), 1))
        self.t, self.conditioning = np.zeros(count), np.full(count, np.inf)
        if parts.any():
            measured = (
                equations.system_ref, equations.work_ref, path.t, path.y, path.rate, path.angles, parts, self.rows,
                self.t, self.conditioning,
            )  # fmt: skip
            _bind()
            measure_conditioning(evaluate, factorize, natural_rows, factor_rows, *measured)
        self.minima = minima(self.conditioning)

    def evaluate(self, t: float, state: int, q: np.ndarray) -> None:
        """The equations at coordinates q near a state."""
        work = self.equations.work
        y = np.zeros(len(work.rate))
        y[: len(q)] = q
        work.segment["t_accepted"] = self.path.t[state]
        self.equations.evaluate(t, y, self.path.angles[state], LEVEL_POSITION)

    def rows_at(self, t: float, state: int, q: np.ndarray) -> np.ndarray:
        """The mass-weighted rows, each in units of its natural size, at coordinates q near a state."""
        self.evaluate(t, state, q)
        natural_rows(self.equations.system_ref, self.equations.work_ref, self.rows)
        return self.rows

    def geometry_at(self, t: float, state: int, q: np.ndarray) -> np.ndarray:
        """The same rows whatever the masses: of motions of 1 rad and of the mechanism's size."""
        self.evaluate(t, state, q)
        compiled, work = self.equations.compiled, self.equations.work
        J = dense_jacobian(compiled.system, work)
        return np.asarray(J * motion_sizes(compiled) / row_sizes(compiled)[:, None])


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

    Where there are no others than the active rows: the volume that these span, which vanishes at the same places.
    Without a buffer for dense rows, of very many: that of the rows which the factorization within their envelope takes.
    """
    n, now, full = 0, work.rate, work.method[0].active_count
    for k in range(t.shape[0]):
        work.segment[0].t_accepted = t[k]
        count = parts[k] if k < parts.shape[0] else 1
        for step in range(max(count, 1)):
            times[n] = t[k]
            for i in range(now.shape[0]):
                now[i] = y[k, i]
            if step > 0:
                s, h = step / count, t[k + 1] - t[k]
                times[n] = t[k] + s * h
                for i in range(first_velocity(system)):
                    now[i], _ = cubic(s, h, y[k, i], rate[k, i], y[k + 1, i], rate[k + 1, i])
            if count > 0:
                evaluate(system, times[n], now, angles[k], work, LEVEL_POSITION)
                if work.row_state.shape[0] == full:
                    factor(system, work)
                    found[n] = work.method[0].volume
                elif dense.shape[0] == 0:
                    factor_natural(system, work, work.every_row, REDUNDANT)
                    found[n] = log_volume(work.diagonal[: work.every_row.shape[0]], full)
                else:
                    rows_of(system, work, dense)
                    for r in range(dense.shape[0]):
                        work.row_scales[r] = 1.0
                    rank = factor_rows(dense, 0.0, work.row_scales, work.z, work.diagonal, work.pivots)
                    found[n] = math.log(abs(work.diagonal[full - 1])) if rank >= full else FLAT
            n += 1


@part
def log_volume(left, count):
    """Logarithm of the volume that the `count` strongest rows span, of each of which so much is left; the others are
    redundant, and few of them are more than rounding.
    """
    beyond, total, least = -count, 0.0, 0.0
    for a in range(left.shape[0]):
        if left[a] > 0.0:
            beyond += 1
            total += math.log(left[a])
    if beyond < 0:
        return FLAT
    for _ in range(beyond):
        last, least = least, math.inf
        for a in range(left.shape[0]):
            if last < left[a] < least:
                least = left[a]
        total -= math.log(least)
    return total


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
