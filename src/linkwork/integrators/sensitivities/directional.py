"""The directional derivative of a sample, by a complex step: exact to rounding.

A sample is the state brought onto the constraints, and all that follows from it.  Along a direction (dy, du) of state
and inputs the least motions that lead back there, and v_dot and lam, change by what the linear problems of the method
make of derivatives of the equations, with the factors at hand:

    Phi_v dq = -dPhi,    Phi_v dv = d(nu - Phi_v v)
    M dv_dot + Phi_v^T dlam = d(Q - M v_dot - Phi_v^T lam),    Phi_v dv_dot = d(gamma - Phi_v v_dot)

The right sides are imaginary parts of `evaluate` in complex numbers (formulations/derivatives.py), in the workspace
`steps`.  Friction with the joints' loads is settled there as in a run, round by round.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.constraints.rows import POSITION, VELOCITY
from linkwork.elements.family import Phase
from linkwork.formulations.derivatives import STEP, less_inertia, less_multipliers, less_rows
from linkwork.formulations.equations import call_families, loads_agree
from linkwork.formulations.equations import evaluate as evaluate_complex
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import KINETIC, POTENTIAL, POWER, first_velocity, work_place
from linkwork.integrators.control import MOST_ROUNDS, rate_corrected
from linkwork.integrators.loop.rows import sample_row
from linkwork.methods.normal_step import violation_rate
from linkwork.numerics.status import ACCELERATE, JAMMED, LEVEL_EQUATIONS, LEVEL_POSES, LEVEL_POSITION, MOVE, OK


@kernel
def directional_derivative(
    evaluate, factor, solve, correct, system, t, y, angles, work, control, steps, state, along, given, driven, projects,
    row, rate,
):  # fmt: skip
    """Write to `row` (integrators/loop/rows.py) and `rate` the derivatives of a sample and of dy/dt at the state y,
    which goes onto the constraints, along `along` of y, `given` of signals that are inputs, `driven` [3, row] of the
    motion f, f', f'' of drivers that are; `projects`: 1 if the method does.

    `work` and `control` are used up; as printed (`literal`), the equations are differentiated all the same.
    """
    work.options[0].literal = 0.0
    status = rate_corrected(evaluate, factor, solve, correct, system, t, y, angles, work, control)
    if status != OK:
        return status
    take_conditions(work, steps, given)
    for k in range(y.shape[0]):
        state[k] = y[k] + 1j * (STEP * along[k])
    follow_constraints(factor, solve, system, t, state, angles, work, steps, driven, projects)
    evaluate_driven(system, t, state, angles, steps, driven, LEVEL_EQUATIONS)
    status = settle_slopes(factor, solve, system, t, state, angles, work, steps)
    if status == OK:
        call_families(Phase.OUTPUT, system, t, angles, steps)
        write_slopes(system, state, work, steps, row, rate)
    return status


@part
def take_conditions(work, steps, given):
    """All that an evaluation reads and does not make, as it is in `work`, v_dot and lam; inputs with their slopes."""
    steps.segment[0] = work.segment[0]
    for j in range(work.v_dot.shape[0]):
        steps.v_dot[j] = work.v_dot[j]
    for k in range(work.row_state.shape[0]):
        steps.row_state[k] = work.row_state[k]
        steps.lam[k] = work.lam[k]
    for k in range(work.switches.shape[0]):
        steps.switches[k] = work.switches[k]
    for k in range(work.signals.shape[0]):
        steps.signals[k] = work.signals[k] + 1j * (STEP * given[k])


@part
def evaluate_driven(system, t, state, angles, steps, driven, level):
    """The equations in complex numbers; Phi = g(q) - f, nu = f' and gamma = f'' - ... of drivers that are inputs."""
    evaluate_complex(system, t, state, angles, steps, level)
    for r in range(steps.Phi.shape[0]):
        first = 0 if steps.row_state[r].mode == POSITION else 1
        if first == 0:
            steps.Phi[r] -= 1j * (STEP * driven[0, r])
        if first == 0 or steps.row_state[r].mode == VELOCITY:
            steps.nu[r] += 1j * (STEP * driven[1 - first, r])
            steps.gamma[r] += 1j * (STEP * driven[2 - first, r])


