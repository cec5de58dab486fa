"""What every command shares: the application, its arguments, the answer as text or JSON, tables that line up."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from linkwork import __version__
from linkwork.errors import LinkworkError, ModelWarning, OptionError

if TYPE_CHECKING:
    from linkwork.model import Model

T = TypeVar("T")

app = typer.Typer(
    help="Dynamics of constrained multibody mechanisms. MODEL is a name from the library (`linkwork models`), "
    "a model file (.toml, .yaml, .json), a robot (.urdf, .xml) or a Python file that makes a `model`.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def _model_names(incomplete: str) -> list[str]:
    """For the Tab key: models of the library, folders, and files that can be models."""
    from linkwork.files.model_files import SUFFIXES
    from linkwork.library import LIBRARY

    before = Path(incomplete)
    folder = before if incomplete.endswith("/") else before.parent
    files = [path for path in folder.glob("*") if path.is_dir() or path.suffix in (*SUFFIXES, ".py")]
    names = [*LIBRARY, *sorted(f"{path}/" if path.is_dir() else str(path) for path in files)]
    return [name for name in names if name.startswith(incomplete)]


ModelArgument = Annotated[
    str,
    typer.Argument(
        help="library name, or a .toml, .yaml, .json, .urdf, .xml or .py file", metavar="MODEL",
        autocompletion=_model_names,
    ),
]  # fmt: skip
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter, or ELEMENT.FIELD=VALUE; may be repeated")
]
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
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("default")
        warnings.simplefilter("always", ModelWarning)
        try:
            yield answer
        except LinkworkError as failure:
            code = failure.exit_code
            answer["error"] = failure.as_dict()
            typer.echo(f"error: {failure.message}", err=True)
        except KeyboardInterrupt:
            code = 130
            typer.echo("stopped", err=True)
    _tell(noted, answer)
    if as_json:
        typer.echo(json.dumps(_plain(answer), allow_nan=False))
    if code:
        raise typer.Exit(code)


def _tell(noted: list[warnings.WarningMessage], answer: dict[str, Any]) -> None:
    """Warnings about the model go into the answer and onto the terminal; others go where they would have gone."""
    for entry in noted:
        if issubclass(entry.category, ModelWarning):
            answer["warnings"] = [*answer["warnings"], str(entry.message)]
            typer.echo(f"warning: {entry.message}", err=True)
        else:
            warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)


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
    """The model that an argument means, with the parameters and fields that --set gives."""
    from linkwork.files.model_files import SUFFIXES
    from linkwork.files.settings import setting
    from linkwork.library import library_model
    from linkwork.model import Model, model_from_python

    path, values = Path(name), dict(setting(text) for text in settings or [])
    if path.suffix in SUFFIXES:
        return Model.read(path, values)
    if path.suffix == ".py":
        return model_from_python(path).with_settings(values)
    return library_model(name, values)


def read_numbers(option: str, texts: list[str] | None) -> dict[str, float]:
    """NAME=NUMBER, several times."""
    return once_each(option, [_number(option, text) for text in texts or []])


def once_each(option: str, pairs: Sequence[tuple[str, T]]) -> dict[str, T]:
    """What was said of each name; of one that comes twice it is not known which is meant."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise OptionError(f"{option}: '{name}' comes twice; say it once", element=name)
        found[name] = value
    return found


def _number(option: str, text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        example = f"{option} {name.strip() or 'NAME'}=1.5"
        raise OptionError(f"{option} {text}: write NAME=NUMBER, as in {example}", element=name) from None


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
