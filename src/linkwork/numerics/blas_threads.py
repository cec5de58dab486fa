"""BLAS in one thread: OpenBLAS starts its threads for triangular solves of eight columns and more, where they cost more
time than they save, and take cores from others.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.linalg  # noqa: F401 - its OpenBLAS must be there before threads are set

SMALL = 500  # rows up to which a matrix gains nothing from threads
NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_",
         "openblas_{}_num_threads")  # fmt: skip
_found: dict[Path, _Library] = {}


class _Library(NamedTuple):
    """An OpenBLAS that this process has loaded."""

    get: ctypes._NamedFuncPointer
    set: ctypes._NamedFuncPointer


@contextmanager
def one_thread(rows: int) -> Iterator[None]:
    """Within it the OpenBLAS of NumPy and SciPy stays in the calling thread, where matrices have no more than SMALL
    rows; other libraries do as they like.
    """
    with ExitStack() as stack:
        for library in _loaded() if rows <= SMALL else ():
            stack.callback(library.set, library.get())
            library.set(1)
        yield


def _loaded() -> list[_Library]:
    """Those that come with NumPy and SciPy, and are loaded by now."""
    for path in _files():
        if path not in _found and (library := _opened(path)) is not None:
            _found[path] = library
    return list(_found.values())


@cache
def _files() -> tuple[Path, ...]:
    packages = Path(np.__file__).parent.parent
    return tuple(path for name in ("numpy", "scipy") for path in (packages / f"{name}.libs").glob("*openblas*"))


def _opened(path: Path) -> _Library | None:
    try:
        handle = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 0))
    except OSError:
        return None
    for name in NAMES:
        get, put = (getattr(handle, name.format(what), None) for what in ("get", "set"))
        if get is not None and put is not None:
            return _Library(get, put)
    return None
