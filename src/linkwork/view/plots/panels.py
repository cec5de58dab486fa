"""Panels: several runs over one another, a quantity in each, and lanes that show which basis is in use when.

As in P1: total energy or its balance (Fig. 14, 21), step size (Figs. 13, 20), active method (Fig. 22).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.lazy_import import lazy_functions
from linkwork.methods.reasons import BASES
from linkwork.results.result import Result
from linkwork.view.plots.sheet import (
    COLORS,
    LONGEST_LINE,
    LONGEST_NAME,
    check_path,
    decades,
    dress,
    finished,
    in_lines,
    legend,
    line_length,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.ticker import NullFormatter
else:
    (Line2D,) = lazy_functions("matplotlib.lines", "Line2D")
    (Patch,) = lazy_functions("matplotlib.patches", "Patch")
    (NullFormatter,) = lazy_functions("matplotlib.ticker", "NullFormatter")

LANE = 0.45  # of the height of a lane: the bar; its name stands above
FEW = 5  # runs whose names fit in a line above the first panel
STILL = 1e-2  # of the largest: what changes less is drawn as the constant it is
ROUNDING = 1e-16  # of the largest: smaller values are drawn as this on a logarithmic axis


@dataclass(frozen=True)
class Curve:
    """One history with its name in the legend; the same name is the same run in every panel."""

    name: str
    t: np.ndarray  # s
    y: np.ndarray
    color: str
    style: str = "-"
    steps: bool = False  # holds from one instant to the next, like a step size
    width: float = 1.2


@dataclass(frozen=True)
class Panel:
    """One axes: histories of one quantity."""

    label: str  # with its unit
    curves: Sequence[Curve]
    log: bool = False
    limits: tuple[float, float] | None = None  # of the quantity; None: what the curves need
    height: float = 1.0
    name: str = ""  # above it: of the one run that it shows


@dataclass(frozen=True)
class Lane:
    """Which basis a run used at each of its steps."""

    name: str
    steps: np.ndarray  # the history of a result


def plot_panels(
    panels: Sequence[Panel], lanes: Sequence[Lane] = (), path: str | Path | None = None, title: str = "",
    x_label: str = "time [s]",
) -> Figure:  # fmt: skip
    """Panels one below the other, the lanes last; one legend for all runs; written if `path` is given."""
    check_path(path)
    heights = [panel.height for panel in panels] + [0.15 + 0.14 * len(lanes)] * bool(lanes)
    figure, places = sheet(heights)
    places[-1].set_xlabel(x_label, fontsize=9)
    for axes, panel in zip(places, panels, strict=False):
        _draw(axes, panel)
    handles = list(places[0].get_lines()) if panels else []
    if len(handles) > FEW or line_length(handles) > LONGEST_LINE:
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=7)
    elif len(handles) > 1:
        legend(places[0], handles)
    if lanes:
        _draw_lanes(places[-1], lanes)
    ends = [curve.t[-1] for panel in panels for curve in panel.curves if len(curve.t)]
    ends += [lane.steps["t"][-1] for lane in lanes]
    if ends:
        places[0].set_xlim(0.0, max(ends))
    return finished(figure, title, path)


def step_curve(name: str, run: Result, color: str, style: str = "-") -> Curve:
    """The step sizes of a run."""
    return Curve(name, run.steps["t"], run.steps["h"], color, style, steps=True, width=0.9)


def step_panels(runs: Mapping[str, Result]) -> list[Panel]:
    """The step sizes of each run in a panel of its own, all to one scale."""
    limits = decades(np.concatenate([run.steps["h"] for run in runs.values()]))
    return [
        Panel("step [s]", [step_curve(name, run, COLORS[k])], log=True, limits=limits, height=0.5, name=name)
        for k, (name, run) in enumerate(runs.items())
    ]


def partitions(run: Result) -> bool:
    """Whether the method of a run works with a basis, so that a lane can show which."""
    return bool(len(run.steps)) and int(run.steps["basis"].max()) >= 0


def _draw(axes: Axes, panel: Panel) -> None:
    axes.set_ylabel(panel.label)
    axes.set_title(in_lines(panel.name, LONGEST_NAME), loc="left", fontsize=8, pad=3)
    values = np.concatenate([np.asarray(curve.y, float) for curve in panel.curves])
    values = values[np.isfinite(values)]
    least = ROUNDING * float(np.abs(values).max(initial=0.0))
    for curve in panel.curves:
        y = np.maximum(curve.y, least) if panel.log else curve.y
        (line,) = axes.plot(curve.t, y, curve.style, color=curve.color, linewidth=curve.width, label=curve.name)
        line.set_drawstyle("steps-pre" if curve.steps else "default")
    if panel.log and least > 0.0:
        axes.set_yscale("log")
        if panel.limits is None:
            axes.set_ylim(*decades(np.maximum(values[values > 0.0], least)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    if panel.limits is not None:
        axes.set_ylim(*panel.limits)
    elif not panel.log and 0.0 < np.ptp(values) < STILL * float(np.abs(values).max()):
        middle, half = 0.5 * float(values.min() + values.max()), STILL * float(np.abs(values).max())
        axes.set_ylim(middle - half, middle + half)


def _draw_lanes(axes: Axes, lanes: Sequence[Lane]) -> None:
    """A bar for each run, coloured by the basis in use; a tick where the constraints lose rank."""
    seen: set[int] = set()
    singular = False
    for k, lane in enumerate(lanes):
        for start, end, basis in _spans(lane.steps):
            seen.add(basis)
            axes.broken_barh([(start, end - start)], (k, LANE), color=COLORS[basis], linewidth=0)
        axes.text(0.005, k - 0.03, lane.name, transform=axes.get_yaxis_transform(), fontsize=7, va="bottom")
        lost = lane.steps["t"][lane.steps["rank"] < lane.steps["rank"].max()]
        singular = singular or bool(len(lost))
        axes.plot(lost, np.full(len(lost), k + LANE / 2), "|", color="black", markersize=7)
    dress(axes)
    axes.set_yticks([])
    axes.set_ylabel("basis in use")
    axes.set_ylim(len(lanes) - 1 + 1.2 * LANE, -0.6)
    axes.spines["left"].set_visible(False)
    handles: list[Patch | Line2D] = [Patch(color=COLORS[b], label=BASES[b]) for b in sorted(seen)]
    if singular:
        handles.append(Line2D([], [], color="black", marker="|", linestyle="", label="rank lost"))
    legend(axes, handles)


def _spans(steps: np.ndarray) -> list[tuple[float, float, int]]:
    """(from, to, basis): consecutive steps of one basis as one."""
    basis = steps["basis"]
    changes = np.flatnonzero(np.diff(basis)) + 1
    bounds = [0, *changes.tolist(), len(steps)]
    begin = np.concatenate([[steps["t"][0] - steps["h"][0]], steps["t"][:-1]])
    return [(float(begin[a]), float(steps["t"][b - 1]), int(basis[a])) for a, b in pairwise(bounds) if basis[a] >= 0]
