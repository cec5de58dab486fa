"""A loop over many items on a GPU: an item a thread, each with memory of its own."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.gpu.driver import Buffer, Device
from linkwork.compiler.gpu.entry import ENTRY
from linkwork.compiler.gpu.known import Known
from linkwork.compiler.gpu.program import Program
from linkwork.errors import KernelError

FRAMES = 16384  # bytes of the stack of a program with memory below it
MOST_STACK = 512 * 1024  # bytes, of any GPU


class Arrays:
    """Memory on the GPU that a program reads and writes: [row, item] of 64-bit words, or of numbers."""

    def __init__(self, on: Device, known: Known, items: int, reduced: np.ndarray, kept: np.ndarray) -> None:
        """`reduced`, `kept`: what these hold before."""
        self.on, self.items = on, items
        self.given = on.allocate(8 * len(known.given) * items)
        self.found = on.allocate(8 * len(known.found) * items)
        self.reduced, self.kept = on.to_device(reduced), on.to_device(kept)
        self.seen = on.to_device(np.zeros(1, np.int64))

    def fetch(self, buffer: Buffer, rows: int, kind: type = np.int64) -> np.ndarray:
        """A copy of what the GPU has written, [row, item]."""
        array: np.ndarray = np.empty((rows, self.items), kind)
        self.on.to_host(buffer, array)
        return array


def run_each(program: Program, arrays: Arrays) -> None:
    """Every item of the program's loop, and wait for the end."""
    on = program.on
    if program.placed:
        check_room(on, program.placed)
        on.set_stack(program.placed + FRAMES)
    buffers = (arrays.given, arrays.found, arrays.reduced, arrays.kept)
    threads = min(arrays.items, program.at_once)
    on.launch(
        program.loaded, ENTRY, threads, *(one.address for one in buffers), arrays.items, threads, arrays.seen.address
    )
    without_room = np.zeros(1, np.int64)
    on.to_host(arrays.seen, without_room)
    if without_room[0] != 0:
        raise KernelError("the GPU's stack reaches into the memory of a thread; run on threads")


def check_room(on: Device, placed: int) -> None:
    """Refuse a model that is too large for a thread of this GPU."""
    stack = placed + FRAMES
    needed, free = stack * on.resident_threads, on.free_memory()
    if stack > MOST_STACK or needed > free:
        raise KernelError(
            f"a simulation writes to {placed / 1024:.0f} KiB, and the GPU keeps that for each of "
            f"{on.resident_threads} threads at once, at most {MOST_STACK // 1024} KiB a thread and {free / 2**30:.1f} "
            "GiB in all: the model is too large for it; run on threads"
        )
