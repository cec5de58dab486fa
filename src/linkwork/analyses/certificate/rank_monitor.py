"""How weak the constraints are along a path.

At a singular position what is left of some constraint row beside the others vanishes.  It is followed along the path in
small motions, and has a minimum there.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.analyses.certificate.trajectory import Path
from linkwork.compiler.kernels import bind, bind_loop, kernel
from linkwork.formulations.equations import Equations, evaluate
from linkwork.integrators import stages
from linkwork.integrators.hermite import cubic
from linkwork.methods.normal_step import FLAT, factorize, natural_rows
from linkwork.methods.options import VOLUME
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION, T_ACCEPTED

WEAK = 1.0  # of the logarithm of the volume below its largest: there the constraints are looked at ...
FAR = 0.3  # ... and between states farther apart than this, rad or of the mechanism's size, ...
FINE = 0.05  # ... at points so near to each other, ...
MOST = 200  # ... but at so many between two states at most: one that flies apart has no end
DENSE = 1_000_000  # multiplications: the most that a factorization of all rows may take at each of these points


class Survey:
    """How weak the constraints are along the weak stretches of a path, at points FINE apart or less.

    `of`: the state before each point.  Weak is where the active rows span a small volume: near singular positions, and
    where they are a poor choice of rows; and who knows between states that are far apart.
    """

    def __init__(self, path: Path, equations: Equations) -> None:
        self.path, self.equations = path, equations
        rows, dofs, full = len(equations.system.rows), len(equations.system.dofs), len(equations.system.active)
        self.rows = np.zeros((rows, dofs))  # room for `rows_at`
        known = path.strength[np.isfinite(path.strength)]
        weak = path.strength < known.max(initial=-np.inf) - WEAK
        looked_at = (weak[1:] | weak[:-1] | (path.gone > FAR)) & np.isfinite(path.gone) & (full > 0)
        parts = np.where(looked_at, np.clip(np.ceil(path.gone / FINE), 1.0, MOST), 0.0).astype(np.int64)
        count = int(np.maximum(parts, 1).sum()) + 1
        self.of = np.repeat(np.arange(len(path)), np.append(np.maximum(parts, 1), 1))
        self.t, self.weakness = np.zeros(count), np.full(count, np.inf)
        if parts.any():
            dense = self.rows if rows > full and rows * dofs * full < DENSE else self.rows[:0]
            measured = (
                equations.system_ref, equations.work_ref, path.t, path.y, path.rate, path.angles, parts, dense,
                self.t, self.weakness,
            )  # fmt: skip
            _bind()
            weaknesses(evaluate, factorize, natural_rows, factor_rows, *measured)
        self.minima = _minima(self.weakness)

    def rows_at(self, t: float, state: int, q: np.ndarray) -> np.ndarray:
        """The mass-weighted rows, each in units of its natural size, at coordinates q near a state."""
        work = self.equations.work
        y = np.zeros(len(work.rate))
        y[: len(q)] = q
        work.settings[T_ACCEPTED] = self.path.t[state]
        self.equations.evaluate(t, y, self.path.angles[state], LEVEL_POSITION)
        natural_rows(self.equations.system_ref, self.equations.work_ref, self.rows)
        return self.rows


def _bind() -> None:
    """Compile the stages alone, then the loop: their code is not compiled once more inside of it."""
    bind(evaluate, stages.EVALUATE)
    bind(factorize, stages.FACTOR)
    bind(natural_rows, stages.NATURAL_ROWS)
    bind(factor_rows, stages.FACTOR_ROWS)
    bind_loop(weaknesses, stages.WEAKNESSES)


@kernel
def weaknesses(evaluate, factor, rows_of, factor_rows, system, work, t, y, rate, angles, parts, dense, times, found):
    """The weakness at every state, and between two at as many points as make so many `parts`, by Hermite's cubic: the
    logarithm of what is left of the weakest independent row beside the others, of its natural size, which is the last
    pivot of the rank-revealing factorization of all rows.  Where there are no parts, nothing is found.

    Without room for dense rows, as where there are no others than the active ones: the volume that these span, which
    vanishes at the same places, and where they are a poor choice of rows.
    """
    n, now, full = 0, work.rate, system.active.shape[0]
    ones, squares, diagonal = work.small[3], work.small[4], work.small[5]
    for k in range(t.shape[0]):
        work.settings[T_ACCEPTED] = t[k]
        count = parts[k] if k < parts.shape[0] else 1
        for part in range(max(count, 1)):
            times[n] = t[k]
            for i in range(now.shape[0]):
                now[i] = y[k, i]
            if part > 0:
                s, h = part / count, t[k + 1] - t[k]
                times[n] = t[k] + s * h
                for i in range(system.whole[0].q_count):
                    now[i], _ = cubic(s, h, y[k, i], rate[k, i], y[k + 1, i], rate[k + 1, i])
            if count > 0:
                evaluate(system, times[n], now, angles[k], work, LEVEL_POSITION)
                if dense.shape[0] == 0:
                    factor(system, work)
                    found[n] = work.settings[VOLUME]
                else:
                    rows_of(system, work, dense)
                    for r in range(dense.shape[0]):
                        ones[r] = 1.0
                    rank = factor_rows(dense, 0.0, ones, squares, diagonal, work.pivots)
                    found[n] = math.log(abs(diagonal[full - 1])) if rank >= full else FLAT
            n += 1


def _minima(values: np.ndarray) -> list[int]:
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
