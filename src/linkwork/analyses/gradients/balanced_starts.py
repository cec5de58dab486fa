"""Starts in equilibrium beside one, along a parameter that leaves the assembly alone: by theory (14.1), not by search.

In balance r(x, s; p) = 0 and s'(x, s; p) = 0.  A search by Newton's method goes by the shortest steps, so that it never
goes along motions and states N that nothing holds from its beginning to its end (the slip of a standing tyre): these
are where they were assembled, and so the change of the balance is the shortest of

    J (dx, ds) = - d(r, s')/dp,        J = d(r, s')/d(x, s),   J N = 0

Where something is held on the way and not at the end (forces that are not in balance yet turn with a vehicle), where it
ends depends on the way, and a search for each place tells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.analyses.gradients.stencil import Line
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.start_velocities import meet_velocities
from linkwork.analyses.steady.balancing import BY_SHORTEST_STEPS
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.numerics.blas_threads import one_thread

NEUTRAL = 1e-11  # of the largest stiffness: one below it is none
EXACT = 1e-7  # of the change of the forces: what the change of the balance may leave of it


class Balance(NamedTuple):
    """A start in equilibrium that changes with a parameter as its forces do."""

    start: Start
    reduction: Reduction
    point: Point
    slopes: np.ndarray  # J


def balance_of(start: Start) -> Balance | None:
    """None: only a search beside it can tell how it changes, or it is none."""
    floating = any(link.type.holds_nothing for link in start.compiled.layout.tree)  # free to turn on its way
    if start.assembled is None or floating or np.any(start.compiled.system.rows["held"]):
        return None
    reduction = Reduction(start.compiled.mechanism, start=start.assembled)
    layout, known = reduction.layout, start.compiled.layout
    if (layout.q_names, layout.v_names) != (known.q_names, known.v_names):
        return None
    with one_thread(layout.v_count):
        point = reduction.point(start.y, reduction.angles)
        slopes, rough = _slopes(reduction, point), _slopes(reduction, reduction.rough)
        _, sizes, directions = np.linalg.svd(slopes)
    neutral = directions[sizes <= NEUTRAL * sizes.max(initial=0.0)]
    wanders = np.abs(rough @ neutral.T).max(initial=0.0) > NEUTRAL * np.abs(rough).max(initial=0.0)
    if len(neutral) and (wanders or start.balanced_by not in BY_SHORTEST_STEPS or not len(reduction.states)):
        return None
    return Balance(start, reduction, point, slopes)


def states_along(balance: Balance, line: Line) -> list[np.ndarray] | None:
    """States in balance at the places of a line, right to first order; None: there are none so near."""
    known, point, slopes = balance.reduction, balance.point, balance.slopes
    with one_thread(known.layout.v_count):
        beside = [Reduction(one, independent=known.names, start=balance.start.assembled) for one in line.mechanisms]
        fixed = [one.closed(point.y, point) for one in beside]
        residual = line.slope([np.concatenate([one.r, one.s_dot]) for one in fixed])
        change = -np.linalg.lstsq(slopes, residual, rcond=NEUTRAL)[0]
        if np.abs(slopes @ change + residual).max(initial=0.0) > EXACT * np.abs(residual).max(initial=0.0):
            return None
        x, s = change[: len(point.r)], change[len(point.r) :]
        moved = [one.moved(at, h * x, h * s) for one, at, h in zip(beside, fixed, line.places, strict=True)]
    states = [one.y.copy() for one in moved]
    for one, at, y in zip(beside, moved, states, strict=True):
        meet_velocities(one.real, y, at.angles)
    return states


def _slopes(reduction: Reduction, point: Point) -> np.ndarray:
    """J; of states that nothing changes at rest zero."""
    along_x, along_s = reduction.derivatives.along_independent(point), reduction.derivatives.along_states(point)
    J = np.block([[along_x.r, along_s.r], [along_x.rates, along_s.rates]])
    J[:, len(point.r) + np.flatnonzero(~np.any(J[len(point.r) :], axis=1))] = 0.0
    return np.asarray(J)
