"""The code of each intrinsic (compiler/intrinsics.py, carving.py, addresses.py, references.py), by its name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import NumbaTypeError
from numba.core.registry import cpu_target
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import from_dtype

from linkwork.compiler.argument_types import Structure
from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.numba_backend.argument_types import numba_type


@functools.cache
def numba_intrinsic(light: Intrinsic) -> Any:
    """The intrinsic as Numba knows it."""
    recipe = _RECIPES[light.name]
    made = intrinsic(recipe(*light.parameters) if light.parameters else recipe)
    cpu_target.typing_context.refresh()
    return made


# -- parts of arrays and of records (carving.py) ----------------------------------------------------------------------
def _record_at(typing: Any, memory: Any, at: Any, table: Any) -> Any:
    _check(memory)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = _place(context, builder, memory, values[0], values[1])
        return builder.bitcast(place, context.get_value_type(table.dtype))

    return table.dtype(memory, types.intp, table), codegen


def _array_at(typing: Any, memory: Any, at: Any, shape: Any, kind: Any) -> Any:
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


def _place(context: Any, builder: Any, memory: Any, value: Any, at: Any) -> Any:
    """The address of entry `at` of memory, row after row."""
    return builder.gep(make_array(memory)(context, builder, value).data, [at])


def _fields_of(dtype: np.dtype) -> Callable[..., Any]:
    part: Any = from_dtype(dtype)
    first = next(iter(part.fields))

    def fields_of(typing: Any, record: Any) -> Any:
        begin = record.offset(first)
        if any(record.offset(name) - begin != part.offset(name) for name in part.fields):
            raise NumbaTypeError(f"the fields {', '.join(part.fields)} do not lie side by side in {record}")

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            zero, at = (context.get_constant(types.intp, k) for k in (0, begin))
            return builder.bitcast(builder.gep(values[0], [zero, at]), context.get_value_type(part))

        return part(record), codegen

    return fields_of


# -- calls by address (addresses.py) ----------------------------------------------------------------------------------
def _call_kernel(
    typing: Any, address: Any, system: Any, t: Any, angles: Any, work: Any, first: Any, last: Any
) -> Any:  # fmt: skip
    arguments = (system, t, angles, work, first, last)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = context.call_conv.get_function_type(types.void, arguments)
        function = builder.inttoptr(values[0], kind.as_pointer())
        context.call_conv.call_function(builder, function, types.void, arguments, values[1:])
        return context.get_dummy_value()

    return types.void(address, *arguments), codegen


def _call_back(typing: Any, address: Any, room: Any, item: Any, t: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole, real = ir.IntType(64), ir.DoubleType()
        function = builder.inttoptr(values[0], ir.FunctionType(ir.VoidType(), [whole, whole, real]).as_pointer())
        builder.call(function, values[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.float64), codegen


# -- structures (references.py) ---------------------------------------------------------------------------------------
def _opener(structure: Structure) -> Callable[..., Any]:
    def open_address(typing: Any, address: Any) -> Any:
        kind = numba_type(structure)

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], context.get_value_type(kind))

        return kind(types.int64), codegen

    return open_address


# -- functions of a number (intrinsics.py) ----------------------------------------------------------------------------
def _by_scalar(real: Callable[..., Any], complex: Callable[..., Any]) -> Callable[..., Any]:
    def by_scalar(typing: Any, x: Any) -> Any:
        function = typing.resolve_value_type(complex if isinstance(x, types.Complex) else real)
        inner = function.get_call_type(typing, (x,), {})

        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            value = context.cast(builder, values[0], x, inner.args[0])
            return context.get_function(function, inner)(builder, [value])

        return inner.return_type(x), codegen

    return by_scalar


_RECIPES: dict[str, Callable[..., Any]] = {
    "record_at": _record_at,
    "array_at": _array_at,
    "fields_of": _fields_of,
    "call_kernel": _call_kernel,
    "call_back": _call_back,
    "opener": _opener,
    "by_scalar": _by_scalar,
}
