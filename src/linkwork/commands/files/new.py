"""`linkwork new`: a model as a file to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.commands.answer import answering
from linkwork.commands.application import JsonOption, ModelArgument, SetOption, app, read_model
from linkwork.errors import FileError
from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from linkwork import library
else:
    library = lazy_module("linkwork.library")


@app.command(epilog="Example: linkwork new slider-crank --out engine.toml --set crank=0.05")
def new(
    model: ModelArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="file to write, .toml, .yaml or .json; default NAME.toml")
    ] = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write an editable copy of a model to a file."""
    with answering("new", as_json, model) as answer:
        path = out if out is not None else Path(f"{Path(model).stem}.toml")
        found, source = (
            read_model(model, settings),
            library.LIBRARY[model].file if model in library.LIBRARY else Path(model),
        )
        if path.exists():
            raise FileError(f"'{path}' exists already; choose another name with --out")
        if not settings and source is not None and source.suffix == path.suffix and source.is_file():
            path.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")  # parameters, units and remarks too
        else:
            found.save(path)
        answer["file"] = str(path)
        if not as_json:
            typer.echo(f"{path} (linkwork run {path})")
