"""The `linkwork` program: the commands of commands/, one file each, found and loaded here.

Heavy modules load when a command needs them, so that `--help` is quick; every command takes `--json`.
Exit codes: 0 success, 2 bad input, 3 a numerical failure; one clear message, never a bare traceback.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated

import typer

from linkwork import __version__, commands
from linkwork.commands.application import app

for _module in walk_packages(commands.__path__, f"{commands.__name__}."):
    import_module(_module.name)  # each command adds itself to the program


def main() -> None:
    """Entry point of the `linkwork` command."""
    app()


@app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """Global options."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
