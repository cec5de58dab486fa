"""The `linkwork` program: its commands, one file each in commands/.

Heavy modules load inside the commands, so that `--help` is quick; every command takes `--json`.
Exit codes: 0 success, 2 bad input, 3 a numerical failure; one clear message, never a bare traceback.
"""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork import __version__
from linkwork.commands.answer import app
from linkwork.commands.files import export, models, reproduce, view  # noqa: F401  each command registers itself
from linkwork.commands.motion import check, compare, kinematics, loads, run, study, suspension  # noqa: F401
from linkwork.commands.vibration import equilibrium, modes, response, trim  # noqa: F401


def main() -> None:
    """Entry point of the `linkwork` command."""
    app()


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """Global options."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
