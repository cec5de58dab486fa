"""The Jacobian J of dy/dt, by differences, and the two matrices of Newton's method made of it (newton.py):

    rho / h - J,      (alpha - i beta) / h - J,      rho, alpha +- i beta: eigenvalues of D (scheme.py)

The Jacobian is kept, so that another step length costs a factorization only.  radau.py says at which state it is taken.
"""

from __future__ import annotations

from linkwork.compiler.carving import array_at
from linkwork.compiler.kernels import part
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import finite, settle
from linkwork.integrators.radau.elimination import factor_positions_first
from linkwork.integrators.radau.scheme import COMPLEX, JACOBIAN, ORDERS, PAIR_ROOT, REAL, RHO, WHOLE, Y_NEW
from linkwork.integrators.rates import finite_rate_corrected, trial_rate
from linkwork.integrators.vectors import copy
from linkwork.numerics.dense import solve_lu
from linkwork.numerics.status import LEVEL_VELOCITY, OK

DIFFERENCE = 1e-7  # of the size of a coordinate or speed: balances rounding against curvature


@part
def rate_at(corrected, evaluate, factor, solve, correct, system, t, y, angles, work, control):
    """dy/dt at a state, in `work.rate`; near a singular position (`corrected`) at the corrected one."""
    if corrected:
        work.method[0].factors = Factors.NOTHING  # the correction must be a function of the state alone
        return finite_rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control)
    return trial_rate(evaluate, factor, solve, correct, system, t, y, angles, work, control)


@part
def build_jacobian(corrected, evaluate, factor, solve, correct, system, t, y, angles, work, memory, control):
    """J [i, j] = d(dy_i/dt) / dy_j at (t, y): at the same position first, whose factors then serve all speeds."""
    n, first, moved = y.shape[0], first_velocity(system), memory[Y_NEW]
    J, base = array_at(memory, JACOBIAN * n, (n, n), REAL), memory[ORDERS]
    copy(y, moved)
    status = rate_at(corrected, evaluate, factor, solve, correct, system, t, moved, angles, work, control)
    copy(work.rate, base)
    for k in range(n):
        if status != OK:
            break
        j = (k + first) % n
        step = DIFFERENCE * max(work.error_scales[j], abs(y[j]))
        if step == 0.0:
            step = DIFFERENCE
        copy(y, moved)
        moved[j] += step
        if j < first or corrected:
            status = rate_at(corrected, evaluate, factor, solve, correct, system, t, moved, angles, work, control)
        else:
            control[0].evaluations += 1
            evaluate(system, t, moved, angles, work, LEVEL_VELOCITY)
            status = settle(factor, solve, system, t, angles, work)
            if status == OK:
                status = finite(work.rate)
        for i in range(n):
            J[i, j] = (work.rate[i] - base[i]) / step
    return status


@part
def factor_matrices(h, n, first, memory):
    """Both matrices for steps of length h; whether they could be factored."""
    J = array_at(memory, JACOBIAN * n, (n, n), REAL)
    alone, pair = matrix_alone(n, memory), matrix_of_pair(n, memory)
    for i in range(n):
        for j in range(n):
            alone[i, j] = pair[i, j] = -J[i, j]
        alone[i, i] += RHO / h
        pair[i, i] += PAIR_ROOT / h
    columns = array_at(memory, (ORDERS + 2) * n, n, WHOLE)
    if not factor_positions_first(alone, n, first, order_alone(n, memory), columns):
        return False
    return factor_positions_first(pair, n, first, order_of_pair(n, memory), columns)


@part
def solve_alone(n, memory, x):
    """x <- (rho / h - J)^-1 x."""
    solve_lu(matrix_alone(n, memory), n, order_alone(n, memory), x)


@part
def solve_pair(n, memory, x):
    """x <- ((alpha - i beta) / h - J)^-1 x."""
    solve_lu(matrix_of_pair(n, memory), n, order_of_pair(n, memory), x)


@part
def matrix_alone(n, memory):
    """The matrix of the real eigenvalue, or its factors."""
    return array_at(memory, (JACOBIAN + n) * n, (n, n), REAL)


@part
def matrix_of_pair(n, memory):
    """The matrix of the complex pair, or its factors."""
    return array_at(memory, (JACOBIAN + 2 * n) * n, (n, n), COMPLEX)


@part
def order_alone(n, memory):
    """In which order the rows of `matrix_alone` were taken."""
    return array_at(memory, ORDERS * n, n, WHOLE)


@part
def order_of_pair(n, memory):
    """In which order the rows of `matrix_of_pair` were taken."""
    return array_at(memory, (ORDERS + 1) * n, n, WHOLE)
