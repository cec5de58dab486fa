"""Plots of a run, fit for a report: one axes per unit over a common time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions
from linkwork.results.channels import EULER
from linkwork.results.result import Result
from linkwork.view.plots.sheet import (
    COLORS,
    LONGEST_LABEL,
    QUANTITIES,
    STYLES,
    check_path,
    decades,
    dress,
    finished,
    labelled,
    legend,
    legends,
    sheet,
    widen,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator, NullFormatter
else:
    MaxNLocator, NullFormatter = lazy_functions("matplotlib.ticker", "MaxNLocator", "NullFormatter")

OVERLAID = ("energy.kinetic", "energy.potential", "energy")  # of several runs, if no channels are named


def plot_result(
    result: Result,
    channels: Sequence[str] = (),
    path: str | Path | None = None,
    title: str | None = None,
    against: Mapping[str, Result] | None = None,
) -> Figure:
    """Draw the named channels; without names energy, its balance and the step sizes; of a kinematic run coordinates.

    Written if `path` is given.  `against`: other runs by label, drawn over this one with other lines; without channels,
    their energies.
    """
    check_path(path)
    others = dict(against or {})
    for each in (result, *others.values()):
        if not len(each.t):
            raise OptionError(
                f"the result of '{each.model}' has no samples; there is nothing to plot", element=each.model
            )
    if result.options.get("analysis") == "kinematics" and not channels:
        channels = [name for name in result.names["q"] if name.rpartition(".")[2] not in EULER]
    if others:
        figure = _overlaid(result, others, channels or OVERLAID)
    else:
        figure = _histories(result, channels) if channels else _overview(result)
    spans = [each.t for each in (result, *others.values()) if len(each.t) > 1]
    if spans:
        figure.axes[0].set_xlim(min(t[0] for t in spans), max(t[-1] for t in spans))
    if result.options.get("unit", "s") != "s":  # a sweep: t is its input
        figure.axes[-1].set_xlabel(f"{result.options['input']} [{result.options['unit']}]", fontsize=9)
    return finished(figure, title if title is not None else result.model, path)


# -- what is drawn ----------------------------------------------------------------------------------------------------
def _histories(result: Result, channels: Sequence[str]) -> Figure:
    """Named channels, those of one unit in one axes."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(channels):
        groups.setdefault(result.unit(name), []).append(name)
    figure, places = sheet([1.0] * len(groups))
    for axes, (unit, names) in zip(places, groups.items(), strict=True):
        _lines(axes, result, names)
        alone = len(names) == 1 and len(names[0]) <= LONGEST_LABEL
        axes.set_ylabel(labelled(names[0] if alone else QUANTITIES.get(unit, ""), unit))
    legends(places)
    return figure


def _overlaid(result: Result, others: Mapping[str, Result], channels: Sequence[str]) -> Figure:
    """Each channel in its own axes, each run in its own colour and line; the first one is labelled by its method."""
    first = result.certificate.method or result.model
    runs = {first if first not in others else f"{first} (first)": result, **others}
    names = list(dict.fromkeys(channels))
    figure, places = sheet([1.0] * len(names))
    for axes, name in zip(places, names, strict=True):
        curves = []
        for k, (label, each) in enumerate(runs.items()):
            curves.append(each.channel(name))
            color, style = COLORS[k % len(COLORS)], STYLES[k % len(STYLES)]
            axes.plot(each.t, curves[-1], color=color, linestyle=style, label=label)
        widen(axes, curves)
        short = name if len(name) <= LONGEST_LABEL else name.replace(".", ".\n", 1)
        axes.set_ylabel(labelled(short, result.unit(name)))
    legend(places[0])
    return figure


def _overview(result: Result) -> Figure:
    """The energies, the residual of their balance, the steps."""
    figure, (energies, balance, steps) = sheet([1.5, 1.0, 1.0])
    shown = {"energy": "total", "energy.kinetic": "kinetic", "energy.potential": "potential"}
    if np.any(result.energy[:, 2] != 0.0):
        shown["energy.work"] = "work done"
    _lines(energies, result, list(shown), list(shown.values()))
    energies.set_ylabel("energy [J]")
    legend(energies)
    _lines(balance, result, ["energy.balance"], ["residual of the energy balance"])
    balance.set_ylabel("residual [J]")
    legend(balance)
    _draw_steps(steps, result)
    return figure


def _draw_steps(axes: Axes, result: Result) -> None:
    """Step size in powers of ten; the order of the integrator as a thin line with its own scale; switches."""
    steps = result.steps[result.steps["h"] > 0.0]
    axes.set_yscale("log")
    axes.set_ylabel("step size [s]")
    handles = axes.plot(steps["t"], steps["h"], color=COLORS[0], drawstyle="steps-pre", label="step size")
    if len(steps):
        axes.set_ylim(*decades(steps["h"]))
        axes.yaxis.set_minor_formatter(NullFormatter())
        second = axes.twinx()
        dress(second, grid=False)
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
    legend(axes, [*handles, *marks[:1]])


def _lines(axes: Axes, result: Result, names: Sequence[str], labels: Sequence[str] = ()) -> None:
    """Time histories; what only differs by rounding is drawn as the constant it is."""
    curves = [result.channel(name) for name in names]
    for k, (curve, label) in enumerate(zip(curves, labels or names, strict=True)):
        color, style = COLORS[k % len(COLORS)], STYLES[k // len(COLORS) % len(STYLES)]
        axes.plot(result.t, curve, color=color, linestyle=style, label=label)
    widen(axes, curves)
