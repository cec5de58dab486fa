"""FMUs are made of the native library: their tests need one whose kernels are of these very sources."""

from __future__ import annotations

from functools import cache

import pytest

from linkwork.elements.family import FAMILY_KERNEL
from linkwork.elements.registry import FAMILIES
from linkwork.errors import KernelError
from linkwork.fmu.frozen_run import symbol_of
from linkwork.fmu.refusals import native_library
from linkwork.integrators.exports import exports


@cache
def unfit() -> str:
    """Why FMUs cannot be tested; nothing if they can."""
    families = ((kernel, FAMILY_KERNEL) for family in FAMILIES for kernel in family.kernels.values())
    try:
        library = native_library()
        for kernel, signature in (*exports(), *families):
            symbol_of(library, kernel, signature)
    except KernelError as reason:
        return str(reason)
    return ""


needs_native_library = pytest.mark.skipif(bool(unfit()), reason=unfit())
