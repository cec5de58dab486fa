"""`linkwork floquet`: periodic motion at constant speeds, its multipliers, and stability charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import by_name, speeds_by_name, speeds_swept
from linkwork.commands.tables import print_tables
from linkwork.lazy_import import lazy_functions, lazy_module

if TYPE_CHECKING:
    import numpy as np

    from linkwork.analyses.vibration.periodic import stability_chart as charts
    from linkwork.mechanism import Mechanism
    from linkwork.view.plots import floquet as plots
    from linkwork.view.progress import counter
else:
    charts = lazy_module("linkwork.analyses.vibration.periodic.stability_chart")
    plots = lazy_module("linkwork.view.plots.floquet")
    (counter,) = lazy_functions("linkwork.view.progress", "counter")


@app.command(
    epilog="Examples: linkwork floquet rotor.toml --speed spin=11 --plot multipliers.png; "
    "linkwork floquet rotor.toml --sweep spin=5:20:31 --plot chart.png"
)
def floquet(
    model: ModelArgument,
    speed: SpeedOption = None,
    period: Annotated[
        float | None, typer.Option(help="s, of all that varies; default: one turn of the slowest coordinate")
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FROM:TO:COUNT, a joint speed, a parameter or a field; twice for a chart of two"),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="write the multipliers, or the chart of a sweep")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find periodic motion and its stability (Floquet).

    At constant speeds, or with coefficients that vary with a period.
    """
    with answering("floquet", as_json, model) as answer:
        speeds, made = speeds_by_name(speed), read_model(model, settings)
        if sweep:
            chart = _chart(
                model, settings, by_name("--sweep", [speeds_swept(text)[:2] for text in sweep]), speeds, period
            )
            answer.warn(*chart.notes)
            answer |= chart.as_dict()
            if plot is not None:
                plots.plot_chart(chart, plot)
            if not as_json:
                print_tables(chart.tables())
            return
        found = made.floquet(speeds, period)
        answer.warn(*found.notes)
        answer |= found.as_dict()
        if plot is not None:
            plots.plot_multipliers(found, plot, made.mechanism.name)
        if not as_json:
            print_tables(found.tables())


def _chart(
    model: str, settings: list[str] | None, axes: dict[str, np.ndarray], speeds: dict[str, float], period: float | None
) -> charts.StabilityChart:
    """Over speeds of joint coordinates, and parameters or fields as in --set."""
    made = read_model(model, settings)
    turning = charts.chart_axes(made.mechanism, list(axes))

    def build(at: dict[str, float]) -> tuple[Mechanism, dict[str, float]]:
        given = [f"{name}={value!r}" for name, value in at.items() if name not in turning]
        mechanism = read_model(model, [*(settings or []), *given]).mechanism if given else made.mechanism
        return mechanism, {**speeds, **{name: value for name, value in at.items() if name in turning}}

    with counter(model, "points", None) as advance:
        return charts.stability_chart(
            build, axes, period, model=made.mechanism.name, units=turning, report=advance
        )  # fmt: skip
