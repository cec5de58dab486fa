"""`linkwork spectrum`: amplitudes of the channels of a run over the frequency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_table
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.analyses.vibration.spectrum import Spectrum
    from linkwork.run import load
    from linkwork.view.plots.spectra import plot_spectra
else:
    (load,) = lazy_functions("linkwork.run", "load")
    (plot_spectra,) = lazy_functions("linkwork.view.plots.spectra", "plot_spectra")

HIGHEST = 5  # peaks in the table
LEAST = 1e-3  # of the highest peak: lower ones are left out


@app.command(epilog="Example: linkwork spectrum run.h5 --channel collar.distance --from 22 --to 30 --plot spectrum.png")
def spectrum(
    source: Annotated[Path, typer.Argument(help="result file (.h5)", metavar="FILE")],
    channel: Annotated[list[str], typer.Option(help="a channel of the run; may be repeated")],
    window: Annotated[str, typer.Option(help="rectangular, hann, hamming, blackman or flat-top")] = "hann",
    begin: Annotated[float | None, typer.Option("--from", help="s, first sample; default: the start")] = None,
    end: Annotated[float | None, typer.Option("--to", help="s, last sample; default: the end")] = None,
    padding: Annotated[int, typer.Option(help="zeros are appended to so many times the length")] = 1,
    until: Annotated[float | None, typer.Option(help="Hz, highest frequency of the plot")] = None,
    log: Annotated[bool, typer.Option("--log", help="logarithmic amplitudes in the plot")] = False,
    plot: Annotated[Path | None, typer.Option(help="write a plot")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find amplitudes of channels over the frequency, from the samples of a run."""
    with answering("spectrum", as_json) as answer:
        if until is not None and until <= 0.0:
            raise OptionError(f"--until {until:g}: give a frequency > 0 (Hz)", element="--until")
        run = load(source)
        first, last = float(run.t[0]) if begin is None else begin, float(run.t[-1]) if end is None else end
        spectra = [run.spectrum(name, window=window, during=(first, last), padding=padding) for name in channel]
        answer["spectra"] = [found.as_dict() for found in spectra]
        if plot is not None:
            plot_spectra(spectra, plot, title=f"{run.result.model}: spectrum", log=log, until=until)
        if not as_json:
            rows = [(found.channel, f"{f:.6g}", f"{a:.6g} {found.unit}") for found in spectra for f, a in _peaks(found)]
            print_table(f"{source}: peaks, {window} window", ("channel", "frequency, Hz", "amplitude"), rows)


def _peaks(found: Spectrum) -> list[tuple[float, float]]:
    """Frequency (Hz) and amplitude of the highest lines that are higher than their neighbours."""
    a = found.amplitude
    tops = [k for k in range(1, len(a) - 1) if a[k - 1] < a[k] >= a[k + 1] and a[k] > LEAST * a.max()]
    highest = sorted(tops, key=lambda k: -a[k])[:HIGHEST]
    return [(float(found.frequency[k]), float(a[k])) for k in sorted(highest)]
