"""Where within the last step an event happened: root finding on the interpolated, corrected states; samples until then.

Compiled only for models that have events.
"""

from __future__ import annotations

from linkwork.elements.families import OUTPUT
from linkwork.formulations.equations import call_families
from linkwork.integrators.loop import keep_method, put_method_back, sample, write_sample
from linkwork.numerics.codes import CHUNK_DONE, EVENT, OK, T_ACCEPTED
from linkwork.numerics.jit import kernel

ENOUGH = 4e-16  # of the time: as near as it can be told apart
ITERATIONS = 60


@kernel
def locate_event(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, progress, times, samples,
    where,
):  # fmt: skip
    """Find the first instant of the last step at which an event's condition holds, take the samples until then, and
    make it the present state.  `where`: its time and which event; a time of 0 or more says that it was found before.

    Bisection sharpened by the secant (Illinois): the bracket keeps a state before and one at or after the event.
    """
    now = progress[0]
    now.filled = 0
    now.history = 0
    state = samples[samples.shape[0] - 1]
    room = state[: y.shape[0]]
    keep_method(work)
    if where[1] < 0.0:
        earliest = control[0].t
        for k in range(work.watch.shape[0]):
            g_high = work.watch[k].now
            if work.watch[k].before > 0.0 or g_high <= 0.0:
                continue
            low, high = control[0].t_previous, control[0].t
            g_low = work.watch[k].before
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
                    return status
                g = work.signals[work.watch[k].signal]
                if g > 0.0:
                    high, g_high = t, g
                    g_low *= 0.5
                else:
                    low, g_low = t, g
                    g_high *= 0.5
            if high <= earliest:
                earliest = high
                where[0], where[1] = high, k
    while now.next_sample < times.shape[0] and times[now.next_sample] <= where[0]:
        if now.filled == samples.shape[0] - 1:
            put_method_back(work)
            return CHUNK_DONE
        t = times[now.next_sample]
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, room
        )  # fmt: skip
        if status != OK:
            return status
        call_families(OUTPUT, system, t, angles, work)
        now.worst_velocity = max(now.worst_velocity, write_sample(system, state, work, samples[now.filled]))
        now.filled += 1
        now.next_sample += 1
    status = sample(
        evaluate, factor, solve, correct, interpolate, system, where[0], y, angles, work, memory, control, room
    )  # fmt: skip
    if status != OK:
        return status
    for i in range(y.shape[0]):
        y[i] = room[i]
    for i in range(angles.shape[0]):
        angles[i] = work.angle[i]
    for k in range(work.watch.shape[0]):
        work.watch[k].before = work.signals[work.watch[k].signal]
    work.watch[int(where[1])].before = 1.0  # it holds: not again before it has ceased to
    put_method_back(work)
    work.settings[T_ACCEPTED] = where[0]
    control[0].t = where[0]
    return EVENT
