"""`linkwork suspension`: a corner of a vehicle through the travel of its wheel."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, app, read_model
from linkwork.commands.arguments import span
from linkwork.commands.tables import print_tables
from linkwork.errors import ModelError
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    import numpy as np

    from linkwork.elements.tyres import tyre
    from linkwork.view.plots.suspension import plot_corners
else:
    tyre = lazy_module("linkwork.elements.tyres.tyre")
    np = lazy_module("numpy")
    (plot_corners,) = lazy_functions("linkwork.view.plots.suspension", "plot_corners")

UNITS = {
    "travel": "m", "camber": "rad", "toe": "rad", "track_change": "m", "base_change": "m", "spring_length": "m",
    "motion_ratio": "1", "spring_load": "N", "wheel_rate": "N/m",
}  # fmt: skip


@app.command(epilog="Example: linkwork suspension hmmwv --corner 'rear left tyre' --travel -0.1:0.1:21 --plot s.png")
def suspension(
    model: ModelArgument,
    corner: Annotated[
        list[str] | None, typer.Option(help="a tyre whose wheel is moved; may be repeated; default: the first")
    ] = None,
    travel: Annotated[str, typer.Option(help="FROM:TO:COUNT, m, of the wheel's centre upwards")] = "-0.1:0.1:11",
    plot: Annotated[Path | None, typer.Option(help="write a plot of the corners, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Analyse a vehicle's suspension over its travel.

    The chassis is held, wheels move up and down: camber, toe, track change, motion ratio, wheel rate.
    """
    with answering("suspension", as_json, model) as answer:
        places, vehicle = _places(travel), read_model(model, settings)
        tyres = [one.name for one in vehicle.mechanism.of(tyre.Tyre)]
        if not tyres:
            raise ModelError(f"model '{model}' has no tyres; a corner is named by its tyre", element=model)
        swept = [vehicle.corner_sweep(name, places) for name in corner or tyres[:1]]
        answer |= {"corners": [asdict(sweep) for sweep in swept], "units": UNITS, "tyres": tyres}
        if plot is not None:
            plot_corners(swept, plot, f"{vehicle.mechanism.name}: corners over the travel of their wheels")
        if not as_json:
            for sweep in swept:
                print_tables(sweep.tables())


def _places(text: str) -> np.ndarray:
    """FROM:TO:COUNT."""
    return span(text, f"--travel {text}", "FROM:TO:COUNT in m, as in --travel -0.1:0.1:11")
