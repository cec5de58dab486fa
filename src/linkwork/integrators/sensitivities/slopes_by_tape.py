"""The rates of all sensitivities by one reading of the tape of the equations (tape.py), along all directions."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.derivatives import STEP
from linkwork.formulations.equations import inside
from linkwork.formulations.kinematics import displace
from linkwork.integrators.sensitivities.directional import write_slopes
from linkwork.integrators.sensitivities.solution import settle_slopes, take_solution
from linkwork.integrators.sensitivities.tape import guards_hold, open_program, read_forward, run_tape
from linkwork.integrators.sensitivities.variation import TapePlaces


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
