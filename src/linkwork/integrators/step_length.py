"""The length of a step and what its acceptance means: bounds, a stop hit exactly, the entries in `control`."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.integrators.control import error_norm

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


@part
def first_length(order, y, work, control):
    """First step h with h^order |f| = 1/100, in units of the tolerance, but not beyond |y| / |f| (Hairer, Norsett,
    Wanner I, II.4, without f').
    """
    record = control[0]
    size = error_norm(y, y, y, work.error_scales, record.rtol, record.atol)
    speed = error_norm(work.rate, y, y, work.error_scales, record.rtol, record.atol)
    h = 1e-6
    if speed > 1e-15:
        h = (0.01 / speed) ** (1.0 / order)
        if size > 1e-5:
            h = min(h, size / speed)
    h = min(h, record.h_max)
    return max(min(h, record.t_stop - record.t), record.h_min)
