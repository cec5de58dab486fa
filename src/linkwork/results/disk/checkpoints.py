"""A checkpoint: the whole state of a run between two chunks, as bytes in its file, from which the run can go on.

    checksum, length | JSON: facts, names and sizes of the arrays | the arrays, one after the other

All but the first two compressed (zlib), since much of a workspace is zero.  The file has two slots, written in turn: a
process that is killed while it writes one leaves the other.  A checkpoint also knows how many rows of each dataset
there were (`sums`): rows after them are computed again.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from linkwork import __version__
from linkwork.results.metadata import as_json

MOST_BYTES = 2**28  # of a checkpoint that is read
_HEAD = struct.Struct("<IQ")  # checksum and length of the rest


@dataclass(frozen=True)
class Checkpoint:
    """What a run was when it was kept: facts for JSON, arrays as bytes, rows and checksums of the datasets."""

    facts: dict[str, Any]
    arrays: dict[str, bytes]


@runtime_checkable
class Keeper(Protocol):
    """A recorder that keeps checkpoints."""

    def keep(self, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
        """A checkpoint: the run can go on from here."""


def packed(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """A checkpoint as bytes."""
    listed = [[name, array.nbytes] for name, array in arrays.items()]
    head = as_json({"version": __version__, "facts": facts, "arrays": listed}).encode() + b"\n"
    body = zlib.compress(b"".join([head, *(array.tobytes() for array in arrays.values())]), 1)
    return _HEAD.pack(zlib.crc32(body), len(body)) + body


def unpacked(content: bytes) -> tuple[str, Checkpoint] | None:
    """The version that wrote it and the checkpoint; None if it is not whole."""
    if len(content) < _HEAD.size:
        return None
    checksum, length = _HEAD.unpack_from(content)
    body = content[_HEAD.size : _HEAD.size + length]
    if len(body) != length or zlib.crc32(body) != checksum:
        return None
    unfolded = zlib.decompressobj()
    head, _, rest = unfolded.decompress(body, MOST_BYTES).partition(b"\n")
    if not unfolded.eof:  # far more than was ever kept
        return None
    described = json.loads(head)
    arrays, place = {}, 0
    for name, size in described["arrays"]:
        arrays[name] = rest[place : place + size]
        place += size
    return described["version"], Checkpoint(described["facts"], arrays)
