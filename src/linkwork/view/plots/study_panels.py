"""Pictures of many runs at once: scatter matrix, sensitivity bars, response surface, distributions, parallel lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions
from linkwork.view.plots.sheet import COLORS, DPI, dress

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.pyplot import get_cmap
    from matplotlib.tri import Triangulation

    from linkwork.studies.found import Study
    from linkwork.studies.sensitivity import sensitivity
else:
    (sensitivity,) = lazy_functions("linkwork.studies.sensitivity", "sensitivity")
    (get_cmap,) = lazy_functions("matplotlib.pyplot", "get_cmap")
    (FigureCanvasAgg,) = lazy_functions("matplotlib.backends.backend_agg", "FigureCanvasAgg")
    (Figure,) = lazy_functions("matplotlib.figure", "Figure")
    (Triangulation,) = lazy_functions("matplotlib.tri", "Triangulation")

MOST_COLUMNS = 8  # of a scatter matrix
MOST_LINES = 2000  # of parallel coordinates
SHADES = "viridis"
PERCENTILES = (5, 50, 95)
SMALL = 8  # points
FLAT = 1e-6  # of the larger spread: runs whose smaller one is less lie on a line
ROUNDING = 1e-9  # of a number: runs that differ by less have the same


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _label(study: Study, name: str, longest: int = 26) -> str:
    """The name with its unit, in lines of about so many characters."""
    unit = (study.varied_units | study.units).get(name, "")
    lines = [""]
    for piece in (*re.findall(r"[^.( ]*[.( ]?", name), f" [{unit}]" if unit else ""):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > longest:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return "\n".join(lines)


def _numeric(study: Study) -> list[str]:
    return [name for name in study.varied if study[name].dtype != object and len(np.unique(study[name])) > 1]


def _same(values: np.ndarray) -> bool:
    """Whether a number is the same in all runs."""
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Of an axis that shows them; about a number that is always the same a thousandth of it."""
    margin = 1e-3 * float(np.abs(values).max()) or 1.0 if _same(values) else 0.05 * float(np.ptp(values))
    return float(values.min()) - margin, float(values.max()) + margin


def _with_all(study: Study, names: Sequence[str]) -> np.ndarray:
    """The runs in which all of these are numbers; refused where there is none."""
    good = np.flatnonzero(np.all([np.isfinite(study[name]) for name in names], axis=0))
    if not len(good):
        outputs = ", ".join(f"'{name}'" for name in study.outputs)
        raise OptionError(
            f"in no run all of {outputs} are numbers; there is nothing to draw together, take kind 'distribution'",
            element=next(iter(study.outputs)),
        )
    return good


