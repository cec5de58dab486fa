"""Functions of one number that may be real or complex, for kernels that run on the CPU and on a GPU.

NumPy's `sqrt`, `exp` and `round` are not there for a GPU kernel; those of `math` are, for real numbers alone.  Neither
one's `isfinite` is for kernels: it asks whether x - x is a number, which the compiler, free to reorder sums, takes for
granted where x is a difference.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from linkwork.compiler.intrinsics import by_scalar
from linkwork.compiler.kernels import part

sqrt = by_scalar(np.sqrt, real=math.sqrt, complex=cmath.sqrt)  # a complex step passes through
exp = by_scalar(np.exp, real=math.exp, complex=cmath.exp)

_root = by_scalar(np.sqrt, real=math.fabs, complex=cmath.sqrt)

LARGEST = float(np.finfo(np.float64).max)


@part
def is_finite(x):
    """Whether a real number is neither infinite nor NaN."""
    return abs(x) <= LARGEST


@part
def imaginary_unit(x):
    """i, if x is the complex number -1; 0, if it is the real one."""
    root = _root(x)
    return root - root.real


@part
def tanh(x):
    """tanh(x), of a complex number to first order in its imaginary part: the whole would overflow where this is 1."""
    y = math.tanh(x.real)
    return y + (1.0 - y * y) * (x - x.real)
