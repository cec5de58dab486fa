"""A table of records in a block of bytes, opened inside a kernel.

`block[first:last].view(TABLE)` says the same, and takes 0.2 s to compile when a process first says it, then 0.04 s for
each kernel: NumPy's checks are compiled, too.  The compiler of tables has made sure of what they check.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from linkwork.numerics.shortcuts import VIEWS


def _opened(context: Any, block: Any, first: Any, last: Any, table: Any) -> Any:
    """The records of the dtype `table` in bytes first..last-1 of `block`; no copy."""
    kind = types.Array(table.dtype, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        whole, found = make_array(block)(context, builder, values[0]), make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        start = builder.bitcast(builder.gep(whole.data, [values[1]]), found.data.type)
        count = builder.sdiv(builder.sub(values[2], values[1]), size)
        populate_array(found, start, [count], [size], size, whole.meminfo)
        return impl_ret_borrowed(context, builder, kind, found._getvalue())

    return kind(block, types.int64, types.int64, table), codegen


opened: Any = intrinsic(_opened)
VIEWS.add(opened)
