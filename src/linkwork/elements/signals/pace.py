"""The pace of expressions: how long a step may be so that nothing an expression does can hide in it.

A pulse that begins and ends within a step would not be seen by an integrator that evaluates the ends alone.  Before
each step every expression that could do such a thing is enclosed by interval arithmetic
(expressions/kernels/enclosure.py) over a stretch of a few steps, the one to come and those before it (at the start of a
segment, after it), with the signals going on at their present rates and accelerations, of which half may be wrong:

    a phase of sin, cos, tan may go on by HALF_TURN in the step at most;
    no piece of the stretch, as long as the step, may hold most of what the expression varies by in all of it.

What stays below a tenth of the tolerance, relative to what the expression has been so far or is about to be, does not
count: the tail of a pulse, which rises through hundreds of decades, is passed at full length.  What it is about to be
is a value that it has somewhere ahead: of an expression of time until the end of the segment, of one of state AHEAD
such steps from here at most.  Nor does what rounding makes of numbers that cancel.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Family, Phase, record
from linkwork.expressions import Program
from linkwork.expressions.kernels import opcodes
from linkwork.expressions.kernels.enclosure import enclose
from linkwork.numerics.scalars import is_finite

PLAIN = {
    opcodes.CONST,
    opcodes.TIME,
    opcodes.SIGNAL,
    opcodes.NEG,
    opcodes.ADD,
    opcodes.SUB,
    opcodes.MUL,
    opcodes.MIN,
    opcodes.MAX,
    opcodes.ABS,
    opcodes.SIGN,
    opcodes.SMOOTH,
    opcodes.FLOOR,
    opcodes.LT,
    opcodes.LE,
    opcodes.EQ,
    opcodes.IF,
    opcodes.MIX,
}
PLAIN_POWERS = (1.0, 2.0, 3.0)
HALF_TURN = 3.0  # rad
PIECES = 4  # of a stretch, each as long as a step
MOST = 0.9  # of the variation: no piece may hold more
HALVINGS, CONCENTRATED = 6, 1.0 / 16.0  # a part 2^-6 as long that holds more than this of it: it hides there
CUT = 0.25  # of the step, where something hides at its very beginning
MOST_CUTS = 16
FIRST = 1e-3  # of the longest step: the first one, before the rates of the signals are known
NEGLIGIBLE = 0.1  # of the tolerance
AHEAD = 4.0  # steps
NOISE = 4.0  # of the width that rounding gives the enclosure of a single instant
OFF = 0.5  # of the second rate of a signal: what may be wrong about it
BISECTIONS = 40
TINY = 1e-280  # so small a number is none

PROGRAM_TO_PACE = record([("first_op", np.int32), ("op_count", np.int32), ("of_state", np.int32)])
SIZE = PROGRAM_TO_PACE.itemsize


def hides(program: Program) -> bool:
    """Whether it could: all but polynomials of a low degree, whose jumps and bends a run finds otherwise."""
    return not program.is_constant and any(
        op["code"] not in PLAIN and not (op["code"] == opcodes.POWC and op["value"] in PLAIN_POWERS)
        for op in program.ops
    )


@stage
def pace(system, t, angles, work, first, last):
    """Lower work.segment[0].pace to the longest step that all expressions allow."""
    segment = work.segment[0]
    known = segment.t_paced == t or update_rates(t, work)
    for at in range(first, last, SIZE):
        program = record_at(system.block, at, PROGRAM_TO_PACE)
        h = segment.pace
        if program.of_state and not known:
            h = min(h, FIRST * segment.h_limit)
        k = (at - first) // SIZE
        low, high, _ = _range(system.ops, program.first_op, program.op_count, t, 0.0, 0.0, work, 0.0)
        work.paced[k] = max(work.paced[k], abs(low))
        noise = NOISE * (high - low) if high - low < math.inf else 0.0
        negligible = NEGLIGIBLE * segment.tolerance
        horizon = AHEAD * h if program.of_state else segment.t_high - t
        segment.pace = _longest(
            system.ops, program.first_op, program.op_count, t, h, horizon, work, work.paced[k], negligible, noise
        )


@part
def update_rates(t, work):
    """Rates of the signals by what they were at the last two accepted steps; whether they are known.

    The loop calls this at the end of a step, where the signals are those of t: samples come after it.
    """
    segment, passed, rates = work.segment[0], t - work.segment[0].t_paced, work.signal_rates
    known = is_finite(passed)
    between = 0.5 * (passed + segment.paced_step) if segment.paced_step > 0.0 else math.inf
    for k in range(work.signals.shape[0]):
        now = work.signals[k].real
        if passed > 0.0:
            mean = (now - work.signals_before[k]) / passed
            rates[1, k] = (mean - rates[2, k]) / between
            rates[0, k], rates[2, k] = mean + 0.5 * passed * rates[1, k], mean
        elif not known:
            rates[0, k], rates[1, k] = 0.0, 0.0
        work.signals_before[k] = now
    segment.t_paced, segment.paced_step = t, passed if passed > 0.0 else 0.0
    return known or work.signals.shape[0] == 0


@part
def _longest(ops, first, count, t, h, horizon, work, reach, negligible, noise):
    """The longest step, up to h, of which one expression approves; `reach`: the largest value so far; `noise`: what
    rounding makes of it.
    """
    foreseen = False
    for _ in range(MOST_CUTS):
        low, high, phase = _range(ops, first, count, t, 0.0, h, work, OFF)
        if high - low <= negligible * max(abs(low), abs(high), reach) + noise + TINY:
            break
        if phase > HALF_TURN:
            h *= HALF_TURN / phase
        clear = _clear_until(ops, first, count, t, h, work, reach, negligible, noise)
        if clear >= h:
            break
        if foreseen:
            h = max(clear, CUT * h)
        else:  # looked for only where a step would be cut: it takes some time
            reach, foreseen = max(reach, _peak(ops, first, count, t, horizon, work)), True
    return h


@part
def _peak(ops, first, count, t, horizon, work):
    """A large value that the expression has within the horizon: where its enclosure leads, half after half."""
    begin, end, best = 0.0, horizon, 0.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (begin + end)
        f = abs(_value(ops, first, count, t, middle, work))
        if f < math.inf:
            best = max(best, f)
        a, b, _ = _range(ops, first, count, t, begin, middle, work, OFF)
        c, d, _ = _range(ops, first, count, t, middle, end, work, OFF)
        if max(abs(c), abs(d)) > max(abs(a), abs(b)):
            begin = middle
        else:
            end = middle
    return best


@part
def _clear_until(ops, first, count, t, h, work, reach, negligible, noise):
    """The beginning of the first piece of the step that holds most of the variation; h if none does."""
    start = max((1.0 - PIECES) * h, work.segment[0].t_low - t)
    least, greatest = math.inf, -math.inf
    for k in range(PIECES + 1):
        f = _value(ops, first, count, t, start + k * h, work)
        least, greatest = min(least, f), max(greatest, f)
    for k in range(PIECES):
        begin, end = start + k * h, start + (k + 1) * h
        if end <= 0.0 or begin >= h:
            continue
        low, high, _ = _range(ops, first, count, t, begin, end, work, OFF)
        size, seems = max(abs(low), abs(high)), high - low
        enough = MOST * (greatest - least) + negligible * max(size, reach) + noise + TINY
        if is_finite(size) and seems > enough and _varies(ops, first, count, t, begin, end, seems, enough, work):
            return max(begin, 0.0)
    return h


@part
def _varies(ops, first, count, t, begin, end, seems, enough, work):
    """Whether an expression varies within a piece as it seems to: interval arithmetic may see more than there is.

    Samples that vary by more than `enough` confirm it.  If they do not, something narrower may hide between them: a
    short part then holds much of it.
    """
    least, greatest = math.inf, -math.inf
    for k in range(PIECES + 1):
        f = _value(ops, first, count, t, begin + (end - begin) * k / PIECES, work)
        least, greatest = min(least, f), max(greatest, f)
    if greatest - least > enough:
        return True
    width = seems
    for _ in range(HALVINGS):
        middle = 0.5 * (begin + end)
        a, b, _ = _range(ops, first, count, t, begin, middle, work, OFF)
        c, d, _ = _range(ops, first, count, t, middle, end, work, OFF)
        if d - c > b - a:
            begin, width = middle, d - c
        else:
            end, width = middle, b - a
    return width > CONCENTRATED * seems


@part
def _value(ops, first, count, t, at, work):
    """The expression at one instant of the step, with the signals going on as they do."""
    f, _, _ = _range(ops, first, count, t, at, at, work, 0.0)
    return f


@part
def _range(ops, first, count, t, begin, end, work, off):
    """Between what values it lies over a part of the step, on this side of the jumps at its ends."""
    segment = work.segment[0]
    low, high = max(begin, segment.t_low - t), min(end, segment.t_high - t)
    return enclose(
        ops, first, count, t, min(low, high), high, work.signals_before, work.signal_rates, off, work.switches,
        work.interval_stack,
    )  # fmt: skip


PACED = Family("pace of expressions", PROGRAM_TO_PACE, {Phase.PACE: pace})
