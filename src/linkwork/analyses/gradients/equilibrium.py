"""Gradients of equilibria: coordinates in balance, and what drives coordinates that run.

In balance r(x, s; p) = 0 and s'(x, s; p) = 0 for the independent coordinates x and auxiliary states s
(steady/reduction.py), so that along a parameter, theory (14.1),

    [r_x  r_s ] [dx]      [dr/dp ]
    [s'_x s'_s] [ds]  = - [ds'/dp]

with derivatives of the left side by complex steps, of the right side by differences of the tables at constant x and s
(stencil.py).  At the points x + (dx/dp) p of this line all that follows from a point is differenced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.gradients.stencil import Build, Line, line_of
from linkwork.analyses.gradients.varied import Sloped, Varied
from linkwork.analyses.steady.equilibrium import equilibrium
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.neutral import (
    NEUTRAL,
    StartValues,
    balance_slopes,
    idle_states,
    neutral_coordinates,
)
from linkwork.errors import Entry, NumericalError, OptionError, nearest

THERE = 1e-9  # rad, or of the mechanism's size: a coordinate so near to its start is there


def equilibrium_slopes(
    build: Build, settings: Mapping[str, float], parameters: Sequence[str], options: Mapping[str, Any]
) -> Varied:
    """The numbers of an equilibrium with their slopes; refused where it is neutral: its place is not determined."""
    found = equilibrium(build(settings), **options)
    lines = [line_of(build, settings, name) for name in parameters]
    points = [points_along(found.reduction, found.point, line) for line in lines]
    values = _numbers(found.reduction, found.point)
    units = found.units | {f"driving({name})": unit for name, unit in found.driving_units.items()}
    along = [
        {name: line.slope([_numbers(*one)[name] for one in part]) for name in values}
        for line, part in zip(lines, points, strict=True)
    ]

    def number(name: str) -> Sloped:
        if name not in values:
            raise OptionError(
                f"there is no number '{name}' of an equilibrium with a derivative; {nearest(name, values)}",
                element=name,
            )
        return Sloped(np.asarray(values[name]), np.array([float(part[name]) for part in along]), units[name])

    return Varied(None, lambda: values, number)


def _numbers(reduction: Reduction, point: Point) -> dict[str, float]:
    """What outputs can name: coordinates, driving forces."""
    running = zip(reduction.running, reduction.running_rows, strict=True)
    return reduction.coordinates(point) | {f"driving({c.name})": float(-point.lam[row]) for c, row in running}


def points_along(reduction: Reduction, point: Point, line: Line) -> list[tuple[Reduction, Point]]:
    """The balance at the places of a line, right to first order, each in the same coordinates of its own tables."""
    beside = [alike(reduction, mechanism) for mechanism in line.mechanisms]
    fixed = [one.closed(point.y, point) for one in beside]
    slopes, places = regular_slopes(reduction, point)
    left = [np.concatenate([one.r, one.s_dot]) for one in fixed]
    off = [StartValues(one, places).off(at.y) for one, at in zip(beside, fixed, strict=True)]
    residual = np.concatenate([line.slope(left), StartValues.weight(slopes[: len(left[0])]) * line.slope(off)])
    change = -np.linalg.lstsq(slopes, residual, rcond=NEUTRAL)[0]
    x, s = change[: len(point.r)], change[len(point.r) :]
    return [
        (one, one.moved(at, h * x, h * s)) for one, at, h in zip(beside, fixed, line.places, strict=True)
    ]  # fmt: skip


def alike(reduction: Reduction, mechanism: Any) -> Reduction:
    """The same reduction of a mechanism with other numbers, from its own start."""
    found = Reduction(
        mechanism, reduction.speeds_by_name(), independent=reduction.names, formulation=reduction.formulation,
        t=reduction.t,
    )  # fmt: skip
    if (found.layout.q_names, len(found.layout.rows)) != (reduction.layout.q_names, len(reduction.layout.rows)):
        raise NumericalError(
            "no derivative here: beside this value the mechanism has other coordinates or rows",
            entry=Entry.NO_DERIVATIVE,
        )
    return found


def regular_slopes(reduction: Reduction, point: Point) -> tuple[np.ndarray, list[int]]:
    """The derivative of (r, s', c) along (x, s), and the places of c, the coordinates that balance leaves free and that
    are where the start has them (steady/search/neutral.py); refused where a motion has no stiffness and is elsewhere,
    or a state no rate.
    """
    J = balance_slopes(reduction, point)
    places = neutral_coordinates(reduction, J)
    values = StartValues(reduction, places)
    slopes = values.beside(J, point) if places else J
    scale = np.concatenate([reduction.lengths, np.ones(len(reduction.states))])
    rows = np.concatenate([reduction.lengths, np.ones(len(J) - len(point.r)), np.ones(len(places))])
    counted = np.delete(slopes * scale * rows[:, None], idle_states(J, len(point.r)), axis=1)
    sizes = np.linalg.svd(counted, compute_uv=False)
    elsewhere = np.any(np.abs(values.off(point.y)) > THERE * reduction.lengths[places]) if places else False
    if elsewhere or (len(sizes) and not sizes[-1] > NEUTRAL * sizes[0]):
        raise NumericalError(
            "no derivative here: the equilibrium is neutral, some motion has no stiffness; hold or drive it",
            entry=Entry.NO_DERIVATIVE,
        )
    return slopes, places
