"""Where within the last step something changed: an event, a contact, the cell of an expression.

A step is searched at so many instants that no body turns far between them; where a number that is watched comes near
to its change and goes away again, the nearest point is looked for.  The first change is located by root finding on the
interpolated, corrected states, and the state goes back to it.  Compiled only for models that have something to watch.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import kernel, part
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.of_state import UNDECIDED, cell_of, lower_end, upper_end
from linkwork.integrators.loop.chunks import (
    STRAIGHT,
    accept_numbers,
    end_of_step,
    has_changed,
    keep_method,
    place_of_step,
    put_method_back,
    rows_served,
    run_chunk,
    sample,
    take_samples,
    turning,
    watched_number,
    write_step,
)
from linkwork.integrators.vectors import copy
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import CHOOSE_ROWS, EVENT_FOUND, OK

ENOUGH = 4e-16  # of the time: as near as two instants can be told apart
NEAR = 1e-6  # of the step: a kink of a force so near to its end does no harm
ITERATIONS = 60
FEWEST, MOST = 4, 4096  # pieces into which a step is divided
GOLDEN = 0.6180339887498949
CLOSE = 0.5  # of what a number goes by: if it comes nearer to its change than that, the nearest point is looked for
BESIDE = 0.02  # of a piece: so near to the ends of a step
LOOKS = 32  # at most, for one such point
SHORT = 1e-4  # of the largest |x| so far: an excursion between two changes of a cell that is none
CHATTERING = 10  # changes in a row
FIRST_BAND = 1e-6  # of the largest |x| so far

# A change that was found, and that the state has not gone back to yet.
EVENT_LOCATION = np.dtype(
    [
        ("t", np.float64),  # s
        ("number", np.int64),  # in `work.watch`; NO_EVENT: none
    ],
    align=True,
)
NO_EVENT = -1
HOLDS = 1e-300  # of an event that holds, at least


@part
def run_to_event(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, events, event_location, state,
):  # fmt: skip
    """`run_chunk` for models with something to watch: the state goes back to the instant at which it changed.

    What an event does is up to the caller.  At a contact or a switch, which have no number below `events`, the run
    begins afresh: a history across a jump or kink would hide its own error.  `state`: scratch for one.
    """
    record, now, found = control[0], progress[0], event_location[0]
    while True:
        if found.number == NO_EVENT:
            another = waiting(work, events)
            if another != NO_EVENT:
                work.watch[another].before = HOLDS
                found.t, found.number = record.t, another
                return EVENT_FOUND
            status = run_chunk(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, stops, times, samples, history, path,
            )  # fmt: skip
            if status != EVENT_FOUND:
                return status
            status = first_change(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, found
            )  # fmt: skip
            if status != OK:
                return status
            if found.number == NO_EVENT:
                accept_numbers(work, record.t - record.t_previous)
                if rows_served(now, work) == 0:
                    return CHOOSE_ROWS
                continue
        record.kink = 1 if found.number >= events else 0
        status = go_back(
            evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, now, times,
            samples, found, history[place_of_step(now)], path[place_of_step(now)], state,
        )  # fmt: skip
        if status != OK:
            return status
        now.history += 1
        if found.number < events:
            return EVENT_FOUND
        found.number = NO_EVENT
        record.h, record.fresh = record.h_fixed, 1


@kernel
def begin_to_watch(system, work):
    """Note what holds at the start, evaluated: each expression that jumps is in the cell in which its argument is."""
    for k in range(work.switches.shape[0]):
        switch = work.switches[k]
        switch.cell = UNDECIDED
        switch.cell = cell_of(system.ops, switch, switch.x)
        switch.reach, switch.chatters_since = abs(switch.x), math.nan
    for k in range(work.watch.shape[0]):
        watch = work.watch[k]
        watch.slope = math.nan
        if watch.late == 1:
            watch.before = math.nan  # not known before the first solution; what holds from there on does not occur
        elif watch.signal >= 0:
            watch.before = watch.sign * work.signals[watch.signal]


@part
def waiting(work, events):
    """An event that came true at the same instant as the one before, or NO_EVENT."""
    for k in range(events):
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
        watch.now = watched_number(system, work, j)
        watch.slope = math.nan
        if watch.switch >= 0:
            if watch.now > 0.0 or j == k:
                change_cell(system.ops, t, work.switches[watch.switch])
                watch.now = watched_number(system, work, j)
            watch.before = watch.now
        elif watch.rate >= 0 or watch.now <= 0.0 or watch.before > 0.0:
            watch.before = watch.now
    if work.watch[k].switch < 0:
        work.watch[k].before = work.watch[k].now = max(work.watch[k].now, HOLDS)  # not again before it has ceased to
    record.h -= record.t - t
    write_step(t, y, work, record, row)
    put_method_back(work)
    control[0].t = t
    end_of_step(angles, work, control)
    return OK


@part
def change_cell(ops, t, switch):
    """The cell in which x is now.  One that changes over and over with hardly an excursion between chatters: then x
    must pass the threshold by a band, which grows until the excursions count.
    """
    size = 1.0 if switch.count == opcodes.ALL_WHOLE else switch.reach
    if switch.excursion > SHORT * size:
        switch.changes, switch.band = 0, 0.0
    switch.changes += 1
    if switch.changes >= CHATTERING:
        switch.changes = 0
        switch.band = max(2.0 * switch.band, FIRST_BAND * size)
        switch.widest = max(switch.widest, switch.band)
        if math.isnan(switch.chatters_since):
            switch.chatters_since = t
    switch.excursion = 0.0
    cell, band = switch.cell, switch.band
    switch.band = 0.0
    switch.cell = cell_of(ops, switch, switch.x)
    if switch.cell == cell:  # located to rounding, x may still be on this side
        above = upper_end(ops, switch, cell) - switch.x < switch.x - lower_end(ops, switch, cell)
        switch.cell = cell + 1 if above else cell - 1
    switch.band = band


@part
def first_change(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, found
):  # fmt: skip
    """Time and number of the first change within the last step, into `found`; there may be none.

    Besides the ends of its pieces the step is looked at right after its start and right before its end, which shows
    how the numbers go there.
    """
    record, watch = control[0], work.watch
    begin, h = record.t_previous, record.t - record.t_previous
    pieces = min(max(FEWEST, math.ceil(turning(work) * h / STRAIGHT)), MOST)
    for k in range(watch.shape[0]):
        watch[k].older, watch[k].old = math.nan, watch[k].before
    older, old = begin, begin
    keep_method(work)
    status = OK
    for n in range(pieces + 2):
        t = instant(n, pieces, begin, h, record.t)
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, t, y, angles, work, memory, control, state
        )  # fmt: skip
        if status != OK:
            break
        for k in range(watch.shape[0]):
            watch[k].now = watched_number(system, work, k)
        for k in range(watch.shape[0]):
            if status == OK and has_changed(work, k, watch[k].now):
                status = locate(
                    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k,
                    old, t, watch[k].old, watch[k].now, found,
                )  # fmt: skip
        for k in range(watch.shape[0]):
            side = comes_near(watch[k], old - older, t - old)
            if status == OK and found.number == NO_EVENT and side != 0.0:
                status = look_between(
                    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k,
                    older, old, t, side, found,
                )  # fmt: skip
        if status != OK or found.number != NO_EVENT:
            break
        older, old = old, t
        for k in range(watch.shape[0]):
            watch[k].older, watch[k].old = watch[k].old, watch[k].now
            if watch[k].now <= 0.0:
                watch[k].before = watch[k].now  # an event that has ceased to hold may come again
    put_method_back(work)
    return status


@part
def instant(n, pieces, begin, h, end):
    """Where a step is looked at: beside its start, at the ends of its pieces, beside its end."""
    piece = h / pieces
    if n == 0:
        return begin + BESIDE * piece
    if n == pieces:
        return end - BESIDE * piece
    return begin + n * piece if n < pieces else end


@part
def comes_near(watch, rising, falling):
    """Whether a number comes near to zero between three instants, so far apart, and goes away again: 1 from below, -1
    from above (which matters to events alone: they may cease to hold and come again), or 0.

    By the parabola through the three: with the slopes a to the left and b to the right of the middle one its slope is
    s there and its curvature c, and at the vertex it is s^2 / 2 |c| beyond the middle value.
    """
    side = 1.0 if watch.old <= 0.0 else -1.0
    if (side < 0.0 and (watch.switch >= 0 or watch.rate >= 0)) or not is_finite(watch.slow):
        return 0.0
    if (watch.older > 0.0) != (watch.old > 0.0) or (watch.now > 0.0) != (watch.old > 0.0):
        return 0.0  # it has passed zero there
    a, b = side * (watch.old - watch.older) / rising, side * (watch.now - watch.old) / falling
    bend = 2.0 * (a - b) / (rising + falling)
    slope = (a * falling + b * rising) / (rising + falling)
    if not (bend > 0.0 and -bend * rising <= slope <= bend * falling):  # the vertex lies between them
        return 0.0
    vertex = side * watch.old + 0.5 * slope * slope / bend
    variation = vertex - min(side * watch.older, side * watch.now)
    return side if -vertex <= CLOSE * variation else 0.0


@part
def look_between(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k, low, t, high,
    side, found,
):  # fmt: skip
    """Golden-section search, from t, for the point at which a number is nearest to zero; beyond it k has changed."""
    status, a, b = OK, low, high
    g = work.watch[k].old
    for _ in range(LOOKS):
        nearer = t + (1.0 - GOLDEN) * (b - t) if b - t > t - a else t - (1.0 - GOLDEN) * (t - a)
        status = sample(
            evaluate, factor, solve, correct, interpolate, system, nearer, y, angles, work, memory, control, state
        )  # fmt: skip
        if status != OK:
            return status
        number = watched_number(system, work, k)
        if side > 0.0 and has_changed(work, k, number):
            return locate(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k,
                low, nearer, work.watch[k].older, number, found,
            )  # fmt: skip
        if side < 0.0 and number <= 0.0:
            return locate(
                evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k,
                nearer, high, number, work.watch[k].now, found,
            )  # fmt: skip
        if side * number > side * g:
            a, b = (t, b) if nearer > t else (a, t)
            t, g = nearer, number
        elif nearer > t:
            b = nearer
        else:
            a = nearer
    return status


@part
def locate(
    evaluate, factor, solve, correct, interpolate, system, y, angles, work, memory, control, state, k, low, high,
    g_low, g_high, found,
):  # fmt: skip
    """The instant at which k changes between two others, into `found` if it is the first so far: bisection sharpened
    by the secant (Illinois).  The bracket keeps a state before and one at or after the change, which is the answer.
    """
    enough = ENOUGH * max(abs(high), control[0].h_last)
    if work.watch[k].rate >= 0:
        enough = max(enough, NEAR * control[0].h_last)
    if g_low > 0.0:  # it should have changed before
        high = low
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
            return status
        g = watched_number(system, work, k)
        if g > 0.0:
            high, g_high = t, g
            g_low *= 0.5
        else:
            low, g_low = t, g
            g_high *= 0.5
    if found.number == NO_EVENT or high < found.t:
        found.t, found.number = high, k
    return OK
