"""Simplified Newton's method for the stages of a trial step (Hairer and Wanner II, IV.8), theory (9.14), (9.15).

With Z_i = Y_i - y at the nodes and D of scheme.py the stages obey  D Z = h f(y + Z).  In W = T^-1 Z, in which D is
block diagonal, an iteration is two systems of the size of y, one of them complex:

    (B / h - J) delta W = T^-1 f(y + T W) - B W / h,      B = T^-1 D T
    B = rho for w_1,  alpha - i beta for w_2 + i w_3
"""

from __future__ import annotations

import math

from linkwork.compiler.carving import array_at
from linkwork.compiler.kernels import part
from linkwork.formulations.state import first_velocity
from linkwork.integrators.radau.dense_output import basis
from linkwork.integrators.radau.jacobian import rate_at, solve_alone, solve_pair
from linkwork.integrators.radau.scheme import (
    COMPLEX,
    CUBIC,
    ERROR,
    NODES,
    PAIR,
    PAIR_ROOT,
    RATES,
    RHO,
    STAGES,
    T_INVERSE,
    Y_NEW,
    Y_OLD,
    T,
    W,
    tolerance_of_step,
)
from linkwork.integrators.vectors import copy
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import NEWTON_STALLED, NOT_FINITE, OK

ITERATIONS = 7
LEFT = 0.1  # that Newton's method may leave of the error that steps make, times the root of their tolerance
AUXILIARY = 0.1  # of the tolerance of the run, for a step's error of auxiliary states
FIRST = 1e-3  # of the tolerance: error that the first step is taken to make
ROUNDED = 2e-15  # what rounding leaves, relative
PATIENCE = 2  # iterations before the rate decides: integrals follow the state that they are of by one
TRUST = 0.8  # power of the convergence of the step before with which this step's is expected to begin


@part
def start_stages(h, y, memory, kept, control):
    """W from the cubic of the last step, followed beyond its end; 0 after a restart."""
    last = control[0].h_last
    for s in range(STAGES):
        a, b, c = basis(1.0 + NODES[s] * h / last) if kept.error > 0.0 else (0.0, 0.0, 0.0)
        for i in range(y.shape[0]):
            there = memory[Y_OLD, i] - y[i]
            there += a * memory[CUBIC, i] + b * memory[CUBIC + 1, i] + c * memory[CUBIC + 2, i]
            memory[RATES + s, i] = there if kept.error > 0.0 else 0.0
    for s in range(STAGES):
        for i in range(y.shape[0]):
            memory[W + s, i] = combined(T_INVERSE, s, RATES, i, memory)


@part
def combined(matrix, row, vectors, i, memory):
    """Entry i of a row of a 3 x 3 matrix times three vectors in memory."""
    return (
        matrix[row, 0] * memory[vectors, i]
        + matrix[row, 1] * memory[vectors + 1, i]
        + matrix[row, 2] * memory[vectors + 2, i]
    )


@part
def iterate(corrected, evaluate, factor, solve, correct, system, t, h, y, angles, work, memory, kept, control):
    """Iterate from W as it is until what is left does not count: the weakest pivot on the way, and a status.

    Kept are the number of iterations, and the rate at which they converged (0: unknown).
    """
    tolerance = tolerance_of_step(control[0].rtol)
    made = min(kept.error, 1.0) if kept.error > 0.0 else FIRST
    enough = max(ROUNDED / tolerance, LEFT * math.sqrt(tolerance) * made)
    kept.convergence = min(max(kept.convergence, ROUNDED), 1.0) ** TRUST
    before, weakest, kept.rate = 0.0, kept.start, 0.0
    for iteration in range(1, ITERATIONS + 1):
        kept.iterations = iteration
        for s in range(STAGES):
            for i in range(y.shape[0]):
                memory[Y_NEW, i] = y[i] + combined(T, s, W, i, memory)
            t_s = t + NODES[s] * h
            status = rate_at(
                corrected, evaluate, factor, solve, correct, system, t_s, memory[Y_NEW], angles, work, control
            )
            if status != OK:
                return weakest, status
            copy(work.rate, memory[RATES + s])
            weakest = min(weakest, work.method[0].weakest_pivot)
            kept.strongest = max(kept.strongest, work.method[0].weakest_pivot)
        change = improve(system, h, y, work, memory, control)
        if not is_finite(change):
            return weakest, NOT_FINITE
        if iteration > 1:
            kept.rate = change / before
            kept.convergence = kept.rate / (1.0 - kept.rate) if kept.rate < 1.0 else math.inf
            if iteration > PATIENCE and kept.rate ** (ITERATIONS - iteration) * kept.convergence * change > enough:
                break
        if kept.convergence * change <= enough:
            return weakest, OK
        before = change
    return weakest, NEWTON_STALLED


@part
def improve(system, h, y, work, memory, control):
    """Add delta W; its size in units of the tolerance.  What changes stays in RATES."""
    n, first_auxiliary = y.shape[0], first_velocity(system) + system.dofs.shape[0]
    alone, pair = memory[ERROR], array_at(memory, PAIR * n, n, COMPLEX)
    for i in range(n):
        w = complex(memory[W + 1, i], memory[W + 2, i])
        alone[i] = combined(T_INVERSE, 0, RATES, i, memory) - RHO * memory[W, i] / h
        pair[i] = complex(combined(T_INVERSE, 1, RATES, i, memory), combined(T_INVERSE, 2, RATES, i, memory))
        pair[i] -= PAIR_ROOT * w / h
    solve_alone(n, memory, alone)
    solve_pair(n, memory, pair)
    total = 0.0
    for i in range(n):
        memory[RATES, i], memory[RATES + 1, i], memory[RATES + 2, i] = alone[i], pair[i].real, pair[i].imag
    for s in range(STAGES):
        for i in range(n):
            memory[W + s, i] += memory[RATES + s, i]
        total += norm(memory[RATES + s], first_auxiliary, y, work, control) ** 2
    return math.sqrt(total / STAGES)


@part
def norm(error, first_auxiliary, y, work, control):
    """The size of an error in units of the tolerance of a step, theory (9.1), (9.17); auxiliary states, above all the
    work integral, have a part of the tolerance of the run, since a few steps may use all that they have.
    """
    record, scales = control[0], work.error_scales
    share = record.rtol / tolerance_of_step(record.rtol)
    total, count = 0.0, 0.0
    for i in range(error.shape[0]):
        if scales[i] > 0.0:
            ratio = error[i] / (record.atol * scales[i] + record.rtol * abs(y[i]))
            ratio *= share if i < first_auxiliary else 1.0 / AUXILIARY
            total += ratio * ratio
            count += 1.0
    return math.sqrt(total / max(count, 1.0))
