"""Kernels on an NVIDIA GPU, by numba-cuda: each in many threads; float64 throughout.

A kernel's dispatcher (numba_backend/dispatchers.py) is handed to numba-cuda, which compiles it anew as a device
function, and so on down to the last part.  That takes a minute or two, once a process.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.kernels import Kernel

THREADS = 64  # of a block


def why_not() -> str:
    """Why there is no GPU to use; empty if there is one."""
    try:
        return "" if _cuda().is_available() else "no CUDA driver, or no GPU that it knows"
    except Exception as error:  # numba-cuda reports a broken installation in many ways
        return f"{type(error).__name__}: {error}"


def free_memory() -> int:
    """Bytes that the GPU has left."""
    return int(_cuda().current_context().get_memory_info().free)


def to_device(array: np.ndarray) -> Any:
    """A copy on the GPU."""
    return _cuda().to_device(np.ascontiguousarray(array))


def spread(array: np.ndarray, count: int) -> Any:
    """The same array `count` times on the GPU, along a last axis."""
    if array.dtype.names is not None:  # records: few, so that they are repeated here
        return to_device(np.repeat(array[..., None], count, axis=-1))
    many = _cuda().device_array((*array.shape, count), array.dtype)
    if array.size:
        _launch(_repeat(), count, to_device(array.ravel()), many.reshape(array.size, count))
    return many


def run_each(one: Kernel, count: int, *arguments: Any) -> np.ndarray:
    """status[k] = one(k, *arguments) for k = 0 ... count - 1, each in a thread of its own."""
    status = _cuda().device_array(count, np.int64)
    _launch(grid_kernel(one), count, status, arguments)
    return np.asarray(status.copy_to_host())


def _launch(kernel: Any, count: int, *arguments: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*Grid size")  # a small batch does not fill the GPU: so be it
        kernel[(count + THREADS - 1) // THREADS, THREADS](*arguments)
        _cuda().synchronize()


@functools.cache
def grid_kernel(one: Kernel) -> Any:
    """A thread finds its number and does its share."""
    cuda = _cuda()

    @cuda.jit
    def each(status, arguments):
        k = cuda.grid(1)
        if k < status.shape[0]:
            status[k] = one(k, *arguments)

    return each


@functools.cache
def _repeat() -> Any:
    cuda = _cuda()

    @cuda.jit
    def repeat(one, many):
        k = cuda.grid(1)
        if k < many.shape[1]:
            for i in range(many.shape[0]):
                many[i, k] = one[i]

    return repeat


@functools.cache
def _cuda() -> Any:
    """numba-cuda, taught what our objects are."""
    with _row_stack():
        from numba import cuda
        from numba.cuda import extending

        if not hasattr(extending, "typeof_impl"):  # the module of that name in Numba itself is another
            raise ImportError("numba-cuda is not installed")
        import numba.cuda.np.arrayobj  # noqa: F401
    from numba.cuda.descriptor import cuda_target

    from linkwork.compiler.numba_backend.dispatchers import dispatcher
    from linkwork.compiler.numba_backend.intrinsics import numba_intrinsic

    typing = cuda_target.typing_context

    @extending.typeof_impl.register(Kernel)
    def type_of_kernel(value: Kernel, context: Any) -> Any:
        return typing.resolve_value_type(dispatcher(value))

    @extending.typeof_impl.register(Intrinsic)
    def type_of_intrinsic(value: Intrinsic, context: Any) -> Any:
        known = numba_intrinsic(value)
        typing.refresh()
        return typing.resolve_value_type(known)

    return cuda


@contextmanager
def _row_stack() -> Iterator[None]:
    """numba-cuda 0.30 asks for `np.row_stack` when it is imported; NumPy 2.5 has it no more."""
    missing = not hasattr(np, "row_stack")
    if missing:
        setattr(np, "row_stack", np.vstack)  # noqa: B010
    try:
        yield
    finally:
        if missing:
            delattr(np, "row_stack")
