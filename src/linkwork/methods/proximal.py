"""Proximal multipliers: regularized, then refined until the regularization no longer shows (Carpentier et al. 2021).

    (A^T A + rho I) dmu = c - A^T A mu,   mu <- mu + dmu          with A = L^-T Phi_v^T over all rows

At home with redundant and singular Jacobians: no rank is decided, redundant rows share their multiplier in the
least way, and a vanishing row loses its hold gradually.  Masses that differ make rows of A^T weak that hold by
geometry: rho is less by as much, squared (`cut_factor`, found at the start), so that refinement reaches them.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.formulations.records import Factors
from linkwork.methods.contract import Method, common_options
from linkwork.methods.correction import correct
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.normal_step import violation_rate
from linkwork.methods.parametrization import finish_acceleration
from linkwork.numerics.dense import factor_cholesky, solve_cholesky
from linkwork.numerics.status import ACCELERATE, FACTOR, MASS_SINGULAR, OK
from linkwork.numerics.tree_matrix import solve_inner, solve_outer

REFINEMENTS = 40
SETTLED = 1e-14  # relative change of the step at which refinement ends
ROUNDING = 1e-14  # of the natural size of a row, squared: the least regularization

REGULARIZED = 0  # place in work.matrices


@stage
def solve(factor, system, work, task):
    """The method's linear problem (contract.py)."""
    if task == FACTOR:
        return factor(system, work)
    if task == ACCELERATE:
        for j in range(work.v_dot.shape[0]):
            work.v_dot[j] = work.Q[j]
        solve_outer(system.dofs, work.L, work.v_dot)
        solve_inner(system.dofs, work.L, work.v_dot)
        violation_rate(system, work.J, work.v_dot, work.gamma, work.c)
    proximal_step(work, work.c, work.delta, work.lam)
    solve_inner(system.dofs, work.L, work.delta)
    if task == ACCELERATE:
        finish_acceleration(system, work)
    return OK


@stage
def factorize(system, work):
    """A^T over all rows, scaled to natural size, and the Cholesky factor of A^T A + rho I."""
    method = work.method[0]
    method.factorizations += 1
    method.rank = method.active_count
    method.full_rank = method.active_count
    method.factors = Factors.REGULAR
    A, S = work.dense, work.matrices[REGULARIZED]
    rho = max(work.options[0].rho * min(system.whole[0].cut_factor, 1.0) ** 2, ROUNDING)
    status = natural_rows(system, work, A)
    if status != OK:
        return status
    rows, n = A.shape
    for a in range(rows):
        for b in range(a + 1):
            s = 0.0
            for j in range(n):
                s += A[a, j] * A[b, j]
            S[a, b] = s
        S[a, a] += rho
    if not factor_cholesky(S, rows):
        return MASS_SINGULAR
    volume = 0.0
    for a in range(rows):
        volume += math.log(S[a, a])
    method.volume = volume
    return OK


@part
def proximal_step(work, c, z, mu):
    """z = A mu with A^T A mu = c, by refinement from mu = 0."""
    A = work.dense
    rows, n = A.shape
    scales, x = work.row_scales, work.x
    for j in range(n):
        z[j] = 0.0
    for r in range(rows):
        mu[r] = 0.0
    first = 0.0
    for _ in range(REFINEMENTS):
        for r in range(rows):
            s = c[r] * scales[r]
            for j in range(n):
                s -= A[r, j] * z[j]
            x[r] = s
        solve_cholesky(work.matrices[REGULARIZED], rows, x)
        change = 0.0
        for r in range(rows):
            mu[r] += x[r]
        for j in range(n):
            s = 0.0
            for r in range(rows):
                s += A[r, j] * x[r]
            z[j] += s
            change = max(change, abs(s))
        first = max(first, change)
        if change <= SETTLED * first:
            break
    for r in range(rows):
        mu[r] *= scales[r]


METHOD = Method(
    "proximal", "regularized multipliers with refinement", factorize, solve, correct, dense=True,
    decides_rank=False, options=common_options("literal", "rho"),
)  # fmt: skip
