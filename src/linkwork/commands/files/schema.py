"""`linkwork schema`: how a model file is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, app
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from linkwork.files import schema as model_schema
else:
    model_schema = lazy_module("linkwork.files.schema")


@app.command(epilog="Example: linkwork schema > model.schema.json")
def schema(as_json: JsonOption = False) -> None:
    """Print the JSON schema of model files."""
    with answering("schema", as_json) as answer:
        answer["schema"] = model_schema.schema()
        if not as_json:
            typer.echo(json.dumps(answer["schema"], indent=1))
