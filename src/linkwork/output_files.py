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
