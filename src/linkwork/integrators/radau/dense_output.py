"""The state within the last step of Radau IIA, theory (9.18).

The cubic through the stages has errors of order 4, although the ends of steps have those of order 6.  So samples come
from the polynomial of degree 5 with the values and slopes at three ends: those of the last step and the start of the
one before it.  The slopes are those of the cubics, D Z / h at their ends: the rates f there are the same but for
Newton's method, whose errors f would multiply by stiff forces.  The first step after a restart has the cubic alone, the
second one slope less.  The cubic is off by no more than the tolerance, so that what is farther from it has met a stiff
motion that died within the steps: it is held within that tolerance.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.integrators.radau.scheme import (
    C_1,
    C_2,
    C_3,
    CUBIC,
    D_END,
    RATES,
    SLOPES,
    Y_BEFORE,
    Y_NEW,
    Y_OLD,
    tolerance_of_step,
)


@part
def basis(s):
    """The cubics that are 1 at one node and 0 at the start and at the other nodes, at the part s of a step."""
    return (
        s * (s - C_2) * (s - C_3) / (C_1 * (C_1 - C_2) * (C_1 - C_3)),
        s * (s - C_1) * (s - C_3) / (C_2 * (C_2 - C_1) * (C_2 - C_3)),
        s * (s - C_1) * (s - C_2) / (C_3 * (C_3 - C_1) * (C_3 - C_2)),
    )


@part
def keep(h, y, memory, kept, h_last):
    """The accepted step of length h from y to Y_NEW, whose stages Z are in RATES; y becomes its end."""
    kept.steps += 1
    kept.h_before = h_last
    for i in range(y.shape[0]):
        a, b, c = memory[RATES, i], memory[RATES + 1, i], memory[RATES + 2, i]
        memory[SLOPES, i], memory[SLOPES + 1, i] = memory[SLOPES + 1, i], memory[SLOPES + 2, i]
        memory[SLOPES + 2, i] = (D_END[0] * a + D_END[1] * b + D_END[2] * c) / h
        memory[Y_BEFORE, i], memory[Y_OLD, i] = memory[Y_OLD, i], y[i]
        memory[CUBIC, i], memory[CUBIC + 1, i], memory[CUBIC + 2, i] = a, b, memory[Y_NEW, i] - y[i]
        y[i] = memory[Y_NEW, i]


@part
def state_at(tau, h, first_auxiliary, y, work, memory, kept, control, y_out):
    """The state tau after the start of the last step, which has length h and ends at y.

    Newton's form with divided differences: start and end of the step, each twice, then the start of the one before.
    """
    a, b, c = basis(tau / h)
    before, whole = kept.h_before, kept.h_before + h
    loosened = tolerance_of_step(control[0].rtol) / control[0].rtol
    for i in range(y.shape[0]):
        y_old = memory[Y_OLD, i]
        of_stages = y_old + (a * memory[CUBIC, i] + b * memory[CUBIC + 1, i] + c * memory[CUBIC + 2, i])
        y_out[i] = of_stages
        if kept.steps == 1:
            continue
        slope_before, slope, slope_new = memory[SLOPES, i], memory[SLOPES + 1, i], memory[SLOPES + 2, i]
        chord, chord_before = (y[i] - y_old) / h, (y_old - memory[Y_BEFORE, i]) / before
        start, end = (chord - slope) / h, (slope_new - chord) / h
        across = (start - (slope - chord_before) / before) / whole
        third = (end - start) / h
        fourth = (third - across) / whole
        fifth = 0.0
        if kept.steps > 2:
            earlier = ((slope - chord_before) - (chord_before - slope_before)) / (before * before)
            fifth = (fourth - (across - earlier) / whole) / whole
        rest = third + (tau - h) * (fourth + (tau + before) * fifth)
        better = y_old + tau * (slope + tau * (start + (tau - h) * rest))
        tolerance = control[0].atol * work.error_scales[i] + control[0].rtol * abs(y[i])
        if i < first_auxiliary:
            tolerance *= loosened
        y_out[i] += min(max(better - of_stages, -tolerance), tolerance)
