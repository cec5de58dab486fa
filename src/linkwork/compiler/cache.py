"""Files of machine code in a folder of the user's, never garbled.

A file begins with a digest of the rest: one that was cut off or damaged is removed, and compiled anew.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import tempfile
import warnings
from pathlib import Path

DIGEST = hashlib.sha256
DIGEST_SIZE = DIGEST().digest_size


def kept(path: Path) -> bytes | None:
    """What was kept in a file, if it is whole."""
    try:
        state = path.read_bytes()
        digest, content = state[:DIGEST_SIZE], state[DIGEST_SIZE:]
        if DIGEST(content).digest() == digest:
            return content
        path.unlink(missing_ok=True)
    except OSError:  # there is none, it cannot be read, or not be removed: compiled anew each time
        return None
    return None


def keep(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; that it cannot be is said once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(DIGEST(content).digest() + content)
        unfinished.replace(path)
    except OSError as error:
        _report_once(str(path.parent), error.strerror or str(error))


def cache_folder() -> Path:
    """Where compiled kernels are kept; `LINKWORK_CACHE` moves it.  If it cannot be written, a temporary folder."""
    chosen = os.environ.get("LINKWORK_CACHE")
    if chosen:
        return _writable(Path(chosen))
    return _writable(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "linkwork")


@functools.cache
def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        return _temporary_folder(folder, error)
    return folder


def _temporary_folder(folder: Path, error: OSError) -> Path:
    """A folder for this process and those that it starts."""
    made = Path(tempfile.mkdtemp(prefix="linkwork-"))
    os.environ["LINKWORK_CACHE"] = str(made)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    warnings.warn(
        f"compiled kernels cannot be kept in {folder} ({error.strerror}): they are compiled anew in each run; "
        "set LINKWORK_CACHE to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
    return made


@functools.cache
def _report_once(folder: str, reason: str) -> None:
    warnings.warn(f"compiled kernels could not be kept in {folder}: {reason}", RuntimeWarning, stacklevel=2)
