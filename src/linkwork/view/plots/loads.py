"""Plots of joint loads: force, torque and driving force of each joint over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.loads.reactions import Loads, Reaction
from linkwork.errors import OptionError
from linkwork.view.plots.sheet import COLORS, check_path, finished, legend, sheet, widen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDING = 1e-10  # of the largest load of a joint: less is drawn as the zero that it is


def plot_loads(loads: Loads, path: str | Path | None = None) -> Figure:
    """Force, torque and driving force of each joint, and those along links and couplings; only what is unique."""
    check_path(path)
    panels = [panel for reaction in loads.values() for panel in _load_panels(reaction)]
    panels += _along_panels(loads)
    if not panels:
        raise OptionError("no component of these joints' loads is unique; there is nothing to plot", element="joint")
    figure, places = sheet([1.0] * len(panels))
    for axes, (label, curves) in zip(places, panels, strict=True):
        for k, (name, values) in enumerate(curves.items()):
            axes.plot(loads.t, values, color=COLORS[k], label=name)
        axes.set_ylabel(label)
        widen(axes, list(curves.values()))
        legend(axes)
    if len(loads.t) > 1:
        figure.axes[0].set_xlim(loads.t[0], loads.t[-1])
    return finished(figure, f"{loads.result.model}: loads{_place(loads)}", path)


def _place(loads: Loads) -> str:
    """Body, point and axes of the joints' loads."""
    first = next(iter(loads.values()), None)
    if first is None:
        return ""
    on = f" on {first.on}," if len(loads) == 1 else ""
    return f"{on} at {first.at}, {first.frame} axes"


def _along_panels(loads: Loads) -> list[tuple[str, dict[str, np.ndarray]]]:
    """Links and couplings by what they transmit, as many in a panel as there are colours."""
    panels: list[tuple[str, dict[str, np.ndarray]]] = []
    for quantity, unit in dict.fromkeys((one.quantity, one.unit) for one in loads.along.values()):
        alike = [one for one in loads.along.values() if one.quantity == quantity and np.isfinite(one.values).any()]
        for k in range(0, len(alike), len(COLORS)):
            curves = {one.element: one.values for one in alike[k : k + len(COLORS)]}
            panels.append((f"links, couplings\n{quantity} [{unit}]", curves))
    return panels


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
    panels = [(f"{reaction.joint}\n{what}", curves) for what, curves in facts if curves]
    loaded = [panel for panel in panels if any(np.any(values != 0.0) for values in panel[1].values())]
    return loaded or panels[:1]


def _without_noise(values: np.ndarray, largest: float) -> np.ndarray:
    return np.zeros_like(values) if np.nanmax(np.abs(values)) < ROUNDING * largest else values
