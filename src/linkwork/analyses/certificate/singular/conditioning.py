"""The conditioning of the constraints at points of a path, compiled."""

from __future__ import annotations

import math

from linkwork.compiler.kernels import Exports, bind, bind_loop, kernel, part
from linkwork.formulations.equations import evaluate
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.formulations.workspace import active_rows
from linkwork.integrators import stages
from linkwork.integrators.hermite import cubic
from linkwork.methods.loop_recursion import eliminate
from linkwork.methods.natural_rows import factor_natural, natural_rows
from linkwork.methods.normal_step import FLAT, factorize
from linkwork.numerics.rank_revealing import factor_rows
from linkwork.numerics.status import LEVEL_POSITION

REDUNDANT = 1e-9  # of a row's natural size: what rounding may leave of redundant rows, of very many
VANISHED = 1e-7  # the same: no less is told apart


def bind_conditioning() -> None:
    """Compile the stages alone, then the loop: their code is not compiled once more inside of it."""
    bind(evaluate, stages.EVALUATE)
    bind(factorize, stages.FACTOR)
    bind(natural_rows, stages.NATURAL_ROWS)
    bind(factor_rows, stages.FACTOR_ROWS)
    bind_loop(measure_conditioning, stages.MEASURE_CONDITIONING)


@kernel
def measure_conditioning(
    evaluate, factor, rows_of, factor_rows, system, work, t, y, rate, angles, state, times, dense, column, found
):
    """The conditioning at times behind states of a path, between two by Hermite's cubic: of each column the logarithm
    of the volume that its rows span beside those before, in their natural sizes.

    Where there are no others than the active rows: from their factors, those of the recursion if there are tables for
    it.  Without a buffer for dense rows, of very many: by the factorization of all rows within their envelope.  Else
    what is left of the weakest independent row beside the others, which is the last pivot of the rank-revealing
    factorization of all rows.
    """
    now, full = work.rate, work.method[0].active_count
    for n in range(times.shape[0]):
        k = state[n]
        work.segment[0].t_accepted = t[k]
        for i in range(now.shape[0]):
            now[i] = y[k, i]
        if times[n] != t[k] and k + 1 < t.shape[0]:
            h = t[k + 1] - t[k]
            for i in range(first_velocity(system)):
                now[i], _ = cubic((times[n] - t[k]) / h, h, y[k, i], rate[k, i], y[k + 1, i], rate[k + 1, i])
        evaluate(system, times[n], now, angles[k], work, LEVEL_POSITION)
        if work.fronts.shape[0] > 0:
            eliminate(system, work)
            volumes_of_factored(work, column, found[n])
        elif work.row_state.shape[0] == full:
            factor(system, work)
            volumes_of_active(system, work, column, found[n])
        elif dense.shape[0] == 0:
            volumes_of_all(system, work, column, found[n])
        else:
            rows_of(system, work, dense)
            for r in range(dense.shape[0]):
                work.row_scales[r] = 1.0
            rank = factor_rows(dense, 0.0, work.row_scales, work.z, work.diagonal, work.pivots)
            found[n, 0] = math.log(abs(work.diagonal[full - 1])) if rank >= full else FLAT


@part
def volumes_of_active(system, work, column, found):
    """From the factors of the active rows; where one of these nearly vanishes, from rows that are not squared."""
    if work.method[0].factors != Factors.REGULAR:
        volumes_of_all(system, work, column, found)
        return
    volumes_of_factored(work, column, found)


@part
def volumes_of_factored(work, column, found):
    """From what is left of the active rows, beside those before each."""
    active = active_rows(work)
    found[:] = 0.0
    for a in range(active.shape[0]):
        found[column[active[a].row]] += 0.5 * math.log(work.left[a])


@part
def volumes_of_all(system, work, column, found):
    """From all rows; what rounding leaves of redundant ones counts as one small number."""
    found[:] = 0.0
    if factor_natural(system, work, work.every_row, REDUNDANT) < 0:
        return
    for a in range(work.every_row.shape[0]):
        found[column[work.every_row[a].row]] += math.log(max(work.diagonal[a], VANISHED))


def exports() -> Exports:
    """For the native library: the stages that are bound here, and the loop."""
    yield factorize, stages.FACTOR
    yield natural_rows, stages.NATURAL_ROWS
    yield factor_rows, stages.FACTOR_ROWS
    yield measure_conditioning, stages.MEASURE_CONDITIONING
