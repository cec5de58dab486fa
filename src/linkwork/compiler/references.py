"""Structures by reference: how a kernel receives some fifty arrays for the price of one address.

A NamedTuple of arrays is described once, in memory that Python keeps: for each array, 64-bit numbers side by side,

    0, 0, size, bytes of an item, address of the data, lengths of the axes, strides of the axes in bytes

which is how a backend reads an array as well.  Between kernels a structure travels as one pointer to that.  A call from
Python takes 0.3 us to unpack a Reference; where even that counts, the call passes the address, an integer, and the
kernel opens it (`opener`).  (Measured: a NamedTuple of 33 arrays costs 250 ns a call of a stage and four times the
compile time; a pointer costs 10 ns.)
"""

from __future__ import annotations

import ctypes
from array import array as flat_array
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from linkwork.compiler.argument_types import Array, Structure
from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.kernels import backend


class Reference:
    """A structure by reference, for kernels; keeps its arrays alive."""

    __slots__ = ("_described", "_numba_type_", "_structure", "address", "type")
    _numba_type_: Any  # where Numba looks for the type of an argument; filled at the first call

    def __init__(self, structure: NamedTuple) -> None:
        self._structure = structure
        for self.type, describe in _DESCRIBERS.get(type(structure), ()):
            try:
                self._described, self.address = describe(structure)
                return
            except TypeError:  # of another type
                continue
        self.type = structure_type(structure)
        described: list[int] = []
        for array in structure:
            described += (0, 0, array.size, array.itemsize, _address(array), *array.shape, *array.strides)
        self._described = flat_array("q", described)
        self.address = self._described.buffer_info()[0]
        _learn_to_describe(structure, self.type)


_DESCRIBERS: dict[type, list[tuple[Structure, Callable[..., Any]]]] = {}  # of the backend, which is faster


def _learn_to_describe(structure: NamedTuple, kind: Structure) -> None:
    """Ask the backend how to describe structures of this type, if they are of those that kernels take."""
    known = _DESCRIBERS.setdefault(type(structure), [])
    describe = backend().describer(kind, _LAYOUTS[kind])
    if describe is not None and kind not in (one for one, _ in known):
        known.append((kind, describe))


def opener(structure: Structure) -> Intrinsic:
    """A function for kernels that opens an address as a structure of this type; the caller keeps it alive."""
    return Intrinsic("opener", "The structure at an address.", structure)


class Layout(NamedTuple):
    """The fields of a structure, and what they are."""

    names: tuple[str, ...]
    kinds: list[tuple[np.dtype, int]]

    def fields(self) -> list[tuple[str, Array]]:
        """Name and type of each field."""
        return [(name, Array(*kind)) for name, kind in zip(self.names, self.kinds, strict=True)]


_LAYOUTS: dict[Structure, Layout] = {}  # as the first of its kind had it


def layout(structure: Structure) -> Layout:
    """The layout of a structure of which there has been one."""
    if structure not in _LAYOUTS:
        raise LookupError(f"there has been no {structure} yet: its layout is that of the first one")
    return _LAYOUTS[structure]


def known_layouts() -> Mapping[Structure, Layout]:
    """The layouts of all structures of which there has been one."""
    return _LAYOUTS


def structure_type(structure: Any) -> Structure:
    """The type of a NamedTuple of arrays; an error if it is not laid out as the first of its type was."""
    kinds = [(array.dtype, array.ndim) for array in structure]
    name = type(structure).__name__
    for complex in (False, True):
        known = _LAYOUTS.get(Structure(name, complex))
        if known is not None and known.kinds == kinds:
            break
    else:
        complex = any(_is_complex(dtype) for dtype, _ in kinds)
        _check(_LAYOUTS.setdefault(Structure(name, complex), Layout(structure._fields, kinds)), name, structure)
    return Structure(name, complex)


def _is_complex(dtype: np.dtype) -> bool:
    if dtype.names is not None:
        return any(_is_complex(dtype[name]) for name in dtype.names)
    return dtype.base.kind == "c"


def _check(expected: Layout, name: str, structure: Any) -> None:
    for (field, kind), array in zip(expected.fields(), structure, strict=True):
        if kind != Array(array.dtype, array.ndim):
            raise TypeError(f"{name}.{field} is {Array(array.dtype, array.ndim)}; kernels take {kind} there")


def _address(array: np.ndarray) -> int:
    """Where the data of an array lie."""
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        raise TypeError("kernels take contiguous and aligned arrays only")
    if array.size == 0:
        return 0
    if flags.writeable:
        memory: Any = array
        return ctypes.addressof(ctypes.c_char.from_buffer(memory))  # a tenth of the time of the other
    return array.ctypes.data
