"""Kernels called by their address: a table of addresses lets a compiled loop call what a model brings along.

A family of elements (elements/family.py) is compiled alone, when a model first has one, and only its address enters
the loop: `evaluate` stays as it is, whatever there is in the catalogue.

An address is one of the CPU's.  On a GPU it is the number of a kernel in its group, and a call goes through all of the
group: if the number is 0, the first; else if it is 1, the second; and so on.  A compiler inlines them at every place of
such a call, so that there should be few: one a group.
"""

from __future__ import annotations

import functools

from linkwork.compiler.argument_types import Signature
from linkwork.compiler.intrinsics import Intrinsic
from linkwork.compiler.kernels import Kernel, backend, part

call_kernel = Intrinsic(
    "call_kernel",
    "call_kernel(address, system, t, angles, work, first, last): call the kernel at that address; nothing on a GPU.",
)


def call_kernel_of(group: int) -> Intrinsic:
    """The same for a group of kernels, which run on a GPU too."""
    return Intrinsic("call_kernel_of", call_kernel.__doc__ or "", group)


call_back = Intrinsic(
    "call_back", "call_back(address, room, item, t): call the C function at `address`, void(int64, int64, double)."
)


def kernel_address(kernel: Kernel, signature: Signature) -> int:
    """Where the machine code of a kernel lies, compiled for this signature."""
    return backend().address(kernel, signature)


_ON_GPU: dict[int, list[Kernel]] = {}  # by group


def also_on_gpu(group: int, kernel: Kernel) -> None:
    """Let a kernel be called on a GPU as well; call it before anything is compiled for one."""
    if kernel not in _ON_GPU.setdefault(group, []):
        _ON_GPU[group].append(kernel)


def number_on_gpu(group: int, kernel: Kernel) -> int:
    """What stands for the address of a kernel on a GPU."""
    return _ON_GPU[group].index(kernel)


@functools.cache
def chosen_by_number(group: int) -> Kernel:
    """A kernel (number, system, t, angles, work, first, last) that calls the one of this number."""
    chosen = _nothing
    for number, kernel in reversed(list(enumerate(_ON_GPU.get(group, ())))):
        chosen = _either(number, kernel, chosen)
    return chosen


@part
def _nothing(chosen, system, t, angles, work, first, last):
    pass


def _either(number: int, kernel: Kernel, others: Kernel) -> Kernel:
    @part
    def either(chosen, system, t, angles, work, first, last):
        if chosen == number:
            kernel(system, t, angles, work, first, last)
        else:
            others(chosen, system, t, angles, work, first, last)

    return either
