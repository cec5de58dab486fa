"""The answer of a command: an object for `--json`; errors and warnings as one message each; the exit code."""

from __future__ import annotations

import json
import os
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import typer

from linkwork import __version__
from linkwork.errors import LinkworkError, ModelWarning, RunWarning, shortened

INTERRUPTED = 130  # exit code after Ctrl-C
DEFECT = 1  # exit code of an error that should not have been
TRACEBACK = "LINKWORK_TRACEBACK"  # in the environment: show where such an error comes from


class Answer(dict[str, object]):
    """The keys and values of a command's JSON object; those that all commands share are there from the start."""

    def __init__(self, command: str, model: str | None) -> None:
        super().__init__(
            format=f"linkwork-{command}-1", version=__version__, model=model, warnings=[], error=None
        )  # fmt: skip

    def warn(self, *texts: str) -> None:
        """Add warnings."""
        self["warnings"] = [*cast(list[str], self["warnings"]), *texts]


@contextmanager
def answering(command: str, as_json: bool, model: str | None = None) -> Iterator[Answer]:
    """Collects the answer and prints it if `as_json`; turns errors into one message and an exit code."""
    answer, code = Answer(command, model), 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        warnings.simplefilter("always", ModelWarning)
        warnings.simplefilter("ignore", RunWarning)  # in the table of the run
        try:
            yield answer
        except LinkworkError as failure:
            code = failure.exit_code
            answer["error"] = failure.as_dict()
            typer.echo("\n".join([f"error: {failure.message}", *getattr(failure, "__notes__", [])]), err=True)
        except KeyboardInterrupt:
            code = INTERRUPTED
            typer.echo("stopped", err=True)
        except (typer.Exit, BrokenPipeError):
            raise
        except Exception as failure:
            if os.environ.get(TRACEBACK):
                raise
            code = DEFECT
            answer["error"] = {
                "code": "defect",
                "message": _defect(failure),
                "element": None,
                "t": None,
                "remedy": None,
                "entry": None,
            }
            typer.echo(f"error: {_defect(failure)}", err=True)
    _pass_on(caught, answer)
    if as_json:
        typer.echo(json.dumps(_plain(answer), allow_nan=False))
    if code:
        raise typer.Exit(code)


def _defect(failure: Exception) -> str:
    """What is neither a bad input nor a numerical failure: a defect of linkwork."""
    last = traceback.extract_tb(failure.__traceback__)[-1]
    what = shortened(f"{type(failure).__name__}: {failure}".splitlines()[0])
    return (
        f"linkwork itself has failed ({what}, in {Path(last.filename).name}, line {last.lineno}); please report this "
        f"with the model, and what {TRACEBACK}=1 shows"
    )


def _pass_on(caught: list[warnings.WarningMessage], answer: Answer) -> None:
    """Warnings about the model go into the answer and onto the terminal; others go where they would have gone."""
    for entry in caught:
        if issubclass(entry.category, ModelWarning):
            answer.warn(str(entry.message))
            typer.echo(f"warning: {entry.message}", err=True)
        else:
            warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)


def _plain(value: object) -> object:
    """For JSON: NaN and infinities become null, arrays and tuples lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return None
    return value
