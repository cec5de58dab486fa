"""Kernels: functions that are compiled on first use; here they are light objects that know no compiler.

    @kernel     Python calls it, and other kernels do
    @stage      a loop takes it as a value (`bind`), or by its address
    @part       only other kernels call it

A backend turns a kernel into machine code when it is first called or bound, and not before: a module full of kernels
is imported in no time.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol

from linkwork.compiler.argument_types import ArgumentType, Signature, Structure

Kind = Literal["kernel", "stage", "part"]


class Kernel:
    """A function to be compiled: its Python source, and for whom it is compiled (`kind`)."""

    __module__: str  # of the function, like its name and docstring
    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], kind: Kind) -> None:
        functools.update_wrapper(self, function)
        self.py_func: Any = function  # for those who run a kernel's source as Python
        self.kind = kind

    def __call__(self, *arguments: Any) -> Any:
        """The first call; the others go straight to the machine code."""
        if self.kind != "kernel":
            raise TypeError(f"{self.__qualname__} is a {self.kind}: only kernels call it (in Python: py_func)")
        self.call_directly(self.entry())
        return self(*arguments)

    def entry(self, brief: bool = False) -> Callable[..., Any]:
        """What a call calls: for who calls very often, without the detour over this object, which takes 0.05 us.

        `brief`: for calls so short that to release the GIL and take it again would count (0.05 us).
        """
        return backend().entry(self, brief)

    def call_directly(self, entry: Callable[..., Any]) -> None:
        """From now on a call is a call of `entry`.

        Python looks for `__call__` in the class alone: so this kernel gets a class of its own.  The detour over a
        method would take 0.1 us a call.
        """
        self.__class__ = type("Kernel", (Kernel,), {"__call__": staticmethod(entry)})

    def __repr__(self) -> str:
        return f"<{self.kind} {self.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled like a function: by its name


def kernel(function: Callable[..., Any]) -> Kernel:
    """For all that Python calls.  Compiled kernels release the GIL and divide as NumPy does."""
    return Kernel(function, "kernel")


def stage(function: Callable[..., Any]) -> Kernel:
    """A kernel that a loop takes as a value (`bind`) or calls by its address: no wrapper for calls from Python."""
    return Kernel(function, "stage")


def part(function: Callable[..., Any]) -> Kernel:
    """A kernel that only other kernels call: no wrappers, and no machine code of its own."""
    return Kernel(function, "part")


Exports = Iterator[tuple[Kernel, Signature]]


def export(kernel: Kernel, returns: ArgumentType, *arguments: ArgumentType) -> tuple[Kernel, Signature]:
    """A kernel that Python calls with such arguments; `exports()` of a module yields it for the native library."""
    code = kernel.py_func.__code__
    names = code.co_varnames[: code.co_argcount]
    if len(names) != len(arguments):
        raise TypeError(f"{kernel!r} takes {len(names)} arguments, not {len(arguments)}")
    return kernel, Signature(returns, arguments, names)


class Backend(Protocol):
    """What makes machine code of kernels."""

    def entry(self, kernel: Kernel, brief: bool = False) -> Callable[..., Any]:
        """What a call from Python calls; compiles for the types of its arguments when it must.  The GIL is released,
        unless calls are `brief`; Numba releases it in any case.
        """

    def bind(self, kernel: Kernel, signature: Signature) -> None:
        """Compile for one signature, or load that from the cache."""

    def bind_loop(self, loop: Kernel, signature: Signature) -> None:
        """Compile a loop that takes stages as values, for this signature and no other."""

    def address(self, kernel: Kernel, signature: Signature) -> int:
        """Where the machine code for a signature lies."""

    def has_kernels(self, module: str) -> bool:
        """Whether there is machine code of a module as it is now."""

    def describer(self, structure: Structure, layout: Any) -> Callable[..., Any] | None:
        """A quick way to describe structures of this layout (references.py): their description and its address."""


@functools.cache
def backend() -> Backend:
    """Where machine code comes from, chosen when it is first needed: the native library, or Numba.

    By name, since no kernel depends on the source of what makes this choice.
    """
    chosen: Backend = importlib.import_module("linkwork.compiler.native.backend").choose()
    return chosen


def numba_backend() -> Backend:
    """The compiler; an ImportError where it is not installed."""
    from linkwork.compiler.numba_backend import dispatchers

    return dispatchers


def bind(stage: Kernel, signature: Signature) -> None:
    """Compile one stage alone for one signature.

    A loop compiled for such stages is compiled once for all stages of the same signature.
    """
    backend().bind(stage, signature)


def bind_loop(loop: Kernel, signature: Signature) -> None:
    """Compile the loop that takes stages as values, and nothing but that: a call converts the stages it is given.

    Without this a call would compile the loop anew around the very stages, and never find that in the cache.
    """
    backend().bind_loop(loop, signature)


def has_kernels(module: str) -> bool:
    """Whether there is machine code of a module as it is now."""
    return backend().has_kernels(module)
