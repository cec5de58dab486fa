"""Checksums of a run on disk (CRC-32): of its header, of the rows of each dataset so far, and of a text by itself.

HDF5 has checksums of its own structures, but none of the numbers, texts and names that they hold.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import h5py

_SEAL = 9  # characters: eight of a checksum in hexadecimal, and a blank


class RunningSums:
    """Rows and checksum of each dataset, as it grows."""

    def __init__(self) -> None:
        self._sums: dict[str, tuple[int, int]] = {}

    def add(self, name: str, rows: np.ndarray) -> None:
        """More rows of a dataset."""
        count, checksum = self._sums.get(name, (0, 0))
        self._sums[name] = (count + len(rows), rows_sum(rows, checksum))

    def as_dict(self) -> dict[str, list[int]]:
        """As the certificate in the file has them."""
        return {name: list(values) for name, values in self._sums.items()}


def rows_sum(rows: np.ndarray, before: int = 0) -> int:
    """The checksum of rows, after those before them."""
    return zlib.crc32(np.ascontiguousarray(rows).data.cast("B") if rows.size else b"", before)


def header_sum(file: h5py.File) -> int:
    """Of what describes the run: attributes of the file and of its datasets, names and units along the axes."""
    checksum = _attributes_sum(file, 0)
    for name in sorted(file):
        checksum = _attributes_sum(file[name], checksum)
        if file[name].dtype.kind == "O" if hasattr(file[name], "dtype") else False:
            checksum = zlib.crc32("\0".join(file[name].asstr()[:]).encode(), checksum)
    return _attributes_sum(file["steps"], checksum)


def _attributes_sum(owner: Any, checksum: int) -> int:
    """Texts alone: references of axes to their scales are HDF5's own."""
    for name in sorted(owner.attrs):
        text = owner.attrs[name]
        if isinstance(text, str):
            checksum = zlib.crc32(f"{name}\0{text}\0".encode(), checksum)
    return checksum


def sealed(content: bytes) -> bytes:
    """A text with its checksum before it."""
    return b"%08x " % zlib.crc32(content) + content


def unsealed(content: bytes) -> bytes | None:
    """The text, if it is as it was written; blanks may follow it."""
    text = content[_SEAL:].rstrip(b" ")
    return text if content[:_SEAL] == b"%08x " % zlib.crc32(text) else None
