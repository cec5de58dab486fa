"""Baumgarte stabilization (1972; P5): no correction; the acceleration equation is pulled back onto the constraints.

    Phi_v v_dot = gamma - 2 alpha (Phi_v v - nu) - beta^2 Phi        theory (5.5)

The accelerations follow as in parametrization.py, as printed (`literal`) from the augmented equations, P5 (9).  Drift
stays bounded, not zero; the result reports it.
"""

from __future__ import annotations

from linkwork.compiler.kernels import stage
from linkwork.formulations.kinematics import displace
from linkwork.methods.augmented import accelerate_augmented
from linkwork.methods.contract import Method, common_options
from linkwork.methods.normal_step import violation_rate
from linkwork.methods.parametrization import constrain, factor
from linkwork.numerics.status import ACCELERATE, FACTOR, LEVEL_POSITION, OK


@stage
def solve(factor, system, work, task):
    """As in parametrization.py, with the stabilized right-hand side."""
    if task == FACTOR:
        return factor(system, work)
    if task == ACCELERATE:
        options, drift = work.options[0], work.c
        violation_rate(system, work.J, work.v, work.nu, drift)  # nu - Phi_v v
        alpha, beta = options.alpha, options.beta
        for r in range(work.Phi.shape[0]):
            work.gamma[r] += 2.0 * alpha * drift[r] - beta * beta * work.Phi[r]
    if work.options[0].literal != 0.0:
        accelerate_augmented(system, work)
    else:
        constrain(system, work, task)
    return OK


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """Unit Euler parameters, nothing else; leaves the position evaluated and factored."""
    for j in range(work.delta.shape[0]):
        work.delta[j] = 0.0
    displace(system.dofs, y, work.delta)
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    return factor(system, work)


METHOD = Method(
    "baumgarte", "Baumgarte stabilization", factor, solve, correct, projects=False, conditioning=True, may_recur=True,
    options=common_options("literal", "alpha", "beta"),
)  # fmt: skip
