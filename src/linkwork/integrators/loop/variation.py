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
from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import COMPLEX_WORK, SYSTEM, WORK, Structure
from linkwork.compiler.kernels import part, stage
from linkwork.compiler.references import opener
from linkwork.elements.family import Phase
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import call_families, evaluate, inside, loads_agree
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import MOST_ROUNDS
from linkwork.integrators.loop.directional import right_sides, write_slopes
from linkwork.integrators.loop.tape import guards_hold, open_program, read_forward, run_tape
from linkwork.integrators.vectors import copy
from linkwork.methods.articulated import accelerations
from linkwork.methods.normal_step import normal_step, violation_rate
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import (
    ACCELERATE,
    LEVEL_EQUATIONS,
    LEVEL_POSES,
    LEVEL_POSITION,
)


class Variation(NamedTuple):
    """What the kernel needs beside the run: addresses of structures, and room."""

    addresses: (
        np.ndarray
    )  # complex workspace, workspace with the run's factors, System without S, workspaces of its own
    systems: np.ndarray  # [parameter, place] addresses of Systems beside this one; 0: the parameter changes no table
    works: np.ndarray  # [parameter, place] addresses of workspaces for them
    weights: np.ndarray  # [formula, parameter, place] of the differences: CENTRAL, FORWARD, BACKWARD
    places: np.ndarray  # [parameter, place] how far from the middle, in units of the parameter
    held: np.ndarray  # [parameter, row] slope of what drivers hold, m or rad
    signals: np.ndarray  # slopes along one parameter at a given state
    state: np.ndarray  # y + i STEP S
    predicted: np.ndarray  # S for which rates were evaluated last
    moved: np.ndarray  # y moved a little along the change of S
    y: np.ndarray  # the state evaluated last, and
    y_rate: np.ndarray  # its rate
    rate: np.ndarray  # the rate of one sensitivity
    row: np.ndarray  # slopes of a sample (rows.py) along one parameter
    t: np.ndarray  # s, of the state evaluated last
    # Of instants at which something jumps (saltation.py).
    cells: np.ndarray  # [switch] at the state evaluated last
    end_y: np.ndarray  # the same at the end of the last step, which samples within it do not replace
    end_rate: np.ndarray
    end_t: np.ndarray
    end_cells: np.ndarray
    before: np.ndarray  # rate before the instant
    extended: np.ndarray  # room for y and S
    breaks: np.ndarray  # s, known break times
    break_slopes: np.ndarray  # [break, parameter] s per unit of the parameter
    instant: np.ndarray  # [parameter] slope of the instant, s per unit of the parameter
    status: np.ndarray  # BEGUN, RESET, TROUBLE
    trouble: np.ndarray  # s, when the derivative ceased to exist; NaN: it exists
    # The tape of the equations (tape.py), by which all directions go at once.
    programs: np.ndarray  # addresses; none where the equations cannot be traced
    program_cells: np.ndarray  # [program, switch] for which each was written
    tape_places: np.ndarray  # TapePlaces
    given: np.ndarray  # its inputs
    word_slopes: np.ndarray  # [word, parameter] of the tables
    missing: np.ndarray  # how often none of the tapes would do: `given` and `cells` are of the last time
    instants: np.ndarray  # s, at which the run has begun afresh, MOST_INSTANTS of them at most,
    watches: np.ndarray  # and what has changed there (saltation.py); the last entry: how many there are


class TapePlaces(NamedTuple):
    """Where the inputs of a tape begin, and its outputs (analyses/gradients/trace/equations.py)."""

    y: int
    angles: int
    v_dot: int
    lam: int
    held: int
    words: int
    M: int
    J: int
    Q: int
    gamma: int
    nu: int
    Phi: int
    rate: int
    energy: int


