"""A step of many simulations: each from the state in which it is to the end of a step of one length, inputs held.

A state is y, the counted angles, the number of steps since the start, what comes next (a mark), and how the last step
ended (a Status).  Nothing else outlives a step: the integrator begins afresh, and rows are chosen as at the start.  So
simulations need little memory of their own, and each may be at another time: models in which something is scheduled
are not stepped so.

One that is to begin anew (BEGINS) only goes back to the start, and is observed there.  One that an event has ended
(ENDED) stays as it is.  Of a `plain` step (share.py) a simulation that should choose other rows keeps its state and is
marked (LEFT), for its caller to take it through a step that is not plain.
"""

from __future__ import annotations

from linkwork.compiler.kernels import kernel, part
from linkwork.expressions.kernels.crossings import INSIDE
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.chunks import begin_segment, run_chunk
from linkwork.integrators.loop.locate import begin_to_watch
from linkwork.integrators.loop.share import begin_chunk
from linkwork.numerics.status import CHANGED, CHOOSE_ROWS, CHUNK_DONE, FINISHED, LEVEL_ALL, OK

GOES, BEGINS, ENDED = 0.0, 1.0, 2.0  # marks of a simulation: what it does in the next step
LEFT = 4.0  # more, of one that a plain step has left
STEPS, MARK, STATUS, BESIDE = 0, 1, 2, 3  # places behind y and angles in a state, and how many there are


@kernel
def step_share(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, alike, event_location, state, occurrences, room, begun, inputs, given, dt,
    plain, again, channels, states, observed, first, last,
):  # fmt: skip
    """Simulations `first` to `last` - 1, through one step each."""
    own = y.shape[0] + angles.shape[0]
    for k in range(first, last):
        mark = states[own + MARK, k]
        if again == 1:
            if mark < LEFT:
                continue
            mark -= LEFT
        if mark == ENDED:
            continue
        for i in range(room.shape[0]):
            room[i] = begun[i]
        for i in range(inputs.shape[0]):
            room[inputs[i]] = given[i, k]
        steps, t = 0.0, 0.0
        if mark != BEGINS:
            steps = states[own + STEPS, k]
            t = dt * steps
            take_state(states, y, angles, k)
        control[0].t = work.segment[0].t_accepted = t
        end = t if mark != GOES else dt * (steps + 1.0)
        times[0] = end
        stops[0].t, stops[0].before, stops[0].after = end, end - INSIDE * abs(end), end + INSIDE * abs(end)
        if work.watch.shape[0] > 0:
            evaluate(system, t, y, angles, work, LEVEL_ALL)
            begin_to_watch(system, work)
        begin_segment(t + INSIDE * abs(t), stops[0], work, control)
        ended = to_the_end_of_the_step(
            evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
            progress, stops, times, samples, history, path, alike, event_location, state, occurrences, plain,
        )  # fmt: skip
        states[own + STATUS, k] = ended
        if ended == CHOOSE_ROWS and plain == 1:
            states[own + MARK, k] = mark + LEFT
            continue
        if progress[0].filled > 0:
            for c in range(channels.shape[0]):
                observed[c, k] = samples[progress[0].filled - 1, channels[c]]
        if ended == FINISHED:
            keep_state(states, y, angles, steps if mark == BEGINS else steps + 1.0, GOES, k)
        else:
            keep_state(states, y, angles, steps, ENDED, k)


@part
def to_the_end_of_the_step(
    evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control, progress,
    stops, times, samples, history, path, alike, event_location, state, occurrences, plain,
):  # fmt: skip
    """From the present instant to the stop."""
    if plain == 1:
        progress[0].keeps = 0
        return run_chunk(
            evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
            progress, stops, times, samples, history, path,
        )  # fmt: skip
    ended, filled = OK, 0
    while True:
        begin_chunk(progress, history, path, event_location)
        ended = advance(
            evaluate, factor, solve, correct, accept, step, interpolate, system, y, angles, work, memory, control,
            progress, stops, times, samples, history, path, alike, event_location, state, occurrences,
        )  # fmt: skip
        filled = max(filled, progress[0].filled)
        if ended != CHUNK_DONE and ended != CHANGED:
            progress[0].filled = filled
            return ended


@part
def take_state(states, y, angles, k):
    """Simulation k where it is."""
    count = y.shape[0]
    for i in range(count):
        y[i] = states[i, k]
    for i in range(angles.shape[0]):
        angles[i] = states[count + i, k]


@part
def keep_state(states, y, angles, steps, mark, k):
    """Where simulation k is after so many steps, and what comes next."""
    count, own = y.shape[0], y.shape[0] + angles.shape[0]
    for i in range(count):
        states[i, k] = y[i]
    for i in range(angles.shape[0]):
        states[count + i, k] = angles[i]
    states[own + STEPS, k], states[own + MARK, k] = steps, mark
