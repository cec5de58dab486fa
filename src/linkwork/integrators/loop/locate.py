"""Where within the last step an event occurred: root finding on the interpolated, corrected states; samples until then.

Compiled only for models that have events, contacts or stops.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import kernel, part
from linkwork.integrators.loop.chunks import (
    end_of_step,
    keep_method,
    put_method_back,
    run_chunk,
    sample,
    take_samples,
    write_step,
)
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import EVENT_FOUND, OK

ENOUGH = 4e-16  # of the time: as near as two instants can be told apart
NEAR = 1e-6  # of the step: a kink of a force so near to its end does no harm
ITERATIONS = 60

# An event that was found, and that the state has not gone back to yet.
EVENT_LOCATION = np.dtype(
    [
        ("t", np.float64),  # s
        ("number", np.int64),  # in `work.watch`; NO_EVENT: none
    ],
    align=True,
)
NO_EVENT = -1


@kernel
def run_to_event(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    times, samples, history, path, events, event_location, state,
):  # fmt: skip
    """`run_chunk` for models with events and contacts: the state goes back to the instant at which one occurred.

    What an event does is up to the caller; at a contact, which has no number below `events`, the run begins afresh: a
    history across the kink of a force would hide its own error.  `state`: scratch for one.
    """
    record, now, found = control[0], progress[0], event_location[0]
    while True:
        if found.number == NO_EVENT:
            another = waiting(work)
            if another != NO_EVENT:
                work.watch[another].before = 1.0
                found.t, found.number = record.t, another
                return EVENT_FOUND
            status = run_chunk(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, times, samples, history, path,
            )  # fmt: skip
            if status != EVENT_FOUND:
                return status
            status = first_event(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, found
            )  # fmt: skip
            if status != OK:
                return status
        record.kink = 1 if found.number >= events else 0
        status = go_back(
            evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times,
            samples, found, history[now.history], path[now.history], state,
        )  # fmt: skip
        if status != OK:
            return status
        now.history += 1
        if found.number < events:
            return EVENT_FOUND
        found.number = NO_EVENT
        record.h, record.fresh = 0.0, 1


@part
def waiting(work):
    """An event that came true at the same instant as the one before, or NO_EVENT."""
    for k in range(work.watch.shape[0]):
        if work.watch[k].before <= 0.0 and work.watch[k].now > 0.0:
            return k
    return NO_EVENT


@part
def go_back(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, found,
    record, row, state,
):  # fmt: skip
    """Take the samples until the instant of the event, and make it the present state and the end of the step."""
    t, k = found.t, found.number
    status = take_samples(
        evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, t
    )  # fmt: skip
    if status != OK:
        return status
    keep_method(work)
    status = sample(evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, state)
    if status != OK:
        return status
    copy(state, y)
    for j in range(work.watch.shape[0]):
        watch = work.watch[j]
        watch.now = watch.sign * work.signals[watch.signal]
        if watch.rate >= 0 or watch.now <= 0.0 or watch.before > 0.0:
            watch.before = watch.now
    work.watch[k].before = work.watch[k].now = 1.0  # it holds: not again before it has ceased to
    record.h -= record.t - t
    write_step(t, y, work, record, row)
    put_method_back(work)
    control[0].t = t
    end_of_step(angles, work, control)
    return OK


@part
def first_event(evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, found):
    """Time and number of the event whose condition is the first to become true within the last step, into `found`."""
    keep_method(work)
    for k in range(work.watch.shape[0]):
        if work.watch[k].before <= 0.0 and work.watch[k].now > 0.0:
            status, t = root_of_event(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k
            )  # fmt: skip
            if status != OK:
                return status
            if found.number == NO_EVENT or t < found.t:
                found.t, found.number = t, k
    put_method_back(work)
    return OK


@part
def root_of_event(evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k):
    """The instant at which event k begins to hold: bisection sharpened by the secant (Illinois).

    The bracket keeps a state before and one at or after the event; the latter is the answer.
    """
    low, high = control[0].t_previous, control[0].t
    g_low, g_high = work.watch[k].before, work.watch[k].now
    enough = ENOUGH * max(abs(high), control[0].h_last)
    if work.watch[k].rate >= 0:
        enough = max(enough, NEAR * control[0].h_last)
    for n in range(ITERATIONS):
        if high - low <= enough:
            break
        t = high - g_high * (high - low) / (g_high - g_low)
        if n % 3 == 2 or not low < t < high:
            t = 0.5 * (low + high)
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, state
        )  # fmt: skip
        if status != OK:
            return status, t
        g = work.watch[k].sign * work.signals[work.watch[k].signal]
        if g > 0.0:
            high, g_high = t, g
            g_low *= 0.5
        else:
            low, g_low = t, g
            g_high *= 0.5
    return OK, high
