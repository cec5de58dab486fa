"""A run from the present instant on, through break times, events, locks, blows and other choices of rows: the loop of
runs and FMUs.  Its caller records what it has filled, and calls it again.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.expressions.kernels.crossings import INSIDE
from linkwork.integrators.loop.changes import LOG, STOP, apply_changes, log_change, reconsider_rows
from linkwork.integrators.loop.chunks import change_due, run_chunk
from linkwork.integrators.loop.locate import NO_EVENT, run_to_event
from linkwork.numerics.status import CHANGE_DUE, CHOOSE_ROWS, CHUNK_DONE, EVENT_FOUND, OK, STOPPED


@kernel
def advance(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, alike, event_location, state, occurrences,
):  # fmt: skip
    """Go on until the chunk is full, the last stop is reached (FINISHED), something has changed (CHANGED), an event
    ends the run (STOPPED), or a stage fails.

    `alike`: the System with bodies all alike, by which rows are chosen where drivers begin or let go.  `occurrences`:
    what has happened.  The rest as in `run_to_event`.
    """
    now = progress[0]
    events = 0
    while events < system.changes.shape[0] and not system.changes[system.changes.shape[0] - 1 - events].t >= 0.0:
        events += 1
    while True:
        if work.watch.shape[0] > 0:
            status = run_to_event(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, stops, times, samples, history, path, events, event_location, state,
            )  # fmt: skip
        else:
            status = run_chunk(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, stops, times, samples, history, path,
            )  # fmt: skip
        if status == CHOOSE_ROWS:
            reconsider_rows(evaluate, system, alike, y, angles, work, control, now)
        elif status == CHANGE_DUE:
            first = now.next_change
            while change_due(system, now, stops):
                now.next_change += 1
            return apply_changes(
                evaluate, system, alike, y, angles, work, control, progress, occurrences, first, now.next_change
            )  # fmt: skip
        elif status == EVENT_FOUND:
            k = event_location[0].number
            event_location[0].number = NO_EVENT
            begin_afresh(work, control)
            status = let_act(
                evaluate, system, alike, y, angles, work, control, progress, occurrences, k,
                system.changes.shape[0] - events + k,
            )  # fmt: skip
            if status != OK:
                return status
        else:
            return status


@part
def begin_afresh(work, control):
    """The present instant, in which something has changed, begins a segment up to the next stop."""
    record, segment = control[0], work.segment[0]
    segment.t_low = record.t + INSIDE * abs(record.t)
    record.h, record.fresh = record.h_fixed, 1


@part
def let_act(evaluate, system, alike, y, angles, work, control, progress, occurrences, event, k):
    """What an event does, as change k: OK where the run goes on as it was."""
    change, watch, now = system.changes[k], work.watch[event], progress[0]
    watch.occurred += 1
    if change.once == 1 and watch.occurred > 1:
        return OK
    if change.action == LOG or change.action == STOP:
        log_change(control[0].t, k, float("nan"), now, occurrences)
        if change.action == STOP:
            return STOPPED
        room = occurrences.shape[0] - now.occurred  # at one instant all changes may happen
        return CHUNK_DONE if room < system.changes.shape[0] else OK
    return apply_changes(evaluate, system, alike, y, angles, work, control, progress, occurrences, k, k + 1)
