"""Numba's machine code kept on disk: one file a kernel and signature, never stale, never garbled.

The folder of a module carries the fingerprint of its sources (compiler/sources.py), so that an edit anywhere below
opens a new folder.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import NullCache, _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from linkwork.compiler.cache import DIGEST, cache_folder, keep, kept
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.sources import fingerprint

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
        content = kept(path)
        return None if content is None else CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep it, unless it holds addresses of this process."""
        path = self._file(sig, data.target_context)
        if path is None or data.library.has_dynamic_globals:
            return
        keep(path, dumps(data._reduce()))

    def _file(self, sig: Any, target_context: Any) -> Path | None:
        """The file for this kernel, these types, this processor; None for types that name objects of this process."""
        arguments = sig if isinstance(sig, tuple) else sig.args
        if any(isinstance(argument, (types.Dispatcher, types.Function)) for argument in arguments):
            return None
        code, processor = self._kernel.py_func.__code__, target_context.codegen().magic_tuple()
        case = (self._kernel.kind, code.co_firstlineno, code.co_code, processor, [str(a) for a in arguments])
        return self._folder / f"{self._kernel.__qualname__}-{DIGEST(repr(case).encode()).hexdigest()[:20]}{SUFFIX}"
