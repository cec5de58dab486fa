"""Plots of designs: how a search went on, and a model beside the data to which it was fitted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.elements.declaration.calls import explained
from linkwork.errors import OptionError
from linkwork.view.plots.sheet import COLORS, check_path, finished, labelled, legend, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.design.fitted import Fitted
    from linkwork.design.optimum import Optimum

MOST_STARTS = len(COLORS)


@explained("plot_optimum", OptionError, ("Optimum", "what model.optimize(...) returns"))
def plot_optimum(optimum: Optimum, path: str | Path | None = None) -> Figure:
    """The objective of every trial, the best one marked; below it the variables, between their bounds 0 and 1."""
    check_path(path)
    figure, (above, below) = sheet([1.3, 1.3])
    trials, goals = np.arange(1, len(optimum.x) + 1), optimum.goals
    good = optimum.status != "failed"
    met = np.array([ok and goals.met(row) for ok, row in zip(good, optimum.outputs, strict=True)])
    for n, start in enumerate(np.unique(optimum.start)):
        color, mine = COLORS[n % MOST_STARTS], optimum.start == start
        above.plot(trials[mine & good], optimum.objective[mine & good], "-", color=color, linewidth=0.8, alpha=0.6)
        label = f"start {start + 1}" if n < MOST_STARTS else None
        above.plot(trials[mine & met], optimum.objective[mine & met], "o", ms=3, color=color, label=label)
    if np.any(good & ~met):
        above.plot(
            trials[good & ~met], optimum.objective[good & ~met], "x", ms=4, color="0.6", label="condition missed"
        )
    for k in trials[~good]:
        above.axvline(k, color="0.85", linewidth=1.0)
    above.plot(optimum.best + 1, optimum.value, "*", ms=12, color="black", label="best")
    values = optimum.objective[good]
    if values.min() > 0.0 and values.max() > 30.0 * values.min():
        above.set_yscale("log")
    above.set_ylabel("sum of squares [-]" if goals.squares else labelled("objective", optimum.units[goals.minimize[0]]))
    legend(above, [line for line in above.get_lines() if not str(line.get_label()).startswith("_")])
    for k, one in enumerate(optimum.variables):
        middle, width = (one.low, one.high - one.low) if one.bounded else (one.start - 0.5 * one.scale, one.scale)
        new = np.flatnonzero(np.diff(optimum.start)) + 1  # a line for each start
        share = np.insert((optimum.x[:, k] - middle) / width, new, np.nan)
        below.plot(np.insert(trials.astype(float), new, np.nan), share, ".-", ms=3, color=COLORS[k % len(COLORS)],
                   label=one.name)  # fmt: skip
    below.set_ylabel("between its bounds [-]")
    below.set_xlabel("trial", fontsize=9)
    legend(below)
    return finished(figure, f"{optimum.model}: {len(optimum.x)} trials, {optimum.method}", path)


@explained("plot_fit", OptionError, ("Fitted", "what model.fit(...) returns"))
def plot_fit(fitted: Fitted, path: str | Path | None = None) -> Figure:
    """Every channel: what was measured and what the model makes of it; below it the difference, with its noise."""
    check_path(path)
    figure, places = sheet([1.0, 0.55] * len(fitted.channels))
    for k, (name, unit) in enumerate(zip(fitted.channels, fitted.units, strict=True)):
        above, below = places[2 * k : 2 * k + 2]
        above.plot(fitted.t, fitted.measured[k], ".", ms=3, color="0.55", label="measured")
        above.plot(fitted.t, fitted.fitted[k], color=COLORS[0], label="model")
        above.set_ylabel(labelled(name, unit))
        below.axhspan(-2.0 * fitted.noise[k], 2.0 * fitted.noise[k], color=COLORS[5], alpha=0.25, linewidth=0)
        below.plot(fitted.t, fitted.measured[k] - fitted.fitted[k], ".", ms=3, color=COLORS[1])
        below.set_ylabel("residual")
    legend(places[0])
    return finished(figure, f"{fitted.model}: fitted to {len(fitted.t)} samples", path)
