"""Between which points of a path a quantity may have a minimum, and whether it may vanish there."""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.argument_types import MATRIX, TRUTH, VECTOR, VOID, Array
from linkwork.compiler.kernels import Exports, export, kernel, part

REACH = 5.0  # distances of points, within which the conditioning must seem to vanish


def minima(t: np.ndarray, logarithms: np.ndarray, vanish: bool = False) -> np.ndarray:
    """[k, column]: whether `logarithms` [point, column] may have a minimum between points k and k + 1, and what they
    are logarithms of may `vanish` there.
    """
    found = np.zeros((max(len(t) - 1, 0), logarithms.shape[1]), bool)
    find_minima(np.ascontiguousarray(t), np.ascontiguousarray(logarithms), vanish, found)
    return found


@kernel
def find_minima(t, values, vanish, found):
    """The values fall towards k and rise from k + 1 on, or one of the two is lower than its neighbours, in a narrow
    dip; beyond the ends they are taken to be higher.
    """
    for k in range(found.shape[0]):
        for c in range(found.shape[1]):
            found[k, c] = False
            if abs(values[k, c]) < math.inf and abs(values[k + 1, c]) < math.inf:
                falls, rises = _falls_to(values, k, c), _rises_from(values, k + 1, c)
                dip = (falls and values[k, c] < values[k + 1, c]) or (rises and values[k, c] > values[k + 1, c])
                found[k, c] = ((falls and rises) or dip) and (not vanish or _may_vanish(t, values, k, c))


@part
def _falls_to(values, k, c):
    return k == 0 or values[k - 1, c] > values[k, c]


@part
def _rises_from(values, k, c):
    return k == values.shape[0] - 1 or values[k, c] < values[k + 1, c]


@part
def _may_vanish(t, logarithms, k, c):
    """Whether values, which fall as they do until k, or rise as they do from k + 1 on, may vanish between: lines
    through the two on a side reach zero within REACH distances.  The last pivot may be that of another row until then.
    """
    last, gap = t.shape[0] - 1, abs(t[k + 1] - t[k])
    if k == 0 or k + 1 == last:
        return True
    left = math.expm1(logarithms[k - 1, c] - logarithms[k, c])
    right = math.expm1(logarithms[k + 2, c] - logarithms[k + 1, c])
    return abs(t[k] - t[k - 1]) <= left * REACH * gap or abs(t[k + 2] - t[k + 1]) <= right * REACH * gap


def exports() -> Exports:
    """For the native library."""
    yield export(find_minima, VOID, VECTOR, MATRIX, TRUTH, Array(np.dtype(np.bool_), 2))
