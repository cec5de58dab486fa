"""Our argument types as Numba's."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from numba import types
from numba.np.numpy_support import from_dtype

from linkwork.compiler.argument_types import ArgumentType, Array, Number, Numbers, Signature, Structure
from linkwork.compiler.references import layout

_NUMBERS = {"v": types.void, "d": types.float64, "D": types.complex128, "q": types.int64, "?": types.boolean}


class StructureRef(types.Type):
    """A structure by reference: a pointer to the descriptions of its arrays (compiler/references.py)."""

    def __init__(self, structure: Structure) -> None:
        fields = [(name, numba_type(kind)) for name, kind in layout(structure).fields()]
        self.members = types.Tuple([kind for _, kind in fields])
        self.places = {name: place for place, (name, _) in enumerate(fields)}
        digest = hashlib.sha256(", ".join(f"{name}: {kind}" for name, kind in fields).encode())
        super().__init__(f"{structure} {digest.hexdigest()[:16]}")  # short, since it enters the names of symbols


@functools.cache
def numba_type(argument: ArgumentType) -> Any:
    """The type that Numba compiles for."""
    if isinstance(argument, Number):
        return _NUMBERS[argument.letter]
    if isinstance(argument, Numbers):
        return types.UniTuple(_NUMBERS[argument.letter], argument.count)
    if isinstance(argument, Array):
        return types.Array(from_dtype(argument.dtype), argument.axes, "C")
    if isinstance(argument, Structure):
        return StructureRef(argument)
    return types.FunctionType(numba_signature(argument.signature))


@functools.cache
def numba_signature(signature: Signature) -> Any:
    """The same for a signature."""
    return numba_type(signature.returns)(*map(numba_type, signature.arguments))
