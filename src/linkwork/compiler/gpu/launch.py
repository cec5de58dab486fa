"""A loop over many items on a GPU: an item a thread, each with a room of its own on its stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.compiler.gpu.driver import Buffer, Device
from linkwork.compiler.gpu.program import ENTRY, Program
from linkwork.errors import KernelError

WORD = 8  # bytes
FRAMES = 16384  # bytes of a stack for what the kernels hold besides
MOST_STACK = 512 * 1024  # bytes, of any GPU
ATTEMPTS = 3  # to find where rooms lie


class Arguments:
    """The words that a loop takes: arrays on the GPU, or in the room that each thread has.

    `room`: an array that stands for the room; what is a view of it lies there.
    """

    def __init__(self, on: Device, arguments: Sequence[Any], room: np.ndarray) -> None:
        self.on, self.arguments, self.room = on, arguments, room
        self._first, self._last = _address(room), _address(room) + room.nbytes
        self.copies: dict[int, Buffer] = {}  # by the address of the original
        for array in self._arrays():
            if not self._is_in_room(array) and _address(array) not in self.copies:
                self.copies[_address(array)] = on.to_device(array)

    def _arrays(self) -> list[np.ndarray]:
        structures = [one if isinstance(one, tuple) else (one,) for one in self.arguments]
        return [array for structure in structures for array in structure if isinstance(array, np.ndarray)]

    def _is_in_room(self, array: np.ndarray) -> bool:
        return self._first <= _address(array) < self._last or (array.size == 0 and array.base is not None)

    def words(self, room: int) -> tuple[np.ndarray, list[Buffer]]:
        """A word for each argument, where rooms are at this address; and the descriptions that they point at."""
        words: list[int] = []
        described: list[Buffer] = []
        for one in self.arguments:
            if isinstance(one, (int, float)):
                words.append(int(np.array(one, np.float64 if isinstance(one, float) else np.int64).view(np.int64)))
                continue
            numbers: list[int] = []
            for array in one if isinstance(one, tuple) else (one,):
                numbers += (0, 0, array.size, array.itemsize, self._place(array, room), *array.shape, *array.strides)
            described.append(self.on.to_device(np.array(numbers, np.int64)))
            words.append(described[-1].address)
        return np.array(words, np.int64), described

    def _place(self, array: np.ndarray, room: int) -> int:
        if self._is_in_room(array):
            return room + _address(array) - self._first
        return self.copies[_address(array)].address

    def fetch(self, array: np.ndarray) -> None:
        """Bring what the GPU has written into one of the arrays."""
        self.on.to_host(self.copies[_address(array)], array)


def run_each(program: Program, stages: int, arguments: Arguments, first: int, last: int) -> None:
    """Items `first` to `last` - 1 of the program's loop, after so many stages among its arguments."""
    on, size = program.on, arguments.room.nbytes
    check_room(on, size)
    on.set_stack(size + FRAMES)
    place, seen = 0, np.zeros(1, np.int64)
    for _ in range(ATTEMPTS):
        words, described = arguments.words(place)
        of_stages = np.zeros(stages, np.int64)  # which the program knows
        of_stages[0] = program.loop
        all_words, where = on.to_device(np.concatenate([of_stages, words])), on.to_device(seen * 0)
        on.launch(
            program.loaded, ENTRY, last - first, all_words.address, first, last, size // WORD, place, where.address
        )
        on.to_host(where, seen)
        del described
        if seen[0] == 0:
            return
        place = int(seen[0])
    raise KernelError("the GPU puts the rooms of its threads at different addresses; run on threads")


def check_room(on: Device, size: int) -> None:
    """Refuse a model that is too large for a thread of this GPU."""
    needed, free = (size + FRAMES) * on.resident_threads, on.free_memory()
    if size + FRAMES > MOST_STACK or needed > free:
        raise KernelError(
            f"a simulation writes to {size / 1024:.0f} KiB, and the GPU keeps that for each of {on.resident_threads} "
            f"threads at once, at most {(MOST_STACK - FRAMES) // 1024} KiB a thread and {free / 2**30:.1f} GiB in all: "
            "the model is too large for it; run on threads"
        )


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
