"""`linkwork spectrum`: amplitudes of the channels of a run over the frequency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app, read_run
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.view.plots.spectra import plot_spectra
else:
    (plot_spectra,) = lazy_functions("linkwork.view.plots.spectra", "plot_spectra")


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
    """Find the spectrum of channels of a run."""
    with answering("spectrum", as_json) as answer:
        if until is not None and until <= 0.0:
            raise OptionError(f"--until {until:g}: give a frequency > 0 (Hz)", element="--until")
        run = read_run(source)
        first, last = float(run.t[0]) if begin is None else begin, float(run.t[-1]) if end is None else end
        spectra = [run.spectrum(name, window=window, during=(first, last), padding=padding) for name in channel]
        answer["spectra"] = [found.as_dict() for found in spectra]
        if plot is not None:
            plot_spectra(spectra, plot, title=f"{run.result.model}: spectrum", log=log, until=until)
        if not as_json:
            for found in spectra:
                print_tables(found.tables())
