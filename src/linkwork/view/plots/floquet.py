"""Plots of Floquet's theory: multipliers beside the unit circle, stability charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.vibration.periodic.floquet import Floquet
from linkwork.analyses.vibration.periodic.stability_chart import StabilityChart
from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError
from linkwork.view.plots.sheet import COLORS, check_path, finished, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNSTABLE = "#d55e00"


@explained("plot_multipliers", OptionError, ("Floquet", "what model.floquet(...) returns"))
def plot_multipliers(found: Floquet, path: str | Path | None = None, model: str = "") -> Figure:
    """The multipliers in the complex plane with the unit circle; what lies outside grows."""
    check_path(path)
    figure, (axes,) = sheet([2.6])
    turn = np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 361))
    axes.plot(turn.real, turn.imag, color="0.5", linewidth=0.9, label="unit circle")
    outside = np.abs(found.multipliers) > 1.0 + 1e-6
    for kept, color, name in ((~outside, COLORS[0], "stable"), (outside, UNSTABLE, "unstable")):
        values = found.multipliers[kept]
        if len(values):
            axes.plot(values.real, values.imag, "o", color=color, markersize=6, label=name)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("Re mu [-]", fontsize=9)
    axes.set_ylabel("Im mu [-]")
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    named = f"{model}: " if model else ""
    return finished(figure, f"{named}multipliers of the motion of period {found.period:.6g} s", path)


@explained("plot_chart", OptionError, ("StabilityChart", "what model.stability_chart(...) returns"))
def plot_chart(chart: StabilityChart, path: str | Path | None = None) -> Figure:
    """Over one axis the largest multiplier, over two the unstable region shaded."""
    check_path(path)
    figure, (axes,) = sheet([2.4])
    names = list(chart.axes)
    _name(axes.set_xlabel, chart, names[0])
    x = chart.axes[names[0]]
    if len(names) == 1:
        axes.plot(x, chart.largest, color=COLORS[0])
        axes.axhline(1.0, color="k", linewidth=0.7)
        axes.fill_between(x, 0.0, 1.0, where=~chart.stable, transform=axes.get_xaxis_transform(), color=UNSTABLE,
                          alpha=0.12, linewidth=0.0)  # fmt: skip
        axes.set_ylabel("largest |mu| [-]")
        axes.set_xlim(float(x[0]), float(x[-1]))
    else:
        _regions(axes, chart, x, chart.axes[names[1]])
        _name(axes.set_ylabel, chart, names[1])
    return finished(figure, f"{chart.model}: stability chart" if chart.model else "stability chart", path)


def _regions(axes: Axes, chart: StabilityChart, x: np.ndarray, y: np.ndarray) -> None:
    """A cell for each point, shaded by the growth a period; white is stable, grey has no periodic motion."""
    growth = np.log(np.maximum(chart.largest, 1e-300)).T
    growing = np.ma.masked_where(chart.stable.T | ~np.isfinite(growth), growth)
    missing = np.ma.masked_where(np.isfinite(growth), np.ones_like(growth))
    cells = axes.pcolormesh(x, y, growing, cmap="YlOrRd", vmin=0.0, vmax=float(growing.max() or 1.0), shading="nearest")
    axes.pcolormesh(x, y, missing, cmap="Greys", vmin=0.0, vmax=3.0, shading="nearest")
    bar = axes.figure.colorbar(cells, ax=axes)
    bar.set_label("growth a period, ln |mu| [-]; white: stable", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    axes.grid(False)


def _name(label: object, chart: StabilityChart, name: str) -> None:
    assert callable(label)
    label(f"{name} [{chart.units[name] or '-'}]", fontsize=9)
