"""The `linkwork` program: the commands of commands/, one file each, found and loaded here.

Heavy modules load when a command needs them, so that `--help` is quick; every command takes `--json`.
Exit codes: 0 success, 2 bad input, 3 a numerical failure; one clear message, never a bare traceback.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import Annotated

import typer

from linkwork import __version__, commands
from linkwork.commands import application


def main() -> None:
    """Entry point of the `linkwork` command."""
    gc.set_threshold(50_000)  # what a command loads stays: to look through it for garbage takes a fifth of a short run
    try:
        program(sys.argv[1] if len(sys.argv) > 1 else "")()
    finally:
        gc.freeze()  # nor at the exit


def program(command: str = "") -> typer.Typer:
    """The program with the command of this name; with all, if there is none.  Each adds itself when it is loaded."""
    found = {module.name.rpartition(".")[2]: module.name for module in walk_packages(commands.__path__, _PREFIX)}
    for name in [found[command]] if command in found else found.values():
        import_module(name)
    return application.app


def __getattr__(name: str) -> typer.Typer:
    """`app`: the program with all commands."""
    if name != "app":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return program()


_PREFIX = f"{commands.__name__}."


@application.app.callback(invoke_without_command=True)
def options(version: Annotated[bool, typer.Option("--version", help="print the version")] = False) -> None:
    """Global options."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
