"""`linkwork equilibrium`: where a mechanism stays, at rest or at constant speeds."""

from __future__ import annotations

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import speeds_by_name
from linkwork.commands.tables import print_tables


@app.command(epilog="Example: linkwork equilibrium governor --speed spindle=11.0174")
def equilibrium(
    model: ModelArgument, speed: SpeedOption = None, settings: SetOption = None, as_json: JsonOption = False
) -> None:
    """Find an equilibrium, at rest or at speed, and its stability."""
    with answering("equilibrium", as_json, model) as answer:
        speeds = speeds_by_name(speed)
        answer |= {"status": "failed", "stable": None, "coordinates": {}, "residual": None}
        found = read_model(model, settings).equilibrium(speeds)
        answer.warn(*found.notes)
        answer |= {
            "status": found.status, "stable": found.stable, "stability": found.stability,
            "coordinates": found.coordinates, "residual": found.residual, "how": found.how,
            "iterations": found.iterations, "speeds": speeds, "driving": found.driving,
            "units": found.units | {f"driving of {name}": unit for name, unit in found.driving_units.items()},
        }  # fmt: skip
        if not as_json:
            print_tables(found.tables())
