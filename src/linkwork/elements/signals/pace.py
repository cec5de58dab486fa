"""The pace of expressions: how long a step may be so that nothing an expression does can hide in it.

A pulse that begins and ends within a step would not be seen by an integrator that evaluates the ends alone.  Before
each step every expression that could do such a thing is enclosed by interval arithmetic (expressions/enclosure.py) over
a stretch of a few steps, the one to come and those before it (at the start of a segment, after it), with the signals
going on at their present rates:

    a phase of sin, cos, tan may go on by HALF_TURN in the step at most;
    no piece of the stretch, as long as the step, may hold most of what the expression varies by in all of it.

What stays below a tenth of the tolerance, relative to what the expression has been so far, does not count.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Family, Phase, record
from linkwork.expressions import Program
from linkwork.expressions.enclosure import enclose
from linkwork.expressions.program import (
    ABS,
    ADD,
    CONST,
    EQ,
    IF,
    LE,
    LT,
    MAX,
    MIN,
    MIX,
    MUL,
    NEG,
    POWC,
    SIGN,
    SIGNAL,
    SMOOTH,
    SUB,
    TIME,
)  # fmt: skip
from linkwork.numerics.scalars import is_finite

PLAIN = {CONST, TIME, SIGNAL, NEG, ADD, SUB, MUL, MIN, MAX, ABS, SIGN, SMOOTH, LT, LE, EQ, IF, MIX}
PLAIN_POWERS = (1.0, 2.0, 3.0)
HALF_TURN = 3.0  # rad
PIECES = 4  # of a stretch, each as long as a step
MOST = 0.9  # of the variation: no piece may hold more
HALVINGS, CONCENTRATED = 6, 1.0 / 16.0  # a part 2^-6 as long that holds more than this of it: it hides there
CUT = 0.25  # of the step, where something hides at its very beginning
MOST_CUTS = 16
FIRST = 1e-3  # of the longest step: the first one, before the rates of the signals are known
NEGLIGIBLE = 0.1  # of the tolerance
TINY = 1e-280  # so small a number is none

PROGRAM_TO_PACE = record([("first_op", np.int32), ("op_count", np.int32), ("of_state", np.int32)])
SIZE = PROGRAM_TO_PACE.itemsize


def hides(program: Program) -> bool:
    """Whether it could: all but polynomials of a low degree, whose jumps and bends a run finds otherwise."""
    return not program.is_constant and any(
        op["code"] not in PLAIN and not (op["code"] == POWC and op["value"] in PLAIN_POWERS) for op in program.ops
    )


@stage
def pace(system, t, angles, work, first, last):
    """Lower work.segment[0].pace to the longest step that all expressions allow."""
    segment = work.segment[0]
    known = _update_rates(t, work)
    for at in range(first, last, SIZE):
        program = record_at(system.block, at, PROGRAM_TO_PACE)
        h = segment.pace
        if program.of_state and not known:
            h = min(h, FIRST * segment.h_limit)
        k = (at - first) // SIZE
        f = _value(system.ops, program.first_op, program.op_count, t, 0.0, work)
        work.paced[k] = max(work.paced[k], abs(f))
        negligible = NEGLIGIBLE * segment.tolerance
        segment.pace = _longest(system.ops, program.first_op, program.op_count, t, h, work, work.paced[k], negligible)


@part
def _update_rates(t, work):
    """Rates of the signals since the last accepted step; whether they are known."""
    segment, passed = work.segment[0], t - work.segment[0].t_paced
    known = is_finite(passed)
    for k in range(work.signals.shape[0]):
        now = work.signals[k].real
        if passed > 0.0:
            work.signal_rates[k] = (now - work.signals_before[k]) / passed
        elif not known:
            work.signal_rates[k] = 0.0
        work.signals_before[k] = now
    segment.t_paced = t
    return known or work.signals.shape[0] == 0


@part
def _longest(ops, first, count, t, h, work, reach, negligible):
    """The longest step, up to h, of which one expression approves; `reach`: the largest value so far."""
    for _ in range(MOST_CUTS):
        low, high, phase = _range(ops, first, count, t, 0.0, h, work)
        if high - low <= negligible * max(abs(low), abs(high), reach) + TINY:
            break
        if phase > HALF_TURN:
            h *= HALF_TURN / phase
        clear = _clear_until(ops, first, count, t, h, work, reach, negligible)
        if clear >= h:
            break
        h = max(clear, CUT * h)
    return h


@part
def _clear_until(ops, first, count, t, h, work, reach, negligible):
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
        low, high, _ = _range(ops, first, count, t, begin, end, work)
        size, seems = max(abs(low), abs(high)), high - low
        enough = MOST * (greatest - least) + negligible * max(size, reach) + TINY
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
        a, b, _ = _range(ops, first, count, t, begin, middle, work)
        c, d, _ = _range(ops, first, count, t, middle, end, work)
        if d - c > b - a:
            begin, width = middle, d - c
        else:
            end, width = middle, b - a
    return width > CONCENTRATED * seems


@part
def _value(ops, first, count, t, at, work):
    """The expression at one instant of the step."""
    f, _, _ = _range(ops, first, count, t, at, at, work)
    return f


@part
def _range(ops, first, count, t, begin, end, work):
    """Between what values it lies over a part of the step, on this side of the jumps at its ends."""
    segment = work.segment[0]
    low, high = max(begin, segment.t_low - t), min(end, segment.t_high - t)
    return enclose(
        ops, first, count, t, min(low, high), high, work.signals_before, work.signal_rates, work.switches,
        work.interval_stack,
    )  # fmt: skip


PACED = Family("pace of expressions", PROGRAM_TO_PACE, {Phase.PACE: pace}, on_gpu=True)
