"""What a model file may ask for.  Anyone writes model files: none may hang the program, fill its memory, or lead
outside of its folder.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from linkwork.errors import FileError

MOST_BYTES = 16 * 2**20  # of a model with all that it includes
MOST_FILES = 1000  # the same
MOST_INCLUDES = 50  # files that include each other in a chain
MOST_VALUES = 2_000_000  # of one file; what YAML's aliases repeat counts each time
MOST_LEVELS = 50  # of lists and tables within each other


class Budget:
    """How much a model has read so far, over all of its files."""

    def __init__(self) -> None:
        self.files = self.bytes = 0

    def spend(self, path: Path) -> None:
        """One more file."""
        self.files += 1
        self.bytes += size_of(path)
        if self.files > MOST_FILES:
            raise FileError(f"'{path.name}': the model includes more than {MOST_FILES} files; include fewer")
        if self.bytes > MOST_BYTES:
            raise too_large(path)


def size_of(path: Path) -> int:
    """Bytes of a regular file that is there; anything else, such as a device that never ends, is refused."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}'; check the path") from None
    except (OSError, ValueError) as failure:  # a loop of links, a name that no file can have
        reason = getattr(failure, "strerror", None) or str(failure)
        raise FileError(f"'{path}' cannot be read: {reason[0].lower()}{reason[1:]}; check the path") from None
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"'{path}' is not a file that can be read as a whole; give a plain file")
    return found.st_size


def too_large(path: Path) -> FileError:
    """The error for a model that is longer than any of ours."""
    return FileError(f"'{path.name}': the model has more than {MOST_BYTES >> 20} MB of text; split or shorten it")


def too_deep(name: str) -> FileError:
    """The error for data within data without an end."""
    return FileError(f"'{name}': lists and tables are nested more than {MOST_LEVELS} levels deep; flatten them")


def too_many(name: str) -> FileError:
    """The error for aliases that repeat aliases, or a file that is far longer than any model."""
    return FileError(f"'{name}' holds more than {MOST_VALUES} values, aliases counted each time; shorten it")


def check_extent(name: str, data: Any) -> None:
    """Refuse data that are too deep (one that holds itself has no end) or that are too much once aliases count."""
    level, count = [data], 1
    for _ in range(MOST_LEVELS + 1):
        level = [item for value in level for item in _inside(value)]
        count += len(level)
        if count > MOST_VALUES:
            raise too_many(name)
        if not level:
            return
    raise too_deep(name)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, (list, tuple, set)) else ()


def leads_outside(folder: Path, file: str, within: Path) -> str | None:
    """Why a file that another one in `folder` names is not to be read; None: it lies `within` the model's folder."""
    plain = PurePosixPath(file.replace("\\", "/"))
    if plain.is_absolute() or PureWindowsPath(file).drive or ".." in plain.parts:
        return f"'{shown(file)}' is outside the model's folder; include files in it, by a path without '..'"
    try:
        if not (folder / file).resolve().is_relative_to(within):
            return f"'{shown(file)}' leads outside the model's folder; put the file there"
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name that no file can have
        return f"'{shown(file)}' cannot be found: links lead around in a circle, or no file can have that name"
    return None


def is_file(path: Path) -> bool:
    """Whether there is such a file; not if no file can have that name."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def shown(text: str, most: int = 80) -> str:
    """A text from a file, for a message: its beginning, on one line."""
    line = "".join(c if c.isprintable() else "?" for c in text[:most])
    return line + ("..." if len(text) > most else "")
