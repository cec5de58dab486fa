"""`linkwork models` and `linkwork schema`: what there is to simulate, and how a model file is written."""

from __future__ import annotations

import json

import typer

from linkwork.commands.answer import JsonOption, answering, app, print_table


@app.command(epilog="Example: linkwork models --json")
def models(as_json: JsonOption = False) -> None:
    """List the models of the library."""
    from linkwork.library import LIBRARY

    with answering("models", as_json) as answer:
        answer["models"] = [{"name": e.name, "title": e.title, "parameters": e.parameters} for e in LIBRARY.values()]
        if not as_json:
            print_table("models", [(e.name, e.title + _parameters(e.parameters)) for e in LIBRARY.values()])


def _parameters(parameters: dict[str, float]) -> str:
    return "".join(f"\n  --set {name}={value:g}" for name, value in parameters.items())


@app.command(epilog="Example: linkwork schema > model.schema.json")
def schema(as_json: JsonOption = False) -> None:
    """Print the JSON schema of model files."""
    from linkwork.files.model_files import schema as model_schema

    with answering("schema", as_json) as answer:
        answer["schema"] = model_schema()
        if not as_json:
            typer.echo(json.dumps(answer["schema"], indent=1))
