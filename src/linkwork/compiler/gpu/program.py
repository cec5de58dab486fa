"""A loop with its stages as one program for a GPU: compiled once, and kept on disk."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from linkwork.compiler.argument_types import Signature, Stage
from linkwork.compiler.cache import DIGEST, cache_folder, keep, kept
from linkwork.compiler.gpu.apart import ptx_apart
from linkwork.compiler.gpu.driver import Device
from linkwork.compiler.gpu.known import Known
from linkwork.compiler.kernels import Kernel, backend
from linkwork.compiler.meter import METER
from linkwork.compiler.native.kernel_texts import COMPLEX_TEXT, KERNEL_TEXTS, read_texts
from linkwork.compiler.native.library import FOLDER, file_digest
from linkwork.compiler.sources import fingerprint
from linkwork.errors import KernelError

Called = tuple[Kernel, Signature]
PLACED = 8  # bytes before the machine code: how much memory a thread has below its stack


class Program:
    """A loop on a GPU; `placed`: bytes that each thread has below its stack; `at_once`: threads launched at most."""

    def __init__(self, on: Device, loaded: Any, known: Known, placed: int) -> None:
        self.on, self.loaded, self.known, self.placed = on, loaded, known, placed
        self.at_once = on.resident_threads


@functools.lru_cache(maxsize=16)
def program(
    loop: Kernel, signature: Signature, stages: tuple[Kernel, ...], called: tuple[Called, ...], known: Known, on: Device
) -> Program:
    """Of a loop whose first arguments are these stages; it is compiled unless it was before."""
    from linkwork.compiler.gpu.ptx import Loop, processor

    contracts = [one.signature for one in signature.arguments if isinstance(one, Stage)]
    by_symbols = Loop(
        symbol(loop, signature), signature, tuple(map(symbol, stages, contracts)),
        tuple(symbol(*one) for one in called), known,
    )  # fmt: skip
    path = cache_folder() / "gpu" / f"{_case(by_symbols, on)}.cubin"
    whole = kept(path)
    if whole is None:
        METER.start()
        try:
            made = ptx_apart(by_symbols, texts(), libdevice(), processor(on.capability))
            whole = made.placed.to_bytes(PLACED, "little") + on.machine_code(made.text)
        finally:
            METER.end()
        keep(path, whole)
    return Program(on, on.load(whole[PLACED:]), known, int.from_bytes(whole[:PLACED], "little"))


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
    of = (loop.name, loop.stages, loop.called, loop.known)
    by = (file_digest(FOLDER / KERNEL_TEXTS), own, on.name, version("llvmlite"))
    return DIGEST(repr((of, by)).encode()).hexdigest()[:32]


def texts() -> Sequence[str]:
    """The kernels of the time loop, in LLVM's language."""
    return [text for name, text in read_texts(FOLDER).items() if name != COMPLEX_TEXT]


def libdevice() -> Path:
    """NVIDIA's functions of numbers, which come with its compiler."""
    from cuda.pathfinder import find_bitcode_lib

    try:
        return Path(find_bitcode_lib("device"))
    except Exception as error:  # of many kinds, by version
        raise KernelError(
            f"NVIDIA's libdevice is not found ({error}); pip install 'linkwork[gpu]' brings it"
        ) from error