@part
def follow_constraints(factor, solve, system, t, state, angles, work, steps, driven, projects):
    """Unit Euler parameters, then positions and velocities along the constraints, as methods/correction.py does."""
    for j in range(steps.delta.shape[0]):
        steps.delta[j] = 0.0
    displace(system.dofs, state, steps.delta)
    if projects == 0:
        return
    evaluate_driven(system, t, state, angles, steps, driven, LEVEL_POSES)
    for r in range(work.c.shape[0]):
        work.c[r] = -steps.Phi[r].imag / STEP
    solve(factor, system, work, MOVE)
    for j in range(work.delta.shape[0]):
        steps.delta[j] = 1j * (STEP * work.delta[j])
    displace(system.dofs, state, steps.delta)
    evaluate_driven(system, t, state, angles, steps, driven, LEVEL_POSITION)
    first = first_velocity(system)
    violation_rate(system, steps.J, state[first:], steps.nu, steps.c)
    for r in range(work.c.shape[0]):
        work.c[r] = steps.c[r].imag / STEP
    solve(factor, system, work, MOVE)
    for j in range(work.delta.shape[0]):
        state[first + j] += 1j * (STEP * work.delta[j])


@part
def settle_slopes(factor, solve, system, t, state, angles, work, steps):
    """dv_dot and dlam into the imaginary parts of `steps`; where friction depends on the loads, until both agree."""
    right_sides(system, state, work, steps)
    for n in range(MOST_ROUNDS):
        for r in range(work.gamma.shape[0]):
            work.gamma[r] = steps.c[r].real
        for j in range(work.Q.shape[0]):
            work.Q[j] = steps.delta[j].real + steps.Q[j].imag / STEP
            work.tau[j] = work.Q[j]  # from which the recursion takes it
        work.F[:, :] = 0.0
        status = solve(factor, system, work, ACCELERATE)
        for j in range(work.v_dot.shape[0]):
            steps.v_dot[j] = steps.v_dot[j].real + 1j * (STEP * work.v_dot[j])
        for r in range(work.lam.shape[0]):
            steps.lam[r] = steps.lam[r].real + 1j * (STEP * work.lam[r])
        if status != OK or loads_agree(system, t, angles, steps, n):
            return status
    return JAMMED


@part
def right_sides(system, state, work, steps):
    """d(gamma - Phi_v v_dot) into `steps.c`, d(-M v_dot - Phi_v^T lam) into `steps.delta`; and, for a method that is
    pulled back (methods/baumgarte.py), dPhi and d(nu - Phi_v v) for Phi and nu at rest.
    """
    violation_rate(system, steps.J, state[first_velocity(system) :], steps.nu, steps.c)
    for r in range(work.gamma.shape[0]):
        work.Phi[r], work.nu[r] = steps.Phi[r].imag / STEP, steps.c[r].imag / STEP
        work.gamma[r], work.lam[r] = steps.gamma[r].imag / STEP, steps.lam[r].real
    for j in range(work.Q.shape[0]):
        work.v[j], work.Q[j], work.v_dot[j] = 0.0, 0.0, steps.v_dot[j].real
    less_rows(system, steps.J, work.v_dot, work.gamma)
    less_inertia(system.dofs, steps.M, work.v_dot, work.Q)
    less_multipliers(system, steps.J, work.lam, work.Q)
    for r in range(work.gamma.shape[0]):
        steps.c[r] = work.gamma[r]
    for j in range(work.Q.shape[0]):
        steps.delta[j] = work.Q[j]


@part
def write_slopes(system, state, work, steps, row, rate):
    """The imaginary parts, in the order of a row of samples, and those of dy/dt."""
    count, motions, rows = work.rate.shape[0], work.v_dot.shape[0], work.lam.shape[0]
    place, first = sample_row(count, motions, rows, work.signals.shape[0]), first_velocity(system)
    for k in range(count):
        row[k], rate[k] = state[k].imag / STEP, steps.rate[k].imag / STEP
    power = steps.energy[POWER]
    for r in range(rows):
        row[place.lam + r] = steps.lam[r].imag / STEP
        power -= steps.lam[r] * steps.nu[r]
    for j in range(motions):
        row[place.v_dot + j] = rate[first + j] = steps.v_dot[j].imag / STEP
    rate[work_place(system)] = power.imag / STEP
    row[place.kinetic] = steps.energy[KINETIC].imag / STEP
    row[place.potential] = steps.energy[POTENTIAL].imag / STEP
    row[place.power] = steps.energy[POWER].imag / STEP
    row[place.volume], row[place.rank] = 0.0, 0.0
    for k in range(work.signals.shape[0]):
        row[place.signals + k] = steps.signals[k].imag / STEP
