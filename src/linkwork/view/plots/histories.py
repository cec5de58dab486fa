"""Plots of a result, fit for a report: one axes a unit over a common time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.loads.loads import Loads, Reaction
from linkwork.errors import FileError, OptionError
from linkwork.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes  # at run time inside the functions: it takes 0.5 s to import
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
DPI = 150
LONGEST_LABEL = 22  # characters beside an axes
LONGEST_LINE, SHORT_LINE = 100, 50  # characters above it; where there are columns beside it
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#4d4d4d")  # all can tell apart
STYLES = ("-", "--", ":", "-.")  # when the colours begin anew
OVERLAID = ("energy.kinetic", "energy.potential", "energy")  # of several runs, if no channels are named
QUANTITIES = {
    "m": "length", "m/s": "velocity", "m/s2": "acceleration", "rad": "angle", "rad/s": "angular velocity",
    "rad/s2": "angular acceleration", "J": "energy", "": "Euler parameter",
}  # fmt: skip


def plot_result(
    result: Result,
    channels: Sequence[str] = (),
    path: str | Path | None = None,
    title: str | None = None,
    against: Mapping[str, Result] | None = None,
) -> Figure:
    """Draw the named channels; without names energy, its balance and the step sizes, or the coordinates if driven.

    Written if `path` is given.  `against`: other runs by label, drawn over this one with other lines; without channels,
    their energies.
    """
    if path is not None:
        _check_path(Path(path))
    others = dict(against or {})
    for each in (result, *others.values()):
        if not len(each.t):
            raise OptionError(
                f"the result of '{each.model}' has no samples; there is nothing to plot", element=each.model
            )
    if result.options.get("analysis") == "kinematics" and not channels:
        channels = [name for name in result.names["q"] if result.unit(name)]
    if others:
        figure = _overlaid(result, others, channels or OVERLAID)
    else:
        figure = _histories(result, channels) if channels else _overview(result)
    spans = [each.t for each in (result, *others.values()) if len(each.t) > 1]
    if spans:
        figure.axes[0].set_xlim(min(t[0] for t in spans), max(t[-1] for t in spans))
    if result.options.get("unit", "s") != "s":  # a sweep: t is its input
        figure.axes[-1].set_xlabel(f"{result.options['input']} [{result.options['unit']}]", fontsize=9)
    figure.suptitle(title if title is not None else result.model, fontsize=11)
    if path is not None:
        _write(figure, Path(path))
    return figure


def plot_loads(loads: Loads, path: str | Path | None = None) -> Figure:
    """Force, torque and driving force of each joint; only what is unique."""
    if path is not None:
        _check_path(Path(path))
    panels = [panel for reaction in loads.values() for panel in _load_panels(reaction)]
    if not panels:
        raise OptionError("no component of these joints' loads is unique; there is nothing to plot", element="joint")
    figure, places = _sheet([1.0] * len(panels))
    for axes, (label, curves) in zip(places, panels, strict=True):
        for k, (name, values) in enumerate(curves.items()):
            axes.plot(loads.t, values, color=COLORS[k], label=name)
        axes.set_ylabel(label)
        _widen(axes, list(curves.values()))
        _legend(axes)
    if len(loads.t) > 1:
        figure.axes[0].set_xlim(loads.t[0], loads.t[-1])
    first = next(iter(loads.values()))
    on = f"on {first.on}, " if len(loads) == 1 else ""
    figure.suptitle(f"{loads.result.model}: loads {on}at {first.at}, {first.frame} axes", fontsize=11)
    if path is not None:
        _write(figure, Path(path))
    return figure


def _load_panels(reaction: Reaction) -> list[tuple[str, dict[str, np.ndarray]]]:
    """Label and curves by name: the three forces, the three torques, each driving force."""
    quantities = [("force [N]", dict(zip(("fx", "fy", "fz"), reaction.force.T, strict=True))),
                  ("torque [N m]", dict(zip(("tx", "ty", "tz"), reaction.torque.T, strict=True)))]  # fmt: skip
    quantities += [(f"driving [{d.unit}]", {d.coordinate: d.values}) for d in reaction.drivings]
    every = [v for _, curves in quantities for v in curves.values() if np.isfinite(v).any()]
    largest = max((float(np.nanmax(np.abs(v))) for v in every), default=0.0)
    facts = [
        (what, {k: _without_noise(v, largest) for k, v in curves.items() if np.isfinite(v).any()})
        for what, curves in quantities
    ]
    return [(f"{reaction.joint}\n{what}", curves) for what, curves in facts if curves]


def _without_noise(values: np.ndarray, largest: float) -> np.ndarray:
    """A load that is nothing but rounding, beside the joint's largest, is drawn as the zero that it is."""
    return np.zeros_like(values) if np.nanmax(np.abs(values)) < 1e-10 * largest else values


