"""HDF5 files that their writer did not close, or that were cut short: what their first bytes say, and a readable copy.

A file says in its superblock whether it is open for writing and how long it is (HDF5 File Format Specification 3.0,
II.A).  Of one that is too short, or still marked as open, a copy with zeros to its full length and with the mark of a
closed file can be opened.
"""

from __future__ import annotations

import mmap
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from linkwork.errors import FileError

MODELS = (".toml", ".yaml", ".yml", ".json", ".urdf", ".sdf", ".xml")  # suffixes of what is not a run
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SUPERBLOCK = struct.Struct("<8s4B4Q")  # signature; version, two sizes, flags; addresses: base, extension, end, root
_FLAGS, _UNCLOSED = 11, 0b101  # place of the flags: open for writing, in SWMR mode
_WORD = 0xFFFFFFFF
_HEAP_MARK = b"GCOL\x01\0\0\0"
_OBJECT = struct.Struct("<HHIQ")  # of a heap: number, references, nothing, size


def file_state(path: Path) -> tuple[bool, int]:
    """From the first bytes of a file: whether it is open for writing, or was when its writer died; and how many bytes
    are missing at its end.
    """
    try:
        if not path.exists():
            raise FileError(f"there is no file '{path}'; check the path", element=str(path))
        if path.is_fifo() or path.is_char_device():  # which would never come to an end
            raise FileError(f"'{path}' is not a file; give one that linkwork has written", element=str(path))
        with path.open("rb") as stream:
            head, checksum = stream.read(_SUPERBLOCK.size), stream.read(4)
        size = path.stat().st_size
    except (OSError, ValueError) as error:  # a name that no file can have, too
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"'{path}' cannot be read: {reason}", element=str(path)) from error
    if head[: len(_SIGNATURE)] != _SIGNATURE:
        what = "lw.Model.read reads models" if path.suffix in MODELS else "give one that linkwork has written"
        raise FileError(f"'{path}' is not an HDF5 file; {what}", element=str(path))
    if len(head) < _SUPERBLOCK.size:
        return False, _SUPERBLOCK.size - len(head)
    _, layout, offset_size, _, flags, _, _, end, _ = _SUPERBLOCK.unpack(head)
    if layout != 3 or offset_size != 8:  # not a file of ours
        return False, 0
    if len(checksum) == 4 and checksum != _checksum(head).to_bytes(4, "little"):
        raise FileError(
            f"'{path}' is cut short or damaged (its first bytes do not match their checksum); simulate again",
            element=str(path),
        )
    return bool(flags & _UNCLOSED), max(0, end - size)


@contextmanager
def closed_copy(path: Path, missing: int) -> Iterator[Path]:
    """A copy with zeros for the bytes that are missing, and with the mark of a closed file."""
    with tempfile.TemporaryDirectory(prefix="linkwork-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        with copy.open("r+b") as stream:
            stream.truncate(copy.stat().st_size + missing)
            head = bytearray(stream.read(_SUPERBLOCK.size))
            head[_FLAGS] &= ~_UNCLOSED
            stream.seek(0)
            stream.write(head + _checksum(bytes(head)).to_bytes(4, "little"))
        yield copy


def check_heaps(path: Path) -> None:
    """Refuse a file whose heaps of texts are damaged: HDF5 has no checksum of them, and may go round in one forever.

    Each begins with its size, and holds objects one after the other: a number (0: free space), and how long they are
    (HDF5 File Format Specification 3.0, III.E).
    """
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        place = content.find(_HEAP_MARK)
        while place >= 0:
            end = place + int.from_bytes(content[place + 8 : place + 16], "little")
            if place % 8 == 0 and place + 16 < end <= len(content) and not _is_whole_heap(content[place + 16 : end]):
                raise FileError(
                    f"'{path}' is cut short or damaged (a heap of texts); simulate again", element=str(path)
                )
            place = content.find(_HEAP_MARK, place + 8)


def _is_whole_heap(objects: bytes) -> bool:
    place = 0
    while place + _OBJECT.size <= len(objects):
        number, _, _, size = _OBJECT.unpack_from(objects, place)
        place += size if number == 0 else _OBJECT.size + size + -size % 8
        if size > len(objects) or (number == 0 and size < _OBJECT.size):
            return False
    return place <= len(objects)


def _checksum(block: bytes) -> int:
    """What HDF5 writes after its metadata: lookup3 of Bob Jenkins (2006, public domain), `hashlittle` from 0."""
    padded = block + bytes(-len(block) % 12)
    x = y = z = (0xDEADBEEF + len(block)) & _WORD
    for n in range(0, len(padded), 12):
        a, b, c = struct.unpack_from("<3I", padded, n)
        x, y, z = x + a & _WORD, y + b & _WORD, z + c & _WORD
        if n + 12 < len(padded):
            for by in (4, 6, 8, 16, 19, 4):  # the roles go round
                x, z = (x - z & _WORD) ^ _rotated(z, by), z + y & _WORD
                x, y, z = y, z, x
    x, y, z = z, x, y
    for by in (14, 11, 25, 16, 4, 14, 24):
        x, y, z = y, z, (x ^ z) - _rotated(z, by) & _WORD
    return z


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD
