"""`linkwork models`, `new` and `schema`: what there is to simulate, a copy to edit, how a model file is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from linkwork.commands.answer import JsonOption, ModelArgument, SetOption, answering, app, print_table, read_model


@app.command(epilog="Example: linkwork models --json")
def models(as_json: JsonOption = False) -> None:
    """List the models of the library."""
    from linkwork.library import LIBRARY

    with answering("models", as_json) as answer:
        answer["models"] = [{"name": e.name, "title": e.title, "parameters": e.parameters} for e in LIBRARY.values()]
        if not as_json:
            print_table("models", [(e.name, e.title + _parameters(e.parameters)) for e in LIBRARY.values()])


def _parameters(parameters: dict[str, float]) -> str:
    said = " ".join(f"{name}={value:g}" for name, value in parameters.items())
    return f"\n  --set {said}" if said else ""


@app.command(epilog="Example: linkwork new slider-crank --out engine.toml --set crank=0.05")
def new(
    model: ModelArgument,
    out: Annotated[Path | None, typer.Option(help="file to write, .toml, .yaml or .json; default NAME.toml")] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write an editable copy of a model to a file."""
    from linkwork.errors import FileError

    with answering("new", as_json, model) as answer:
        path = out if out is not None else Path(f"{Path(model).stem}.toml")
        found = read_model(model, settings)
        if path.exists():
            raise FileError(f"'{path}' is there already; choose another name with --out")
        found.save(path)
        answer["file"] = str(path)
        if not as_json:
            typer.echo(f"{path} (linkwork run {path})")


@app.command(epilog="Example: linkwork schema > model.schema.json")
def schema(as_json: JsonOption = False) -> None:
    """Print the JSON schema of model files."""
    from linkwork.files.schema import schema as model_schema

    with answering("schema", as_json) as answer:
        answer["schema"] = model_schema()
        if not as_json:
            typer.echo(json.dumps(answer["schema"], indent=1))
