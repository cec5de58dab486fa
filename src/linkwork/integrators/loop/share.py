"""A share of a batch: simulations one after the other, each from its start to its end, on a core or on a GPU thread.

All that a simulation writes lies in one block of memory, its `room`: a simulation begins when the room is filled with
what it held at the start (`begun`) and the words of its own are put in their place, at the room's beginning; what is
wanted of its end are the words from `wanted` on.

A `plain` share is one in which nothing is watched or scheduled.  Its simulations keep the active rows with which they
begin: one that should choose others ends there (CHOOSE_ROWS), for its caller to run again with a share that is not
plain.  So a program that is compiled for one structure (compiler/gpu/) knows its rows.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.chunks import begin_segment, run_chunk
from linkwork.integrators.loop.locate import NO_EVENT, begin_to_watch
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import CHANGED, CHUNK_DONE, LEVEL_ALL

LARGEST, LEAST, FIRST, LAST, INTEGRAL, SQUARES = range(6)  # what a channel is reduced to, its integral and its square's
REDUCED = 6


@kernel
def run_share(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, alike, event_location, state, occurrences, room, begun, given, wanted, found,
    status, t_low, most, plain, channels, places, reduced, kept, first, last,
):  # fmt: skip
    """Simulations `first` to `last` - 1: given[i, k] of each at its start, found[i, k] at its end, and its status; of
    its samples what `keep_samples` keeps.
    """
    for k in range(first, last):
        for i in range(room.shape[0]):
            room[i] = begun[i]
        for i in range(given.shape[0]):
            room[i] = given[i, k]
        if work.watch.shape[0] > 0:
            evaluate(system, control[0].t, y, angles, work, LEVEL_ALL)
            begin_to_watch(system, work)
        begin_segment(t_low, stops[0], work, control)
        status[k] = to_the_end(
            evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
            progress, stops, times, samples, history, path, alike, event_location, state, occurrences, most, plain,
            channels, places, reduced, kept, k,
        )  # fmt: skip
        for i in range(found.shape[0]):
            found[i, k] = room[wanted + i]


@part
def to_the_end(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, alike, event_location, state, occurrences, most, plain, channels, places,
    reduced, kept, k,
):  # fmt: skip
    """From the present instant to the last stop, at most `most` steps (then CHUNK_DONE); any number if plain."""
    if plain == 1:
        progress[0].keeps = 0
        while True:
            status = run_chunk(
                evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
                progress, stops, times, samples, history, path,
            )  # fmt: skip
            keep_samples(progress[0], times, samples, channels, places, reduced, kept, k)
            progress[0].filled = 0
            if status != CHUNK_DONE:
                return status
    while True:
        begin_chunk(progress, history, path, event_location)
        rows = min(history.shape[0], most - control[0].steps)
        status = advance(
            evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
            progress, stops, times, samples, history[:rows], path, alike, event_location, state, occurrences,
        )  # fmt: skip
        keep_samples(progress[0], times, samples, channels, places, reduced, kept, k)
        if (status != CHUNK_DONE and status != CHANGED) or control[0].steps >= most:
            return status


@part
def keep_samples(now, times, samples, channels, places, reduced, kept, k):
    """Of the samples that this chunk has filled, the numbers at the places `channels` of their rows (rows.py).

    reduced[REDUCED c + r, k]: what row r of a channel c is in simulation k (LARGEST ... SQUARES, if there are such
    rows); kept[C places[n] + c, k]: its value at sample n, of C channels; places[n] < 0: it is not kept.
    """
    count = channels.shape[0]
    for n in range(now.filled):
        sample = now.next_sample - now.filled + n
        for c in range(count):
            value, row = samples[n, channels[c]], REDUCED * c
            if row < reduced.shape[0]:
                if sample == 0:
                    begin_to_reduce(value, reduced, row, k)
                else:
                    reduce(value, times[sample] - times[sample - 1], reduced, row, k)
            if places[sample] >= 0:
                kept[places[sample] * count + c, k] = value


@part
def begin_to_reduce(value, reduced, row, k):
    """The first sample of a channel."""
    reduced[row + LARGEST, k] = reduced[row + LEAST, k] = value
    reduced[row + FIRST, k] = reduced[row + LAST, k] = value
    reduced[row + INTEGRAL, k] = reduced[row + SQUARES, k] = 0.0


@part
def reduce(value, length, reduced, row, k):
    """One more sample of a channel, so long (s) after the one before; integrals are those of trapezoids."""
    before = reduced[row + LAST, k]
    reduced[row + LARGEST, k] = max(reduced[row + LARGEST, k], value)
    reduced[row + LEAST, k] = min(reduced[row + LEAST, k], value)
    reduced[row + LAST, k] = value
    reduced[row + INTEGRAL, k] += 0.5 * length * (before + value)
    reduced[row + SQUARES, k] += 0.5 * length * (before * before + value * value)


@part
def begin_chunk(progress, history, path, event_location):
    """An empty chunk, but for the record of a step that is going back to an event."""
    now = progress[0]
    if event_location[0].number != NO_EVENT:
        history[0] = history[now.history]
        copy(path[now.history], path[0])
    now.filled, now.history, now.occurred = 0, 0, 0
