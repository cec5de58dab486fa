"""Parts of an array as arrays or records of their own, by their place: nothing is copied, and nothing is checked.

A slice, a reshape or a view does the same and takes 0.02 to 0.2 s to compile, each time; these take a few ms.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.errors import NumbaTypeError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array


def _place(context: Any, builder: Any, memory: Any, value: Any, at: Any) -> Any:
    """The address of entry `at` of memory, row after row."""
    return builder.gep(make_array(memory)(context, builder, value).data, [at])


def _record_at(context: Any, memory: Any, at: Any, table: Any) -> Any:
    """The record of type `table` that begins at memory[at]."""
    _check(memory)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, memory, values[0], values[1])
        return builder.bitcast(place, context.get_value_type(table.dtype))

    return table.dtype(memory, types.intp, table), codegen


def _array_at(context: Any, memory: Any, at: Any, shape: Any, kind: Any) -> Any:
    """The array of numbers or records of this kind that begins at memory[at]; `shape`: length, or rows and columns."""
    _check(memory)
    sizes = shape if isinstance(shape, types.UniTuple) else types.UniTuple(types.intp, 1)
    made = types.Array(kind.dtype, sizes.count, "C")

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = make_array(made)(context, builder)
        lengths = [builder.extract_value(values[2], k) for k in range(len(sizes))] if shape is sizes else [values[2]]
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        strides = [size]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        place = builder.bitcast(_place(context, builder, memory, values[0], values[1]), array.data.type)
        populate_array(array, data=place, shape=lengths, strides=strides, itemsize=size, meminfo=None)
        return array._getvalue()

    return made(memory, types.intp, shape, kind), codegen


def _check(memory: Any) -> None:
    if not isinstance(memory, types.Array) or memory.layout != "C":
        raise NumbaTypeError(f"{memory} is not a contiguous vector or table")


record_at: Any = intrinsic(_record_at)
array_at: Any = intrinsic(_array_at)
