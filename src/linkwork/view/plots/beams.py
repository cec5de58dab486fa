"""Bending moment and normal stress of a flexible beam: envelopes along it, and the largest stress over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.results.flexible import BeamLoads
from linkwork.view.plots.sheet import COLORS, check_path, finished, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEGA = 1e6  # Pa
SMALL = 1e-9  # of the largest moment: none


def plot_beam(loads: BeamLoads, path: str | Path | None = None) -> Figure:
    """Envelopes of moments and stress along the beam, largest stress over time; written if there is a `path`."""
    check_path(path)
    figure, (along_moment, along_stress, over_time) = sheet([1.1] * 3, common_axis=False)
    largest = np.abs(loads.forces[..., 4:]).max(initial=0.0)
    for k, name in ((4, "My"), (5, "Mz")):
        moment = loads.forces[..., k]
        if np.abs(moment).max(initial=0.0) > SMALL * largest:
            _band(along_moment, loads.x, moment.min(axis=0), moment.max(axis=0), name, COLORS[k - 4])
    along_moment.set_ylabel("bending moment [N m]")
    along_moment.legend(frameon=False, fontsize=8)
    stress = loads.stress / MEGA
    _band(along_stress, loads.x, stress.min(axis=(0, 2)), stress.max(axis=(0, 2)), "all fibres", COLORS[3])
    along_stress.set_ylabel("normal stress [MPa]")
    along_stress.set_xlabel("x along the beam [m]; least and largest of the run", fontsize=9)
    over_time.plot(loads.t, loads.peak_stress / MEGA, color=COLORS[3])
    over_time.set_ylabel("largest |stress| [MPa]")
    for axes in (along_moment, along_stress, over_time):
        axes.margins(x=0.0)
    return finished(figure, f"{loads.body}: internal forces of its modes", path)


def _band(axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, name: str, color: str) -> None:
    """The range of a quantity along the beam."""
    axes.fill_between(x, low, high, color=color, alpha=0.25, linewidth=0)
    axes.plot(x, low, color=color, linewidth=1.0)
    axes.plot(x, high, color=color, linewidth=1.0, label=name)
