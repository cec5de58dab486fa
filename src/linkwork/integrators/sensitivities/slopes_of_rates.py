"""Sensitivities as auxiliary states: S = dy/dp of every parameter is integrated beside y, by the same integrator.

With f the rate of the state, theory (13.1),

    dS/dt = Df(P(y))[DP S] + df/dp        P: the correction onto the constraints

S lies in y after the mechanism's own states, and `slopes_of_rates` gives its rates as one more kernel of the phase
LOADS, when v_dot and lam are known: so step control, events and samples are those of any run, and only what is
linear is left to do, with the factors at hand, theory (13.2):

    Phi_v dq = -dPhi,    Phi_v dv = d(nu - Phi_v v)
    M dv_dot + Phi_v^T dlam = d(Q - M v_dot - Phi_v^T lam),    Phi_v dv_dot = d(gamma - Phi_v v_dot)

The right sides are derivatives of the equations along (S, 1): along S imaginary parts of `evaluate` in complex numbers,
exact to rounding; along the parameter differences of `evaluate` with the tables of mechanisms beside this one, theory
(13.3), which are real.  A step evaluates them at the corrected y and the prediction of S (integrators/adams.py), and
then adds what the correction of S, some tolerances, makes of its rates: by a plain difference.  Only at samples S is
brought onto the constraints, (13.2): the equations of its rates keep it there but for the error of integration.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Phase
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import call_families, evaluate
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.sensitivities.directional import write_slopes
from linkwork.integrators.sensitivities.slopes_by_tape import slopes_by_tape
from linkwork.integrators.sensitivities.solution import settle_slopes, take_solution
from linkwork.integrators.sensitivities.variation import (
    BACKWARD,
    BESIDE,
    CENTRAL,
    DIRECT,
    FORWARD,
    PLAIN,
    SIDE,
    STEPS,
    open_complex_work,
    open_system,
    open_variation,
    open_work,
)
from linkwork.integrators.vectors import copy
from linkwork.methods.normal_step import normal_step, violation_rate
from linkwork.numerics.status import LEVEL_EQUATIONS, LEVEL_POSES, LEVEL_POSITION

REACH = 5.0  # first places from a break time within which all places must be on one side of it


@stage
def slopes_of_rates(system, t, angles, work, first, last):
    """Rates of the sensitivities into `work.rate`, slopes of a sample into the last signals; a family's kernel."""
    vary = open_variation(first)
    steps, side = open_complex_work(vary.addresses[STEPS]), open_work(vary.addresses[SIDE])
    plain, beside = open_system(vary.addresses[PLAIN]), open_work(vary.addresses[BESIDE])
    direct = open_work(vary.addresses[DIRECT])
    n, own, sampled = vary.y.shape[0], steps.s.shape[0], t <= work.segment[0].t_accepted
    if work.segment[0].predicted == 1:
        return
    keep_state(t, work, vary, own)
    if not math.isnan(vary.trouble[0]):
        return  # there is no derivative any more
    for k in range(vary.predicted.shape[0]):
        vary.predicted[k] = work.s[own + k]
    take_conditions(work, steps)
    if not sampled and vary.programs.shape[0] > 0 and slopes_by_tape(plain, t, angles, work, vary, side, steps):
        return
    take_conditions(work, beside)
    for d in range(vary.systems.shape[0]):
        formula = formula_at(t, work, vary, d)
        along_parameter(t, angles, work, vary, d, formula, direct, sampled)
        take_solution(work, steps)
        for k in range(n):
            vary.state[k] = vary.y[k] + 1j * (STEP * work.s[own + d * n + k])
        evaluate_slopes(plain, t, angles, vary, side, steps, direct, sampled)
        settle_slopes(plain, t, angles, vary, side, steps)
        if sampled:
            call_families(Phase.OUTPUT, plain, t, angles, steps)
        write_slopes(plain, vary.state, side, steps, vary.row, vary.rate)
        for k in range(n):
            work.rate[n + d * n + k] = vary.rate[k]
        if sampled:
            write_sample_slopes(work, vary, d, steps.signals.shape[0])


@part
def keep_state(t, work, vary, own):
    """What was evaluated last, and what was at the end of a step."""
    take_state(work, vary.y, own)
    vary.t[0] = t
    for k in range(vary.y.shape[0]):
        vary.y_rate[k] = work.rate[k]
    for k in range(work.switches.shape[0]):
        vary.cells[k] = work.switches[k].cell
    if t >= work.segment[0].t_accepted:
        copy(vary.y, vary.end_y)
        copy(vary.y_rate, vary.end_rate)
        copy(vary.t, vary.end_t)
        copy(vary.cells, vary.end_cells)


@part
def write_sample_slopes(work, vary, d, own_signals):
    """The slopes of the sample along parameter d; to its signals comes what the parameter itself does."""
    width = vary.row.shape[0]
    for k in range(own_signals):
        vary.row[width - own_signals + k] += vary.signals[k]
    for k in range(width):
        work.signals[own_signals + d * width + k] = vary.row[k]


@part
def take_state(work, y, own):
    """The state evaluated last: coordinates, velocities, the mechanism's own auxiliary states."""
    q_count, v_count = work.q.shape[0], work.v.shape[0]
    for k in range(q_count):
        y[k] = work.q[k]
    for k in range(v_count):
        y[q_count + k] = work.v[k]
    for k in range(own):
        y[q_count + v_count + k] = work.s[k]


