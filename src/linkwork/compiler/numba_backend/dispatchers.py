"""Kernels as Numba's dispatchers: compiled, or loaded from the cache, for the types they are called or bound with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import event
from numba.core.caching import NullCache
from numba.core.registry import CPUDispatcher
from numba.extending import typeof_impl

from linkwork.compiler.argument_types import Signature, Stage, Structure
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.meter import METER
from linkwork.compiler.numba_backend import (
    patching,
    values,  # noqa: F401  registers what Numba makes of our objects
)
from linkwork.compiler.numba_backend.argument_types import numba_signature
from linkwork.compiler.numba_backend.disk_cache import cache_of, has_kernels
from linkwork.compiler.numba_backend.pipeline import AllocationError, KernelCompiler, PartCompiler
from linkwork.compiler.numba_backend.shortcuts import KERNELS
from linkwork.compiler.references import Layout

__all__ = ["address", "bind", "bind_loop", "describer", "dispatcher", "entry", "has_kernels"]

FASTMATH = {"contract", "reassoc", "nsz", "arcp"}  # no NaN or infinity flags: a kernel must see a NaN when it comes
OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy", "fastmath": FASTMATH}
WRAPPERS: dict[str, dict[str, bool]] = {  # that a kind of kernel does not need
    "kernel": {},
    "stage": {"no_cpython_wrapper": True},
    "part": {"no_cpython_wrapper": True, "no_cfunc_wrapper": True},
}


class KernelDispatcher(CPUDispatcher):
    """What compiles one kernel, and calls it."""

    def __init__(self, kernel: Kernel) -> None:
        kind = "part" if _ALL_AS_PARTS else kernel.kind
        pipeline = PartCompiler if kind == "part" else KernelCompiler
        super().__init__(kernel.py_func, targetoptions=OPTIONS | WRAPPERS[kind], pipeline_class=pipeline)
        self._cache = NullCache() if _ALL_AS_PARTS else cache_of(kernel)
        KERNELS.add(kernel.py_func)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """A constant argument is a number like others: Numba would compile the callee anew for each constant."""
        plain = {name: types.unliteral(argument) for name, argument in kws.items()}
        return super().get_call_template([types.unliteral(argument) for argument in args], plain)

    def compile(self, sig: Any) -> Any:
        """By the shortcuts; if that fails and the plain way does not, plainly from then on."""
        known: Any = self.overloads.get(sig)
        if known is not None:
            return known.entry_point
        with patching.taken() as outermost:
            if not outermost:
                return super().compile(sig)
            try:
                return self._measured(sig)
            except AllocationError:
                raise
            except Exception as failure:
                if patching.given_up():
                    raise
                error = failure
        return self._compile_plainly(sig, error)

    def _measured(self, sig: Any) -> Any:
        with event.install_listener("numba:compile", _LISTENER):
            return super().compile(sig)

    def _compile_plainly(self, sig: Any, error: Exception) -> Any:
        other: Any
        for other in _DISPATCHERS.values():
            other._compiler._failed_cache.clear()
        with patching.plainly(), patching.taken():
            compiled = self._measured(sig)
        patching.give_up(error)
        return compiled


class _Listener(event.Listener):
    """Tells the meter of each function that is compiled for a kernel."""

    def on_start(self, event: Any) -> None:
        METER.start()

    def on_end(self, event: Any) -> None:
        METER.end()


_LISTENER = _Listener()
_DISPATCHERS: dict[Kernel, KernelDispatcher] = {}
_ALL_AS_PARTS: list[bool] = []


def compile_as_parts() -> None:
    """From now on no kernel becomes machine code of its own: a library is linked of all (ahead_of_time.py)."""
    if not _ALL_AS_PARTS:
        _DISPATCHERS.clear()
        _ALL_AS_PARTS.append(True)


def dispatcher(kernel: Kernel) -> KernelDispatcher:
    """The dispatcher of a kernel."""
    known = _DISPATCHERS.get(kernel)
    return known or _DISPATCHERS.setdefault(kernel, KernelDispatcher(kernel))


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, context: Any) -> Any:
    return types.Dispatcher(dispatcher(value))


def entry(kernel: Kernel, brief: bool = False) -> Callable[..., Any]:
    """What a call from Python calls; it releases the GIL, brief or not."""
    return dispatcher(kernel)


def bind(kernel: Kernel, signature: Signature) -> None:
    """Compile for one signature, or load that from the cache."""
    compiled(kernel, signature)


def bind_loop(loop: Kernel, signature: Signature) -> None:
    """Compile a loop that takes stages as values, for this signature and no other."""
    known, arguments = dispatcher(loop), numba_signature(signature).args
    if arguments in known.overloads:
        return
    known.disable_compile(False)
    compiled(loop, signature)
    known.disable_compile()
    stages = sum(isinstance(argument, Stage) for argument in signature.arguments)  # the first arguments

    def with_stages(*given: Any) -> Any:
        return known(*map(dispatcher, given[:stages]), *given[stages:])

    loop.call_directly(with_stages)


def address(kernel: Kernel, signature: Signature) -> int:
    """Where the machine code for a signature lies."""
    found = compiled(kernel, signature)
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def describer(structure: Structure, layout: Layout) -> None:
    """None: Python describes structures."""


def compiled(kernel: Kernel, signature: Signature) -> Any:
    """What Numba made of a kernel for a signature."""
    wanted = numba_signature(signature)
    known = dispatcher(kernel)
    known.compile(wanted.args)
    found: Any = known.overloads[wanted.args]
    returns = types.unliteral(found.signature.return_type)
    if returns != wanted.return_type:
        raise TypeError(f"{kernel!r} returns {returns}; by its signature it returns {wanted.return_type}")
    return found