def scatter_matrix(study: Study, _: str) -> Figure:
    """Every number against every other; on the diagonal how it is distributed."""
    names = [*_numeric(study), *study.outputs]
    if len(names) > MOST_COLUMNS:
        raise OptionError(
            f"a scatter matrix of {len(names)} numbers cannot be read; at most {MOST_COLUMNS}: request fewer outputs, "
            "or take kind 'parallel'",
            element=names[-1],
        )
    count = len(names)
    figure = _figure(1.6 * count + 1.0, 1.6 * count + 1.0)
    places = figure.subplots(count, count, squeeze=False)
    good = _with_all(study, names)
    data = [study[name][good] for name in names]
    for i, row in enumerate(places):
        for j, axes in enumerate(row):
            dress(axes, grid=False)
            axes.tick_params(labelsize=6)
            for axis in (axes.xaxis, axes.yaxis):
                axis.get_offset_text().set_fontsize(6)
            axes.locator_params(nbins=3)
            color = COLORS[0] if names[i] in study.outputs or names[j] in study.outputs else "0.5"
            axes.set_xlim(_limits(data[j]))
            if i == j:
                inside = _limits(data[i]) if _same(data[i]) else None
                axes.hist(data[i], bins=min(40, max(8, len(data[i]) // 20)), range=inside, color=color)
                axes.set_yticks([])
            else:
                axes.set_ylim(_limits(data[i]))
                axes.plot(
                    data[j],
                    data[i],
                    ".",
                    color=color,
                    markersize=2 if len(data[i]) > 200 else 4,
                    alpha=0.5,
                    rasterized=True,
                )
            if i == count - 1:
                axes.set_xlabel(_label(study, names[j], 20), fontsize=7)
            else:
                axes.set_xticklabels([])
            if j == 0:
                axes.set_ylabel(_label(study, names[i], 20), fontsize=7)
            else:
                axes.set_yticklabels([])
    if count > 1:
        _number_first_row(places[0], _limits(data[0]))
    return figure


def _number_first_row(row: np.ndarray, limits: tuple[float, float]) -> None:
    """Beside the histogram, whose own scale is not shown, the numbers of the axes beside it."""
    low, high = limits
    bottom, top = row[0].get_ylim()
    ticks = [tick for tick in row[1].get_yticks() if low <= tick <= high]
    row[0].set_yticks([bottom + (tick - low) / (high - low) * (top - bottom) for tick in ticks],
                      [f"{tick:.10g}" for tick in ticks])  # fmt: skip
    row[0].set_ylim(bottom, top)


def sensitivities(study: Study, _: str) -> Figure:
    """Sobol's indices of every output, alone and in all, with their standard errors."""
    found = [sensitivity(study, output) for output in study.outputs]
    figure = _figure(8.0, 1.0 + sum(0.5 + 0.42 * len(one.names) for one in found))
    places = figure.subplots(len(found), 1, squeeze=False, sharex=True)[:, 0]
    for axes, one in zip(places, found, strict=True):
        dress(axes)
        axes.set_title(one.output, fontsize=9, loc="left")
        if _same(study[one.output]):
            axes.set_yticks([])
            axes.text(0.5, 0.5, _in_all_runs(study[one.output]), transform=axes.transAxes, fontsize=SMALL, ha="center")
            continue
        order = np.argsort(one.total)
        y = np.arange(len(order))
        for shift, values, errors, color, label in (
            (0.19, one.first, one.first_error, COLORS[0], "alone (first order)"),
            (-0.19, one.total, one.total_error, COLORS[4], "with interactions (total)"),
        ):
            axes.barh(y + shift, values[order], 0.36, xerr=errors[order], color=color, label=label,
                      error_kw={"elinewidth": 1.0, "ecolor": "0.25"})  # fmt: skip
        axes.set_yticks(y, [one.names[k] for k in order], fontsize=8)
        axes.grid(False, axis="y")
    places[-1].set_xlabel("share in the variance (Sobol' index)", fontsize=9)
    for axes in [axes for axes in places if axes.patches][:1]:
        axes.legend(fontsize=SMALL, loc="lower right", frameon=False)
    return figure


def surface(study: Study, output: str) -> Figure:
    """An output over two varied numbers: filled contours, and the runs as points."""
    names = _numeric(study)
    if len(names) != 2:
        raise OptionError(
            f"a response surface needs two varied numbers, not {len(names)}; keep the others fixed", element=output
        )
    good = np.isfinite(study[output])
    x, y, z = (study[name][good] for name in (*names, output))
    if len(z) < 4:
        raise OptionError(f"a response surface needs at least 4 runs, not {len(z)}", element=output)
    x_of_1, y_of_1 = ((values - values.mean()) / (np.ptp(values) or 1.0) for values in (x, y))
    if np.linalg.matrix_rank(np.stack([x_of_1, y_of_1]), tol=FLAT) < 2:
        raise OptionError(
            f"a response surface needs runs that spread over '{names[0]}' and '{names[1]}'; the {len(z)} with a number "
            "lie on one line",
            element=output,
        )
    figure = _figure(7.0, 5.2)
    axes = figure.subplots()
    dress(axes, grid=False)
    scaled = Triangulation(x_of_1, y_of_1)
    drawn = axes.tricontourf(Triangulation(x, y, scaled.triangles), z, 16, cmap=SHADES)
    axes.plot(x, y, ".", color="white", markersize=2, alpha=0.7, clip_on=False)
    axes.set_xlabel(_label(study, names[0]), fontsize=9)
    axes.set_ylabel(_label(study, names[1]), fontsize=9)
    bar = figure.colorbar(drawn, ax=axes)
    bar.set_label(_label(study, output, 40), fontsize=9)
    bar.ax.tick_params(labelsize=SMALL)
    return figure


def distributions(study: Study, _: str) -> Figure:
    """A histogram of every output, with the values below which 5, 50 and 95 % of the runs lie."""
    figure = _figure(8.0, 0.6 + 2.3 * len(study.outputs))
    places = figure.subplots(len(study.outputs), 1, squeeze=False)[:, 0]
    for axes, output in zip(places, study.outputs, strict=True):
        dress(axes)
        values = study[output][np.isfinite(study[output])]
        bins, inside = min(80, max(10, round(len(values) ** 0.5))), _limits(values) if _same(values) else None
        axes.hist(values, bins=bins, range=inside, color=COLORS[5], edgecolor="white", linewidth=0.3)
        axes.set_ylim(0.0, axes.get_ylim()[1] * 1.25)
        _mark_percentiles(axes, values)
        axes.set_xlabel(_label(study, output, 60), fontsize=9)
        axes.set_ylabel("runs", fontsize=9)
        axes.ticklabel_format(axis="x", useOffset=False)
    return figure


def _mark_percentiles(axes: Axes, values: np.ndarray) -> None:
    """Lines with their values; the words stand beside each other, those of the middle below."""
    marks = [
        (f" {percent} %: {value:.5g} ", value, height, side, line)
        for percent, value, height, side, line in zip(
            PERCENTILES, np.percentile(values, PERCENTILES), (0.99, 0.91, 0.99), ("right", "left", "left"),
            ("--", "-", "--"), strict=True,
        )
    ]  # fmt: skip
    if _same(values):
        marks = [(f" {_in_all_runs(values)}", values[0], 0.99, "left", "-")]
    for text, value, height, side, line in marks:
        axes.axvline(value, color=COLORS[1], linewidth=1.2, linestyle=line)
        axes.annotate(
            text, (value, height), xycoords=("data", "axes fraction"), fontsize=SMALL, ha=side, va="top",
            color=COLORS[1],
        )  # fmt: skip


def _in_all_runs(values: np.ndarray) -> str:
    return f"the same in all runs: {values[0]:.5g}"


def parallel(study: Study, output: str) -> Figure:
    """An axis for every number, a line for every run, coloured by an output."""
    names = [*_numeric(study), *study.outputs]
    good = _with_all(study, names)
    chosen = good[np.linspace(0, len(good) - 1, min(len(good), MOST_LINES)).astype(int)]
    figure = _figure(max(7.0, 1.5 * len(names) + 1.0), 4.4)
    axes = figure.subplots()
    columns = [study[name][chosen] for name in names]
    scaled = np.array([np.full(len(c), 0.5) if _same(c) else (c - c.min()) / np.ptp(c) for c in columns])
    tone, shades = scaled[names.index(output)], get_cmap(SHADES)
    for k in np.argsort(tone):
        axes.plot(range(len(names)), scaled[:, k], color=shades(tone[k]), linewidth=0.8,
                  alpha=max(0.15, min(1.0, 60 / len(chosen))), rasterized=True)  # fmt: skip
    for k, (name, column) in enumerate(zip(names, columns, strict=True)):
        axes.plot([k, k], [0.0, 1.0], color="0.3", linewidth=0.8)
        for height, value, side in ((1.02, column.max(), "bottom"), (-0.02, column.min(), "top"))[_same(column) :]:
            axes.text(k, height, f"{value:.5g}", fontsize=7, ha="center", va=side)
        bold = "bold" if name == output else "normal"
        axes.text(k, -0.11, _label(study, name, 16), fontsize=SMALL, ha="center", va="top", weight=bold)
    axes.set_xlim(-0.4, len(names) - 0.6)
    axes.set_ylim(-0.32, 1.1)
    axes.axis("off")
    return figure
