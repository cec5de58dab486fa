"""A loop over many items on a GPU: an item a thread, each with a room of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.compiler.gpu.driver import Buffer, Device
from linkwork.compiler.gpu.program import ENTRY, STRUCTURE, TABLE, Field, Known, Program
from linkwork.errors import KernelError

MOST_STACK = 512 * 1024  # bytes, of any GPU


class Arguments:
    """What a loop takes after its stages, on a GPU: numbers, arrays, structures of arrays.

    `room`: an array that stands for the room; what is a view of it lies there, and a program knows its place and shape.
    So it does of structures; other arrays are described for each launch.
    """

    def __init__(self, on: Device, arguments: Sequence[Any], stages: int, room: np.ndarray) -> None:
        self.on, self.arguments, self.stages, self.room = on, arguments, stages, room
        self._first, self._last = _address(room), _address(room) + room.nbytes
        self.tables: dict[
            tuple[int, int], tuple[int, np.ndarray]
        ] = {}  # number and array of what structures have besides
        fields: list[tuple[int, tuple[Field, ...]]] = []
        self.copies: dict[int, Buffer] = {}  # of arrays, by their places among the arguments
        for k, one in enumerate(arguments):
            if isinstance(one, tuple):
                fields.append((stages + k, tuple(map(self._field, one))))
            elif isinstance(one, np.ndarray) and self._is_in_room(one):
                fields.append((stages + k, (self._field(one),)))
            elif isinstance(one, np.ndarray):
                self.copies[k] = on.to_device(one)
        self.known = Known(tuple(fields), tuple(array.nbytes for _, array in self.tables.values()), room.nbytes)

    def _is_in_room(self, array: np.ndarray) -> bool:
        return array.size > 0 and self._first <= _address(array) < self._last

    def _field(self, array: np.ndarray) -> Field:
        inside = self._is_in_room(array)
        place = _address(array) - self._first if inside else 0
        if not inside:
            extent = _address(array), array.nbytes  # an empty array may share its address with another
            place, _ = self.tables.setdefault(extent, (len(self.tables), array))
        return Field(place, inside, array.size, array.itemsize, (*array.shape, *array.strides))

    def words(self) -> tuple[np.ndarray, list[Buffer]]:
        """A word for each argument, 0 for what the program knows; and the descriptions to which they point."""
        words = np.zeros(self.stages + len(self.arguments), np.int64)
        described: list[Buffer] = []
        for k, one in enumerate(self.arguments):
            if isinstance(one, (int, float)):
                words[self.stages + k] = np.array(one, type(one)).view(np.int64)
            elif k in self.copies:
                numbers = (0, 0, one.size, one.itemsize, self.copies[k].address, *one.shape, *one.strides)
                described.append(self.on.to_device(np.array(numbers, np.int64)))
                words[self.stages + k] = described[-1].address
        return words, described

    def renew(self, array: np.ndarray) -> None:
        """Copy one of the arrays again, whose numbers have changed."""
        self.copies[self._place(array)] = self.on.to_device(array)

    def fetch(self, array: np.ndarray) -> None:
        """Bring what the GPU has written into one of the arrays."""
        self.on.to_host(self.copies[self._place(array)], array)

    def _place(self, array: np.ndarray) -> int:
        return next(k for k, one in enumerate(self.arguments) if one is array)


def run_each(program: Program, arguments: Arguments, first: int, last: int) -> None:
    """Items `first` to `last` - 1 of the program's loop."""
    on = program.on
    check_room(on, program.known)
    on.set_stack(program.known.stack)
    for number, table in arguments.tables.values():
        on.fill(program.loaded, f"{TABLE}{number}", table)
    for k, fields in program.known.fields:
        on.fill(program.loaded, f"{STRUCTURE}{k}", described(program, fields))
    words, descriptions = arguments.words()
    all_words, full = on.to_device(words), on.to_device(np.zeros(1, np.int64))
    on.launch(program.loaded, ENTRY, last - first, all_words.address, first, last, full.address)
    del descriptions
    without_room = np.zeros(1, np.int64)
    on.to_host(full, without_room)
    if without_room[0] != 0:
        raise KernelError("the GPU's stack reaches into the room of a thread; run on threads")


def described(program: Program, fields: Sequence[Field]) -> np.ndarray:
    """The description of a structure (references.py) with addresses in all memory.

    NVIDIA's compiler knows addresses in local memory alone, and writes those into the constants of a program.
    """
    numbers: list[int] = []
    for field in fields:
        if field.in_room:
            data = program.origin + program.known.begin + field.place
        else:
            data = program.on.address(program.loaded, f"{TABLE}{field.place}")
        numbers += (0, 0, field.size, field.itemsize, data, *field.numbers)
    return np.array(numbers, np.int64)


def check_room(on: Device, known: Known) -> None:
    """Refuse a model that is too large for a thread of this GPU."""
    needed, free = known.stack * on.resident_threads, on.free_memory()
    if known.stack > MOST_STACK or needed > free:
        raise KernelError(
            f"a simulation writes to {known.room / 1024:.0f} KiB, and the GPU keeps that for each of "
            f"{on.resident_threads} threads at once, at most {MOST_STACK // 1024} KiB a thread and {free / 2**30:.1f} "
            "GiB in all: the model is too large for it; run on threads"
        )


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
