"""All memory of a run at its start as one block of bytes that can lie anywhere.

It holds arrays, and their descriptions as kernels take them (compiler/references.py).  The words of it that are
addresses count from its beginning and are listed in `relocations`; those that are addresses of kernels are listed in
`calls`, with the number of the kernel in `kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ALIGNMENT = 64  # bytes
WORD = 8  # bytes


class Image:
    """The block as it grows."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.relocations: list[int] = []  # words
        self.calls: list[tuple[int, int]] = []  # word, kernel
        self.kernels: list[str] = []  # by their symbols

    def array(self, array: np.ndarray, room: int | None = None) -> int:
        """Place of an array; `room`: for how many entries along its first axis."""
        self._align(ALIGNMENT)
        place = len(self.bytes)
        self.bytes += np.ascontiguousarray(array).tobytes()
        if room is not None and len(array):
            self.bytes += bytes(max(room - len(array), 0) * (array.nbytes // len(array)))
        elif room:
            self.bytes += bytes(room * array.itemsize)
        return place

    def described(self, array: np.ndarray, room: int | None = None) -> int:
        """Place of the description of an array, which lies in the block too."""
        return self._lay(self._description(array, self.array(array, room)), 1)

    def structure(self, structure: NamedTuple) -> tuple[int, dict[str, int]]:
        """Place of a structure, and those of the data of its arrays, by the names of its fields."""
        places = {name: self.array(array) for name, array in zip(structure._fields, structure, strict=True)}
        words: list[int] = []
        marks: list[int] = []
        for name, array in zip(structure._fields, structure, strict=True):
            marks.append(len(words) + 4)
            words += self._description(array, places[name])
        at = self._words(words)
        self.relocations += [at // WORD + mark for mark in marks]
        return at, places

    def call(self, place: int, symbol: str) -> None:
        """The word at a place becomes the address of a kernel."""
        self.calls.append((place // WORD, self.kernel(symbol)))

    def kernel(self, symbol: str) -> int:
        """The number of a kernel."""
        if symbol not in self.kernels:
            self.kernels.append(symbol)
        return self.kernels.index(symbol)

    def finish(self) -> bytes:
        """The whole block."""
        self._align(ALIGNMENT)
        return bytes(self.bytes)

    @staticmethod
    def _description(array: np.ndarray, place: int) -> list[int]:
        return [0, 0, array.size, array.itemsize, place, *array.shape, *array.strides]

    def _lay(self, words: list[int], arrays: int) -> int:
        at = self._words(words)
        self.relocations.append(at // WORD + 4)
        return at

    def _words(self, words: list[int]) -> int:
        self._align(WORD)
        at = len(self.bytes)
        self.bytes += np.array(words, np.int64).tobytes()
        return at

    def _align(self, to: int) -> None:
        self.bytes += bytes(-len(self.bytes) % to)
