"""`linkwork trim`: the forces or driver values for which a wanted pose is balanced."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, SpeedOption, app, read_model
from linkwork.commands.arguments import numbers_by_name, speeds_by_name
from linkwork.commands.tables import print_tables
from linkwork.errors import OptionError


@app.command(
    epilog="Example: linkwork trim double-pendulum --pose shoulder=0.3 --pose elbow=-0.2 "
    "--adjust upper.torque.y --adjust lower.torque.y"
)
def trim(
    model: ModelArgument,
    pose: Annotated[
        list[str] | None, typer.Option(help="JOINT=VALUE, a joint coordinate wanted, rad or m; may be repeated")
    ] = None,
    adjust: Annotated[
        list[str] | None,
        typer.Option(help="what may be adjusted: a driver, or BODY.force.x, BODY.torque.z ...; may be repeated"),
    ] = None,
    speed: SpeedOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find forces or driver values that hold a pose.

    At rest or at constant speeds.
    """
    with answering("trim", as_json, model) as answer:
        wanted, speeds = numbers_by_name("--pose", pose), speeds_by_name(speed)
        if not wanted or not adjust:
            raise OptionError("give --pose JOINT=VALUE and --adjust NAME, each once or more", element="--pose")
        found = read_model(model, settings).trim(wanted, adjust, speeds)
        state = found.equilibrium
        answer.warn(*state.notes)
        answer |= {
            "pose": wanted, "speeds": speeds, "values": found.values, "units": found.units, "status": state.status,
            "stable": state.stable, "stability": state.stability, "coordinates": state.coordinates,
            "residual": state.residual,
        }  # fmt: skip
        if not as_json:
            print_tables(found.tables())
