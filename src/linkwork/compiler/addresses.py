"""Kernels called by their address: a table of addresses lets a compiled loop call what a model brings along.

A family of elements (elements/family.py) is compiled alone, when a model first has one, and only its address enters
the loop: `evaluate` stays as it is, whatever there is in the catalogue.
"""

from __future__ import annotations

from linkwork.compiler.argument_types import Signature
from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.kernels import Kernel, backend

call_kernel = Intrinsic(
    "call_kernel",
    "call_kernel(address, system, t, angles, work, first, last): call the kernel at that address.",
)


call_back = Intrinsic(
    "call_back", "call_back(address, room, item, t): call the C function at `address`, void(int64, int64, double)."
)


def kernel_address(kernel: Kernel, signature: Signature) -> int:
    """Where the machine code of a kernel lies, compiled for this signature."""
    return backend().address(kernel, signature)
