"""What a program knows of the arguments of its loop: all but the numbers that each simulation has its own.

Arrays that a thread writes are memory of its own, known by place, shape and what they hold at the start.  All others
are constants of the program: topology, kinds, places, and the numbers that all simulations have in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

WORD = 8  # bytes


class Memory(NamedTuple):
    """An array as a program has it."""

    name: str
    content: bytes  # at the start
    written: bool  # by a thread, which has it for itself
    given: tuple[int, ...] = ()  # of one that is not: bytes at which numbers stand that each simulation has its own


class Field(NamedTuple):
    """How an array is described (references.py)."""

    data: str  # a value of LLVM's language
    size: int
    itemsize: int
    numbers: tuple[int | str, ...]  # lengths and strides of its axes; text: values of the entry

    @property
    def values(self) -> list[tuple[str, str]]:
        """Types and values of the numbers that describe it."""
        described = [("i64", self.size), ("i64", self.itemsize), ("ptr", self.data)]
        return [("ptr", "null"), ("ptr", "null"), *((kind, str(one)) for kind, one in described),
                *(("i64", str(one)) for one in self.numbers)]  # fmt: skip


class Place(NamedTuple):
    """A word of a memory."""

    memory: str
    byte: int


class Known(NamedTuple):
    """Arguments of a loop after its stages, but for the first item and the end."""

    arguments: tuple[str | Field | tuple[Field, ...], ...]  # numbers, arrays, structures
    memories: tuple[Memory, ...]
    given: tuple[Place, ...]  # word i of simulation k is given[i, k],
    found: tuple[Place, ...]  # and found[i, k] at the end
    called: tuple[tuple[Place, int], ...] = ()  # addresses of kernels: where they stand, and which of the called

    def memory(self, name: str) -> Memory:
        """The memory of this name."""
        return next(one for one in self.memories if one.name == name)


class Outside(NamedTuple):
    """An argument that is an array [row, simulation] of numbers in the GPU's memory, passed to the entry."""

    name: str
    rows: int


def known(
    arguments: Sequence[Any], own: Mapping[str, np.ndarray], constant: Mapping[str, tuple[int, ...]],
    given: Sequence[tuple[str, int]], found: Sequence[tuple[str, int]], called: Mapping[tuple[str, int], int],
) -> Known:  # fmt: skip
    """Of arguments that are numbers, arrays, structures of arrays, and arrays Outside.

    `own`: arrays of a simulation, by name; `constant`: those of them that are never written, and the words that each
    simulation has its own; `given`, `found`, `called`: words by array and number.
    """
    memories = {
        name: Memory(f"{'table' if name in constant else 'room'}{k}", array.tobytes(), name not in constant,
                     tuple(WORD * word for word in constant.get(name, ())))
        for k, (name, array) in enumerate(own.items())
    }  # fmt: skip
    places = {(_address(array), array.nbytes): memories[name] for name, array in own.items() if array.size}

    def field(array: np.ndarray) -> Field:
        data = "null"
        if array.size:
            extent = _address(array), array.nbytes
            memory = places.setdefault(extent, Memory(f"table{len(places) + len(own)}", array.tobytes(), False))
            data = f"@{memory.name}"
        return Field(data, array.size, array.itemsize, (*array.shape, *array.strides))

    def argument(one: Any) -> str | Field | tuple[Field, ...]:
        if isinstance(one, Outside):
            return Field(f"%{one.name}_k", one.rows, WORD, (one.rows, "%count", "%row", WORD))
        if isinstance(one, tuple):
            return tuple(map(field, one))
        return field(one) if isinstance(one, np.ndarray) else literal(one)

    described = tuple(map(argument, arguments))
    used = {memory.name: memory for memory in places.values()}

    def placed(name: str, word: int) -> Place:
        return Place(memories[name].name, WORD * word)

    return Known(
        described, tuple(used.values()), tuple(placed(*one) for one in given), tuple(placed(*one) for one in found),
        tuple((placed(*place), kernel) for place, kernel in called.items()),
    )  # fmt: skip


def literal(number: float) -> str:
    """A number in LLVM's language."""
    if isinstance(number, (int, np.integer)):
        return str(int(number))
    return f"0x{int(np.array(number, np.float64).view(np.uint64)):016X}"


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])
