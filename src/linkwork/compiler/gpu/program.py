"""A loop with its stages as one program for a GPU: compiled once, and kept on disk."""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from linkwork.compiler.argument_types import Signature, Stage
from linkwork.compiler.cache import DIGEST, cache_folder, keep, kept
from linkwork.compiler.gpu.driver import Device
from linkwork.compiler.kernels import Kernel, backend
from linkwork.compiler.native.library import COMPLEX_TEXT, FOLDER, KERNEL_TEXTS, file_digest
from linkwork.compiler.sources import fingerprint
from linkwork.errors import KernelError

Called = tuple[Kernel, Signature]
ENTRY, ADDRESSES = "each", "addresses"  # of a program: the loop; where the kernels are
FRAMES = 16384  # bytes
TOP = 2**24  # where the local memory of a thread ends, bytes: its stack begins there and grows down
TABLE, STRUCTURE = "table", "structure"  # ... and a number: arrays that all threads read, descriptions of structures


class Known(NamedTuple):
    """What a program knows of its arguments besides the stages, by their places: arrays and structures of arrays in the
    room of a thread, or in tables that all threads read.
    """

    fields: tuple[tuple[int, tuple[Field, ...]], ...]
    tables: tuple[int, ...]  # bytes
    room: int  # bytes

    @property
    def stack(self) -> int:
        """Bytes of local memory that a thread needs: its room, and what kernels hold besides."""
        return -(-(self.room + FRAMES) // 16) * 16

    @property
    def begin(self) -> int:
        """Where the room begins in the local memory of a thread."""
        return TOP - self.stack


class Field(NamedTuple):
    """An array whose place and shape a program knows."""

    place: int  # bytes from the beginning of the room; of what is not there, the number of its table
    in_room: bool
    size: int
    itemsize: int
    numbers: tuple[int, ...]  # lengths and strides of its axes


class Program:
    """A loop on a GPU, and the addresses there of the kernels that are called by them.

    `origin`: where the local memory of a thread begins among all memory.
    """

    def __init__(self, on: Device, loaded: Any, known: Known, origin: int, addresses: dict[Kernel, int]) -> None:
        self.on, self.loaded, self.known, self.origin, self.addresses = on, loaded, known, origin, addresses


@functools.cache
def program(
    loop: Kernel, signature: Signature, stages: tuple[Kernel, ...], called: tuple[Called, ...], known: Known, on: Device
) -> Program:
    """Of a loop whose first arguments are these stages; it is compiled unless it was before."""
    from linkwork.compiler.gpu.ptx import Loop, processor, ptx

    contracts = [one.signature for one in signature.arguments if isinstance(one, Stage)]
    by_symbols = Loop(
        symbol(loop, signature), signature, tuple(map(symbol, stages, contracts)),
        tuple((symbol(*one), one[1]) for one in called), known,
    )  # fmt: skip
    path = cache_folder() / "gpu" / f"{_case(by_symbols, on)}.cubin"
    code = kept(path)
    if code is None:
        code = on.machine_code(ptx(by_symbols, texts(), libdevice(), processor(on.capability)))
        keep(path, code)
    loaded = on.load(code)
    found = np.zeros(2 + len(called), np.int64)
    buffer = on.to_device(found)
    on.launch(loaded, ADDRESSES, 1, buffer.address)
    on.to_host(buffer, found)
    origin, _, *places = found.tolist()
    return Program(on, loaded, known, origin, {kernel: at for (kernel, _), at in zip(called, places, strict=True)})


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
    of = (loop.name, loop.stages, [name for name, _ in loop.called], loop.known)
    by = (file_digest(FOLDER / KERNEL_TEXTS), own, on.name, version("llvmlite"))
    return DIGEST(repr((of, by)).encode()).hexdigest()[:32]


def texts() -> Sequence[str]:
    """The kernels of the time loop, in LLVM's language."""
    with zipfile.ZipFile(FOLDER / KERNEL_TEXTS) as archive:
        return [archive.read(name).decode() for name in archive.namelist() if name != COMPLEX_TEXT]


def libdevice() -> Path:
    """NVIDIA's functions of numbers, which come with its compiler."""
    from cuda.pathfinder import find_bitcode_lib

    try:
        return Path(find_bitcode_lib("device"))
    except Exception as error:  # of many kinds, by version
        raise KernelError(
            f"NVIDIA's libdevice is not found ({error}); pip install 'linkwork[gpu]' brings it"
        ) from error
