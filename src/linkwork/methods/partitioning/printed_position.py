"""P3's steps 9 and 10 as printed (`literal`): Newton's method for the position, then the velocity, theory (3.7)
and (3.8),

    [Phi_v; P_NT^T] delta = [-Phi; 0]           v = I_R nu + P_NT z'

The motion of (3.7) is the shortest, in the plain sense, that meets the rows; the matrix is new at every iteration.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.state import first_velocity
from linkwork.methods.correction import bring_back, correct_position, correct_velocity
from linkwork.methods.partitioning.basis import ROWS
from linkwork.methods.partitioning.partitioned import TH, keeps_printed
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import FACTOR, LEVEL_POSITION, OK, SHORTEST

EVERY_ITERATION = 1


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """Back onto the constraints along Z; P3 as printed, the shortest way in position."""
    if work.options[0].literal == 0.0 or work.method[0].basis != Basis.PROJECTION:
        return bring_back(evaluate, factor, solve, system, t, y, angles, work)
    status = correct_position(evaluate, factor, solve, SHORTEST, EVERY_ITERATION, system, t, y, angles, work)
    if status != OK:
        return status
    if keeps_printed(work):
        return velocity_as_printed(evaluate, factor, solve, system, t, y, angles, work)
    return correct_velocity(evaluate, factor, solve, system, t, y, angles, work)


@part
def velocity_as_printed(evaluate, factor, solve, system, t, y, angles, work):
    """v = I_R nu + P_NT z' with the kept I_R, z' = P_T^T v; leaves the position evaluated and factored."""
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    status = solve(factor, system, work, FACTOR)
    if status != OK:
        return status
    n, rank, first = work.v_dot.shape[0], work.method[0].rank, first_velocity(system)
    basis, Th, rows, z = work.basis, work.matrices[TH], work.order[ROWS], work.z
    for c in range(n - rank):
        z[c] = 0.0
        for j in range(n):
            z[c] += basis[j, rank + c] * y[first + j]
    for j in range(n):
        v = 0.0
        for k in range(rank):
            v += basis[j, k] * work.nu[rows[k]]
        for c in range(n - rank):
            v += Th[j, c] * z[c]
        y[first + j] = v
    return OK
