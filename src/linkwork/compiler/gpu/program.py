"""A loop with its stages as one program for a GPU: compiled once, and kept on disk."""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.compiler.argument_types import Signature, Stage
from linkwork.compiler.cache import DIGEST, cache_folder, keep, kept
from linkwork.compiler.gpu.driver import Device
from linkwork.compiler.kernels import Kernel, backend
from linkwork.compiler.native.library import FOLDER, KERNEL_TEXTS, file_digest
from linkwork.compiler.sources import fingerprint
from linkwork.errors import KernelError

Called = tuple[Kernel, Signature]
ENTRY, ADDRESSES = "each", "addresses"  # of a program: the loop; where the kernels are


class Program:
    """A loop on a GPU, its address there, and those of the kernels that are called by them."""

    def __init__(self, on: Device, loaded: Any, loop: int, addresses: dict[Kernel, int]) -> None:
        self.on, self.loaded, self.loop, self.addresses = on, loaded, loop, addresses


@functools.cache
def program(loop: Kernel, signature: Signature, stages: tuple[Kernel, ...], called: tuple[Called, ...], on: Device
) -> Program:  # fmt: skip
    """Of a loop whose first arguments are these stages; it is compiled unless it was before."""
    from linkwork.compiler.gpu.ptx import Loop, processor, ptx

    contracts = [one.signature for one in signature.arguments if isinstance(one, Stage)]
    by_symbols = Loop(
        symbol(loop, signature), signature, tuple(map(symbol, stages, contracts)),
        tuple(symbol(*one) for one in called),
    )  # fmt: skip
    path = cache_folder() / "gpu" / f"{_case(by_symbols, on)}.cubin"
    code = kept(path)
    if code is None:
        code = on.machine_code(ptx(by_symbols, texts(), libdevice(), processor(on.capability)))
        keep(path, code)
    loaded = on.load(code)
    found = np.zeros(1 + len(called), np.int64)
    buffer = on.to_device(found)
    on.launch(loaded, ADDRESSES, 1, buffer.address)
    on.to_host(buffer, found)
    own, *others = found.tolist()
    return Program(on, loaded, own, {kernel: address for (kernel, _), address in zip(called, others, strict=True)})


def symbol(kernel: Kernel, signature: Signature) -> str:
    """The name of a kernel in the native library, of whose kernels a GPU's programs are made."""
    find = getattr(backend(), "symbol", None)
    if find is None:
        raise KernelError(
            "a GPU runs the kernels of the native library, and there is none in use: `make native` builds one"
        )
    found: str | None = find(kernel, signature)
    if found is None:
        raise KernelError(
            f"kernel {kernel.__module__}.{kernel.__qualname__} is not in the native library as it is now, and a GPU "
            "runs only kernels that are: `make native` builds the library anew; or run on threads"
        )
    return found


def _case(loop: Any, on: Device) -> str:
    """A name for what the machine code depends on."""
    own = [fingerprint(f"linkwork.compiler.gpu.{name}") for name in ("ptx", "driver")]
    parts = (loop.name, loop.stages, loop.called, file_digest(FOLDER / KERNEL_TEXTS), own, on.name, version("llvmlite"))
    return DIGEST(repr(parts).encode()).hexdigest()[:32]


def texts() -> Sequence[str]:
    """The kernels of the time loop, in LLVM's language."""
    with zipfile.ZipFile(FOLDER / KERNEL_TEXTS) as archive:
        return [archive.read(name).decode() for name in archive.namelist()]


def libdevice() -> Path:
    """NVIDIA's functions of numbers, which come with its compiler."""
    from cuda.pathfinder import find_bitcode_lib

    try:
        return Path(find_bitcode_lib("device"))
    except Exception as error:  # of many kinds, by version
        raise KernelError(
            f"NVIDIA's libdevice is not found ({error}); pip install 'linkwork[gpu]' brings it"
        ) from error
