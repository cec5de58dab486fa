"""The adjoint equation along a motion that is known: derivatives of one number with respect to all others.

With w = dJ/dy and f the rate of the state, backward in time, theory (13.10), (13.11),

    w' = -(Df)^T w,         dJ/dp = w(0)^T dy_0/dp + int w^T df/dp dt

Both products come of one backward reading of the tape of the equations (tape.py) at a node of the motion: with
(mu, kappa) from the equations of motion themselves, whose matrix is symmetric,

    M mu + Phi_v^T kappa = w_v,    Phi_v mu = 0
    w^T df = w_q^T d(N v) + w_s^T ds' + mu^T d(Q - M v_dot - Phi_v^T lam) + kappa^T d(gamma - Phi_v v_dot)

The equation is integrated by the Runge-Kutta formula of order 8 (dop853_table.py) over panels whose nodes are states of
the run; where an instant moves with the state, w jumps by the transpose of saltation.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import Structure
from linkwork.compiler.kernels import kernel, part
from linkwork.compiler.references import opener
from linkwork.formulations.equations import evaluate
from linkwork.formulations.state import KINETIC, POWER, first_velocity, work_place
from linkwork.integrators.dop853_table import ERROR_3, ERROR_5, SOLUTION, STAGES, TABLE
from linkwork.integrators.sensitivities.tape import clear_bars, guards_hold, open_program, read_backward, run_tape
from linkwork.integrators.vectors import copy
from linkwork.methods.normal_step import factorize
from linkwork.methods.parametrization import constrain
from linkwork.numerics.status import ACCELERATE, LEVEL_EQUATIONS, OK


class Places(NamedTuple):
    """Where the numbers that a tape is given, and its outputs, begin (analyses/gradients/trace/equations.py)."""

    y: int
    angles: int
    v_dot: int
    lam: int
    words: int  # what rows hold, then words of tables: all that parameters may change
    M: int
    J: int
    Q: int
    gamma: int
    nu: int
    Phi: int
    rate: int
    energy: int
    signals: int
    switches: int
    late: int  # 1: an output needs v_dot or lam


class Backward(NamedTuple):
    """A motion by its nodes, the panels between them, and what a sweep carries along."""

    programs: np.ndarray  # addresses of tapes
    places: np.ndarray  # Places
    given: np.ndarray  # the numbers of a node, then words
    nodes: np.ndarray  # [node, number] t, y, angles, v_dot, lam
    chosen: np.ndarray  # [node] its tape; -1: none yet, -2: that of a neighbour
    rates: np.ndarray  # [node, n] dy/dt
    stages: np.ndarray  # [panel, stage] nodes
    lengths: np.ndarray  # [panel] s
    jump: np.ndarray  # [panel] at its end: which of `jumps`, or -1
    instant: np.ndarray  # [panel] at its end: which of the instants that move, or -1
    jumps: np.ndarray  # [jump, n]
    instant_y: np.ndarray  # [instant, n] d tau / dy
    instant_words: np.ndarray  # [instant, word] d tau / dword
    instant_rates: np.ndarray  # [instant, n] f- - f+
    shares: np.ndarray  # [instant] (f- - f+)^T w, found
    w: np.ndarray  # [n]
    trial: np.ndarray  # [n]
    slopes: np.ndarray  # [stage, n] of w
    words: np.ndarray  # [word] dJ/dword, found
    errors: np.ndarray  # [panel] of w, in units of its size
    scales: np.ndarray  # [n] of the state
    seed_rate: np.ndarray  # what is differentiated: weights of dy/dt (but for v_dot),
    seed_v_dot: np.ndarray
    seed_lam: np.ndarray
    seed_energy: np.ndarray
    seed_signals: np.ndarray
    seed_switches: np.ndarray
    seed_Phi: np.ndarray
    seed_nu: np.ndarray  # of nu - Phi_v v
    bar_t: np.ndarray  # its derivatives
    bar_y: np.ndarray
    bar_words: np.ndarray
    bar_v_dot: np.ndarray
    bar_lam: np.ndarray


def new_backward(
    n: int = 0, motions: int = 0, rows: int = 0, signals: int = 0, switches: int = 0, fixed: int = 0, words: int = 0,
    nodes: int = 0, panels: int = 0, jumps: int = 0, instants: int = 0, programs: int = 0,
) -> Backward:  # fmt: skip
    """Room for a motion; `fixed`: numbers of a node."""
    shapes: dict[str, tuple[int, ...]] = {
        "given": (fixed + words,), "nodes": (nodes, fixed), "rates": (nodes, n), "lengths": (panels,),
        "jumps": (jumps, n), "instant_y": (instants, n), "instant_words": (instants, words),
        "instant_rates": (instants, n), "shares": (instants,), "w": (n,), "trial": (n,), "slopes": (STAGES, n),
        "words": (words,), "errors": (panels,), "scales": (n,), "seed_rate": (n,), "seed_v_dot": (motions,),
        "seed_lam": (rows,), "seed_energy": (3,), "seed_signals": (signals,), "seed_switches": (switches,),
        "seed_Phi": (rows,), "seed_nu": (rows,),
        "bar_t": (1,), "bar_y": (n,), "bar_words": (words,), "bar_v_dot": (motions,), "bar_lam": (rows,),
    }  # fmt: skip
    return Backward(
        programs=np.zeros(programs, np.int64), places=np.zeros(len(Places._fields), np.int64),
        chosen=np.full(nodes, -1, np.int64), stages=np.zeros((panels, STAGES), np.int64),
        jump=np.full(panels, -1, np.int64), instant=np.full(panels, -1, np.int64),
        **{name: np.zeros(shape) for name, shape in shapes.items()},
    )  # fmt: skip


BACKWARD = Structure("Backward")
open_backward = opener(BACKWARD)


@part
def places_of(back):
    """By their names."""
    p = back.places
    return Places(
        p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15]
    )  # fmt: skip


# -- nodes ------------------------------------------------------------------------------------------------------------
@kernel
def choose_programs(system, work, angles, first, address):
    """Angles and tapes of the nodes from `first` on; the number of the first node for which there is no tape, or -1.

    A node's tape is one whose comparisons come out there as they did; one marked -2 takes that of a neighbour later.
    """
    back = open_backward(address)
    place, last = places_of(back), 0
    for k in range(first, back.nodes.shape[0]):
        take_node(back, place, k)
        evaluate(system, back.given[0], back.given[place.y : place.angles], angles, work, LEVEL_EQUATIONS)
        copy(work.angle, angles)
        for i in range(angles.shape[0]):
            back.nodes[k, place.angles + i] = back.given[place.angles + i] = angles[i]
        if back.chosen[k] == -2:
            continue
        found = -1
        for n in range(back.programs.shape[0]):
            candidate = (last + n) % back.programs.shape[0]
            program = open_program(back.programs[candidate])
            run_tape(program, back.given)
            if guards_hold(program):
                found = candidate
                break
        if found < 0:
            return k
        back.chosen[k] = last = found
    return -1


@kernel
def solve_nodes(system, work, address):
    """v_dot, lam and dy/dt of every node, by its tape."""
    back = open_backward(address)
    place, first, own = places_of(back), first_velocity(system), work_place(system)
    for k in range(back.nodes.shape[0]):
        program = open_program(back.programs[back.chosen[k]])
        status = factor_node(system, work, back, place, program, k)
        if status != OK:
            return status
        x, out = program.values, program.outputs
        for j in range(work.Q.shape[0]):
            work.Q[j] = x[out[place.Q + j]]
        for r in range(work.gamma.shape[0]):
            work.gamma[r], work.nu[r] = x[out[place.gamma + r]], x[out[place.nu + r]]
        constrain(system, work, ACCELERATE)
        for i in range(back.w.shape[0]):
            back.rates[k, i] = x[out[place.rate + i]]
        power = x[out[place.energy + POWER]]
        for r in range(work.lam.shape[0]):
            back.nodes[k, place.lam + r] = work.lam[r]
            power -= work.lam[r] * work.nu[r]
        for j in range(work.v_dot.shape[0]):
            back.nodes[k, place.v_dot + j] = back.rates[k, first + j] = work.v_dot[j]
        back.rates[k, own] = power
    return OK


@part
def take_node(back, place, k):
    """The numbers of a node, for a tape."""
    for i in range(place.words):
        back.given[i] = back.nodes[k, i]


@part
def factor_node(system, work, back, place, program, k):
    """The tape at a node, and its equations factored."""
    take_node(back, place, k)
    for i in range(work.angle.shape[0]):
        work.angle[i] = back.given[place.angles + i]
    evaluate(system, back.given[0], back.given[place.y : place.angles], work.angle, work, LEVEL_EQUATIONS)
    run_tape(program, back.given)
    x, out = program.values, program.outputs
    for i in range(work.M.shape[0]):
        work.M[i] = x[out[place.M + i]]
    for i in range(work.J.shape[0]):
        work.J[i] = x[out[place.J + i]]
    return factorize(system, work)


# -- one node ---------------------------------------------------------------------------------------------------------
@kernel
def pull_back_at(system, work, node, address):
    """The derivatives of what is seeded, at one node; for Python."""
    back = open_backward(address)
    return pull_back(system, work, back, places_of(back), node)


@part
def pull_back(system, work, back, place, node):
    """`bar_t`, `bar_y` and `bar_words` of what is seeded, (13.11)."""
    program = open_program(back.programs[back.chosen[node]])
    status = factor_node(system, work, back, place, program, node)
    if status != OK:
        return status
    clear(back.bar_y)
    clear(back.bar_words)
    back.bar_t[0] = 0.0
    copy(back.seed_v_dot, back.bar_v_dot)
    copy(back.seed_lam, back.bar_lam)
    clear_bars(program)
    seed_state(system, back, place, program)
    if place.late == 1:  # first what these need of v_dot and lam
        read_backward(program)
        take_bars(back, place, program)
        clear_bars(program)
    for j in range(work.Q.shape[0]):
        work.Q[j] = back.bar_v_dot[j]
    for r in range(work.gamma.shape[0]):
        work.gamma[r], work.nu[r] = back.bar_lam[r], 0.0
    constrain(system, work, ACCELERATE)
    seed_equations(system, work, back, place, program)
    read_backward(program)
    take_bars(back, place, program)
    return OK


@part
def seed_state(system, back, place, program):
    """What the tape gives without the accelerations: rates of coordinates and auxiliary states, energies, signals."""
    bar, out, x, own = program.bar, program.outputs, program.values, work_place(system)
    for i in range(back.seed_rate.shape[0]):
        if i != own:
            bar[out[place.rate + i]] += back.seed_rate[i]
    for k in range(KINETIC, POWER + 1):
        bar[out[place.energy + k]] += back.seed_energy[k]
    power = back.seed_rate[own]  # of forces without potential, and of drivers: -lam nu
    bar[out[place.energy + POWER]] += power
    for r in range(back.bar_lam.shape[0]):
        bar[out[place.nu + r]] -= power * back.given[place.lam + r]
        back.bar_lam[r] -= power * x[out[place.nu + r]]
    for k in range(back.seed_signals.shape[0]):
        bar[out[place.signals + k]] += back.seed_signals[k]
    for k in range(back.seed_switches.shape[0]):
        bar[out[place.switches + k]] += back.seed_switches[k]


@part
def seed_equations(system, work, back, place, program):
    """mu^T d(Q - M v_dot - Phi_v^T lam) + kappa^T d(gamma - Phi_v v_dot), mu and kappa in `work`; and what is seeded of
    Phi and nu - Phi_v v.
    """
    bar, out, mu, kappa, dofs, columns = program.bar, program.outputs, work.v_dot, work.lam, system.dofs, system.columns
    v_dot, lam = back.given[place.v_dot : place.lam], back.given[place.lam : place.words]
    for j in range(mu.shape[0]):
        bar[out[place.Q + j]] += mu[j]
    for r in range(kappa.shape[0]):
        bar[out[place.gamma + r]] += kappa[r]
    for k in range(dofs.shape[0]):
        row = place.M + dofs[k].row
        bar[out[row + dofs[k].depth]] -= mu[k] * v_dot[k]
        i = dofs[k].parent
        while i >= 0:
            bar[out[row + dofs[i].depth]] -= mu[k] * v_dot[i] + mu[i] * v_dot[k]
            i = dofs[i].parent
    first = first_velocity(system)
    for c in range(system.constraints.shape[0]):
        con = system.constraints[c]
        for r in range(con.first_row, con.first_row + con.row_count):
            value, rest = place.J + system.rows[r].first_value, back.seed_nu[r]
            bar[out[place.Phi + r]] += back.seed_Phi[r]
            bar[out[place.nu + r]] += rest
            for k in range(con.column_count):
                j = columns[con.first_column + k].dof
                bar[out[value + k]] -= lam[r] * mu[j] + kappa[r] * v_dot[j] + rest * back.given[place.y + first + j]
                back.bar_y[first + j] -= rest * work.J[system.rows[r].first_value + k]


@part
def take_bars(back, place, program):
    """The bars of the inputs, to what they are."""
    for k in range(program.inputs.shape[0]):
        bar, i = program.bar[program.inputs[k, 0]], program.inputs[k, 1]
        if i >= place.words:
            back.bar_words[i - place.words] += bar
        elif i >= place.lam:
            back.bar_lam[i - place.lam] += bar
        elif i >= place.v_dot:
            back.bar_v_dot[i - place.v_dot] += bar
        elif i >= place.angles:
            continue
        elif i >= place.y:
            back.bar_y[i - place.y] += bar
        else:
            back.bar_t[0] += bar


@part
def clear(values):
    """All 0."""
    for k in range(values.shape[0]):
        values[k] = 0.0


# -- the sweep --------------------------------------------------------------------------------------------------------
@kernel
def sweep_back(system, work, address):
    """From the end of the last panel to the begin of the first: `w`, `words`, `shares`, `errors`."""
    back = open_backward(address)
    place, n, first = places_of(back), back.w.shape[0], first_velocity(system)
    clear(back.w)
    clear(back.words)
    clear(back.seed_lam)
    clear(back.seed_energy)
    clear(back.seed_signals)
    clear(back.seed_switches)
    clear(back.seed_Phi)
    clear(back.seed_nu)
    largest = 0.0
    for p in range(back.lengths.shape[0] - 1, -1, -1):
        jump_at_end(back, p)
        h, size = back.lengths[p], 0.0
        for s in range(STAGES):
            for i in range(n):
                total = 0.0
                for m in range(s):
                    total += TABLE[s, m] * back.slopes[m, i]
                back.trial[i] = back.w[i] + h * total
            copy(back.trial, back.seed_rate)
            for j in range(back.seed_v_dot.shape[0]):
                back.seed_v_dot[j] = back.trial[first + j]
                back.seed_rate[first + j] = 0.0
            status = pull_back(system, work, back, place, back.stages[p, s])
            if status != OK:
                return status
            copy(back.bar_y, back.slopes[s])
            weight = h * TABLE[SOLUTION, s]
            for k in range(back.words.shape[0]):
                back.words[k] += weight * back.bar_words[k]
        back.errors[p] = step_error(back, h)
        for i in range(n):
            total = 0.0
            for m in range(STAGES):
                total += TABLE[SOLUTION, m] * back.slopes[m, i]
            back.w[i] += h * total
            size = max(size, abs(back.w[i]) * back.scales[i])
        largest = max(largest, size)
        back.errors[p] /= max(largest, 1e-300)
    return OK


@part
def jump_at_end(back, p):
    """What a sample or an instant that moves adds to w, theory (13.12)."""
    k, n = back.instant[p], back.w.shape[0]
    if k >= 0:
        share = 0.0
        for i in range(n):
            share += back.instant_rates[k, i] * back.w[i]
        back.shares[k] = share
        for i in range(n):
            back.w[i] += share * back.instant_y[k, i]
        for m in range(back.words.shape[0]):
            back.words[m] += share * back.instant_words[k, m]
    if back.jump[p] >= 0:
        for i in range(n):
            back.w[i] += back.jumps[back.jump[p], i]


@part
def step_error(back, h):
    """The embedded estimate of the pair, theory (9.6), over the scales of the state."""
    five, three = 0.0, 0.0
    for i in range(back.w.shape[0]):
        e5, e3 = 0.0, 0.0
        for m in range(STAGES):
            e5 += TABLE[ERROR_5, m] * back.slopes[m, i]
            e3 += TABLE[ERROR_3, m] * back.slopes[m, i]
        five += (e5 * back.scales[i]) ** 2
        three += (e3 * back.scales[i]) ** 2
    if not five > 0.0:
        return 0.0
    return h * five / math.sqrt(five + 0.01 * three)
