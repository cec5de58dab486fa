"""Plots of a suspension: what a corner does over the travel of its wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.vehicles.suspension import CornerSweep
from linkwork.view.plots.histories import COLORS, STYLES, _check_path, _legend, _sheet, _write

if TYPE_CHECKING:
    from matplotlib.figure import Figure  # at run time inside the functions: it takes 0.5 s to import


def plot_corners(sweeps: Sequence[CornerSweep], path: str | Path | None = None, title: str = "") -> Figure:
    """Camber, toe, track change, motion ratio and wheel rate over the travel, the corners over one another."""
    if path is not None:
        _check_path(Path(path))
    figure, places = _sheet([0.8] * 5)
    labels = ("camber [deg]", "toe-in [deg]", "track change [mm]", "motion ratio [-]", "wheel rate [N/mm]")
    for n, sweep in enumerate(sweeps):
        order = np.argsort(sweep.travel)
        ratios = np.array(list(sweep.motion_ratio.values())).reshape(-1, len(order)).T  # one column a spring
        curves = (np.degrees(sweep.camber), np.degrees(sweep.toe), 1e3 * sweep.track_change, ratios,
                  1e-3 * sweep.wheel_rate)  # fmt: skip
        for axes, values in zip(places, curves, strict=True):
            axes.plot(1e3 * sweep.travel[order], values[order], STYLES[n % len(STYLES)], color=COLORS[n % len(COLORS)],
                      label=sweep.tyre)  # fmt: skip
    for axes, label in zip(places, labels, strict=True):
        axes.set_ylabel(label)
    places[-1].set_xlabel("travel of the wheel's centre, upwards [mm]", fontsize=9)
    if len(sweeps) > 1:
        _legend(places[0])
    figure.suptitle(title or ", ".join(sweep.tyre for sweep in sweeps[:1]), fontsize=11)
    if path is not None:
        _write(figure, Path(path))
    return figure
