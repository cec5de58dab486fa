"""`linkwork equilibrium`: where a mechanism stays, at rest or at constant speeds."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.commands.answer import (
    JsonOption,
    ModelArgument,
    SetOption,
    answering,
    app,
    print_table,
    read_model,
    read_numbers,
)

SpeedOption = Annotated[
    list[str] | None,
    typer.Option("--speed", help="NAME=VALUE, a joint coordinate at constant speed, rad/s or m/s; may be repeated"),
]


@app.command(epilog="Example: linkwork equilibrium governor --speed spindle=11.0174")
def equilibrium(
    model: ModelArgument, speed: SpeedOption = None, settings: SetOption = None, as_json: JsonOption = False
) -> None:
    """Find where a mechanism stays, at rest or at constant speeds, and whether it is stable there."""
    with answering("equilibrium", as_json, model) as answer:
        speeds = read_numbers("--speed", speed)
        answer |= {"status": "failed", "stable": None, "coordinates": {}, "residual": None}
        found = read_model(model, settings).equilibrium(speeds)
        answer["warnings"] = list(found.notes)
        answer |= {
            "status": found.status, "stable": found.stable, "stability": found.stability,
            "coordinates": found.coordinates, "residual": found.residual, "how": found.how,
            "iterations": found.iterations, "speeds": speeds, "driving": found.driving,
        }  # fmt: skip
        if not as_json:
            rows = [
                ("status", f"{found.status} by {found.how}, {found.iterations} iterations"),
                ("stability", found.stability),
                ("residual", f"{found.residual:.2e} N or N m"),
                *((f"speed of {name}", f"{value:g}") for name, value in speeds.items()),
                *((name, f"{value:.8g}") for name, value in found.coordinates.items()),
                *((f"driving of {name}", f"{value:.6g} N m or N") for name, value in found.driving.items()),
                *(("warning", note) for note in found.notes),
            ]
            print_table(f"{model}: equilibrium", rows)
