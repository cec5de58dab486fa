"""Starts in equilibrium beside one: by theory (14.1), not by search.

In balance r(x, s; p) = 0 and s'(x, s; p) = 0.  What that leaves free has the values c of the assembly
(steady/search/neutral.py), and states that nothing changes at rest, such as the slip of a standing tyre, are where they
begin.  So, with what the parameter moves of the assembly, c_start(p),

    [J; dc/dx] (dx, ds) = - (d(r, s')/dp, d(c - c_start)/dp),        J = d(r, s')/d(x, s)

Where this leaves anything open, a search for each place tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkwork.analyses.gradients.stencil import Line
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.start_velocities import meet_velocities
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.neutral import NEUTRAL, StartValues, balance_slopes, idle_states
from linkwork.numerics.blas_threads import one_thread

EXACT = 1e-7  # of the change of the forces: what the change of the balance may leave of it


class Balance(NamedTuple):
    """A start in equilibrium that changes with a parameter as its forces do."""

    start: Start
    reduction: Reduction
    point: Point
    places: list[int]  # of c among the independent coordinates
    slopes: np.ndarray  # J, and dc/dx


def balance_of(start: Start) -> Balance | None:
    """None: only a search beside it can tell how it changes, or it is none."""
    if start.assembled is None or np.any(start.compiled.system.rows["held"]):
        return None
    reduction = Reduction(start.compiled.mechanism, start=start.assembled)
    layout, known = reduction.layout, start.compiled.layout
    if (layout.q_names, layout.v_names) != (known.q_names, known.v_names) or set(start.neutral) - set(reduction.names):
        return None
    with one_thread(layout.v_count):
        point = reduction.point(start.y, reduction.angles)
        J, count = balance_slopes(reduction, point), len(point.r)
        idle = idle_states(J, count)
        if len(np.setdiff1d(idle, idle_states(balance_slopes(reduction, reduction.rough), count))):
            return None  # of a state that came to rest on the way
        places = [reduction.names.index(name) for name in start.neutral]
        slopes = StartValues(reduction, places).beside(J, point)
        sizes = np.linalg.svd(np.delete(slopes, idle, axis=1), compute_uv=False)
    if np.any(sizes <= NEUTRAL * sizes.max(initial=0.0)):
        return None
    return Balance(start, reduction, point, places, slopes)


def states_along(balance: Balance, line: Line, assembled: Sequence[Start] | None = None) -> list[np.ndarray] | None:
    """States in balance at the places of a line, right to first order; None: there are none so near.  `assembled`: what
    each is sought from, where that moves with the parameter.
    """
    known, point, slopes = balance.reduction, balance.point, balance.slopes
    starts: Sequence[Start | None] = assembled or [balance.start.assembled] * len(line.mechanisms)
    with one_thread(known.layout.v_count):
        beside = [
            Reduction(one, independent=known.names, start=start)
            for one, start in zip(line.mechanisms, starts, strict=True)
        ]
        fixed = [one.closed(point.y, point) for one in beside]
        left = line.slope([np.concatenate([a.r, a.s_dot]) for a in fixed])
        off = line.slope([StartValues(one, balance.places).off(at.y) for one, at in zip(beside, fixed, strict=True)])
        residual = np.concatenate([left, StartValues.weight(slopes[: len(left)]) * off])
        change = -np.linalg.lstsq(slopes, residual, rcond=NEUTRAL)[0]
        if np.abs(slopes @ change + residual).max(initial=0.0) > EXACT * np.abs(residual).max(initial=0.0):
            return None
        x, s = change[: len(point.r)], change[len(point.r) :]
        moved = [one.moved(at, h * x, h * s) for one, at, h in zip(beside, fixed, line.places, strict=True)]
    states = [one.y.copy() for one in moved]
    for one, at, y in zip(beside, moved, states, strict=True):
        meet_velocities(one.real, y, at.angles)
    return states
