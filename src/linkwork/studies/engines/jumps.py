"""A look over the steps of one run of many: whether its velocities may have jumped.

Between the states that a single run would compare (analyses/certificate/trajectory.py,
analyses/certificate/branches.py), theory (11.4),

    |v_b - v_a - (t_b - t_a) (v_dot_a + v_dot_b) / 2|  >  JUMP max |v|

in units of the velocities' scales, and more than ALONE times as much as between the states around; if nowhere, no
branch was left.
"""

from __future__ import annotations

import math

from linkwork.analyses.certificate.branches import ALONE, JUMP
from linkwork.analyses.certificate.trajectory import CLOSE
from linkwork.compiler.argument_types import MATRIX, REAL, VECTOR, WHOLE
from linkwork.compiler.kernels import Exports, export, kernel, part

STRICTER = 0.99  # than a single run, which rounds otherwise


@kernel
def may_have_jumped(t, path, v_first, rate_first, scales, first_speed, smooth, change, speed):
    """1 where it may, else 0.  Rows of the path are states after steps: from `v_first` on velocities, from `rate_first`
    on their rates; `first_speed`: at the start, of the coordinate that moves fastest, in its scale; `smooth`: 1 where
    no force may jump, so that all changes count.  `change` and `speed`: room for a number a step, and two more.
    """
    last, mark, way, t_before, speed_before = t.shape[0] - 1, 0.0, 0.0, 0.0, first_speed
    a, b, count = -1, -1, 0  # the states chosen last, and before; how many
    speed[0] = 0.0
    for k in range(last + 1):
        fastest = 0.0
        for j in range(scales.shape[0]):
            fastest = max(fastest, abs(path[k, v_first + j]) / scales[j])
        way += (t[k] - t_before) * max(fastest, speed_before)
        t_before, speed_before = t[k], fastest
        passed = math.floor(way / CLOSE) > mark
        if passed or k == last:
            change[count] = unexplained(t, path, v_first, rate_first, scales, b, k)
            count += 1
            speed[count] = length(path, v_first, scales, k)
            if k == last and not passed and count > 1:  # a state just before the last gives way
                there = change[count - 2]
                change[count - 2] = unexplained(t, path, v_first, rate_first, scales, a, k)
                here, speed[count - 1] = speed[count - 1], speed[count]
                if stands_out(change, speed, count - 1, smooth):
                    return 1
                change[count - 2], speed[count - 1] = there, here
            a, b, mark = b, k, math.floor(way / CLOSE)
    return 1 if stands_out(change, speed, count, smooth) else 0


@part
def unexplained(t, path, v_first, rate_first, scales, a, b):
    """By how much the velocities at two states differ from what the accelerations tell; 0 from the start on, where they
    are not known.
    """
    if a < 0:
        return 0.0
    half, change = 0.5 * (t[b] - t[a]), 0.0
    for j in range(scales.shape[0]):
        rates = path[a, rate_first + j] + path[b, rate_first + j]
        change += ((path[b, v_first + j] - path[a, v_first + j] - half * rates) / scales[j]) ** 2
    return math.sqrt(change)


@part
def length(path, v_first, scales, k):
    """Of the velocities at a state."""
    total = 0.0
    for j in range(scales.shape[0]):
        total += (path[k, v_first + j] / scales[j]) ** 2
    return math.sqrt(total)


@part
def stands_out(change, speed, count, smooth):
    """Whether a change is large, and larger than those around it; so where one is not a number."""
    for p in range(count):
        beside, around, fastest = 0.0, 0.0, 0.0
        for k in range(max(p - 4, 0), min(p + 5, count)):
            if not abs(change[k]) < math.inf:
                return True
            if p - 1 <= k <= p + 1:
                beside = max(beside, change[k])
            else:
                around = max(around, change[k])
        for k in range(max(p - 1, 0), min(p + 3, count + 1)):
            fastest = max(fastest, speed[k])
        if beside > STRICTER * JUMP * fastest and (smooth == 0 or beside > STRICTER * ALONE * around):
            return True
    return False


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(may_have_jumped, WHOLE, VECTOR, MATRIX, WHOLE, WHOLE, VECTOR, REAL, WHOLE, VECTOR, VECTOR)
