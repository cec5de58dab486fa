"""Follow a driven mechanism from position to position: no forces move it, its drivers do.

From a position with its velocity and acceleration the next one is predicted,

    q* = q + h v + h^2/2 v_dot,   v* = v + h v_dot

then brought onto the constraints at t + h, and solved there for velocities and accelerations.  The step is halved
where the prediction was poor: so a branch is not left for another one, and a dead point, beyond which the drivers
cannot go on, is approached and not crashed into.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families
from linkwork.formulations.kinematics import displace
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.integrators.control import rate_corrected
from linkwork.integrators.loop.chunks import write_sample, write_step
from linkwork.integrators.loop.rows import sample_row
from linkwork.integrators.vectors import copy
from linkwork.methods.normal_step import violation_rate
from linkwork.numerics.status import CHUNK_DONE, FINISHED, NEWTON_STALLED, OK, STEP_TOO_SMALL

FARTHEST = 0.5  # rad, or of the mechanism's size: the longest step
POOR = 0.1  # of the distance: a larger error of the predicted position is not accepted
TURNED = 0.5  # of the velocity: a larger error of the predicted velocity is not accepted
OPEN = 1e-9  # rad, or of the mechanism's size: a position that violates a constraint by more is none
TRIAL, PREDICTED, V_DOT, VECTORS = range(4)  # in memory: state tried, state predicted, accelerations at y
RESTING = 1e-3  # rad/s or m/s: a speed beside which rounding of one that is zero is nothing


@kernel
def follow(
    evaluate, factor, solve, correct, system, y, angles, work, memory, control, progress, times, samples, history, path
):
    """Go through the times, which may grow or fall, and write a row of `samples` for each; of `path` for each step."""
    now = progress[0]
    now.filled = 0
    now.history = 0
    trial, predicted, v_dot = memory[TRIAL], memory[PREDICTED], memory[V_DOT]
    if control[0].fresh:
        status = solved_at(evaluate, factor, solve, correct, system, control[0].t, y, angles, work, control)
        if status != OK:
            return status
        accept_position(control[0].t, y, y, angles, work, v_dot)
        control[0].fresh = 0
    solved = False  # whether the workspace holds what was found at the present position
    while now.next_sample < times.shape[0]:
        if now.filled == samples.shape[0]:
            return CHUNK_DONE
        goal = times[now.next_sample]
        while control[0].t != goal:
            if now.history == history.shape[0]:
                return CHUNK_DONE
            h, t = goal - control[0].t, goal
            if abs(h) > control[0].h:
                h = control[0].h if h > 0.0 else -control[0].h
                t = control[0].t + h
            predict(system, y, v_dot, h, trial)
            copy(trial, predicted)
            work.method[0].factors = Factors.NOTHING
            status = solved_at(evaluate, factor, solve, correct, system, t, trial, angles, work, control)
            if status == OK:
                status = near(system, y, predicted, trial, v_dot, h, work)
            solved = status == OK
            if not solved:
                control[0].rejected += 1
                control[0].h = 0.5 * abs(h)
                if control[0].h < control[0].h_min:
                    return STEP_TOO_SMALL
                continue
            accept_position(t, trial, y, angles, work, v_dot)
            control[0].t = t
            control[0].h = max(control[0].h, 2.0 * abs(h))
            control[0].steps += 1
            record = history[now.history]
            record.h = h
            record.order = 2
            write_step(t, y, work, record, path[now.history])
            now.history += 1
        if not solved:
            status = rate_corrected(evaluate, factor, solve, correct, system, goal, y, angles, work, control)
            if status != OK:
                return status
        call_families(Phase.OUTPUT, system, goal, angles, work)
        now.worst_velocity = max(now.worst_velocity, write_position(system, y, work, samples[now.filled]))
        for r in range(work.Phi.shape[0]):
            now.worst_position = max(now.worst_position, abs(work.Phi[r]))
        now.filled += 1
        now.next_sample += 1
    return FINISHED


@part
def solved_at(evaluate, factor, solve, correct, system, t, state, angles, work, control):
    """A state brought onto the constraints, with its velocities and accelerations; whether it meets them."""
    status = rate_corrected(evaluate, factor, solve, correct, system, t, state, angles, work, control)
    if status == OK:
        status = holds(system, state, work)
    return status


@part
def write_position(system, y, work, row):
    """The sample at a position, without accelerations where the constraints leave one open; its worst velocity."""
    worst = write_sample(system, y, work, row)
    if work.method[0].rank < work.method[0].full_rank:
        place = sample_row(y.shape[0], work.v_dot.shape[0], work.lam.shape[0], work.signals.shape[0])
        for k in range(place.v_dot, place.kinetic):
            row[k] = float("nan")
    return worst


@part
def predict(system, y, v_dot, h, trial):
    """The state after h, with the acceleration kept."""
    count, first = system.dofs.shape[0], first_velocity(system)
    copy(y, trial)
    for j in range(count):
        trial[first + j] = h * (y[first + j] + 0.5 * h * v_dot[j])
    displace(system.dofs, trial, trial[first : first + count])
    for j in range(count):
        trial[first + j] = y[first + j] + h * v_dot[j]


@part
def accept_position(t, state, y, angles, work, v_dot):
    """Make a state with what was solved there the present one; an acceleration that is not determined is kept."""
    copy(state, y)
    copy(work.angle, angles)
    if work.method[0].rank >= work.method[0].full_rank:
        for j in range(work.v_dot.shape[0]):
            v_dot[j] = work.v_dot[j]
    work.segment[0].t_accepted = t


@part
def holds(system, state, work):
    """Whether positions and velocities meet the constraints, as they may not at a dead point."""
    rows, motions, first = work.Phi.shape[0], work.v_dot.shape[0], first_velocity(system)
    largest = 0.0
    for j in range(motions):
        largest = max(largest, abs(state[first + j]))
    residual = work.c
    violation_rate(system, work.J, state[first : first + motions], work.nu, residual)
    for r in range(rows):
        if not abs(work.Phi[r]) <= OPEN * max(1.0, system.whole[0].length):
            return NEWTON_STALLED
        if not abs(residual[r]) <= OPEN * (largest + abs(work.nu[r]) + RESTING):
            return NEWTON_STALLED
    return OK


@part
def near(system, y, predicted, found, v_dot, h, work):
    """Whether the position found is the one that was predicted, and not one of another branch."""
    first, count, scales = first_velocity(system), work.v_dot.shape[0], work.scales
    distance, off, speed, turned = 0.0, 0.0, 0.0, 0.0
    for k in range(first):
        distance = max(distance, abs(predicted[k] - y[k]) / scales[k])
        off = max(off, abs(found[k] - predicted[k]) / scales[k])
    for j in range(count):
        k = first + j
        grown = abs(h) * max(abs(v_dot[j]), abs(work.v_dot[j]))
        speed = max(speed, max(abs(y[k]), abs(found[k]), grown) / scales[k])
        turned = max(turned, abs(found[k] - predicted[k]) / scales[k])
    if distance > FARTHEST or off > POOR * distance + OPEN or turned > TURNED * speed + OPEN:
        return NEWTON_STALLED
    return OK
