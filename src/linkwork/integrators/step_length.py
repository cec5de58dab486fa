"""The length of a step and what its acceptance means: bounds, a stop hit exactly, the entries in `control`."""

from __future__ import annotations

from linkwork.compiler.kernels import part

STRETCH = 1e-6  # a step is lengthened by so little rather than leave a crumb before t_stop


@part
def up_to_stop(h, control):
    """The step to take: h, or all that remains when h would reach t_stop."""
    remaining = control[0].t_stop - control[0].t
    if remaining <= h * (1.0 + STRETCH):
        return remaining
    return h


@part
def time_after(h, control):
    """End of a step of length h: t_stop itself, to the last bit, when h is all that remained."""
    if h >= control[0].t_stop - control[0].t:
        return control[0].t_stop
    return control[0].t + h


@part
def accept(t_new, h, order, dense, control):
    """Enter an accepted step into the control record; `dense` as there."""
    record = control[0]
    record.t_previous = record.t
    record.t = t_new
    record.h_last = h
    record.order = order
    record.dense = dense
    record.kink = 0
    record.steps += 1
