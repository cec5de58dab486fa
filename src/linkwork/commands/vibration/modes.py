"""`linkwork modes`: natural frequencies, damping and shapes, at rest or at constant speeds; sweeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import speeds_by_name, speeds_swept
from linkwork.commands.tables import print_tables
from linkwork.errors import LinkworkError, OptionError, nearest
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    import numpy as np

    from linkwork.analyses.steady.independent import measured_coordinates
    from linkwork.analyses.vibration.modes import Modes
    from linkwork.analyses.vibration.over_speed import sweeps
    from linkwork.model import Model
    from linkwork.run import load
    from linkwork.view.plots import vibration as plots
    from linkwork.view.progress import counter
    from linkwork.view.scene.mode_scene import view_mode
else:
    (measured_coordinates,) = lazy_functions("linkwork.analyses.steady.independent", "measured_coordinates")
    sweeps = lazy_module("linkwork.analyses.vibration.over_speed.sweeps")
    (load,) = lazy_functions("linkwork.run", "load")
    plots = lazy_module("linkwork.view.plots.vibration")
    (counter,) = lazy_functions("linkwork.view.progress", "counter")
    (view_mode,) = lazy_functions("linkwork.view.scene.mode_scene", "view_mode")

FEW = 8  # modes in tables and plots by default


@app.command(
    epilog="Examples: linkwork modes governor --speed spindle=11.0174; "
    "linkwork modes governor --sweep 'spindle=0:600:61 rpm' --plot campbell.png"
)
def modes(
    model: ModelArgument,
    unit: Annotated[str, typer.Argument(hidden=True)] = "",
    speed: SpeedOption = None,
    sweep: Annotated[
        str | None,
        typer.Option(help="NAME=FROM:TO:COUNT, over a joint speed (rad/s, rpm, Hz, m/s), a parameter or a field"),
    ] = None,
    independent: Annotated[
        list[str] | None, typer.Option(help="an independent coordinate; may be repeated; default: chosen")
    ] = None,
    about: Annotated[str, typer.Option(help="equilibrium, or start: the state where the model begins")] = "equilibrium",
    at: Annotated[float | None, typer.Option(help="s, an instant of a run: MODEL is its .h5 file")] = None,
    count: Annotated[int, typer.Option(help="modes in the table and the plots, lowest first")] = FEW,
    plot: Annotated[Path | None, typer.Option(help="write the Campbell diagram of a sweep")] = None,
    locus: Annotated[Path | None, typer.Option(help="write the root locus of a sweep")] = None,
    view: Annotated[int | None, typer.Option(help="show the mode of this number moving, in the browser")] = None,
    page: Annotated[Path | None, typer.Option(help="write that page here, .html, instead of opening it")] = None,
    amplitude: Annotated[float, typer.Option(help="of the mode shown; 1 is clearly visible")] = 1.0,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find natural frequencies, damping and mode shapes.

    About the equilibrium, at rest or at speed; --sweep makes a Campbell diagram over a speed or a parameter.
    """
    with answering("modes", as_json, model) as answer:
        _refuse_pointless(unit if sweep is None else "", sweep, plot or locus, view, page, count)
        speeds, swept = speeds_by_name(speed), None
        if at is not None:
            _refuse_for_instants(model, {"--sweep": sweep, "--speed": speeds, "--set": settings})
            linear = load(model).linearize(at, independent=independent)
        else:
            made = read_model(model, settings)
            if sweep is not None:
                name, values, asked = speeds_swept(sweep, unit)
                swept = replace(_sweep(made, model, settings, name, values, speeds, independent), asked=asked)
                answer.warn(*swept.notes)
                answer["sweep"] = swept.as_dict()
                speeds = {**speeds, name: float(values[0])} if swept.is_speed else speeds
                _plot(swept, plot, locus, count)
            linear = made.linearize(speeds, about=about, independent=independent)
        natural = linear.modes()
        answer.warn(*linear.notes)
        answer |= _facts(natural)
        if view is not None:
            answer["page"] = str(view_mode(natural, view, page, amplitude=amplitude, open=page is None))
        if as_json:
            return
        if swept is None:
            print_tables(natural.tables(count))
        else:
            print_tables(swept.tables(count))


def _refuse_pointless(
    word: str, sweep: str | None, plot: Path | None, view: int | None, page: Path | None, count: int
) -> None:
    """Refuse what would have no effect."""
    if word:
        raise OptionError(f"unexpected argument '{word}'; a unit belongs to --sweep", element=word)
    if sweep is None and plot is not None:
        raise OptionError("--plot and --locus draw a sweep; give --sweep NAME=FROM:TO:COUNT", element="--sweep")
    if page is not None and view is None:
        raise OptionError("--page is for a mode that is shown; give its number, as in --view 1", element="--page")
    if count < 1:
        raise OptionError(f"--count {count}: at least one mode must be shown", element="--count")


def _refuse_for_instants(model: str, options: dict[str, object]) -> None:
    """An instant is one of a run in a file, which has its speeds and settings."""
    if Path(model).suffix != ".h5":
        raise OptionError(f"--at is for a run; give its .h5 file instead of '{model}'", element="--at")
    for name, value in options.items():
        if value:
            raise OptionError(f"{name} is for a model; an instant is linearized as it is in '{model}'", element=name)


def _facts(natural: Modes) -> dict[str, object]:
    linear = natural.linear
    found = linear.equilibrium
    balanced = {} if found is None else {
        "status": found.status, "stable": found.stable, "stability": found.stability, "residual": found.residual,
        "coordinates": found.coordinates,
    }  # fmt: skip
    return {
        "equilibrium": balanced, "independent": list(linear.independent), "M": linear.M, "C": linear.C, "K": linear.K,
        "modes": natural.as_list(), "undamped": natural.undamped,
    }  # fmt: skip


def _sweep(
    made: Model, model: str, settings: list[str] | None, name: str, values: np.ndarray, speeds: dict[str, float],
    independent: list[str] | None,
) -> sweeps.Sweep:  # fmt: skip
    """Over the speed of a joint coordinate where NAME is one, otherwise over a parameter or field as in --set."""
    coordinates = measured_coordinates(made.mechanism)
    if name in coordinates:
        return made.sweep(name, values, speeds, independent=independent)
    try:
        read_model(model, [*(settings or []), f"{name}={float(values[0])!r}"])
    except LinkworkError as failure:
        raise OptionError(
            f"--sweep {name}: there is no such joint coordinate ({nearest(name, coordinates)}), nor can it be set: "
            f"{failure.message}",
            element=name,
        ) from None
    with counter(model, "values", None) as advance:
        return sweeps.sweep(
            lambda value: read_model(model, [*(settings or []), f"{name}={value!r}"]).mechanism, name, values, speeds,
            independent=independent, model=made.mechanism.name, report=advance,
        )  # fmt: skip


def _plot(found: sweeps.Sweep, campbell: Path | None, locus: Path | None, count: int) -> None:
    if campbell is not None:
        plots.plot_campbell(found, campbell, count)
    if locus is not None:
        plots.plot_root_locus(found, locus, count)
