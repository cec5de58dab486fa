"""Structures by reference and by address: how a kernel receives some thirty arrays for the price of one number.

From kernel to kernel a structref travels as one pointer.  From Python even that costs 0.5 us to unpack, so that
single calls pass the structure's address, an integer, and open it inside (0.02 us).  The caller keeps the structure
alive.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from linkwork.compiler.kernels import kernel


@intrinsic
def _address(typingctx: Any, reference: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        struct = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(struct.meminfo, context.get_value_type(types.int64))

    return types.int64(reference), codegen


@kernel
def address(reference):
    """Where a structure passed by reference lies in memory."""
    return _address(reference)  # type: ignore[call-arg]


def opener(struct_type: Any) -> Any:
    """A function for kernels that opens an address as a structure of this type."""

    @intrinsic
    def open_address(typingctx: Any, where: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            struct = cgutils.create_struct_proxy(struct_type)(context, builder)
            struct.meminfo = builder.inttoptr(args[0], struct.meminfo.type)
            value = struct._getvalue()
            context.nrt.incref(builder, struct_type, value)
            return value

        return struct_type(types.int64), codegen

    return open_address
