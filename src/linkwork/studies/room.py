"""The room of a simulation: all that it writes, in one block of memory, wherever that lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

WORD = 8  # bytes
BLOCK = 256  # simulations that are compared at once


class Room:
    """Places for arrays in one block of 64-bit words, in their order; and the block as it is at the start."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = dict(arrays)
        ends = np.cumsum([_words(array.nbytes) for array in self.arrays.values()])
        self.first = dict(zip(self.arrays, [0, *ends[:-1].tolist()], strict=True))  # word of each array
        self.size = int(ends[-1])  # words
        self.begun = np.zeros(self.size, np.int64)
        for name, view in self.views(self.begun).items():
            view[...] = self.arrays[name]

    def views(self, block: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays in a block of this size."""
        return {
            name: block[self.part([name])].view(np.uint8)[: array.nbytes].view(array.dtype).reshape(array.shape)
            for name, array in self.arrays.items()
        }

    def part(self, names: Sequence[str]) -> slice:
        """The words from the first of these arrays to the last."""
        return slice(self.first[names[0]], self.first[names[-1]] + _words(self.arrays[names[-1]].nbytes))


def as_words(rows: np.ndarray) -> np.ndarray:
    """[word, simulation] of what is given for each simulation along the first axis."""
    count = len(rows)
    content = np.ascontiguousarray(rows).reshape(count, -1).view(np.uint8)
    whole = np.zeros((count, WORD * _words(content.shape[1])), np.uint8)
    whole[:, : content.shape[1]] = content
    return np.ascontiguousarray(whole.view(np.int64).T)


def varied_words(rows: np.ndarray, common: np.ndarray) -> np.ndarray:
    """The words of a table in which some simulation differs from the table that all would have in common."""
    own = np.ascontiguousarray(rows).reshape(len(rows), -1).view(np.int64)
    whole, bits = np.ascontiguousarray(common).reshape(-1).view(np.int64), _bits(common, None)
    differs = np.zeros(own.shape[1], bool)
    for first in range(0, len(own), BLOCK):
        differs |= ((own[first : first + BLOCK] ^ whole) & bits).any(axis=0)
    return np.flatnonzero(differs)


def float_words(table: np.ndarray) -> np.ndarray:
    """The words of a table that are numbers of 64 bits."""
    return np.flatnonzero(_bits(table, np.dtype(np.float64)))


def _bits(table: np.ndarray, kind: np.dtype | None) -> np.ndarray:
    """Words that have ones where a table has fields, of a kind or any, and zeros elsewhere."""
    marked = np.zeros((table.size, table.itemsize), np.uint8)
    fields = (
        [(table.dtype, 0)] if table.dtype.fields is None else [(of[0], of[1]) for of in table.dtype.fields.values()]
    )
    for field, offset in fields:
        if kind is None or field.base == kind:
            marked[:, offset : offset + field.itemsize] = 0xFF
    return marked.reshape(-1).view(np.int64)


def _words(size: int) -> int:
    """How many hold so many bytes."""
    return -(-size // WORD)
