"""`linkwork models`: the models of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.commands.tables import print_facts
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from linkwork import library
else:
    library = lazy_module("linkwork.library")


@app.command(epilog="Example: linkwork models --json")
def models(as_json: JsonOption = False) -> None:
    """List the models of the library."""
    with answering("models", as_json) as answer:
        entries = library.LIBRARY.values()
        answer["models"] = [{"name": e.name, "title": e.title, "parameters": e.parameters} for e in entries]
        if not as_json:
            print_facts("models", [(e.name, e.title + _parameters(e.parameters)) for e in entries])


def _parameters(parameters: dict[str, float]) -> str:
    values = " ".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"\n  --set {values}" if values else ""
