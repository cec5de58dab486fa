"""Where within the last step an event happened: root finding on the interpolated, corrected states; samples until then.

Compiled only for models that have events, contacts or stops.
"""

from __future__ import annotations

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
from linkwork.numerics.status import EVENT, OK

ENOUGH = 4e-16  # of the time: as near as it can be told apart
NEAR = 1e-6  # of the step: a kink of a force so near to its end does no harm
ITERATIONS = 60


@kernel
def run_to_event(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    times, samples, history, path, events, where, room,
):  # fmt: skip
    """`run_chunk` for models with events and contacts: the state goes back to the instant at which one happened.

    What an event does is up to the caller; at a contact, which has no number below `events`, the run begins afresh: a
    history across the kink of a force would hide its own error.  `where`: time and number of what happened, -1: nothing
    yet; `room`: for a state.
    """
    books, now = control[0], progress[0]
    while True:
        if where[1] < 0.0:
            another = waiting(work)
            if another >= 0:
                work.watch[another].before = 1.0
                where[0], where[1] = books.t, another
                return EVENT
            status = run_chunk(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, times, samples, history, path,
            )  # fmt: skip
            if status != EVENT:
                return status
            status = first_event(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, room, where
            )  # fmt: skip
            if status != OK:
                return status
        books.kink = 1 if where[1] >= events else 0
        status = go_back(
            evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times,
            samples, where, history[now.history], path[now.history], room,
        )  # fmt: skip
        if status != OK:
            return status
        now.history += 1
        if where[1] < events:
            return EVENT
        where[1] = -1.0
        books.h, books.fresh = 0.0, 1


@part
def waiting(work):
    """An event that came true at the same instant as the one before, or -1."""
    for k in range(work.watch.shape[0]):
        if work.watch[k].before <= 0.0 and work.watch[k].now > 0.0:
            return k
    return -1


@part
def go_back(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, where,
    record, row, room,
):  # fmt: skip
    """Take the samples until the instant of the event, and make it the present state and the end of the step."""
    t, k = where[0], int(where[1])
    status = take_samples(
        evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times, samples, t
    )  # fmt: skip
    if status != OK:
        return status
    keep_method(work)
    status = sample(evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, room)
    if status != OK:
        return status
    for i in range(y.shape[0]):
        y[i] = room[i]
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
def first_event(evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, room, where):
    """Time and number of the event whose condition is the first to become true within the last step, into `where`."""
    earliest = control[0].t
    keep_method(work)
    for k in range(work.watch.shape[0]):
        if work.watch[k].before <= 0.0 and work.watch[k].now > 0.0:
            status, t = root_of_event(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, room, k
            )  # fmt: skip
            if status != OK:
                return status
            if where[1] < 0.0 or t < earliest:
                earliest = t
                where[0], where[1] = t, k
    put_method_back(work)
    return OK


@part
def root_of_event(evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, room, k):
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
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, room
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
