"""The CUDA driver, by cuda-bindings: a GPU's memory, programs and launches."""

from __future__ import annotations

import ctypes
import functools
from contextlib import suppress
from typing import Any

import numpy as np

from linkwork.errors import KernelError

THREADS = 64  # of a block
MESSAGES = 1 << 16  # bytes that the driver's compiler may say
NUL = b"\0"


def why_not() -> str:
    """Why there is no GPU to use; empty if there is one."""
    try:
        device()
    except ImportError as error:
        return f"{error.name or error} is not installed: pip install 'linkwork[gpu]'"
    except (KernelError, RuntimeError) as error:
        return str(error)
    return ""


@functools.cache
def device() -> Device:
    """The first GPU of this machine."""
    return Device()


class Device:
    """One GPU, and what this process has on it."""

    def __init__(self) -> None:
        from cuda.bindings import driver

        self._driver: Any = driver
        self._call("cuInit", 0)
        (count,) = self._call("cuDeviceGetCount")
        if count == 0:
            raise KernelError("the CUDA driver knows no GPU")
        (self._device,) = self._call("cuDeviceGet", 0)
        (self._context,) = self._call("cuDevicePrimaryCtxRetain", self._device)
        self._call("cuCtxSetCurrent", self._context)

    def _call(self, name: str, *arguments: Any) -> tuple[Any, ...]:
        """What a function of the driver returns after its status, which must be success."""
        status, *results = getattr(self._driver, name)(*arguments)
        if int(status) != 0:
            raise KernelError(f"the GPU failed: {name} returned {getattr(status, 'name', status)}")
        return tuple(results)

    def _attribute(self, name: str) -> int:
        known = getattr(self._driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self._call("cuDeviceGetAttribute", known, self._device)[0])

    @functools.cached_property
    def capability(self) -> tuple[int, int]:
        """Its compute capability."""
        return self._attribute("COMPUTE_CAPABILITY_MAJOR"), self._attribute("COMPUTE_CAPABILITY_MINOR")

    @functools.cached_property
    def name(self) -> str:
        """What it is, and the driver's version: machine code for one is not for another."""
        (name,) = self._call("cuDeviceGetName", 256, self._device)
        (version,) = self._call("cuDriverGetVersion")
        return f"{name.rstrip(NUL).decode()}, driver {version}"

    @functools.cached_property
    def resident_threads(self) -> int:
        """How many threads may be under way at once."""
        return self._attribute("MULTIPROCESSOR_COUNT") * self._attribute("MAX_THREADS_PER_MULTIPROCESSOR")

    # -- memory -------------------------------------------------------------------------------------------------------
    def free_memory(self) -> int:
        """Bytes that are left."""
        return int(self._call("cuMemGetInfo")[0])

    def to_device(self, array: np.ndarray) -> Buffer:
        """A copy on the GPU."""
        whole = np.ascontiguousarray(array)
        (address,) = self._call("cuMemAlloc", max(whole.nbytes, 8))
        if whole.nbytes:
            self._call("cuMemcpyHtoD", address, whole.ctypes.data, whole.nbytes)
        return Buffer(self, int(address))

    def to_host(self, buffer: Buffer, array: np.ndarray) -> None:
        """Fill a contiguous array from a copy on the GPU."""
        self._call("cuMemcpyDtoH", array.ctypes.data, buffer.address, array.nbytes)

    def free(self, address: int) -> None:
        """Give memory back."""
        self._call("cuMemFree", address)

    # -- programs -----------------------------------------------------------------------------------------------------
    def machine_code(self, ptx: str) -> bytes:
        """The program in this GPU's own language; the driver compiles it."""
        driver = self._driver
        messages = bytes(MESSAGES)  # written to by the driver
        options = [driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        (state,) = self._call("cuLinkCreate", 2, options, [messages, MESSAGES])
        text = ptx.encode() + NUL
        try:
            kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
            self._call("cuLinkAddData", state, kind, text, len(text), b"linkwork", 0, [], [])
            code, size = self._call("cuLinkComplete", state)
            return ctypes.string_at(int(code), int(size))
        except KernelError as error:
            raise KernelError(f"{error}: {messages.rstrip(NUL).decode(errors='replace').strip()}") from None
        finally:
            self._call("cuLinkDestroy", state)

    def load(self, code: bytes) -> Any:
        """A program, ready to be launched."""
        return self._call("cuModuleLoadData", code)[0]

    def address(self, program: Any, name: str) -> int:
        """Of memory that a program has by this name; 0 if it has no use for it."""
        status, address, _ = self._driver.cuModuleGetGlobal(program, name.encode())
        return int(address) if int(status) == 0 else 0

    def fill(self, program: Any, name: str, array: np.ndarray) -> None:
        """Put an array into memory that a program has by this name, if it has any."""
        address = self.address(program, name)
        if address and array.nbytes:
            self._call("cuMemcpyHtoD", address, np.ascontiguousarray(array).ctypes.data, array.nbytes)

    def set_stack(self, size: int) -> None:
        """Bytes that each thread has on its stack."""
        self._call("cuCtxSetLimit", self._driver.CUlimit.CU_LIMIT_STACK_SIZE, size)

    def launch(self, program: Any, entry: str, threads: int, *arguments: int) -> None:
        """Run an entry of a program in so many threads, and wait for their end."""
        (function,) = self._call("cuModuleGetFunction", program, entry.encode())
        blocks, stream = (threads + THREADS - 1) // THREADS, 0
        passed = (arguments, (ctypes.c_int64,) * len(arguments))
        self._call("cuLaunchKernel", function, blocks, 1, 1, min(threads, THREADS), 1, 1, 0, stream, passed, 0)
        self._call("cuCtxSynchronize")


class Buffer:
    """Memory on a GPU, given back with the object."""

    def __init__(self, on: Device, address: int) -> None:
        self._on, self.address = on, address

    def __del__(self) -> None:
        with suppress(KernelError):  # after a failure, which has been said, the driver refuses this too
            self._on.free(self.address)
