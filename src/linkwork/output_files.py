"""Files to write: refused before the work where they cannot be written, one sentence where the writing fails."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from linkwork.errors import FileError, OptionError


def output_file(path: str | Path, what: str, suffixes: Collection[str] = ()) -> Path:
    """The path of a file in an existing folder, with one of the suffixes; `what` is to be written, for messages."""
    target = Path(path)
    if suffixes and target.suffix.lower() not in suffixes:
        raise OptionError(
            f"cannot write {what} to '{target}'; the name must end with {' or '.join(suffixes)}", element=str(target)
        )
    if not target.parent.is_dir():
        raise FileError(
            f"cannot write '{target}': there is no folder '{target.parent}'; create it first", element=str(target)
        )
    return target


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """A full disk or a missing permission becomes one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error).strip().splitlines()[0]
        raise FileError(f"cannot write '{path}': {reason}", element=str(path)) from error


# -- cells of CSV files: a spreadsheet takes a text that begins with one of these for a formula, and would run it -----
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def cell(value: object) -> object:
    """A number as it is; a text that a spreadsheet would take for a formula with an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
