"""Paths towards the root of a tree, for all of its places at once, and loops between two of them, compiled.

Paths are given by what is above each place, -1 above the last.  Each round of pointer jumping doubles how far they have
been followed (Wyllie 1979).
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import VOID, WHOLE_MATRIX, WHOLES, records
from linkwork.compiler.kernels import Exports, export, kernel
from linkwork.elements.constraints.rows import COLUMN
from linkwork.elements.joints.motions import AXIS


def ends_of_paths(above: np.ndarray) -> np.ndarray:
    """Of each place the last on its path."""
    at = np.where(above < 0, np.arange(len(above)), above)
    while np.any(at[at] != at):
        at = at[at]
    return at


def lengths_of_paths(above: np.ndarray) -> np.ndarray:
    """Of each place how many are above it."""
    length, up = (above >= 0).astype(np.int64), above.copy()
    while np.any(up >= 0):
        further = np.flatnonzero(up >= 0)
        length[further], up[further] = length[further] + length[up[further]], up[up[further]]
    return length


@kernel
def lengths_of_loops(axes, ends, lengths):
    """Of each loop how many axes there are on its way from the place where its two paths to the root meet to either of
    its ends, axes or -1.
    """
    for n in range(ends.shape[0]):
        a, b = ends[n, 0], ends[n, 1]
        lengths[n, 0] = lengths[n, 1] = 0
        while a != b:  # from the deeper of the two towards the root, until both meet
            if b < 0 or (a >= 0 and axes[a].depth >= axes[b].depth):
                a = axes[a].before
                lengths[n, 0] += 1
            else:
                b = axes[b].before
                lengths[n, 1] += 1


@kernel
def columns_of_loops(axes, ends, lengths, first, columns):
    """The motions of each loop from `first` on: those on the way to its end A, then to B, from the root outwards."""
    for n in range(ends.shape[0]):
        for side in range(2):
            place = first[n] + lengths[n, 0] + side * lengths[n, 1]
            axis = ends[n, side]
            for _ in range(lengths[n, side]):
                place -= 1
                column = columns[place]
                column.dof, column.side, column.axis = axes[axis].dof, 2 * side - 1, axis
                axis = axes[axis].before


def exports() -> Exports:
    """For the native library."""
    yield export(lengths_of_loops, VOID, records(AXIS), WHOLE_MATRIX, WHOLE_MATRIX)
    yield export(columns_of_loops, VOID, records(AXIS), WHOLE_MATRIX, WHOLE_MATRIX, WHOLES, records(COLUMN))
