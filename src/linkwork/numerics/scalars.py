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


def sqrt(x: Any) -> Any:
    """The square root; a complex step passes through."""
    return np.sqrt(x)


@overload(sqrt)
def _sqrt(x):
    if isinstance(x, types.Complex):
        return lambda x: cmath.sqrt(x)
    return lambda x: math.sqrt(x)
