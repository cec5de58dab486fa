"""Functions of one number that may be real or complex, for kernels that run on the CPU and on a GPU.

NumPy's `sqrt`, `isfinite` and `round` are not there for a GPU kernel; those of `math` are, for real numbers alone.
"""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from linkwork.compiler.kernels import part


def sqrt(x: Any) -> Any:
    """The square root; a complex step passes through."""
    return np.sqrt(x)


@overload(sqrt)
def _sqrt(x):
    if isinstance(x, types.Complex):
        return lambda x: cmath.sqrt(x)
    return lambda x: math.sqrt(x)


@part
def tanh(x):
    """tanh(x), of a complex number to first order in its imaginary part: the whole would overflow where this is 1."""
    y = math.tanh(x.real)
    return y + (1.0 - y * y) * (x - x.real)
