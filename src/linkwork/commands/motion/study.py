"""`linkwork study`: numbers of a model varied, a run for every combination."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import (
    JsonOption,
    ModelArgument,
    SetOption,
    ToleranceOption,
    UntilOption,
    app,
    read_model,
)
from linkwork.commands.arguments import by_name, span
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.elements.declaration.quantities import Setting
    from linkwork.files.settings import setting_unit
    from linkwork.mechanism import Mechanism
    from linkwork.studies.study import Settings, run_study
    from linkwork.view.plots.studies import plot_study
    from linkwork.view.progress import counter
else:
    (setting_unit,) = lazy_functions("linkwork.files.settings", "setting_unit")
    (run_study,) = lazy_functions("linkwork.studies.study", "run_study")
    (plot_study,) = lazy_functions("linkwork.view.plots.studies", "plot_study")
    (counter,) = lazy_functions("linkwork.view.progress", "counter")


@app.command(
    epilog="Examples: linkwork study slider-crank --vary crank=0.05:0.15:11 --output 'max(slider.velocity.x)' "
    "--plot study.png; linkwork study my.toml --vary 'rod.mass=200:300:3 g' --vary k=1e3,2e3,5e3 --output 'span(gap)'"
)
def study(
    model: ModelArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FROM:TO:COUNT or NAME=A,B,...; names and units as for --set; may be repeated"),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(help="a number of each run: max, min, span, peak, mean, rms, start or end of a channel, as in "
                          "'max(crank.angle)'; may be repeated"),
    ] = None,
    until: UntilOption = None,
    rtol: ToleranceOption = 1e-6,
    every: Annotated[float | None, typer.Option(help="time between samples, s, from which outputs are taken")] = None,
    jobs: Annotated[int | None, typer.Option(help="runs at a time; default: one per core, if there are enough")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table, CSV")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw outputs over the varied numbers, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Vary numbers of a model, run every combination and tabulate some outputs of each run."""
    with answering("study", as_json, model) as answer:
        varied = by_name("--vary", [_varied(text) for text in vary or []])
        build = partial(_build, model, settings or [])
        mechanism = build({})
        units = {name: setting_unit(mechanism, name) for name in varied}
        options = {"rtol": rtol, "every": every}
        with counter(model, "runs", None) as advance:
            found = run_study(
                build, varied, output or [], options, until=until, jobs=jobs, progress=advance, units=units
            )  # fmt: skip
        answer |= found.as_dict()
        if csv is not None:
            found.to_csv(csv)
        if not as_json:
            print_tables(found.tables())
        if len(found.rows) < found.planned:
            raise KeyboardInterrupt
        if plot is not None:
            plot_study(found, plot)


def _build(model: str, given: list[str], settings: Settings) -> Mechanism:
    """The model with the settings of --set and those that are varied."""
    return read_model(model, [*given, *(f"{name}={value}" for name, value in settings.items())]).mechanism


def _varied(text: str) -> tuple[str, list[Setting]]:
    """NAME=FROM:TO:COUNT [unit], or NAME=A,B,... [unit]: the name and its values."""
    name, equals, rest = text.partition("=")
    values_text, _, unit = (part.strip() for part in rest.strip().partition(" "))
    try:
        if not (equals and name.strip() and values_text):
            raise ValueError
        if ":" in values_text:
            example = f"NAME=FROM:TO:COUNT, as in --vary {name.strip()}=0.1:0.2:11"
            values = span(values_text, f"--vary {text}", example).tolist()
        else:
            values = [float(part) for part in values_text.split(",")]
        if any(value != value or abs(value) == float("inf") for value in values):
            raise ValueError
    except ValueError:
        example = f"--vary {name.strip() or 'NAME'}=0.1:0.2:11, or =0.1,0.2"
        raise OptionError(f"--vary {text}: write {example}", element=name) from None
    return name.strip(), [f"{value:.12g} {unit}" if unit else float(f"{value:.12g}") for value in values]
