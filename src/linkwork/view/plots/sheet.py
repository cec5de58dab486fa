"""The sheet on which all plots are drawn: axes one below the other, legends, labels with units, colours, files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.lazy_import import lazy_functions
from linkwork.output_files import output_file, writing

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
else:  # matplotlib takes 0.5 s to import
    (FigureCanvasAgg,) = lazy_functions("matplotlib.backends.backend_agg", "FigureCanvasAgg")
    (Figure,) = lazy_functions("matplotlib.figure", "Figure")

FORMATS = (".png", ".svg", ".pdf")
DPI = 150
LONGEST_LABEL = 22  # characters beside an axes
LONGEST_LINE, SHORT_LINE = 100, 50  # characters above it; where there are columns beside it
LONGEST_NAME = 104  # characters of a name above an axes
TITLE = 11.0  # characters an inch of the title of a figure
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#4d4d4d")  # safe for all eyes
STYLES = ("-", "--", ":", "-.")  # when the colours begin anew
QUANTITIES = {
    "m": "length", "m/s": "velocity", "m/s2": "acceleration", "rad": "angle", "rad/s": "angular velocity",
    "rad/s2": "angular acceleration", "J": "energy", "": "Euler parameter",
}  # fmt: skip


def sheet(heights: Sequence[float], common_axis: bool = True) -> tuple[Figure, list[Axes]]:
    """A figure with axes one below the other, by default over a common axis: the time, which the last one names."""
    figure = Figure(figsize=(8.0, 1.0 + 2.0 * sum(heights)), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(heights), 1, sharex=common_axis, squeeze=False, height_ratios=list(heights))
    places: list[Axes] = list(grid[:, 0])
    for axes in places:
        dress(axes)
    places[-1].set_xlabel("time [s]", fontsize=9)
    figure.align_ylabels(places)
    return figure, places


def dress(axes: Axes, grid: bool = True) -> None:
    """Small digits, no frame above and at the right, a faint grid."""
    axes.set_prop_cycle(linewidth=[1.3])
    axes.tick_params(labelsize=8)
    axes.yaxis.label.set_fontsize(9)
    axes.yaxis.get_offset_text().set_fontsize(8)
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-3, 4), useMathText=True, useOffset=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if grid:
        axes.grid(True, color="0.88", linewidth=0.6)
        axes.set_axisbelow(True)


def legends(places: Sequence[Axes]) -> None:
    """Of axes one below the other: columns to the right of one make all of them narrower."""
    longest = LONGEST_LINE if all(line_length(axes.get_lines()) <= LONGEST_LINE for axes in places) else SHORT_LINE
    for axes in places:
        legend(axes, longest=longest)


def legend(axes: Axes, handles: Sequence[Artist] | None = None, longest: int = LONGEST_LINE) -> None:
    """Where no curve can be: few names in a line above the axes, many in columns to the right."""
    handles = list(axes.get_lines()) if handles is None else list(handles)
    above = line_length(handles) <= longest
    axes.legend(
        handles=handles, loc="lower right" if above else "upper left", frameon=False, fontsize=8, borderaxespad=0.2,
        bbox_to_anchor=(1.0 if above else 1.02, 1.0), ncols=len(handles) if above else 1 + (len(handles) - 1) // 12,
    )  # fmt: skip


def line_length(handles: Sequence[Artist]) -> int:
    """Characters of a legend in one line."""
    return sum(len(str(handle.get_label())) + 8 for handle in handles)


def labelled(name: str, unit: str) -> str:
    """A name with its unit, exponents raised."""
    return f"{name} [{unit.replace('s2', 's$^2$') or '-'}]"


def widen(axes: Axes, curves: Sequence[np.ndarray]) -> None:
    """Do not show rounding as if it were motion."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    least = 1e-3 * float(np.abs(values).max(initial=0.0))
    if least > 0.0 and np.ptp(values) < least:
        middle = 0.5 * float(values.min() + values.max())
        axes.set_ylim(middle - least, middle + least)


def decades(sizes: np.ndarray) -> tuple[float, float]:
    """Powers of ten around positive sizes, none of them on the edge."""
    return float(10.0 ** np.floor(np.log10(0.7 * sizes.min()))), float(10.0 ** np.ceil(np.log10(1.4 * sizes.max())))


def check_path(path: str | Path | None) -> None:
    """Refuse a file to which no plot can be written, before anything is drawn; None: it is not to be written."""
    if path is not None:
        output_file(path, "a plot", FORMATS)


def in_lines(text: str, longest: float) -> str:
    """A text in lines of so many characters at most, those that it has kept apart."""
    return "\n".join(textwrap.fill(line, int(longest)) for line in text.split("\n"))


def finished(figure: Figure, title: str, path: str | Path | None) -> Figure:
    """The figure with its title, written to a file if there is a path."""
    figure.suptitle(in_lines(title, TITLE * figure.get_figwidth()), fontsize=11)
    if path is not None:
        with writing(path):
            figure.savefig(path, dpi=DPI)
    return figure
