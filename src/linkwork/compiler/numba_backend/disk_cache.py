"""Machine code kept on disk: one file a kernel and signature, never stale, never garbled.

The folder of a module carries the fingerprint of its sources (compiler/sources.py), so that an edit anywhere below
opens a new folder.  A file begins with a digest of the rest: one that was cut off or damaged is compiled anew.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import NullCache, _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from linkwork.compiler.kernels import Kernel
from linkwork.compiler.sources import fingerprint

DIGEST = hashlib.sha256
DIGEST_SIZE = DIGEST().digest_size
SUFFIX = ".kernel"


def cache_of(kernel: Kernel) -> _Cache:
    """Where the machine code of a kernel is kept: nowhere if it has no file, or depends on a closure."""
    folder = module_folder(kernel.__module__)
    if folder is None or kernel.py_func.__closure__ is not None:
        return NullCache()
    return KernelCache(kernel, folder)


def has_kernels(module: str) -> bool:
    """Whether the cache holds any kernels of a module as it is now."""
    folder = module_folder(module)
    return folder is not None and any(folder.glob(f"*{SUFFIX}"))


def module_folder(module: str) -> Path | None:
    """The folder of a module with these sources, this Numba and this Python."""
    sources = fingerprint(module)
    if sources is None:
        return None
    versions = f"numba-{numba.__version__}-{sys.implementation.cache_tag}"
    return cache_folder() / versions / f"{module.rpartition('.')[2]}-{sources}"


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


class KernelCache(_Cache):
    """The machine code of one kernel, a file for each signature."""

    def __init__(self, kernel: Kernel, folder: Path) -> None:
        self._kernel, self._folder = kernel, folder

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """Nothing is held back."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for the types of the arguments; None if there is none, or none that can be read."""
        path = self._file(sig, target_context)
        if path is None or not path.is_file():
            return None
        target_context.refresh()
        try:
            state = path.read_bytes()
            digest, content = state[:DIGEST_SIZE], state[DIGEST_SIZE:]
            if DIGEST(content).digest() == digest:
                return CompileResult._rebuild(target_context, *pickle.loads(content))
            path.unlink(missing_ok=True)
        except OSError:  # cannot be read, or not be removed: compiled anew each time
            return None
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, unless it holds addresses of this process."""
        path = self._file(sig, data.target_context)
        if path is None or data.library.has_dynamic_globals:
            return
        content = dumps(data._reduce())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(DIGEST(content).digest() + content)
            unfinished.replace(path)
        except OSError as error:
            _report_once(str(self._folder), error.strerror or str(error))

    def _file(self, sig: Any, target_context: Any) -> Path | None:
        """The file for this kernel, these types, this processor; None for types that name objects of this process."""
        arguments = sig if isinstance(sig, tuple) else sig.args
        if any(isinstance(argument, (types.Dispatcher, types.Function)) for argument in arguments):
            return None
        code, processor = self._kernel.py_func.__code__, target_context.codegen().magic_tuple()
        case = (self._kernel.kind, code.co_firstlineno, code.co_code, processor, [str(a) for a in arguments])
        return self._folder / f"{self._kernel.__qualname__}-{DIGEST(repr(case).encode()).hexdigest()[:20]}{SUFFIX}"


@functools.cache
def _report_once(folder: str, reason: str) -> None:
    warnings.warn(f"compiled kernels could not be kept in {folder}: {reason}", RuntimeWarning, stacklevel=2)
