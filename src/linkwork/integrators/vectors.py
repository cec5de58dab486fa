"""Copies, entry by entry: a slice assignment takes seconds to compile."""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def copy(source, target):
    """target = source."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@part
def copy_rows(source, target):
    """The same of tables."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]
