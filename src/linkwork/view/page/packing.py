"""Scenes as text for the page: JSON, with every array in one compressed block.

Each column of an array is counted in 2^24 - 1 steps between its least and largest value (what single precision has),
replaced by its second differences, which are small where a motion is smooth, and split into bytes of equal weight;
then all is deflated.  The page (static/data.js) undoes it in reverse order.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import fields, is_dataclass

import numpy as np

from linkwork.view.scene.meshes import Mesh

STEPS = 2**24 - 1
UNKNOWN = 2**24  # in place of a count: the value is not a number, or infinite


class Packer:
    """Collects arrays; `plain` gives things as JSON has them, arrays and meshes as numbers of what is collected."""

    def __init__(self) -> None:
        self.arrays: list[dict[str, object]] = []
        self.meshes: list[dict[str, dict[str, int]]] = []
        self._bytes: list[bytes] = []
        self._known: dict[bytes, int] = {}

    def plain(self, thing: object) -> object:
        """The thing with dataclasses as objects, arrays as {"array": n} and meshes as {"mesh": n}."""
        if isinstance(thing, Mesh):
            return self._mesh(thing)
        if isinstance(thing, np.ndarray):
            return self.array(thing)
        if is_dataclass(thing) and not isinstance(thing, type):
            return {f.name: self.plain(getattr(thing, f.name)) for f in fields(thing)}
        if isinstance(thing, dict):
            return {key: self.plain(value) for key, value in thing.items()}
        if isinstance(thing, list | tuple):
            return [self.plain(value) for value in thing]
        return thing.item() if isinstance(thing, np.generic) else thing

    def array(self, values: np.ndarray) -> dict[str, int]:
        """An array of numbers, its first axis the one along which it is smooth."""
        columns = values.reshape(len(values), -1)
        counted, low, step = _counted(columns)
        self._bytes.append(_split(counted))
        width = columns.shape[1]
        self.arrays.append({"rows": len(values), "columns": width, "low": low.tolist(), "step": step.tolist()})
        return {"array": len(self.arrays) - 1}

    def _mesh(self, mesh: Mesh) -> dict[str, int]:
        """A mesh; one that was there before is not kept twice."""
        key = mesh.vertices.tobytes() + mesh.triangles.tobytes()
        if key not in self._known:
            self._known[key] = len(self.meshes)
            self.meshes.append({"vertices": self.array(mesh.vertices), "triangles": self.array(mesh.triangles)})
        return {"mesh": self._known[key]}

    def block(self) -> str:
        """All arrays, packed."""
        return packed(b"".join(self._bytes))


def packed(data: bytes) -> str:
    """Deflated, as base64."""
    return base64.b64encode(zlib.compress(data, 9)).decode()


def _counted(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole numbers, and the least value and the step with which to undo it; integers stay what they are."""
    if not columns.size:
        return columns.astype(np.int32), np.zeros(columns.shape[1]), np.ones(columns.shape[1])
    known = np.isfinite(columns)
    low = np.min(columns.astype(float), axis=0, where=known, initial=np.inf)
    low = np.where(np.isfinite(low), low, 0.0)
    filled = np.where(known, columns, low)
    step = np.ones_like(low) if columns.dtype.kind in "iu" else (filled.max(axis=0) - low) / STEPS
    counted = np.rint((filled - low) / np.where(step > 0.0, step, 1.0))
    return np.where(known, counted, UNKNOWN).astype(np.int32), low, step


def _split(counted: np.ndarray) -> bytes:
    """Second differences down each column, column after column, their four bytes in four separate runs."""
    first = np.diff(counted, axis=0, prepend=np.zeros((1, counted.shape[1]), np.int32))
    second = np.diff(first, axis=0, prepend=np.zeros((1, counted.shape[1]), np.int32))
    folded = (second << 1) ^ (second >> 31)  # small whether + or -
    words = np.ascontiguousarray(folded.T.astype("<u4")).view(np.uint8).reshape(-1, 4)
    return words.T.tobytes()
