"""Sensitivities as auxiliary states: S = dy/dp of every parameter is integrated beside y, by the same integrator.

With f the rate of the state, theory (17.1),

    dS/dt = Df(P(y))[DP S] + df/dp        P: the correction onto the constraints

S lies in y after the mechanism's own states, and `slopes_of_rates` gives its rates as one more kernel of the phase
LOADS, when v_dot and lam are known: so step control, events and samples are those of any run, and only what is
linear is left to do, with the factors at hand, theory (17.2):

    Phi_v dq = -dPhi,    Phi_v dv = d(nu - Phi_v v)
    M dv_dot + Phi_v^T dlam = d(Q - M v_dot - Phi_v^T lam),    Phi_v dv_dot = d(gamma - Phi_v v_dot)

The right sides are derivatives of the equations along (S, 1): along S imaginary parts of `evaluate` in complex numbers,
exact to rounding; along the parameter differences of fourth order of `evaluate` with the tables of mechanisms beside
this one, (17.3), which are real.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import COMPLEX_WORK, SYSTEM, WORK, Structure
from linkwork.compiler.kernels import part, stage
from linkwork.compiler.references import opener
from linkwork.elements.family import Phase
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import call_families, evaluate, loads_agree
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.integrators.loop.directional import right_sides, write_slopes
from linkwork.integrators.loop.rows import sample_row
from linkwork.methods.articulated import accelerations
from linkwork.methods.normal_step import normal_step, violation_rate
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import (
    ACCELERATE,
    LEVEL_EQUATIONS,
    LEVEL_POSES,
    LEVEL_POSITION,
    LEVEL_VELOCITY,
)


class Variation(NamedTuple):
    """What the kernel needs beside the run: addresses of structures, and room."""

    addresses: np.ndarray  # complex workspace, workspace that shares the run's factors, System without sensitivities
    systems: np.ndarray  # [parameter, place] addresses of Systems beside this one; 0: the parameter changes no table
    works: np.ndarray  # [parameter, place] and of workspaces for them
    weights: np.ndarray  # [parameter, place] of the differences
    held: np.ndarray  # [parameter, place, row] by how much what drivers hold differs there, m or rad
    state: np.ndarray  # y + i STEP S
    y: np.ndarray  # the state evaluated last
    rate: np.ndarray  # its rate, of sensitivities too
    row: np.ndarray  # slopes of a sample (rows.py) along one parameter
    t: np.ndarray  # s, of the state evaluated last


VARIATION = Structure("Variation", complex=True)
open_variation, open_system = opener(VARIATION), opener(SYSTEM)
open_work, open_complex_work = opener(WORK), opener(COMPLEX_WORK)
STEPS, SIDE, PLAIN = range(3)


@stage
def slopes_of_rates(system, t, angles, work, first, last):
    """Rates of the sensitivities into `work.rate`, slopes of the sample into the last signals; a family's kernel."""
    vary = open_variation(first)
    steps, side = open_complex_work(vary.addresses[STEPS]), open_work(vary.addresses[SIDE])
    plain = open_system(vary.addresses[PLAIN])
    n, width = vary.y.shape[0], vary.row.shape[0]
    own, own_signals = steps.s.shape[0], steps.signals.shape[0]
    take_state(work, vary.y, own)
    vary.t[0] = t
    for d in range(vary.systems.shape[0]):
        take_conditions(work, steps)
        for k in range(n):
            vary.state[k] = vary.y[k] + 1j * (STEP * work.s[own + d * n + k])
        follow_constraints(plain, t, angles, work, vary, d, side, steps)
        settle_slopes(plain, t, angles, vary, d, side, steps)
        write_slopes(plain, vary.state, side, steps, vary.row, vary.rate)
        add_signals(vary, d, steps, sample_row(n, work.v_dot.shape[0], work.lam.shape[0], own_signals).signals)
        for k in range(width):
            work.signals[own_signals + d * width + k] = vary.row[k]
        for k in range(n):
            work.rate[n + d * n + k] = vary.rate[k]


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
    for j in range(work.v_dot.shape[0]):
        other.v_dot[j] = work.v_dot[j]
    for k in range(work.row_state.shape[0]):
        other.row_state[k] = work.row_state[k]
        other.lam[k] = work.lam[k]
    for k in range(work.switches.shape[0]):
        other.switches[k] = work.switches[k]
    for k in range(other.signals.shape[0]):
        other.signals[k] = work.signals[k]


