"""Plots of vibrations: Campbell diagram, root locus, frequency response."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.vibration.frequency_response import FrequencyResponse
from linkwork.analyses.vibration.over_speed.sweeps import Sweep
from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError
from linkwork.tables import PER_UNIT
from linkwork.view.plots.sheet import COLORS, STYLES, check_path, finished, legend, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BRANCHES = 8  # modes that are drawn by default
FAINT = "0.55"
DECADE = 10.0  # a range of frequencies wider than this has a logarithmic axis


@explained("plot_campbell", OptionError, ("Sweep", "what model.sweep(...) returns"))
def plot_campbell(sweep: Sweep, path: str | Path | None = None, count: int = BRANCHES) -> Figure:
    """Frequencies and growth over the speed; lines of the orders, critical speeds and stability limits marked."""
    check_path(path)
    figure, (upper, lower) = sheet([2.2, 1.2])
    shown, values, per_unit = _lowest(sweep, count), sweep.values / sweep.per_shown, PER_UNIT[sweep.frequency_unit]
    for k, b in enumerate(shown):
        omega = np.where(sweep.frequencies[:, b] > 0.0, sweep.frequencies[:, b] / per_unit, np.nan)
        color, style = COLORS[k % len(COLORS)], STYLES[k // len(COLORS) % len(STYLES)]
        upper.plot(values, omega, label=f"mode {b + 1}", color=color, linestyle=style)
        lower.plot(values, sweep.eigenvalues[:, b].real, color=color, linestyle=style)
    if sweep.is_speed and sweep.unit == "rad/s":
        orders = sorted({c.order for c in sweep.critical} or {1})
        for order, dashes in zip(orders, cycle(("--", ":", "-.")), strict=False):
            line = order * np.abs(sweep.values) / per_unit
            upper.plot(values, line, color=FAINT, linestyle=dashes, linewidth=0.9, label=f"{order} x speed")
        top = 1.08 * float(np.nanmax(sweep.frequencies[:, shown], initial=1e-9)) / per_unit
        upper.set_ylim(0.0, top)
    marked = [c for c in sweep.critical if c.branch in shown]
    if marked:
        places = [c.value / sweep.per_shown for c in marked], [c.omega / per_unit for c in marked]
        upper.plot(*places, "o", color="k", markersize=4, label="critical")
    _mark_limits((upper, lower), sweep)
    upper.set_ylabel(f"frequency Im s [{sweep.frequency_unit}]")
    lower.set_ylabel("growth Re s [1/s]")
    lower.axhline(0.0, color="k", linewidth=0.7)
    _around_zero(lower, sweep.eigenvalues[:, shown])
    _name_axis(lower, f"{sweep.name} [{sweep.shown_unit or '-'}]", values)
    legend(upper, [line for line in upper.get_lines() if not str(line.get_label()).startswith("_")])
    return finished(figure, f"{sweep.model}: Campbell diagram", path)


@explained("plot_root_locus", OptionError, ("Sweep", "what model.sweep(...) returns"))
def plot_root_locus(sweep: Sweep, path: str | Path | None = None, count: int = BRANCHES) -> Figure:
    """Eigenvalues in the complex plane as the value grows: from a circle to a cross, the unstable half shaded."""
    check_path(path)
    figure, (axes,) = sheet([2.6])
    shown = _lowest(sweep, count)
    for k, b in enumerate(shown):
        s = sweep.eigenvalues[:, b]
        there = np.flatnonzero(np.isfinite(s.real))
        color = COLORS[k % len(COLORS)]
        axes.plot(s.real, s.imag, ".-", color=color, markersize=3, linewidth=0.9, label=f"mode {b + 1}")
        axes.plot(s.real[there[0]], s.imag[there[0]], "o", color=color, markerfacecolor="w", markersize=6)
        axes.plot(s.real[there[-1]], s.imag[there[-1]], "x", color=color, markersize=7)
    _around_zero(axes, sweep.eigenvalues[:, shown], vertical=False)
    axes.axvline(0.0, color="k", linewidth=0.7)
    axes.axvspan(0.0, axes.get_xlim()[1], color="#d55e00", alpha=0.08, linewidth=0.0)
    axes.set_ylabel("Im s [rad/s]")
    axes.set_xlabel("Re s [1/s]   (o: first value, x: last; shaded: unstable)", fontsize=9)
    first, last = sweep.values[[0, -1]] / sweep.per_shown
    legend(axes, [line for line in axes.get_lines() if str(line.get_label()).startswith("mode")])
    title = f"{sweep.model}: root locus, {sweep.name} = {first:g} to {last:g} {sweep.shown_unit}"
    return finished(figure, title, path)


@explained("plot_response", OptionError, ("FrequencyResponse", "what model.frequency_response(...) returns"))
def plot_response(response: FrequencyResponse, path: str | Path | None = None, model: str = "") -> Figure:
    """Bode plot: amplitude (logarithmic) and phase of every output over the frequency, or over the speed of a rotor."""
    check_path(path)
    figure, (upper, lower) = sheet([1.6, 1.0])
    upper.set_yscale("log")
    units, frequency = sorted(set(response.units.values())), response.omega / PER_UNIT[response.asked]
    for k, name in enumerate(response.values):
        label = name if len(units) == 1 else f"{name} [{response.units[name]}]"
        color, style = COLORS[k % len(COLORS)], STYLES[k % len(STYLES)]  # curves may lie on one another
        upper.plot(frequency, response.amplitude(name), color=color, linestyle=style, label=label)
        phase = np.degrees(response.phase(name))
        phase = np.where(np.abs(np.diff(phase, append=phase[-1:])) > 300.0, np.nan, phase)  # no line over a jump
        lower.plot(frequency, phase, color=color, linestyle=style)
    upper.set_ylabel(f"amplitude [{units[0]}]" if len(units) == 1 else "amplitude")
    lower.set_ylabel("phase [deg]")
    lower.set_ylim(-190.0, 190.0)
    lower.set_yticks([-180, -90, 0, 90, 180])
    over = "speed" if response.input == "unbalance" else "frequency"
    title = f"{model}: response to {response.input}" if model else f"response to {response.input}"
    _name_axis(lower, f"{over} [{response.asked}]", frequency)
    if response.omega[0] > 0.0 and response.omega[-1] > DECADE * response.omega[0]:
        lower.set_xscale("log")
    legend(upper)
    return finished(figure, title, path)


def _lowest(sweep: Sweep, count: int) -> list[int]:
    """The branches with the lowest eigenvalues."""
    size = np.nanmean(np.abs(sweep.eigenvalues), axis=0)
    return sorted(np.argsort(size)[:count].tolist())


def _mark_limits(places: tuple[Axes, ...], sweep: Sweep) -> None:
    """Unstable stretches shaded, their ends drawn."""
    values = [sweep.values[0], *(limit.value for limit in sweep.limits), sweep.values[-1]]
    edges = [float(value) / sweep.per_shown for value in values]
    stable = [bool(sweep.stable[0])]
    for limit in sweep.limits:
        stable.append(limit.becomes == "stable")
    for axes in places:
        for a, b, safe in zip(edges, edges[1:], stable, strict=False):
            if not safe:
                axes.axvspan(a, b, color="#d55e00", alpha=0.10, linewidth=0.0)
        for k, limit in enumerate(sweep.limits):
            label = "stability limit" if k == 0 else "_nolegend_"
            axes.axvline(limit.value / sweep.per_shown, color="#d55e00", linewidth=0.9, linestyle=":", label=label)


def _around_zero(axes: Axes, s: np.ndarray, vertical: bool = True) -> None:
    """Limits that show zero and all real parts, wide enough that rounding beside the frequencies looks like zero."""
    finite = s[np.isfinite(s.real)]
    low, high = float(finite.real.min(initial=0.0)), float(finite.real.max(initial=0.0))
    margin = max(0.08 * (high - low), 1e-3 * float(np.abs(finite).max(initial=1e-9)))
    (axes.set_ylim if vertical else axes.set_xlim)(low - margin, high + margin)


def _name_axis(axes: Axes, label: str, values: np.ndarray) -> None:
    axes.set_xlabel(label, fontsize=9)
    axes.set_xlim(float(values[0]), float(values[-1]))
