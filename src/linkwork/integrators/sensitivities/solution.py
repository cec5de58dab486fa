"""Slopes of accelerations and multipliers from those of the equations, theory (13.2), with the factors at hand."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import loads_agree
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.integrators.sensitivities.directional import right_sides
from linkwork.methods.articulated import accelerations
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE


@part
def take_solution(work, other):
    """v_dot and lam."""
    for j in range(work.v_dot.shape[0]):
        other.v_dot[j] = work.v_dot[j]
    for r in range(work.lam.shape[0]):
        other.lam[r] = work.lam[r]


@part
def settle_slopes(system, t, angles, vary, side, steps):
    """dv_dot and dlam into the imaginary parts of `steps`; where friction depends on the loads, until both agree."""
    right_sides(system, vary.state, side, steps)
    for n in range(MOST_ROUNDS):
        for r in range(side.gamma.shape[0]):
            side.gamma[r] = steps.c[r].real
        for j in range(side.Q.shape[0]):
            side.Q[j] = steps.delta[j].real + steps.Q[j].imag / STEP
            side.tau[j] = side.Q[j]  # from which the recursion takes it
        if system.whole[0].open_tree:
            side.F[:, :] = 0.0
            accelerations(system.bodies, side.inertia, side.S, side.F, side.tau, side.composite, side.U, side.v_dot)
        else:
            constrain(system, side, ACCELERATE)
        for j in range(side.v_dot.shape[0]):
            steps.v_dot[j] = steps.v_dot[j].real + 1j * (STEP * side.v_dot[j])
        for r in range(side.lam.shape[0]):
            steps.lam[r] = steps.lam[r].real + 1j * (STEP * side.lam[r])
        if loads_agree(system, t, angles, steps, n):
            break