@part
def follow_constraints(system, t, angles, work, vary, d, side, steps):
    """Unit Euler parameters, then S along the constraints, theory (17.2); leaves everything evaluated."""
    state, dofs = vary.state, system.dofs
    for j in range(steps.delta.shape[0]):
        steps.delta[j] = 0.0
    displace(dofs, state, steps.delta)
    for p in range(places(vary, d)):
        beside = open_work(vary.works[d, p])
        take_conditions(work, beside)
        for r in range(vary.held.shape[2]):
            beside.row_state[r].held += vary.held[d, p, r]
    if system.whole[0].open_tree:
        evaluate_varied(system, t, angles, vary, d, steps, LEVEL_EQUATIONS)
        return
    evaluate_varied(system, t, angles, vary, d, steps, LEVEL_POSES)
    for r in range(side.c.shape[0]):
        side.c[r] = -steps.Phi[r].imag / STEP
    normal_step(system, side, side.c, side.delta, side.lam)
    for j in range(side.delta.shape[0]):
        steps.delta[j] = 1j * (STEP * side.delta[j])
    displace(dofs, state, steps.delta)
    evaluate_varied(system, t, angles, vary, d, steps, LEVEL_POSITION)
    first = first_velocity(system)
    violation_rate(system, steps.J, state[first:], steps.nu, steps.c)
    for r in range(side.c.shape[0]):
        side.c[r] = steps.c[r].imag / STEP
    normal_step(system, side, side.c, side.delta, side.lam)
    for j in range(side.delta.shape[0]):
        state[first + j] += 1j * (STEP * side.delta[j])
    evaluate_varied(system, t, angles, vary, d, steps, LEVEL_VELOCITY)


@part
def evaluate_varied(system, t, angles, vary, d, steps, level):
    """The equations in complex numbers, along S and along the parameter."""
    evaluate(system, t, vary.state, angles, steps, level)
    for p in range(places(vary, d)):
        beside = open_work(vary.works[d, p])
        evaluate(open_system(vary.systems[d, p]), t, vary.y, angles, beside, level)
        weight = 1j * (STEP * vary.weights[d, p])
        if level <= LEVEL_POSITION or level == LEVEL_EQUATIONS:
            add_weighted(weight, beside.Phi, steps.Phi)
        if level == LEVEL_POSITION or level == LEVEL_EQUATIONS:
            add_weighted(weight, beside.nu, steps.nu)
            add_weighted(weight, beside.J, steps.J)
            add_weighted(weight, beside.M, steps.M)
        if level >= LEVEL_VELOCITY:
            add_weighted(weight, beside.gamma, steps.gamma)
            add_weighted(weight, beside.Q, steps.Q)
            add_weighted(weight, beside.energy, steps.energy)
            add_weighted(weight, beside.rate, steps.rate)


@part
def places(vary, d):
    """How many mechanisms beside this one differ from it in their tables."""
    count = 0
    while count < vary.systems.shape[1] and vary.systems[d, count] != 0:
        count += 1
    return count


@part
def add_weighted(weight, values, to):
    """to += weight values."""
    for k in range(values.shape[0]):
        to[k] += weight * values[k]


@part
def settle_slopes(system, t, angles, vary, d, side, steps):
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
    call_families(Phase.OUTPUT, system, t, angles, steps)


@part
def add_signals(vary, d, steps, place):
    """What the parameter itself does to the signals of the sample; v_dot and lam as they are."""
    for p in range(places(vary, d)):
        system, beside = open_system(vary.systems[d, p]), open_work(vary.works[d, p])
        call_families(Phase.OUTPUT, system, vary.t[0], beside.angle, beside)
        for k in range(beside.signals.shape[0]):
            vary.row[place + k] += vary.weights[d, p] * beside.signals[k]
