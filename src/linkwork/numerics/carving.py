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
    """The address of memory[at]."""
    return builder.gep(make_array(memory)(context, builder, value).data, [at])


def _record_at(context: Any, memory: Any, at: Any, table: Any) -> Any:
    """The record of type `table` that begins at memory[at]."""
    _check(memory)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, memory, values[0], values[1])
        return builder.bitcast(place, context.get_value_type(table.dtype))

    return table.dtype(memory, types.intp, table), codegen


def _array_at(context: Any, memory: Any, at: Any, shape: Any, number: Any) -> Any:
    """The array of numbers of this type that begins at memory[at]; `shape`: its length, or rows and columns."""
    _check(memory)
    sizes = types.UniTuple(types.intp, shape.count if isinstance(shape, types.UniTuple) else 1)
    kind = types.Array(number.dtype, sizes.count, "C")

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, memory, values[0], values[1])
        array = make_array(kind)(context, builder)
        lengths = [values[2]] if sizes.count == 1 else [builder.extract_value(values[2], k) for k in range(sizes.count)]
        strides = [context.get_constant(types.intp, kind.dtype.bitwidth // 8)]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(
            array, data=builder.bitcast(place, array.data.type), shape=lengths, strides=strides,
            itemsize=context.get_constant(types.intp, kind.dtype.bitwidth // 8), meminfo=None,
        )  # fmt: skip
        return array._getvalue()

    return kind(memory, types.intp, sizes if sizes.count > 1 else types.intp, number), codegen


def _check(memory: Any) -> None:
    if not isinstance(memory, types.Array) or memory.ndim != 1 or memory.layout != "C":
        raise NumbaTypeError(f"{memory} is not a contiguous vector")


record_at: Any = intrinsic(_record_at)
array_at: Any = intrinsic(_array_at)
