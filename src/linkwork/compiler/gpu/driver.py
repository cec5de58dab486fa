"""The CUDA driver: a GPU's memory, programs and launches."""

from __future__ import annotations

import ctypes
import functools
import sys
from contextlib import suppress
from typing import Any

import numpy as np

from linkwork.errors import KernelError

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
THREADS = 32  # of a block: a batch of few thousand is spread over all multiprocessors
MESSAGES = 1 << 16  # bytes that the driver's compiler may say
MULTIPROCESSORS, THREADS_EACH, MAJOR, MINOR = 16, 39, 75, 76  # attributes of a device, as cuda.h numbers them
LOCAL_BYTES, REGISTERS = 3, 4  # attributes of a function
STACK = 0  # a limit
ERRORS, ERROR_BYTES, PTX = 5, 6, 1  # options of the driver's compiler, and the kind of its input


def why_not() -> str:
    """Why there is no GPU to use; empty if there is one."""
    try:
        device()
    except OSError:
        return f"{LIBRARY}, NVIDIA's driver, is not installed"
    except (KernelError, RuntimeError) as error:
        return str(error)
    return ""


@functools.cache
def device() -> Device:
    """The first GPU of this machine."""
    return Device()


class Device:
    """One GPU, and what this process has on it."""

    dlpack_kind = 2  # as DLPack numbers kinds of devices

    def __init__(self) -> None:
        self._library = ctypes.CDLL(LIBRARY)
        self._call("cuInit", 0)
        if self._number("cuDeviceGetCount") == 0:
            raise KernelError("the CUDA driver knows no GPU")
        self._device = self._number("cuDeviceGet", 0)
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._device)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name: str, *arguments: Any) -> None:
        """A function of the driver, which must succeed."""
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(text))
            raise KernelError(f"the GPU failed: {name} returned {(text.value or b'an unknown error').decode()}")

    def _number(self, name: str, *arguments: Any) -> int:
        """A number that a function of the driver writes to its first argument."""
        found = ctypes.c_int()
        self._call(name, ctypes.byref(found), *arguments)
        return found.value

    def _attribute(self, number: int) -> int:
        return self._number("cuDeviceGetAttribute", number, self._device)

    @functools.cached_property
    def capability(self) -> tuple[int, int]:
        """Its compute capability."""
        return self._attribute(MAJOR), self._attribute(MINOR)

    @functools.cached_property
    def name(self) -> str:
        """What it is, and the driver's version: machine code for one is not for another."""
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, len(name), self._device)
        return f"{name.value.decode()}, driver {self._number('cuDriverGetVersion')}"

    @functools.cached_property
    def resident_threads(self) -> int:
        """How many threads may be under way at once."""
        return self._attribute(MULTIPROCESSORS) * self._attribute(THREADS_EACH)

    @functools.cached_property
    def blocks_at_once(self) -> int:
        """Threads that are one block on each multiprocessor."""
        return THREADS * self._attribute(MULTIPROCESSORS)

    # -- memory -------------------------------------------------------------------------------------------------------
    def free_memory(self) -> int:
        """Bytes that are left."""
        free, whole = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(whole))
        return free.value

    def allocate(self, size: int) -> Buffer:
        """So many bytes of memory."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 8)))
        return Buffer(self, address.value)

    def to_device(self, array: np.ndarray) -> Buffer:
        """A copy on the GPU."""
        whole = np.ascontiguousarray(array)
        buffer = self.allocate(whole.nbytes)
        self.fill(buffer.address, whole)
        return buffer

    def fill(self, address: int, array: np.ndarray) -> None:
        """Copy a contiguous array to an address of the GPU."""
        if array.nbytes:
            self._call(
                "cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(array.ctypes.data),
                ctypes.c_size_t(array.nbytes),
            )  # fmt: skip

    def to_host(self, buffer: Any, array: np.ndarray) -> None:
        """Fill a contiguous array from what is at the address of a Buffer or a part of one."""
        if array.nbytes:
            self._call(
                "cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), ctypes.c_uint64(buffer.address),
                ctypes.c_size_t(array.nbytes),
            )  # fmt: skip

    def free(self, address: int) -> None:
        """Give memory back."""
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    # -- programs -----------------------------------------------------------------------------------------------------
    def machine_code(self, ptx: str) -> bytes:
        """The program in this GPU's own language; the driver compiles it."""
        messages = ctypes.create_string_buffer(MESSAGES)
        options = (ctypes.c_int * 2)(ERRORS, ERROR_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(messages), MESSAGES)
        state, code, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        self._call("cuLinkCreate_v2", 2, options, values, ctypes.byref(state))
        text = ptx.encode() + b"\0"
        try:
            self._call(
                "cuLinkAddData_v2", state, PTX, text, ctypes.c_size_t(len(text)), b"linkwork", 0, None, None
            )  # fmt: skip
            self._call("cuLinkComplete", state, ctypes.byref(code), ctypes.byref(size))
            return ctypes.string_at(code.value or 0, size.value)
        except KernelError as error:
            raise KernelError(f"{error}: {messages.value.decode(errors='replace').strip()}") from None
        finally:
            self._call("cuLinkDestroy", state)

    def load(self, code: bytes) -> Any:
        """A program, ready to be launched."""
        program = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(program), code)
        return program

    def set_stack(self, size: int) -> None:
        """Bytes that each thread has on its stack."""
        self._call("cuCtxSetLimit", STACK, ctypes.c_size_t(size))

    def needs(self, program: Any, entry: str) -> tuple[int, int]:
        """Registers, and bytes of local memory, of each thread of an entry."""
        function = self._function(program, entry)
        return (
            self._number("cuFuncGetAttribute", REGISTERS, function),
            self._number("cuFuncGetAttribute", LOCAL_BYTES, function),
        )

    def _function(self, program: Any, entry: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), program, entry.encode())
        return function

    def launch(self, program: Any, entry: str, threads: int, *arguments: int) -> None:
        """Run an entry of a program in so many threads, and wait for their end."""
        words = [ctypes.c_int64(one) for one in arguments]
        passed = (ctypes.c_void_p * len(words))(*(ctypes.addressof(one) for one in words))
        blocks = (threads + THREADS - 1) // THREADS
        self._call(
            "cuLaunchKernel", self._function(program, entry), blocks, 1, 1, min(threads, THREADS), 1, 1, 0, None,
            passed, None,
        )  # fmt: skip
        self._call("cuCtxSynchronize")


class Buffer:
    """Memory on a GPU, given back with the object."""

    def __init__(self, on: Device, address: int) -> None:
        self._on, self.address = on, address

    def __del__(self) -> None:
        with suppress(KernelError):  # after a failure, which has been said, the driver refuses this too
            self._on.free(self.address)
