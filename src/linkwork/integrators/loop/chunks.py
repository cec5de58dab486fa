"""The time loop: steps, samples, history.  Compiled once; stages come in as values; Python wakes up between chunks
only.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import kernel, part
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families
from linkwork.formulations.workspace import BASIS, KIND, RANK
from linkwork.integrators.control import rate_corrected
from linkwork.methods.normal_step import WELL, violation_rate
from linkwork.methods.options import VOLUME, WELL_CHOSEN
from linkwork.numerics.status import CHOOSE_ROWS, CHUNK_DONE, EVENT, FINISHED, OK, T_ACCEPTED

PATIENCE = 2  # steps

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
        ("history", np.int64),  # steps written in this chunk
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
    times,
    samples,
    history,
    path,
):
    """Step until the chunk is full, the end is reached, something happens, or something fails.

    `samples` receives one row a sample time: y, v_dot, lam, energies; `history` one record a step, and `path` one row
    a step: y, its rate, counted angles; `progress` says how much of them is filled.
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
            return FINISHED
        if now.history == history.shape[0]:
            return CHUNK_DONE
        status = step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)
        if status != OK:
            return status
        end_of_step(angles, work, control)
        worst = 0.0
        for r in range(work.Phi.shape[0]):
            worst = max(worst, abs(work.Phi[r]))
        now.worst_position = max(now.worst_position, worst)
        record = history[now.history]
        record.h = control[0].h_last
        record.order = control[0].order
        record.basis = work.counts[BASIS]
        write_step(control[0].t, y, work, record, path[now.history])
        accept(factor, system, control[0].t, y, work, control)
        if work.watch.shape[0] > 0 and event_found(work):
            return EVENT  # the step will end there, and its record with it
        now.history += 1
        now.poor_rows = now.poor_rows + 1 if work.settings[WELL_CHOSEN] > WELL else 0
        if now.poor_rows >= PATIENCE:
            now.poor_rows = 0
            return CHOOSE_ROWS


@part
def end_of_step(angles, work, control):
    """From here on angles are counted: the last accepted step says on which turn they are."""
    work.settings[T_ACCEPTED] = control[0].t
    for k in range(angles.shape[0]):
        angles[k] = work.angle[k]


@part
def write_step(t, y, work, record, row):
    """The end of a step, evaluated and solved: how well the constraints hold there, and y, dy/dt, angles in one row."""
    n = y.shape[0]
    record.t = t
    record.rank = work.counts[RANK]
    record.strength = work.settings[VOLUME]
    for k in range(n):
        row[k] = y[k]
        row[n + k] = work.rate[k]
    for k in range(work.angle.shape[0]):
        row[2 * n + k] = work.angle[k]


@part
def event_found(work):
    """Whether a condition has become true since the last accepted step, or a contact that matters begun or ended."""
    found = False
    for k in range(work.watch.shape[0]):
        work.watch[k].now = work.watch[k].sign * work.signals[work.watch[k].signal]
        if work.watch[k].before <= 0.0 and work.watch[k].now > 0.0:
            rate = work.watch[k].rate
            if rate < 0 or abs(work.signals[rate]) > work.watch[k].slow:
                found = True
    if not found:
        for k in range(work.watch.shape[0]):
            work.watch[k].before = work.watch[k].now
    return found


@part
def take_samples(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, until
):  # fmt: skip
    """Write the samples that are due until a time within the last step; CHUNK_DONE when there is no room for more."""
    state = samples[samples.shape[0] - 1]  # the last row is room for the interpolated state
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
        call_families(Phase.OUTPUT, system, t, angles, work)
        now.worst_velocity = max(now.worst_velocity, write_sample(system, state, work, samples[now.filled]))
        put_method_back(work)
        now.filled += 1
        now.next_sample += 1
    return OK


@part
def sample(evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, state):
    """The state at t within the last step, brought onto the constraints and solved there.

    What this costs is not counted as the integrator's work.
    """
    evaluations = control[0].evaluations
    if t == control[0].t:
        for k in range(y.shape[0]):
            state[k] = y[k]
    else:
        status = interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, state)
        if status != OK:
            return status
    work.counts[KIND] = 0  # the factors at hand may be of a position far from this one
    status = rate_corrected(evaluate, factor, solve, correct, system, t, state, angles, work, control)
    control[0].evaluations = evaluations
    return status


@part
def keep_method(work):
    """Remember what the method keeps from step to step: a sample must not change the run."""
    _copy_rows(work.basis, work.kept_basis)
    _copy_rows(work.order, work.kept_order)
    _copy(work.counts, work.kept_counts)
    _copy(work.settings, work.kept_settings)
    _copy(work.typical, work.kept_typical)


@part
def put_method_back(work):
    """The method as it was before the sample; what it had factored is lost."""
    _copy_rows(work.kept_basis, work.basis)
    _copy_rows(work.kept_order, work.order)
    _copy(work.kept_counts, work.counts)
    _copy(work.kept_settings, work.settings)
    _copy(work.kept_typical, work.typical)
    work.counts[KIND] = 0


@part
def _copy(source, target):
    """Entry by entry: a slice assignment takes seconds to compile."""
    for k in range(source.shape[0]):
        target[k] = source[k]


@part
def _copy_rows(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@part
def write_sample(system, state, work, row):
    """y, v_dot, lam, kinetic and potential energy, power, strength, rank in one row; the worst |Phi_v v - nu|."""
    count = work.rate.shape[0]
    motions, rows = work.v_dot.shape[0], work.lam.shape[0]
    for k in range(count):
        row[k] = state[k]
    for k in range(motions):
        row[count + k] = work.v_dot[k]
    for k in range(rows):
        row[count + motions + k] = work.lam[k]
    last = count + motions + rows
    for k in range(3):
        row[last + k] = work.energy[k]
    row[last + 3] = work.settings[VOLUME]
    row[last + 4] = work.counts[RANK]
    for k in range(work.signals.shape[0]):
        row[last + 5 + k] = work.signals[k]
    residual = work.small[0][:rows]
    first = system.whole[0].q_count
    violation_rate(system, work.J, state[first : first + motions], work.nu, residual)
    worst = 0.0
    for r in range(rows):
        worst = max(worst, abs(residual[r]))
    return worst