def new_variation(
    n: int = 0, width: int = 0, rows: int = 0, signals: int = 0, switches: int = 0, count: int = 0, places: int = 0,
    breaks: int = 0, given: int = 0, words: int = 0,
) -> Variation:  # fmt: skip
    """Room for `count` parameters: a state of n numbers, samples of `width`, so many places of the differences; a tape
    of `given` numbers, so many of them words of tables.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "weights": (3, count, places), "places": (count, places), "held": (count, rows), "signals": (signals,),
        "row": (width,), "extended": (n + count * n,), "breaks": (breaks,), "break_slopes": (breaks, count),
        "instant": (count,), "given": (given,), "word_slopes": (words, count), "predicted": (count * n,),
    }  # fmt: skip
    real = {name: np.zeros(shape) for name, shape in shapes.items()}
    real |= {name: np.zeros(n) for name in ("y", "y_rate", "rate", "end_y", "end_rate", "before", "moved")}
    return Variation(
        addresses=np.zeros(5, np.int64), systems=np.zeros((count, places), np.int64),
        works=np.zeros((count, places), np.int64), state=np.zeros(n, np.complex128),
        t=np.zeros(1), end_t=np.full(1, -1.0), trouble=np.full(1, np.nan), status=np.zeros(3, np.int64),
        cells=np.zeros(switches, np.int64), end_cells=np.zeros(switches, np.int64), instants=np.zeros(MOST_INSTANTS),
        watches=np.zeros(MOST_INSTANTS + 1, np.int64), programs=np.zeros(0, np.int64),
        program_cells=np.zeros((0, switches), np.int64), tape_places=np.zeros(len(TapePlaces._fields), np.int64),
        missing=np.zeros(1, np.int64), **real,
    )  # fmt: skip


VARIATION = Structure("Variation", complex=True)
open_variation, open_system = opener(VARIATION), opener(SYSTEM)
open_work, open_complex_work = opener(WORK), opener(COMPLEX_WORK)
STEPS, SIDE, PLAIN, BESIDE, DIRECT = range(5)
CENTRAL, FORWARD, BACKWARD = range(3)
MOST_INSTANTS = 4096
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


# -- by the tape ------------------------------------------------------------------------------------------------------
@part
def slopes_by_tape(system, t, angles, work, vary, side, steps):
    """The rates of all sensitivities, by one reading of the tape along all directions; False: there is none for the
    branches that the equations take here.
    """
    p = vary.tape_places
    place = TapePlaces(
        p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13]
    )  # fmt: skip
    take_inputs(system, t, angles, work, vary, place, steps)
    fits = -1
    for k in range(vary.programs.shape[0]):
        if same_cells(vary, k):
            program = open_program(vary.programs[k])
            run_tape(program, vary.given)
            if guards_hold(program):
                fits = k
                break
    if fits < 0:
        vary.missing[0] += 1
        return False
    program, n, count = open_program(vary.programs[fits]), vary.y.shape[0], vary.systems.shape[0]
    for d in range(count):
        take_direction(system, work, vary, place, program, steps, d)
    read_forward(program, count)
    for d in range(count):
        take_solution(work, steps)
        for k in range(n):
            vary.state[k] = vary.y[k] + 1j * (STEP * work.s[steps.s.shape[0] + d * n + k])
        take_outputs(vary, place, program, steps, d)
        settle_slopes(system, t, angles, vary, side, steps)
        write_slopes(system, vary.state, side, steps, vary.row, vary.rate)
        for k in range(n):
            work.rate[n + d * n + k] = vary.rate[k]
    return True


@part
def same_cells(vary, k):
    """Whether a tape was written for the cells in which expressions are."""
    same = True
    for i in range(vary.cells.shape[0]):
        same = same and vary.program_cells[k, i] == vary.cells[i]
    return same


@part
def take_inputs(system, t, angles, work, vary, place, steps):
    """The numbers that a tape is given, at the state evaluated last: with unit Euler parameters."""
    given, n = vary.given, vary.y.shape[0]
    for j in range(steps.delta.shape[0]):
        steps.delta[j] = 0.0
    for k in range(n):
        vary.state[k] = vary.y[k]
    displace(system.dofs, vary.state, steps.delta)
    given[0] = inside(work, t)
    for k in range(n):
        given[place.y + k] = vary.state[k].real
    for k in range(angles.shape[0]):
        given[place.angles + k] = angles[k]
    for j in range(work.v_dot.shape[0]):
        given[place.v_dot + j] = work.v_dot[j]
    for r in range(work.lam.shape[0]):
        given[place.lam + r], given[place.held + r] = work.lam[r], work.row_state[r].held


@part
def take_direction(system, work, vary, place, program, steps, d):
    """The slopes of a tape's inputs along parameter d."""
    n, state, tangent = vary.y.shape[0], vary.state, program.tangent
    first = work.s.shape[0] - (vary.systems.shape[0] - d) * n
    for k in range(n):
        state[k] = vary.y[k] + 1j * (STEP * work.s[first + k])
    for j in range(steps.delta.shape[0]):
        steps.delta[j] = 0.0
    displace(system.dofs, state, steps.delta)
    for i in range(program.inputs.shape[0]):
        at, k, slope = program.inputs[i, 0], program.inputs[i, 1], 0.0
        if k >= place.words:
            slope = vary.word_slopes[k - place.words, d]
        elif k >= place.held:
            slope = vary.held[d, k - place.held]
        elif place.y <= k < place.angles:
            slope = state[k - place.y].imag / STEP
        tangent[at, d] = slope


@part
def take_outputs(vary, place, program, steps, d):
    """The equations along parameter d, as complex numbers."""
    copy_slopes(program, d, place.M, steps.M)
    copy_slopes(program, d, place.J, steps.J)
    copy_slopes(program, d, place.Q, steps.Q)
    copy_slopes(program, d, place.gamma, steps.gamma)
    copy_slopes(program, d, place.nu, steps.nu)
    copy_slopes(program, d, place.Phi, steps.Phi)
    copy_slopes(program, d, place.rate, steps.rate)
    copy_slopes(program, d, place.energy, steps.energy)


@part
def copy_slopes(program, d, first, to):
    """Values and slopes of outputs of a tape."""
    for k in range(to.shape[0]):
        at = program.outputs[first + k]
        to[k] = complex(program.values[at], STEP * program.tangent[at, d])


# -- by complex steps -------------------------------------------------------------------------------------------------
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
def take_solution(work, other):
    """v_dot and lam."""
    for j in range(work.v_dot.shape[0]):
        other.v_dot[j] = work.v_dot[j]
    for r in range(work.lam.shape[0]):
        other.lam[r] = work.lam[r]


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
