"""Kernels out of the native library; those that it has not, or whose sources have changed since, by Numba.

`LINKWORK_BACKEND` chooses: `jit` compiles everything by Numba; `native` demands the library; `strict` demands it for
every kernel, so that a test sees what would be compiled.  By default the library serves where there is one that fits.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

from linkwork.compiler.argument_types import Signature, Stage, Structure
from linkwork.compiler.kernels import Backend, Kernel, numba_backend
from linkwork.compiler.native.library import FOLDER, MANIFEST, Library, load
from linkwork.compiler.native.manifest import Export, codes, full_name
from linkwork.compiler.references import Layout, known_layouts
from linkwork.compiler.sources import HOUSE
from linkwork.errors import KernelError

CHOICES = ("jit", "native", "strict")


def choose() -> Backend:
    """The library, or Numba where there is none that fits."""
    choice = os.environ.get("LINKWORK_BACKEND", "")
    if choice not in ("", *CHOICES):
        raise KernelError(f"LINKWORK_BACKEND is '{choice}'; it may be {', '.join(CHOICES)}, or unset")
    if choice == "jit" or (choice == "" and not (FOLDER / MANIFEST).is_file()):
        return numba_or_error("there is no native library here")
    try:
        return NativeBackend(load(FOLDER), strict=choice == "strict")
    except KernelError as error:
        if choice:
            raise
        numba = numba_or_error(str(error))
        warnings.warn(f"{error}; kernels are compiled by Numba", RuntimeWarning, stacklevel=2)
        return numba


def numba_or_error(reason: str) -> Backend:
    """Numba; where it is not installed, an error that begins with the reason for which it is needed."""
    try:
        return numba_backend()
    except ModuleNotFoundError as error:
        if error.name not in ("numba", "llvmlite"):
            raise
    raise KernelError(f"{reason}, and Numba is not installed: pip install 'linkwork[jit]' installs it")


class NativeBackend:
    """A backend (kernels.py) that asks Numba only for what the library does not have."""

    def __init__(self, library: Library, strict: bool = False) -> None:
        self.library, self.strict = library, strict
        self._addresses: dict[tuple[Kernel, Signature], int] = {}
        self._bound: set[tuple[Kernel, Signature]] = set()
        self._loops: set[Kernel] = set()  # that are bound
        self._reported = False

    # -- what a backend does ------------------------------------------------------------------------------------------
    def entry(self, kernel: Kernel, brief: bool = False) -> Callable[..., Any]:
        """What a call from Python calls."""
        exports = self._exports(kernel)
        return self.library.entry(exports, brief) if exports else self._numba(kernel).entry(kernel, brief)

    def bind(self, kernel: Kernel, signature: Signature) -> None:
        """Nothing to do for a kernel of the library, nor for a part: its callers have it."""
        if (kernel, signature) in self._bound:
            return
        self._bound.add((kernel, signature))
        if kernel.kind != "part" and self._find(kernel, signature) is None:
            self._numba(kernel).bind(kernel, signature)

    def bind_loop(self, loop: Kernel, signature: Signature) -> None:
        """From now on a call of the loop takes kernels as its stages."""
        if loop in self._loops:
            return
        self._loops.add(loop)
        stages = [argument.signature for argument in signature.arguments if isinstance(argument, Stage)]
        export = self._find(loop, signature)
        if export is None:
            self._bind_compiled_loop(loop, signature, stages)
            return
        called, count = self.library.entry([export]), len(stages)
        known: dict[tuple[Kernel, ...], tuple[int, ...]] = {}  # addresses of the stages that were called with

        def with_stages(*given: Any) -> Any:
            first = given[:count]
            if first not in known:
                known[first] = tuple(map(self.address, first, stages))
            return called(*known[first], *given[count:])

        loop.call_directly(with_stages)

    def _bind_compiled_loop(self, loop: Kernel, signature: Signature, stages: list[Signature]) -> None:
        """A loop that Numba compiles takes stages that Numba has compiled."""
        numba = self._numba(loop)
        numba.bind_loop(loop, signature)
        called = loop.__call__

        def with_stages(*given: Any) -> Any:
            for stage, contract in zip(given, stages, strict=False):
                numba.bind(stage, contract)
            return called(*given)

        loop.call_directly(with_stages)

    def address(self, kernel: Kernel, signature: Signature) -> int:
        """Where the machine code for a signature lies."""
        known = self._addresses.get((kernel, signature))
        if known is None:
            export = self._find(kernel, signature)
            if export is None:
                known = self._numba(kernel).address(kernel, signature)
            else:
                known = self.library.address(export.stage)
            self._addresses[kernel, signature] = known
        return known

    def symbol(self, kernel: Kernel, signature: Signature) -> str | None:
        """The name by which C finds a kernel; None if the library does not have it as it is now."""
        export = self._find(kernel, signature)
        return None if export is None else export.stage

    def has_kernels(self, module: str) -> bool:
        """Whether the library has kernels of a module as it is now."""
        return module in self.library.manifest.trees and not self._changes(module)

    def describer(self, structure: Structure, layout: Layout) -> Callable[..., Any]:
        """What describes structures of this layout."""
        return self.library.describer(structure, layout)

    # -- native or not ------------------------------------------------------------------------------------------------
    def _find(self, kernel: Kernel, signature: Signature) -> Export | None:
        returns, arguments = codes(signature)
        fitting = (e for e in self._exports(kernel) if (e.returns, e.arguments) == (returns, arguments))
        return next(fitting, None)

    def _exports(self, kernel: Kernel) -> list[Export]:
        """What the library has of a kernel; nothing if that is stale."""
        exports = self.library.exports(full_name(kernel))
        return exports if exports and not self._changes(kernel.__module__) else []

    def _changes(self, module: str) -> list[str]:
        """What differs from the sources of the library in all that a module needs."""
        return [*self.library.changed_files(module), *self.library.changed_structures(known_layouts())]

    def _numba(self, kernel: Kernel) -> Backend:
        """Numba, for a kernel that the library does not have as it is now."""
        name = full_name(kernel)
        reason, ours = f"kernel {name} is not in the native library", name.startswith(f"{HOUSE}.")
        if ours and self.library.exports(name):
            changes = ", ".join(self._changes(kernel.__module__)) or "its types"
            reason = f"the native library is not built of these sources ({changes})"
        if ours and self.strict:
            raise KernelError(f"{reason}: {name}")
        numba = numba_or_error(reason)
        if ours:
            self._report(reason)
        return numba

    def _report(self, reason: str) -> None:
        """Once: where one kernel is compiled by Numba, others will be."""
        if not self._reported:
            self._reported = True
            remedy = "compiled by Numba; `make native` builds the library anew"
            warnings.warn(f"{reason}: {remedy}", RuntimeWarning, stacklevel=5)
