"""Arrays on a GPU that other programs take without a copy: by DLPack (PyTorch, JAX, CuPy) or CUDA's array interface.

DLPack 0.8: a capsule "dltensor" holds a DLManagedTensor, whose deleter its taker calls; one that nobody takes is
deleted with its capsule.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from linkwork.compiler.gpu.driver import Buffer, Device

CODES = {"i": 0, "u": 1, "f": 2}  # of types of numbers
NAME = b"dltensor"


class Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("axes", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    )  # fmt: skip


_GIVEN: dict[int, tuple[Any, ...]] = {}  # what takers hold, by the address of its tensor
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_IS_VALID = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)  # fmt: skip
_POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)  # fmt: skip
_NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)  # fmt: skip


@_DELETER
def _delete(tensor: int) -> None:
    _GIVEN.pop(tensor, None)


@_DELETER
def _forget(capsule: int) -> None:
    """Of a capsule at its end: nobody has taken the tensor if it is still called so."""
    if _IS_VALID(capsule, NAME):
        _GIVEN.pop(_POINTER(capsule, NAME), None)


class DeviceArray:
    """A contiguous array on a GPU; it stays as long as this object or a taker of it."""

    def __init__(self, on: Device, buffer: Buffer, shape: tuple[int, ...], kind: type, offset: int = 0) -> None:
        self.on, self.buffer, self.shape, self.dtype, self.offset = on, buffer, shape, np.dtype(kind), offset

    @property
    def address(self) -> int:
        """Where it begins."""
        return self.buffer.address + self.offset

    def numpy(self) -> np.ndarray:
        """A copy on this machine."""
        array: np.ndarray = np.empty(self.shape, self.dtype)
        self.on.to_host(self, array)
        return array

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        """The first GPU."""
        return self.on.dlpack_kind, 0

    def __dlpack__(self, **_: Any) -> Any:
        """A capsule; what has written the array has been waited for, whatever the stream."""
        tensor, shape = Tensor(), (ctypes.c_int64 * len(self.shape))(*self.shape)
        tensor.data, tensor.axes = self.address, len(self.shape)
        tensor.device_type, tensor.device_id = self.__dlpack_device__()
        tensor.code, tensor.bits, tensor.lanes = CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1
        tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        tensor.deleter = ctypes.cast(_delete, ctypes.c_void_p).value
        address = ctypes.addressof(tensor)
        _GIVEN[address] = (self, tensor, shape)
        return _NEW(address, NAME, ctypes.cast(_forget, ctypes.c_void_p))
