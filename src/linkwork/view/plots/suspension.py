"""Plots of a suspension: camber, toe, motion ratio ... of a corner over the travel of its wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.vehicles.suspension import CornerSweep
from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError
from linkwork.view.plots.sheet import COLORS, STYLES, check_path, finished, legend, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@explained("plot_corners", OptionError)
def plot_corners(sweeps: Sequence[CornerSweep], path: str | Path | None = None, title: str = "") -> Figure:
    """Camber, toe, track change, motion ratio and wheel rate over the travel, the corners over one another."""
    check_path(path)
    figure, places = sheet([0.8] * 5)
    labels = ("camber [deg]", "toe-in [deg]", "track change [mm]", "motion ratio [-]", "wheel rate [N/mm]")
    for n, sweep in enumerate(sweeps):
        order = np.argsort(sweep.travel)
        ratios = np.array(list(sweep.motion_ratio.values())).reshape(-1, len(order)).T  # one column per spring
        curves = (np.degrees(sweep.camber), np.degrees(sweep.toe), 1e3 * sweep.track_change, ratios,
                  1e-3 * sweep.wheel_rate)  # fmt: skip
        for axes, values in zip(places, curves, strict=True):
            axes.plot(1e3 * sweep.travel[order], values[order], STYLES[n % len(STYLES)], color=COLORS[n % len(COLORS)],
                      label=sweep.tyre)  # fmt: skip
    for axes, label in zip(places, labels, strict=True):
        axes.set_ylabel(label)
    places[-1].set_xlabel("travel of the wheel's centre, upwards [mm]", fontsize=9)
    if len(sweeps) > 1:
        legend(places[0])
    return finished(figure, title or ", ".join(sweep.tyre for sweep in sweeps[:1]), path)
