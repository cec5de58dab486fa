"""What the correction of the sensitivities in a step makes of their rates: A dS, A the derivative of the rates.

dS is some tolerances large, so that a difference of the equations between y and y moved along dS tells A dS to more
digits than are asked for; friction with the joints' loads, which is settled in rounds, takes complex numbers.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Phase
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import evaluate
from linkwork.formulations.kinematics import displace
from linkwork.integrators.sensitivities.directional import write_slopes
from linkwork.integrators.sensitivities.slopes_by_tape import slopes_by_tape
from linkwork.integrators.sensitivities.slopes_of_rates import add_weighted, clear, evaluate_slopes, take_conditions
from linkwork.integrators.sensitivities.solution import settle_slopes, take_solution
from linkwork.integrators.sensitivities.variation import (
    BESIDE,
    DIRECT,
    PLAIN,
    SIDE,
    STEPS,
    open_complex_work,
    open_system,
    open_variation,
    open_work,
)
from linkwork.numerics.status import LEVEL_EQUATIONS

AWAY = 1e-6  # of the scales of the state: how far y is moved along a change of S


@stage
def slopes_of_change(system, t, angles, work, first, last):
    """A dS at the state evaluated last, added to the rates in `work.rate`; a family's kernel."""
    vary = open_variation(first)
    if not math.isnan(vary.trouble[0]):
        return
    steps, side = open_complex_work(vary.addresses[STEPS]), open_work(vary.addresses[SIDE])
    plain, beside = open_system(vary.addresses[PLAIN]), open_work(vary.addresses[BESIDE])
    n, own, direct = vary.y.shape[0], steps.s.shape[0], open_work(vary.addresses[DIRECT])
    if vary.programs.shape[0] > 0 and slopes_by_tape(plain, t, angles, work, vary, side, steps):
        return
    clear(direct)
    take_conditions(work, beside)
    for d in range(vary.systems.shape[0]):
        largest = 0.0
        for k in range(n):
            change = work.s[own + d * n + k] - vary.predicted[d * n + k]
            vary.state[k] = vary.y[k] + 1j * (STEP * change)
            if work.scales[k] > 0.0:
                largest = max(largest, abs(change) / work.scales[k])
        if largest > 0.0:
            take_solution(work, steps)
            if settles_loads(work):
                evaluate_slopes(plain, t, angles, vary, side, steps, direct, False)
            else:
                difference_along(plain, t, angles, vary, steps, side, beside, AWAY / largest)
            settle_slopes(plain, t, angles, vary, side, steps)
            write_slopes(plain, vary.state, side, steps, vary.row, vary.rate)
            add_weighted(1.0, vary.rate, work.rate[n + d * n : n + d * n + n])


@part
def settles_loads(work):
    """Whether friction depends on the loads of joints: it is settled in complex numbers."""
    count = 0
    for k in range(work.stages.shape[0]):
        if work.stages[k].phase == Phase.LOADS:
            count += 1
    return count > 1


@part
def difference_along(system, t, angles, vary, steps, side, beside, length):
    """The equations along the imaginary part of the state, by a difference over so much of it, from the real parts."""
    for k in range(vary.y.shape[0]):
        vary.moved[k] = vary.y[k] + length * (vary.state[k].imag / STEP)
    for j in range(side.delta.shape[0]):
        side.delta[j], steps.delta[j] = 0.0, 0.0
    displace(system.dofs, vary.moved, side.delta)
    displace(system.dofs, vary.state, steps.delta)
    evaluate(system, t, vary.moved, angles, beside, LEVEL_EQUATIONS)
    take_difference(length, beside.M, steps.M)
    take_difference(length, beside.J, steps.J)
    take_difference(length, beside.Q, steps.Q)
    take_difference(length, beside.gamma, steps.gamma)
    take_difference(length, beside.nu, steps.nu)
    take_difference(length, beside.Phi, steps.Phi)
    take_difference(length, beside.rate, steps.rate)
    take_difference(length, beside.energy, steps.energy)


@part
def take_difference(length, moved, to):
    """i STEP (moved - to) / length into the imaginary parts of `to`."""
    for k in range(to.shape[0]):
        to[k] = complex(to[k].real, STEP * ((moved[k] - to[k].real) / length))