# -- what is drawn ----------------------------------------------------------------------------------------------------
def _histories(result: Result, channels: Sequence[str]) -> Figure:
    """Named channels, those of one unit in one axes."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(channels):
        result.channel(name)  # says what there is, if it is not there
        groups.setdefault(result.unit(name), []).append(name)
    figure, places = _sheet([1.0] * len(groups))
    for axes, (unit, names) in zip(places, groups.items(), strict=True):
        _lines(axes, result, names)
        alone = len(names) == 1 and len(names[0]) <= LONGEST_LABEL
        axes.set_ylabel(_labelled(names[0] if alone else QUANTITIES.get(unit, ""), unit))
    _legends(places)
    return figure


def _overlaid(result: Result, others: Mapping[str, Result], channels: Sequence[str]) -> Figure:
    """Each channel in its own axes, each run in its own colour and line; the first one is labelled by its method."""
    first = result.certificate.method or result.model
    runs = {first if first not in others else f"{first} (first)": result, **others}
    names = list(dict.fromkeys(channels))
    figure, places = _sheet([1.0] * len(names))
    for axes, name in zip(places, names, strict=True):
        curves = []
        for k, (label, each) in enumerate(runs.items()):
            curves.append(each.channel(name))
            color, style = COLORS[k % len(COLORS)], STYLES[k % len(STYLES)]
            axes.plot(each.t, curves[-1], color=color, linestyle=style, label=label)
        _widen(axes, curves)
        told = name if len(name) <= LONGEST_LABEL else name.replace(".", ".\n", 1)
        axes.set_ylabel(_labelled(told, result.unit(name)))
    _legend(places[0])
    return figure


def _overview(result: Result) -> Figure:
    """The energies, the residual of their balance, the steps."""
    figure, (energies, balance, steps) = _sheet([1.5, 1.0, 1.0])
    shown = {"energy": "total", "energy.kinetic": "kinetic", "energy.potential": "potential"}
    if np.any(result.energy[:, 2] != 0.0):
        shown["energy.work"] = "work done"
    _lines(energies, result, list(shown), list(shown.values()))
    energies.set_ylabel("energy [J]")
    _legend(energies)
    _lines(balance, result, ["energy.balance"], ["residual of the energy balance"])
    balance.set_ylabel("residual [J]")
    _legend(balance)
    _draw_steps(steps, result)
    return figure


def _draw_steps(axes: Axes, result: Result) -> None:
    """Step size in powers of ten; the order of the integrator as a thin line with its own scale; switches."""
    from matplotlib.ticker import MaxNLocator, NullFormatter

    steps = result.steps[result.steps["h"] > 0.0]
    axes.set_yscale("log")
    axes.set_ylabel("step size [s]")
    handles = axes.plot(steps["t"], steps["h"], color=COLORS[0], drawstyle="steps-pre", label="step size")
    if len(steps):
        axes.set_ylim(*_decades(steps["h"]))
        axes.yaxis.set_minor_formatter(NullFormatter())
        second = axes.twinx()
        _dress(second, grid=False)
        second.spines["right"].set_visible(True)
        second.set_ylabel("order [-]")
        second.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        second.set_ylim(0.0, float(steps["order"].max()) + 1.0)
        handles += second.plot(
            steps["t"], steps["order"], color=COLORS[1], linewidth=0.7, drawstyle="steps-pre", label="order"
        )
    marks = [
        axes.axvline(event["t"], color="0.4", linewidth=0.8, linestyle=":") for event in result.certificate.switches
    ]
    if marks:
        marks[0].set_label("switch of coordinates")
    _legend(axes, [*handles, *marks[:1]])


def _decades(sizes: np.ndarray) -> tuple[float, float]:
    """Powers of ten around positive sizes, none of them on the edge."""
    return 10.0 ** np.floor(np.log10(0.7 * sizes.min())), 10.0 ** np.ceil(np.log10(1.4 * sizes.max()))


def _lines(axes: Axes, result: Result, names: Sequence[str], told: Sequence[str] = ()) -> None:
    """Time histories; what only differs by rounding is drawn as the constant it is."""
    curves = [result.channel(name) for name in names]
    for k, (curve, label) in enumerate(zip(curves, told or names, strict=True)):
        color, style = COLORS[k % len(COLORS)], STYLES[k // len(COLORS) % len(STYLES)]
        axes.plot(result.t, curve, color=color, linestyle=style, label=label)
    _widen(axes, curves)


def _widen(axes: Axes, curves: Sequence[np.ndarray]) -> None:
    """Do not show rounding as if it were motion."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    least = 1e-3 * float(np.abs(values).max(initial=0.0))
    if least > 0.0 and np.ptp(values) < least:
        middle = 0.5 * float(values.min() + values.max())
        axes.set_ylim(middle - least, middle + least)


