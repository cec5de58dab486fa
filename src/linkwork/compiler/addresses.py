"""Kernels called by their address: a table of addresses lets a compiled loop call what a model brings along.

A family of elements (elements/family.py) is compiled alone, when a model first has one, and only its address enters
the loop: `evaluate` stays as it is, whatever there is in the catalogue.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

from linkwork.compiler.kernels import bind


def kernel_address(function: Any, *arguments: Any) -> int:
    """Where the machine code of a kernel that returns nothing lies, compiled for these argument types."""
    bind(function, types.void, *arguments)
    compiled = function.overloads[arguments]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


@intrinsic
def call_kernel(context: Any, address: Any, system: Any, t: Any, angles: Any, work: Any, first: Any, last: Any) -> Any:
    """Call the kernel at `address` with (system, t, angles, work, first, last).

    An address is one of the CPU's: a GPU calls nothing, and models with families are refused there (studies/gpu.py).
    """
    arguments = (system, t, angles, work, first, last)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        if not isinstance(context, CPUContext):
            return context.get_dummy_value()
        kind = context.call_conv.get_function_type(types.void, arguments)
        function = builder.inttoptr(values[0], kind.as_pointer())
        context.call_conv.call_function(builder, function, types.void, arguments, values[1:])
        return context.get_dummy_value()

    return types.void(address, *arguments), codegen


@intrinsic
def call_back(context: Any, address: Any, room: Any, item: Any, t: Any) -> Any:
    """Call the C function at `address`, void(int64, int64, double), with (room, item, t)."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole, real = ir.IntType(64), ir.DoubleType()
        function = builder.inttoptr(values[0], ir.FunctionType(ir.VoidType(), [whole, whole, real]).as_pointer())
        builder.call(function, values[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.float64), codegen
