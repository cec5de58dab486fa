"""The native library in the folder `built`, if it fits this version and machine."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from linkwork import __version__
from linkwork.compiler.argument_types import Structure, as_dtype
from linkwork.compiler.native.manifest import Export, Manifest, digest, machine, read_manifest
from linkwork.compiler.references import Layout
from linkwork.compiler.sources import PACKAGE
from linkwork.errors import KernelError

FOLDER = Path(__file__).parent / "built"  # of no package: the library is no module
LIBRARY, MANIFEST, CALLER = "liblinkwork.so", "manifest.json", "_caller.abi3.so"
HEADER, MODEL_HEADER, KERNEL_TABLE = "linkwork.h", "linkwork_model.h", "kernel_table.c"  # for C
RUNTIME = PACKAGE / "fmu" / "runtime"  # in C: models out of files, FMI


def runtime_files() -> list[str]:
    """The files in C of which the library is made besides, as the manifest names them."""
    return [path.relative_to(PACKAGE).as_posix() for path in sorted(RUNTIME.glob("*.[ch]"))]


class Library:
    """The kernels that have been compiled ahead of time: their addresses, and what calls them."""

    def __init__(self, manifest: Manifest, symbols: ctypes.CDLL, caller: ModuleType) -> None:
        self.manifest, self._symbols, self._caller = manifest, symbols, caller
        self._exports: dict[str, list[Export]] = {}
        self._changed: dict[Structure, bool] = {}
        for export in manifest.exports:
            self._exports.setdefault(export.kernel, []).append(export)

    def exports(self, kernel: str) -> list[Export]:
        """What there is of a kernel, one for each signature."""
        return self._exports.get(kernel, [])

    @functools.cache  # noqa: B019  there is one library
    def changed_files(self, module: str) -> list[str]:
        """Files below a module that are not as they were when the library was built."""
        files = (self.manifest.files[k] for k in self.manifest.trees[module])
        return [path for path, was in files if digest(path) not in (was, None)]

    def changed_structures(self, layouts: Mapping[Structure, Layout]) -> list[str]:
        """Structures that are not laid out as they were."""
        for structure in layouts.keys() - self._changed.keys():
            now = [[name, str(kind)] for name, kind in layouts[structure].fields()]
            self._changed[structure] = self.manifest.structures.get(str(structure), now) != now
        return [str(structure) for structure in layouts if self._changed[structure]]

    def address(self, symbol: str) -> int:
        """Where a symbol of the library lies."""
        return int(ctypes.cast(getattr(self._symbols, symbol), ctypes.c_void_p).value or 0)

    def entry(self, exports: list[Export], brief: bool = False) -> Callable[..., Any]:
        """A function that calls the one whose types fit; stages are given by their addresses.  `brief`: calls keep the
        GIL.
        """
        overloads = tuple(
            (self.address(one.call), one.returns.replace("v", ""), self._arguments(one)) for one in exports if one.call
        )
        called: Callable[..., Any] = self._caller.entry(exports[0].kernel.rpartition(".")[2], overloads, brief)
        return called

    def _arguments(self, export: Export) -> tuple[tuple[str, Any], ...]:
        return tuple((name, self._type(code)) for name, code in zip(export.names, export.arguments, strict=True))

    def _type(self, code: str) -> Any:
        """A type as caller.c takes it."""
        if code.endswith("]"):
            held, _, axes = code.partition("[")
            return self._dtype(held), axes.count(":")
        if code.startswith("stage"):
            return "s"
        return code if len(code) == 1 else _structure(code)

    @functools.cache  # noqa: B019
    def _dtype(self, name: str) -> np.dtype:
        return as_dtype(self.manifest.records[name]) if name in self.manifest.records else np.dtype(name)

    def describer(self, structure: Structure, layout: Layout) -> Callable[..., Any]:
        """A function that describes a structure of this layout (references.py)."""
        fields = tuple(zip(layout.names, layout.kinds, strict=True))
        made: Callable[..., Any] = self._caller.describer(str(structure), fields)
        return made


def _structure(code: str) -> Structure:
    name = code.removeprefix("complex ")
    return Structure(name, name != code)


def load(folder: Path) -> Library:
    """The library in a folder; a KernelError says why it cannot be used."""
    try:
        manifest = read_manifest(folder / MANIFEST)
        for what, ours in (("version", __version__), ("machine", machine())):
            theirs = getattr(manifest, what)
            if theirs != ours:
                raise KernelError(f"the native library in {folder} is for the {what} {theirs}, and this is {ours}")
        for name, was in manifest.libraries.items():
            if file_digest(folder / name) != was:  # to load one that is cut would end the process
                raise KernelError(f"the native library in {folder} is damaged: {name} is not as it was built")
        return Library(manifest, ctypes.CDLL(str(folder / LIBRARY)), caller(folder / CALLER))
    except (OSError, ImportError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise KernelError(f"the native library in {folder} cannot be loaded: {error}") from error


def file_digest(path: Path) -> str:
    """Of a whole file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def caller(path: Path) -> ModuleType:
    """The module of caller.c."""
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("_caller", path, loader=ExtensionFileLoader("_caller", str(path)))
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
