"""A look over the steps of one run of many: whether its velocities may have jumped.

Between the states that a single run would compare (analyses/certificate/trajectory.py,
analyses/certificate/branches.py), theory (11.4),

    |v_b - v_a - (t_b - t_a) (v_dot_a + v_dot_b) / 2|  >  JUMP max(|v_a|, |v_b|)

in units of the velocities' scales; if nowhere, no branch was left.
"""

from __future__ import annotations

import math

from linkwork.analyses.certificate.branches import JUMP
from linkwork.analyses.certificate.trajectory import CLOSE
from linkwork.compiler.argument_types import MATRIX, REAL, VECTOR, WHOLE
from linkwork.compiler.kernels import Exports, export, kernel, part

STRICTER = 0.99  # than a single run, which rounds otherwise


@kernel
def may_have_jumped(t, path, v_first, rate_first, scales, first_speed):
    """1 where it may, else 0.  Rows of the path are states after steps: from `v_first` on velocities, from `rate_first`
    on their rates; `first_speed`: at the start, of the coordinate that moves fastest, in its scale.
    """
    last, mark, way, t_before, speed_before = t.shape[0] - 1, 0.0, 0.0, 0.0, first_speed
    a, b = -1, -1  # the states chosen last, and before
    for k in range(last + 1):
        speed = 0.0
        for j in range(scales.shape[0]):
            speed = max(speed, abs(path[k, v_first + j]) / scales[j])
        way += (t[k] - t_before) * max(speed, speed_before)
        t_before, speed_before = t[k], speed
        if math.floor(way / CLOSE) > mark or k == last:
            if b >= 0 and jumps(t, path, v_first, rate_first, scales, b, k):
                return 1
            if k == last and a >= 0 and jumps(t, path, v_first, rate_first, scales, a, k):
                return 1  # a state just before the last gives way
            a, b, mark = b, k, math.floor(way / CLOSE)
    return 0


@part
def jumps(t, path, v_first, rate_first, scales, a, b):
    """Whether the velocities at two states differ by more than the accelerations tell; so where one is not a number."""
    half, change, of_a, of_b = 0.5 * (t[b] - t[a]), 0.0, 0.0, 0.0
    for j in range(scales.shape[0]):
        v_a, v_b = path[a, v_first + j] / scales[j], path[b, v_first + j] / scales[j]
        rates = (path[a, rate_first + j] + path[b, rate_first + j]) / scales[j]
        change += (v_b - v_a - half * rates) ** 2
        of_a += v_a * v_a
        of_b += v_b * v_b
    return not change <= (STRICTER * JUMP) ** 2 * max(of_a, of_b)


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(may_have_jumped, WHOLE, VECTOR, MATRIX, WHOLE, WHOLE, VECTOR, REAL)
