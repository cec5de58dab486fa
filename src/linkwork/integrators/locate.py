"""Where within the last step an event happened: root finding on the interpolated, corrected states; samples until then.

Compiled only for models that have events.
"""

from __future__ import annotations

from linkwork.integrators.loop import end_of_step, keep_method, put_method_back, sample, take_samples
from linkwork.numerics.codes import EVENT, OK
from linkwork.numerics.jit import kernel, part

ENOUGH = 4e-16  # of the time: as near as it can be told apart
ITERATIONS = 60


@kernel
def locate_event(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, progress, times, samples,
    where,
):  # fmt: skip
    """Find the first instant of the last step at which an event's condition holds, take the samples until then, and
    make it the present state.  `where`: its time and which event; an event of 0 or more was found in a call before.
    """
    now = progress[0]
    now.filled = 0
    now.history = 0
    room = samples[samples.shape[0] - 1][: y.shape[0]]
    if where[1] < 0.0:
        status = first_event(
            evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, room, where
        )  # fmt: skip
        if status != OK:
            return status
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
        work.watch[j].before = work.signals[work.watch[j].signal]
    work.watch[k].before = 1.0  # it holds: not again before it has ceased to
    put_method_back(work)
    control[0].t = t
    end_of_step(angles, work, control)
    return EVENT


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
            if t <= earliest:
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
    for n in range(ITERATIONS):
        if high - low <= ENOUGH * max(abs(high), control[0].h_last):
            break
        t = high - g_high * (high - low) / (g_high - g_low)
        if n % 3 == 2 or not low < t < high:
            t = 0.5 * (low + high)
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, room
        )  # fmt: skip
        if status != OK:
            return status, t
        g = work.signals[work.watch[k].signal]
        if g > 0.0:
            high, g_high = t, g
            g_low *= 0.5
        else:
            low, g_low = t, g
            g_high *= 0.5
    return OK, high
