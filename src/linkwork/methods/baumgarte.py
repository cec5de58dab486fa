"""Baumgarte stabilization (1972; P5): no correction; the acceleration equation is pulled back onto the constraints.

    Phi_v v_dot = gamma - 2 alpha (Phi_v v - nu) - beta^2 Phi

The accelerations follow as in parametrization.py.  Drift stays bounded, not zero; the result says how large it was.
"""

from __future__ import annotations

from linkwork.compiler.kernels import stage
from linkwork.formulations.kinematics import displace
from linkwork.methods.normal_step import violation_rate
from linkwork.methods.options import ALPHA, BETA
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE, FACTOR, LEVEL_POSITION, OK


@stage
def solve(factor, system, work, task):
    """As in parametrization.py, with the stabilized right-hand side."""
    if task == FACTOR:
        return factor(system, work)
    if task == ACCELERATE:
        drift = work.small[0]
        violation_rate(system, work.J, work.v, work.nu, drift)  # nu - Phi_v v
        alpha, beta = work.settings[ALPHA], work.settings[BETA]
        for r in range(work.Phi.shape[0]):
            work.gamma[r] += 2.0 * alpha * drift[r] - beta * beta * work.Phi[r]
    constrain(system, work, task)
    return OK


@stage
def correct(evaluate, factor, solve, system, t, y, angles, work):
    """Unit Euler parameters, nothing else; leaves the position evaluated and factored."""
    delta = work.small[1]
    for j in range(work.v_dot.shape[0]):
        delta[j] = 0.0
    displace(system.dofs, y, delta)
    evaluate(system, t, y, angles, work, LEVEL_POSITION)
    return factor(system, work)
