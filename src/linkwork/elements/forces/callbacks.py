"""Python functions that a kernel calls by their address (python_force.py), and how they failed, if they did.

Marked by `force`, a function is compiled by Numba, and no Python is called in the loop.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.compiler.callbacks import compiled_callback
from linkwork.errors import Entry, KernelError, ModelError, NumericalError

BUFFER = (40, 4)  # shape of work.stack, through which inputs (column 0) and outputs (column 1) travel


class Callback:
    """The function behind an address."""

    undefined: float | None = None  # s, when it last returned what is not a finite number

    def __init__(self, name: str, function: Callable[..., Any], inputs: int, along: bool) -> None:
        self.name, self.function, self.inputs, self.outputs = name, function, inputs, 1 if along else 6
        self.failure: BaseException | None = None
        self.t = 0.0
        self._buffers: dict[int, np.ndarray] = {}
        self._c = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_double)(self._call)
        self.address = int(ctypes.cast(self._c, ctypes.c_void_p).value or 0)

    def _call(self, at: int, item: int, t: float) -> None:
        """One call from a kernel: inputs from column 0 of the buffer at that address, outputs to column 1."""
        buffer = self._buffer(at, item)
        try:
            if self.failure is None:
                values = self._wrench(self.function(t, buffer[: self.inputs, 0].copy()))
                buffer[: self.outputs, 1] = values
                if not np.isfinite(values).all():
                    self.undefined = t
                return
        except BaseException as failure:
            self.failure, self.t = failure, t
        buffer[: self.outputs, 1] = np.nan

    def _wrench(self, given: Any) -> np.ndarray:
        values = np.atleast_1d(np.asarray(given)).ravel()
        if self.outputs == 6 and len(values) == 3:
            return np.append(values, np.zeros(3))
        if len(values) != self.outputs:
            wanted = "one number" if self.outputs == 1 else "three (N) or six (N, N m) numbers"
            raise ValueError(f"it returned {len(values)} numbers, not {wanted}")
        return values

    def _buffer(self, at: int, item: int) -> np.ndarray:
        key = at * 2 + item // 16
        if key not in self._buffers:
            memory: Any = (ctypes.c_char * (BUFFER[0] * BUFFER[1] * item)).from_address(at)
            self._buffers[key] = np.frombuffer(memory, np.complex128 if item == 16 else np.float64).reshape(BUFFER)
        return self._buffers[key]

    def error(self, kept: str = "") -> NumericalError:
        """What happened, for people; `kept`: what there is nevertheless."""
        failure = self.failure
        what = f"python force '{self.name}' stopped with {type(failure).__name__}: {failure} (t = {self.t:.6g} s)"
        return NumericalError(f"{what}; fix the function{kept}", element=self.name, t=self.t, entry=Entry.CALLBACK)


class CompiledForce:
    """A function that Numba compiles when a model that has it is first analysed; see `force`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._compiled: dict[tuple[int, int], tuple[int, object]] = {}
        functools.update_wrapper(self, function)

    def __call__(self, t: float, x: np.ndarray) -> Any:
        """As written, in Python."""
        return self.function(t, x)

    def address(self, inputs: int, outputs: int) -> int:
        """Of its machine code."""
        key = inputs, outputs
        if key not in self._compiled:
            self._compiled[key] = compiled_callback(self.function, inputs, outputs)
        return self._compiled[key][0]


def force(function: Callable[..., Any]) -> CompiledForce:
    """A decorator: the function(t, x) of `Model.python_force` is compiled by Numba (extra `jit`), so that the time loop
    calls no Python.

    t is the time (s), x an array of its inputs; it returns one number, or three (N) or six (N, N m).  Where an analysis
    needs its slopes they are differences of fourth order.
    """
    return CompiledForce(function)


class CompiledCallback(Callback):
    """The machine code of a function behind an address."""

    def __init__(self, name: str, function: CompiledForce, inputs: int, along: bool) -> None:
        self.name, self.function, self.failure = name, function, None
        try:
            self.address = function.address(inputs, 1 if along else 6)
        except ModuleNotFoundError:
            raise KernelError(
                f"python force '{name}': its function is compiled by Numba, which is not installed: pip install "
                "'linkwork[jit]' installs it; without @lw.force it is called in Python"
            ) from None
        except KernelError as error:
            raise ModelError(f"python force '{name}': {error}; without @lw.force it is called in Python",
                             element=name) from None  # fmt: skip


def callback_of(name: str, function: Callable[..., Any], inputs: int, along: bool) -> Callback:
    """What a kernel calls for the function of a force, compiled or not; `along` a coordinate it returns one number."""
    if isinstance(function, CompiledForce):
        return CompiledCallback(name, function, inputs, along)
    return Callback(name, function, inputs, along)


def failed(callbacks: Sequence[Callback]) -> Callback | None:
    """The first whose function raised an exception."""
    return next((callback for callback in callbacks if callback.failure is not None), None)


def pass_on_failure(callbacks: Sequence[Callback]) -> None:
    """What a function raised when the equations were evaluated once, from Python."""
    pass_on_interrupt(callbacks)
    broken = failed(callbacks)
    if broken is not None:
        raise broken.error() from broken.failure


def pass_on_interrupt(callbacks: Sequence[Callback]) -> None:
    """Ctrl-C that came while a function was running."""
    if any(isinstance(callback.failure, KeyboardInterrupt) for callback in callbacks):
        raise KeyboardInterrupt
