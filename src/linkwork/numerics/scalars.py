"""Functions of one number that may be real or complex, for kernels that run on the CPU and on a GPU.

NumPy's `sqrt`, `isfinite` and `round` are not there for a GPU kernel; those of `math` are, for real numbers alone.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from linkwork.compiler.intrinsics import by_scalar

sqrt = by_scalar(np.sqrt, real=math.sqrt, complex=cmath.sqrt)  # a complex step passes through
