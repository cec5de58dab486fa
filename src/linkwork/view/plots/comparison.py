"""Plots of several runs over one another: histories by panel, and lanes that say which method is active when.

As in P1: total energy or its balance (Fig. 14, 21), step size (Figs. 13, 20), active method (Fig. 22).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.comparison import Comparison
from linkwork.errors import OptionError
from linkwork.methods.reasons import BASES
from linkwork.methods.registry import METHODS
from linkwork.results.result import Result
from linkwork.view.plots.histories import COLORS, STYLES, _check_path, _decades, _dress, _legend, _sheet, _write

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # at run time inside the functions: it takes 0.5 s to import
    from matplotlib.figure import Figure

LANE = 0.45  # of the room for a lane: the bar; its name stands above
FEW = 5  # runs whose names fit in a line above the first panel
STILL = 1e-2  # of the largest: what changes less is drawn as the constant it is
LEAST_DRAWN = 1e-16  # of the largest: smaller values are drawn as this on a logarithmic axis


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


@dataclass(frozen=True)
class Lane:
    """Which basis a run used at each of its steps."""

    name: str
    steps: np.ndarray  # the history of a result


def plot_comparison(comparison: Comparison, path: str | Path | None = None, title: str | None = None) -> Figure:
    """Energy balance, step size and active method over time, all runs of a comparison overlaid."""
    if not comparison.rows:
        raise OptionError(
            f"the comparison of '{comparison.model}' has no runs; there is nothing to plot", element=comparison.model
        )
    names = [f"{row.method}, {row.formulation}" for row in comparison.rows]
    looks = _looks(comparison)
    runs = list(zip(names, comparison.results, looks, strict=True))
    balance = [
        Curve(name, run.t, np.abs(run.channel("energy.balance")), color, style) for name, run, (color, style) in runs
    ]
    panels = [
        Panel("|energy residual| [J]", balance, log=True, height=1.4),
        Panel("step size [s]", [step_curve(name, run, *look) for name, run, look in runs], log=True, height=1.4),
    ]
    hybrid = [METHODS[row.method].other >= 0 for row in comparison.rows]
    lanes = [
        Lane(name, run.steps)
        for (name, run, _), switches in zip(runs, hybrid, strict=True)
        if partitions(run) and (switches or not any(hybrid))
    ]
    return plot_panels(panels, lanes, path, title if title is not None else f"{comparison.model}: methods compared")


def plot_panels(
    panels: Sequence[Panel], lanes: Sequence[Lane] = (), path: str | Path | None = None, title: str = ""
) -> Figure:
    """Panels one below the other, the lanes last; one legend for all runs; written if `path` is given."""
    if path is not None:
        _check_path(Path(path))
    heights = [panel.height for panel in panels] + [0.15 + 0.14 * len(lanes)] * bool(lanes)
    figure, places = _sheet(heights)
    for axes, panel in zip(places, panels, strict=False):
        _draw(axes, panel)
    handles = list(places[0].get_lines()) if panels else []
    if len(handles) > FEW:
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=7)
    elif len(handles) > 1:
        _legend(places[0], handles)
    if lanes:
        _draw_lanes(places[-1], lanes)
    ends = [curve.t[-1] for panel in panels for curve in panel.curves if len(curve.t)]
    if ends:
        places[0].set_xlim(0.0, max(ends))
    figure.suptitle(title, fontsize=11)
    if path is not None:
        _write(figure, Path(path))
    return figure


def step_curve(name: str, run: Result, color: str, style: str = "-") -> Curve:
    """The step sizes of a run."""
    return Curve(name, run.steps["t"], run.steps["h"], color, style, steps=True, width=0.9)


def partitions(run: Result) -> bool:
    """Whether the method of a run works with a basis, so that a lane can show which."""
    return bool(len(run.steps)) and int(run.steps["basis"].max()) >= 0


# -- how it looks -----------------------------------------------------------------------------------------------------
def _looks(comparison: Comparison) -> list[tuple[str, str]]:
    """A colour for each method, a line style for each formulation."""
    methods = list(dict.fromkeys(row.method for row in comparison.rows))
    formulations = list(dict.fromkeys(row.formulation for row in comparison.rows))
    looks = []
    for row in comparison.rows:
        k = methods.index(row.method)
        turn = formulations.index(row.formulation) + 2 * (k // len(COLORS))
        looks.append((COLORS[k % len(COLORS)], STYLES[turn % len(STYLES)]))
    return looks


def _draw(axes: Axes, panel: Panel) -> None:
    from matplotlib.ticker import NullFormatter

    axes.set_ylabel(panel.label)
    values = np.concatenate([np.asarray(curve.y, float) for curve in panel.curves])
    values = values[np.isfinite(values)]
    least = LEAST_DRAWN * float(np.abs(values).max(initial=0.0))
    for curve in panel.curves:
        y = np.maximum(curve.y, least) if panel.log else curve.y
        how = "steps-pre" if curve.steps else "default"
        axes.plot(
            curve.t, y, color=curve.color, linestyle=curve.style, linewidth=curve.width, drawstyle=how, label=curve.name
        )
    if panel.log and least > 0.0:
        axes.set_yscale("log")
        if panel.limits is None:
            axes.set_ylim(*_decades(np.maximum(values[values > 0.0], least)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    if panel.limits is not None:
        axes.set_ylim(*panel.limits)
    elif not panel.log and 0.0 < np.ptp(values) < STILL * float(np.abs(values).max()):
        middle, half = 0.5 * float(values.min() + values.max()), STILL * float(np.abs(values).max())
        axes.set_ylim(middle - half, middle + half)


def _draw_lanes(axes: Axes, lanes: Sequence[Lane]) -> None:
    """A bar a run, coloured by the basis in use; a tick where the constraints lose rank."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

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
    _dress(axes)
    axes.set_yticks([])
    axes.set_ylabel("basis in use")
    axes.set_ylim(len(lanes) - 1 + 1.2 * LANE, -0.6)
    axes.spines["left"].set_visible(False)
    handles: list[Patch | Line2D] = [Patch(color=COLORS[b], label=BASES[b]) for b in sorted(seen)]
    if singular:
        handles.append(Line2D([], [], color="black", marker="|", linestyle="", label="rank lost"))
    _legend(axes, handles)


def _spans(steps: np.ndarray) -> list[tuple[float, float, int]]:
    """(from, to, basis): consecutive steps of one basis as one."""
    basis = steps["basis"]
    changes = np.flatnonzero(np.diff(basis)) + 1
    bounds = [0, *changes.tolist(), len(steps)]
    begin = np.concatenate([[steps["t"][0] - steps["h"][0]], steps["t"][:-1]])
    return [(float(begin[a]), float(steps["t"][b - 1]), int(basis[a])) for a, b in pairwise(bounds) if basis[a] >= 0]
