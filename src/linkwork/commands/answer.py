"""What every command shares: the application, its arguments, the answer as text or JSON, tables that line up."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork import __version__
from linkwork.errors import LinkworkError, OptionError

if TYPE_CHECKING:
    from linkwork.api import Model

app = typer.Typer(
    help="Dynamics of constrained multibody mechanisms. MODEL is a name from the library (`linkwork models`), "
    "a model file (.toml, .json) or a Python file that makes a `model`.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

ModelArgument = Annotated[str, typer.Argument(help="library name, .toml, .json or .py file", metavar="MODEL")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter of a library model")]
MethodOption = Annotated[
    list[str] | None, typer.Option("--option", help="NAME=VALUE, a parameter of the method; may be repeated")
]
JsonOption = Annotated[bool, typer.Option("--json", help="answer for machines, on stdout")]


@contextmanager
def answering(command: str, as_json: bool, model: str | None = None) -> Iterator[dict[str, Any]]:
    """Collects the answer; prints it as JSON if asked; turns errors into one message and an exit code."""
    answer: dict[str, Any] = {
        "format": f"linkwork-{command}-1", "version": __version__, "model": model, "warnings": [], "error": None
    }  # fmt: skip
    code = 0
    try:
        yield answer
    except LinkworkError as failure:
        code = failure.exit_code
        answer["error"] = failure.as_dict()
        typer.echo(f"error: {failure.message}", err=True)
    except KeyboardInterrupt:
        code = 130
        typer.echo("stopped", err=True)
    if as_json:
        typer.echo(json.dumps(_plain(answer), allow_nan=False))
    if code:
        raise typer.Exit(code)


def _plain(value: Any) -> Any:
    """For JSON: NaN and infinities become null, arrays lists, tuples lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return None
    return value


def read_model(name: str, settings: list[str] | None) -> Model:
    """The model that an argument means."""
    from linkwork.api import Model, model_from_python
    from linkwork.files.model_files import SUFFIXES, read_mechanism
    from linkwork.library import library_model

    path = Path(name)
    if path.suffix in (*SUFFIXES, ".py"):
        if settings:
            raise OptionError("--set gives parameters to library models; edit the file instead", element="--set")
        return model_from_python(path) if path.suffix == ".py" else Model.of(read_mechanism(path))
    return library_model(name, named_numbers("--set", settings, "angle=20"))


def named_numbers(option: str, texts: list[str] | None, example: str) -> dict[str, float]:
    """What a repeated option NAME=NUMBER says."""
    numbers = {}
    for text in texts or []:
        name, _, value = text.partition("=")
        try:
            numbers[name] = float(value)
        except ValueError:
            raise OptionError(f"{option} {text}: write NAME=NUMBER, as in {option} {example}", element=name) from None
    return numbers


def print_table(title: str, rows: list[tuple[str, str]]) -> None:
    """Two columns that line up."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, show_header=False, title_justify="left", title_style="bold")
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 110).print(table)


def number_text(value: float, noise: float = 0.0) -> str:
    """Six digits; below the noise 0; NaN is a value that is not unique."""
    if value != value:
        return "not unique"
    return "0" if abs(value) <= noise else f"{value:.6g}"


def numbers_text(values: Any, noise: float = 0.0) -> str:
    """Several numbers, with commas."""
    return ", ".join(number_text(float(value), noise) for value in values)


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table with a heading for each column."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title, title_justify="left", title_style="bold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 140).print(table)
