"""`linkwork study`: numbers of a model varied, a run for every combination."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.commands.answer import (
    JsonOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    number_text,
    once_each,
    print_rows,
    read_model,
)
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.mechanism import Mechanism
    from linkwork.studies.variants import Study


@app.command(
    epilog="Examples: linkwork study slider-crank --vary crank=0.05:0.15:11 --tell 'max(slider.velocity.x)' "
    "--plot study.png; linkwork study my.toml --vary 'rod.mass=200:300:3 g' --vary k=1e3,2e3,5e3 --tell 'span(gap)'"
)
def study(
    model: ModelArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FROM:TO:COUNT or NAME=A,B,...; names and units as for --set; may be repeated"),
    ] = None,
    tell: Annotated[
        list[str] | None,
        typer.Option(help="a number of each run: max, min, span, peak, mean, rms, start or end of a channel, as in "
                          "'max(crank.angle)'; may be repeated"),
    ] = None,
    until: Annotated[float | None, typer.Option(help="end time, s")] = None,
    rtol: Annotated[float, typer.Option(help="tolerance of a step")] = 1e-6,
    every: Annotated[float | None, typer.Option(help="time between samples, s, from which the numbers come")] = None,
    jobs: Annotated[int | None, typer.Option(help="runs at a time; default: one a core, if there are enough")] = None,
    csv: Annotated[Path | None, typer.Option(help="write the table, CSV")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the numbers over what is varied, PNG, SVG or PDF")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Vary numbers of a model, run every combination and tell some numbers of each run."""
    from linkwork.files.settings import setting_unit
    from linkwork.studies.variants import run_study
    from linkwork.view.progress import counter

    with answering("study", as_json, model) as answer:
        varied = once_each("--vary", [_varied(text) for text in vary or []])
        build = partial(_build, model, settings or [])
        mechanism = build({})
        units = {name: setting_unit(mechanism, name) for name in varied}
        options = {"rtol": rtol, "every": every}
        with counter(model, "runs", None) as told:
            found = run_study(build, varied, tell or [], options, until=until, jobs=jobs, tell=told, units=units)
        answer |= found.as_dict()
        if csv is not None:
            found.to_csv(csv)
        if not as_json:
            _print(found)
        if len(found.rows) < found.planned:
            raise KeyboardInterrupt
        if plot is not None:
            from linkwork.view.plots.studies import plot_study

            plot_study(found, plot)


def _build(model: str, given: list[str], settings: Mapping[str, Any]) -> Mechanism:
    """The model with what --set gives and what is varied."""
    return read_model(model, [*given, *(f"{name}={value}" for name, value in settings.items())]).mechanism


def _varied(text: str) -> tuple[str, list[Any]]:
    """NAME=FROM:TO:COUNT [unit], or NAME=A,B,... [unit]: the name and its values."""
    import numpy as np

    name, equals, rest = text.partition("=")
    span, _, unit = rest.strip().partition(" ")
    example = f"--vary {name.strip() or 'NAME'}=0.1:0.2:11, or =0.1,0.2"
    try:
        if not (equals and name.strip() and span):
            raise ValueError
        if ":" in span:
            low, high, count = span.split(":")
            values = np.linspace(float(low), float(high), int(count)).tolist()
        else:
            values = [float(part) for part in span.split(",")]
        if not values or not np.isfinite(values).all():
            raise ValueError
    except ValueError:
        raise OptionError(f"--vary {text}: write {example}", element=name) from None
    values = [float(f"{value:.12g}") for value in values]
    return name.strip(), [f"{value:.12g} {unit.strip()}" for value in values] if unit.strip() else values


def _print(found: Study) -> None:
    heads = [f"{name}, {found.units[name]}" if found.units[name] else name for name in found.told]
    rows = [
        (*(number_text(v) if isinstance(v, float) else str(v) for v in row.settings.values()),
         *(number_text(row.numbers[name]) if name in row.numbers else "" for name in found.told),
         row.status, f"{row.energy_drift:.0e}" if row.numbers else "")
        for row in found.rows
    ]  # fmt: skip
    print_rows(f"{found.model}: {len(rows)} of {found.planned} runs", (*found.varied, *heads, "status", "drift"), rows)
    for row in found.rows:
        if row.message:
            said = ", ".join(f"{name} = {value}" for name, value in row.settings.items())
            typer.echo(f"{said}: {row.message}")
