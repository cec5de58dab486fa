"""Plots of spectra: amplitude over frequency, one curve a channel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.analyses.vibration.spectrum import Spectrum
from linkwork.view.plots.sheet import COLORS, STYLES, check_path, decades, finished, labelled, legend, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_spectra(
    spectra: Sequence[Spectrum], path: str | Path | None = None, *, title: str = "", log: bool = False,
    until: float | None = None,
) -> Figure:  # fmt: skip
    """Amplitudes over the frequency; one axes for each unit.  `log`: logarithmic amplitudes; `until`: Hz."""
    check_path(path)
    units = list(dict.fromkeys(spectrum.unit for spectrum in spectra))
    figure, places = sheet([1.5] * len(units))
    last = until or max(float(spectrum.frequency[-1]) for spectrum in spectra)
    for axes, unit in zip(places, units, strict=True):
        shown = [spectrum for spectrum in spectra if spectrum.unit == unit]
        for k, spectrum in enumerate(shown):
            kept = spectrum.frequency <= last
            color, style = COLORS[k % len(COLORS)], STYLES[k // len(COLORS) % len(STYLES)]
            name = f"{spectrum.channel}, {spectrum.window} window"
            axes.plot(spectrum.frequency[kept], spectrum.amplitude[kept], color=color, linestyle=style, label=name)
        if log:
            sizes = [spectrum.amplitude.max() for spectrum in shown]
            axes.set_yscale("log")
            axes.set_ylim(1e-6 * max(sizes), decades(max(sizes) + 0.0 * shown[0].amplitude[:1])[1])
        else:
            axes.set_ylim(bottom=0.0)
        axes.set_ylabel(labelled("amplitude", unit))
        legend(axes)
    places[-1].set_xlabel("frequency [Hz]", fontsize=9)
    places[-1].set_xlim(0.0, last)
    return finished(figure, title, path)
