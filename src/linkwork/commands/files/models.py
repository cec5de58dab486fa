"""`linkwork models`: the models of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_facts
from linkwork.errors import OptionError, nearest
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from linkwork import library
    from linkwork.library.entries import Entry
else:
    library = lazy_module("linkwork.library")


@app.command(epilog="Example: linkwork models four-bar")
def models(
    name: Annotated[str | None, typer.Argument(help="a model, to see its parameters; default: all")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the library's models, each with a line that runs it."""
    with answering("models", as_json) as answer:
        known = library.LIBRARY
        if name is not None and name not in known:
            raise OptionError(f"there is no model '{name}' in the library; {nearest(name, known)}", element=name)
        entries = [known[name]] if name is not None else list(known.values())
        answer["models"] = [
            {"name": e.name, "title": e.title, "parameters": e.parameters,
             "units": {key: unit.name for key, unit in e.units.items()}}
            for e in entries
        ]  # fmt: skip
        if not as_json:
            shown = [(e.name, e.title + _line(e)) for e in entries]
            print_facts("models", [*shown, ("P1 to P5", "the papers from which some are taken: linkwork reproduce")])


def _line(entry: Entry) -> str:
    """The line that runs a model with its parameters as they are, and the units of these."""
    values = " ".join(f"{name}={value:g}" for name, value in entry.parameters.items())
    units = ", ".join(f"{name} {unit.name}" for name, unit in entry.units.items() if unit.name)
    return f"\n  linkwork run {entry.name}" + (f" --set {values}" if values else "") + (f"\n  {units}" if units else "")
