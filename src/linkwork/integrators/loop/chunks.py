"""The time loop: steps, samples, history.  Compiled once; stages come in as values; Python wakes up between chunks
only.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.family import Phase
from linkwork.elements.signals.pace import update_rates
from linkwork.expressions.kernels.of_state import beyond_cell
from linkwork.formulations.equations import call_families
from linkwork.formulations.records import Factors
from linkwork.formulations.state import KINETIC, POTENTIAL, POWER, first_velocity
from linkwork.formulations.workspace import active_rows
from linkwork.integrators.control import rate_corrected
from linkwork.integrators.loop.longest_step import bound_step
from linkwork.integrators.loop.rows import path_row, sample_row
from linkwork.integrators.vectors import copy, copy_rows
from linkwork.methods.normal_step import WELL, violation_rate
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import (
    CHANGE_DUE,
    CHOOSE_ROWS,
    CHUNK_DONE,
    EVENT_FOUND,
    FACTOR,
    FINISHED,
    LEVEL_POSITION,
    OK,
)
from linkwork.numerics.vectors import angular, dot

PATIENCE = 2  # steps
STRAIGHT = 0.5  # rad: if no body turns farther in a step, what is watched goes as its ends tell

HISTORY = np.dtype(
    [
        ("t", np.float64),  # s, end of the step
        ("h", np.float64),  # s
        ("order", np.int32),  # of the integrator
        ("rank", np.int32),  # independent rows
        ("basis", np.int32),  # in use, of methods that partition (methods/reasons.py)
        ("strength", np.float64),  # logarithm of the volume that the constraint rows span; -inf: singular
    ],
    align=True,
)
PROGRESS = np.dtype(
    [
        ("next_sample", np.int64),  # which of the sample times comes next
        ("filled", np.int64),  # samples written in this chunk
        ("history", np.int64),  # steps of this chunk
        (
            "keeps",
            np.int64,
        ),  # 1: steps are written down, and a chunk is full when there is no more room; 0: none is
        ("next_stop", np.int64),  # which of the stops ends the present segment
        ("next_change", np.int64),  # which of the scheduled changes comes next
        ("occurred", np.int64),  # changes written down in this chunk
        ("rows_in_doubt", np.int64),  # 1: rows changed at a singular position (changes.py)
        ("poor_rows", np.int64),  # steps in a row at regular positions where the active rows do not serve
        ("worst_position", np.float64),  # largest |Phi| at an accepted step
        ("worst_velocity", np.float64),  # largest |Phi_v v - nu| at a sample
    ],
    align=True,
)


@kernel
def run_chunk(
    evaluate,
    factor,
    solve,
    correct,
    accept,
    step,
    interpolate,
    system,
    y,
    angles,
    work,
    memory,
    control,
    progress,
    stops,
    times,
    samples,
    history,
    path,
):
    """Step until the chunk is full, the last stop or a change is reached, an event may be within a step, or something
    fails.


    `stops`: BREAKs, at each of which the run begins afresh.  `samples` receives one row a sample time, `path` one row a
    step (rows.py), `history` one record a step; `progress` holds how much of them is filled.
    """
    now = progress[0]
    while True:
        status = take_samples(
            evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times,
            samples, control[0].t,
        )  # fmt: skip
        if status != OK:
            return status
        if control[0].t >= control[0].t_stop:
            if change_due(system, now, stops):
                return CHANGE_DUE
            if now.next_stop + 1 >= stops.shape[0]:
                return FINISHED
            now.next_stop += 1
            begin_segment(stops[now.next_stop - 1].after, stops[now.next_stop], work, control)
        if now.keeps == 1 and now.history == history.shape[0]:
            return CHUNK_DONE
        bound_step(system, angles, work, control)
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        end_of_step(angles, work, control)
        worst = 0.0
        for r in range(work.Phi.shape[0]):
            worst = max(worst, abs(work.Phi[r]))
        now.worst_position = max(now.worst_position, worst)
        place = place_of_step(now)
        record = history[place]
        record.h = control[0].h_last
        record.order = control[0].order
        record.basis = work.method[0].basis
        write_step(control[0].t, y, work, record, path[place])
        accept(factor, system, control[0].t, y, work, control)
        if work.watch.shape[0] > 0:
            call_families(Phase.OUTPUT, system, control[0].t, angles, work)
            if may_have_changed(system, work, control):
                return EVENT_FOUND  # the step may end there, and its record with it
        if rows_served(now, work) == 0:
            return CHOOSE_ROWS


@part
def place_of_step(now):
    """Where the present step is written down."""
    return now.history if now.keeps == 1 else 0


@part
def change_due(system, now, stops):
    """Whether something is scheduled for the stop that is reached."""
    k, changes = now.next_change, system.changes
    return k < changes.shape[0] and changes[k].t <= stops[now.next_stop].after


@part
def begin_segment(t_low, stop, work, control):
    """From here to a stop: expressions are read a little inside of both ends, on this side of their jumps."""
    record, segment = control[0], work.segment[0]
    segment.t_low, segment.t_high = t_low, stop.before
    record.t_stop = stop.t
    record.h, record.fresh = record.h_fixed, 1


@part
def rows_served(now, work):
    """Enter an accepted step; 0: the active rows have not served for some steps, or are in doubt, and others should be
    chosen.
    """
    now.history += 1
    if now.rows_in_doubt == 1:
        return 0
    now.poor_rows = now.poor_rows + 1 if work.method[0].other_rows_pivot > WELL else 0
    if now.poor_rows < PATIENCE:
        return 1
    now.poor_rows = 0
    return 0


@part
def end_of_step(angles, work, control):
    """From here on angles are counted: on the turn on which they are at the last accepted step."""
    work.segment[0].t_accepted = control[0].t
    copy(work.angle, angles)
    if work.paced.shape[0] > 0:
        update_rates(control[0].t, work)


@part
def write_step(t, y, work, record, row):
    """The end of a step, evaluated and solved: how well the constraints hold there, and y, dy/dt, angles in one row."""
    place = path_row(y.shape[0], work.angle.shape[0])
    record.t = t
    record.rank = work.method[0].rank
    record.strength = work.method[0].volume
    for k in range(y.shape[0]):
        row[k] = y[k]
        row[place.rate + k] = work.rate[k]
    for k in range(work.angle.shape[0]):
        row[place.angles + k] = work.angle[k]
    if row.shape[0] > place.width:
        write_conditioning(work, row[place.width :])


@part
def write_conditioning(work, of_constraints):
    """Of each constraint the logarithm of what is left of its rows, of the factors at hand; not a number where they are
    delicate, or other factors than those of the recursion nearby.
    """
    regular, active = work.method[0].factors == Factors.REGULAR, active_rows(work)
    regular &= work.method[0].by_recursion == 1 or work.fronts.shape[0] == 0
    for c in range(of_constraints.shape[0]):
        of_constraints[c] = 0.0 if regular else math.nan
    if regular:
        for a in range(active.shape[0]):
            of_constraints[active[a].constraint] += 0.5 * math.log(work.left[a])


@part
def watched_number(system, work, k):
    """The number of what is watched: positive where the event holds, the contact has changed, the cell must change."""
    watch = work.watch[k]
    if watch.switch >= 0:
        return beyond_cell(system.ops, work.switches[watch.switch])
    return watch.sign * work.signals[watch.signal]


@part
def has_changed(work, k, number):
    """Whether an event has become true, a contact that matters begun or ended, or an expression left its cell."""
    watch = work.watch[k]
    if watch.switch >= 0:
        return number > 0.0
    if watch.before <= 0.0 and number > 0.0:
        return watch.rate < 0 or abs(work.signals[watch.rate]) > watch.slow
    return False


@part
def may_have_changed(system, work, control):
    """Whether something watched has changed over the last accepted step, or may have changed and changed back.

    A number that bends by c within a step of length h may go beyond the line between its ends by c h^2 / 8; c is taken
    from the mean slopes of this step and the one before, and eight times as much allowed for, theory (10.2).  A body
    that turns far in the step makes it bend more.
    """
    record, suspect, matters = control[0], False, False
    h = record.t - record.t_previous
    for k in range(work.watch.shape[0]):
        watch = work.watch[k]
        watch.now = watched_number(system, work, k)
        suspect |= has_changed(work, k, watch.now)
        slope = (watch.now - watch.before) / h
        bend = abs(slope - watch.slope) * h
        if is_finite(watch.slow):
            matters = True
            suspect |= not min(abs(watch.before), abs(watch.now)) > bend
    if suspect or (matters and turning(work) * h > STRAIGHT):
        return True
    accept_numbers(work, h)
    return False


@part
def turning(work):
    """The fastest angular velocity of a body, rad/s."""
    fastest = 0.0
    for body in range(work.V.shape[0]):
        w = angular(work.V, body)
        fastest = max(fastest, dot(w, w))
    return math.sqrt(fastest)


@part
def accept_numbers(work, h):
    """Nothing has changed within the step: its end is the beginning of the next."""
    for k in range(work.watch.shape[0]):
        watch = work.watch[k]
        watch.slope = (watch.now - watch.before) / h
        watch.before = watch.now
        if watch.switch >= 0:
            switch = work.switches[watch.switch]
            switch.reach = max(switch.reach, abs(switch.x))
            switch.excursion = max(switch.excursion, -watch.now)


@part
def take_samples(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, until
):  # fmt: skip
    """Write the samples that are due until a time within the last step; CHUNK_DONE when the buffer is full."""
    state = samples[samples.shape[0] - 1]  # the last row is scratch for the interpolated state
    factored = work.method[0].factors != Factors.NOTHING
    while now.next_sample < times.shape[0] and times[now.next_sample] <= until:
        if now.filled == samples.shape[0] - 1:
            return CHUNK_DONE
        t = times[now.next_sample]
        keep_method(work)
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control,
            state[: y.shape[0]],
        )  # fmt: skip
        if status != OK:
            return status
        now.worst_velocity = max(now.worst_velocity, write_sample(system, state, work, samples[now.filled]))
        put_method_back(work)
        now.filled += 1
        now.next_sample += 1
    if factored and work.method[0].factors == Factors.NOTHING and work.options[0].literal != 0.0:
        return factor_again(evaluate, factor, solve, system, y, angles, work, control)
    return OK


@part
def sample(evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, state):
    """The state at t within the last step, brought onto the constraints and solved there, with what follows from it.

    What this costs is not counted as the integrator's work.
    """
    evaluations = control[0].evaluations
    if t == control[0].t:
        copy(y, state)
    else:
        status = interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, state)
        if status != OK:
            return status
    work.method[0].factors = Factors.NOTHING  # those at hand may be of a position far from this one
    status = rate_corrected(evaluate, factor, solve, correct, system, t, state, angles, work, control)
    control[0].evaluations = evaluations
    call_families(Phase.OUTPUT, system, t, angles, work)
    return status


@part
def keep_method(work):
    """Keep what the method remembers from step to step: a sample must not change the run."""
    copy_rows(work.basis, work.kept_basis)
    copy_rows(work.order, work.kept_order)
    copy(work.error_scales, work.kept_error_scales)
    work.kept_method[0] = work.method[0]


@part
def put_method_back(work):
    """The method as it was before the sample; what it had factored is lost."""
    copy_rows(work.kept_basis, work.basis)
    copy_rows(work.kept_order, work.order)
    copy(work.kept_error_scales, work.error_scales)
    work.method[0] = work.kept_method[0]
    work.method[0].factors = Factors.NOTHING


@part
def factor_again(evaluate, factor, solve, system, y, angles, work, control):
    """The factors at the end of the last step: as printed, the next one begins with them."""
    keep_method(work)
    evaluate(system, control[0].t, y, angles, work, LEVEL_POSITION)
    status = solve(factor, system, work, FACTOR)
    factors = work.method[0].factors
    put_method_back(work)
    work.method[0].factors = factors
    return status


@part
def write_sample(system, state, work, row):
    """One row of samples (rows.py) at the state evaluated and solved last; the worst |Phi_v v - nu|."""
    count, motions, rows = work.rate.shape[0], work.v_dot.shape[0], work.lam.shape[0]
    place = sample_row(count, motions, rows, work.signals.shape[0])
    for k in range(count):
        row[k] = state[k]
    for k in range(motions):
        row[place.v_dot + k] = work.v_dot[k]
    for k in range(rows):
        row[place.lam + k] = work.lam[k]
    row[place.kinetic] = work.energy[KINETIC]
    row[place.potential] = work.energy[POTENTIAL]
    row[place.power] = work.energy[POWER]
    row[place.volume] = work.method[0].volume
    row[place.rank] = work.method[0].rank
    for k in range(work.signals.shape[0]):
        row[place.signals + k] = work.signals[k]
    first, residual = first_velocity(system), work.c
    violation_rate(system, work.J, state[first : first + motions], work.nu, residual)
    worst = 0.0
    for r in range(rows):
        worst = max(worst, abs(residual[r]))
    return worst
