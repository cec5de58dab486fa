"""Plots of a comparison of methods: energy residual, step size and active method over time, all runs overlaid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.comparison import Comparison
from linkwork.errors import OptionError
from linkwork.methods.registry import METHODS
from linkwork.view.plots.panels import Curve, Lane, Panel, partitions, plot_panels, step_curve
from linkwork.view.plots.sheet import COLORS, STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
