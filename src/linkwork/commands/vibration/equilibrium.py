"""`linkwork equilibrium`: where a mechanism stays, at rest or at constant speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import numbers_by_name
from linkwork.commands.tables import print_facts

if TYPE_CHECKING:
    from linkwork.analyses.steady.equilibrium import Equilibrium


@app.command(epilog="Example: linkwork equilibrium governor --speed spindle=11.0174")
def equilibrium(
    model: ModelArgument, speed: SpeedOption = None, settings: SetOption = None, as_json: JsonOption = False
) -> None:
    """Find where a mechanism stays, at rest or at constant speeds, and whether it is stable there."""
    with answering("equilibrium", as_json, model) as answer:
        speeds = numbers_by_name("--speed", speed)
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
            print_facts(f"{model}: equilibrium", [
                ("status", f"{found.status} by {found.how}, {found.iterations} iterations"),
                ("stability", found.stability),
                ("residual", f"{found.residual:.2e} N or N m"),
                *((f"speed of {name}", f"{value:g} {unit}") for (name, value), unit
                  in zip(speeds.items(), _speed_units(found), strict=True)),
                *coordinate_facts(found),
                *((f"driving of {name}", f"{value:.6g} {found.driving_units[name]}")
                  for name, value in found.driving.items()),
                *(("warning", note) for note in found.notes),
            ])  # fmt: skip


def coordinate_facts(found: Equilibrium) -> list[tuple[str, str]]:
    """Every coordinate with its unit."""
    return [(name, f"{value:.8g} {found.units[name]}".rstrip()) for name, value in found.coordinates.items()]


def _speed_units(found: Equilibrium) -> list[str]:
    return ["rad/s" if unit == "N m" else "m/s" for unit in found.driving_units.values()]
