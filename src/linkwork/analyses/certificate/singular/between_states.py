"""Positions between the states of a path: Hermite's polynomial through the values and slopes of the states around.

    q(t) = sum_i c_i prod_{j < i} (t - z_j),   z = t_0, t_0, t_1, t_1, ...

with divided differences c_i (Stoer and Bulirsch, Introduction to Numerical Analysis, 2.1).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import MATRIX, REAL, VECTOR, VOID, WHOLE
from linkwork.compiler.kernels import Exports, export, kernel

WINDOW = 4  # states, through which the positions between two are interpolated
UNEVEN = 30.0  # ratio of the times between states: beside a dead centre, where speeds grow without bound, it is more


def interpolation_buffers(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Room for the nodes and differences of so many coordinates."""
    return np.zeros(2 * WINDOW), np.zeros((2 * WINDOW, count))


@kernel
def pass_through(t, y, rate, k, nodes, differences):
    """Nodes and divided differences [node, coordinate] for times from state k to k + 1; how many nodes there are.

    Through the states around them whose times are neither far from nor close to each other, beside these two.
    """
    first = max(min(k - 1, t.shape[0] - WINDOW), 0)
    last = min(first + WINDOW, t.shape[0]) - 1
    own = abs(t[k + 1] - t[k])
    low, high = k, k + 1
    while low > first and own / UNEVEN < abs(t[low] - t[low - 1]) < own * UNEVEN:
        low -= 1
    while high < last and own / UNEVEN < abs(t[high + 1] - t[high]) < own * UNEVEN:
        high += 1
    count = 2 * (high - low + 1)
    for i in range(count):
        state = low + i // 2
        nodes[i] = t[state]
        for j in range(differences.shape[1]):
            differences[i, j] = y[state, j]
    for order in range(1, count):
        for i in range(count - 1, order - 1, -1):
            if order == 1 and i % 2 == 1:
                for j in range(differences.shape[1]):
                    differences[i, j] = rate[low + i // 2, j]
            else:
                gap = nodes[i] - nodes[i - order]
                for j in range(differences.shape[1]):
                    differences[i, j] = (differences[i, j] - differences[i - 1, j]) / gap
    return count


@kernel
def position_at(time, count, nodes, differences, q):
    """The coordinates at a time, by nested multiplication."""
    for j in range(differences.shape[1]):
        s = differences[count - 1, j]
        for i in range(count - 2, -1, -1):
            s = differences[i, j] + (time - nodes[i]) * s
        q[j] = s


def exports() -> Exports:
    """For the native library."""
    yield export(pass_through, WHOLE, VECTOR, MATRIX, MATRIX, WHOLE, VECTOR, MATRIX)
    yield export(position_at, VOID, REAL, WHOLE, VECTOR, MATRIX, VECTOR)