# -- how it looks -----------------------------------------------------------------------------------------------------
def _sheet(heights: Sequence[float]) -> tuple[Figure, list[Axes]]:
    """A figure with axes one below the other; only the last one names the time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 1.0 + 2.0 * sum(heights)), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=list(heights))
    places: list[Axes] = list(grid[:, 0])
    for axes in places:
        _dress(axes)
    places[-1].set_xlabel("time [s]", fontsize=9)
    figure.align_ylabels(places)
    return figure, places


def _dress(axes: Axes, grid: bool = True) -> None:
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


def _legends(places: Sequence[Axes]) -> None:
    """Of axes one below the other: columns to the right of one make all of them narrower."""
    longest = LONGEST_LINE if all(_line_length(axes.get_lines()) <= LONGEST_LINE for axes in places) else SHORT_LINE
    for axes in places:
        _legend(axes, longest=longest)


def _legend(axes: Axes, handles: Sequence[Any] | None = None, longest: int = LONGEST_LINE) -> None:
    """Where no curve can be: few names in a line above the axes, many in columns to the right."""
    handles = list(axes.get_lines()) if handles is None else handles
    if _line_length(handles) <= longest:
        where: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": len(handles)}
    else:
        where = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "ncols": 1 + (len(handles) - 1) // 12}
    axes.legend(handles=handles, frameon=False, fontsize=8, borderaxespad=0.2, **where)


def _line_length(handles: Sequence[Any]) -> int:
    """Characters of a legend in one line."""
    return sum(len(str(handle.get_label())) + 8 for handle in handles)


def _labelled(name: str, unit: str) -> str:
    """A name with its unit, exponents raised."""
    return f"{name} [{unit.replace('s2', 's$^2$') or '-'}]"


# -- files ------------------------------------------------------------------------------------------------------------
def _check_path(path: Path) -> None:
    if path.suffix.lower() not in FORMATS:
        raise OptionError(
            f"cannot write a plot to '{path}'; the name must end with {' or '.join(FORMATS)}", element=str(path)
        )
    if not path.parent.is_dir():
        raise FileError(f"cannot write '{path}': there is no folder '{path.parent}'; make it first", element=str(path))


def _write(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=DPI)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {error.strerror or error}", element=str(path)) from error