@part
def take_conditions(work, other):
    """All that an evaluation reads and does not make, as it is in `work`, and v_dot and lam."""
    other.segment[0] = work.segment[0]
    take_solution(work, other)
    for k in range(work.row_state.shape[0]):
        other.row_state[k] = work.row_state[k]
    for k in range(work.switches.shape[0]):
        other.switches[k] = work.switches[k]
    for k in range(other.signals.shape[0]):
        other.signals[k] = work.signals[k]


@part
def along_parameter(t, angles, work, vary, d, formula, direct, sampled):
    """What the parameter itself does to the equations at the state evaluated last, theory (13.3), into `direct`."""
    for k in range(vary.signals.shape[0]):
        vary.signals[k] = 0.0
    clear(direct)
    for p in range(vary.systems.shape[1]):
        weight = vary.weights[formula, d, p]
        if vary.systems[d, p] == 0 or weight == 0.0:
            continue
        other, there = open_system(vary.systems[d, p]), open_work(vary.works[d, p])
        for r in range(vary.held.shape[1]):
            there.row_state[r].held = work.row_state[r].held + vary.places[d, p] * vary.held[d, r]
        evaluate(other, t, vary.y, angles, there, LEVEL_EQUATIONS)
        add_weighted(weight, there.Phi, direct.Phi)
        add_weighted(weight, there.nu, direct.nu)
        add_weighted(weight, there.J, direct.J)
        add_weighted(weight, there.M, direct.M)
        add_weighted(weight, there.gamma, direct.gamma)
        add_weighted(weight, there.Q, direct.Q)
        add_weighted(weight, there.energy, direct.energy)
        add_weighted(weight, there.rate, direct.rate)
        if sampled:
            call_families(Phase.OUTPUT, other, t, angles, there)
            for k in range(vary.signals.shape[0]):
                vary.signals[k] += weight * there.signals[k]


@part
def clear(direct):
    """Nothing is known yet."""
    for k in range(direct.M.shape[0]):
        direct.M[k] = 0.0
    for k in range(direct.J.shape[0]):
        direct.J[k] = 0.0
    for j in range(direct.Q.shape[0]):
        direct.Q[j] = 0.0
    for r in range(direct.Phi.shape[0]):
        direct.Phi[r], direct.nu[r], direct.gamma[r] = 0.0, 0.0, 0.0
    for k in range(direct.rate.shape[0]):
        direct.rate[k] = 0.0
    for k in range(direct.energy.shape[0]):
        direct.energy[k] = 0.0


@part
def add_weighted(weight, values, to):
    """to += weight values."""
    for k in range(values.shape[0]):
        to[k] += weight * values[k]


@part
def evaluate_slopes(system, t, angles, vary, side, steps, direct, sampled):
    """The equations along (S, 1); at a sample S goes onto the constraints before, theory (13.2)."""
    state, dofs, first = vary.state, system.dofs, first_velocity(system)
    for j in range(steps.delta.shape[0]):
        steps.delta[j] = 0.0
    displace(dofs, state, steps.delta)  # unit Euler parameters
    if sampled and not system.whole[0].open_tree:
        evaluate_varied(system, t, angles, vary, steps, direct, LEVEL_POSES)
        for r in range(side.c.shape[0]):
            side.c[r] = -steps.Phi[r].imag / STEP
        normal_step(system, side, side.c, side.delta, side.lam)
        for j in range(side.delta.shape[0]):
            steps.delta[j] = 1j * (STEP * side.delta[j])
        displace(dofs, state, steps.delta)
        evaluate_varied(system, t, angles, vary, steps, direct, LEVEL_POSITION)
        violation_rate(system, steps.J, state[first:], steps.nu, steps.c)
        for r in range(side.c.shape[0]):
            side.c[r] = steps.c[r].imag / STEP
        normal_step(system, side, side.c, side.delta, side.lam)
        for j in range(side.delta.shape[0]):
            state[first + j] += 1j * (STEP * side.delta[j])
    evaluate_varied(system, t, angles, vary, steps, direct, LEVEL_EQUATIONS)


@part
def evaluate_varied(system, t, angles, vary, steps, direct, level):
    """The equations in complex numbers, along S; to their imaginary parts comes what the parameter itself does."""
    evaluate(system, t, vary.state, angles, steps, level)
    add_slopes(direct.Phi, steps.Phi)
    if level == LEVEL_POSES:
        return
    add_slopes(direct.nu, steps.nu)
    add_slopes(direct.J, steps.J)
    add_slopes(direct.M, steps.M)
    if level == LEVEL_POSITION:
        return
    add_slopes(direct.gamma, steps.gamma)
    add_slopes(direct.Q, steps.Q)
    add_slopes(direct.energy, steps.energy)
    add_slopes(direct.rate, steps.rate)


@part
def add_slopes(slopes, to):
    """to += i STEP slopes."""
    for k in range(slopes.shape[0]):
        to[k] += complex(0.0, STEP * slopes[k])


@part
def formula_at(t, work, vary, d):
    """The difference formula: near a break time that moves with the parameter, one whose places have it on the same
    side of t as it is here.
    """
    for b in range(vary.breaks.shape[0]):
        slope = vary.break_slopes[b, d]
        if abs(t - vary.breaks[b]) < REACH * abs(vary.places[d, 0] * slope):
            ahead = work.segment[0].t_high <= vary.breaks[b]
            return FORWARD if ahead == (slope > 0.0) else BACKWARD
    return CENTRAL
