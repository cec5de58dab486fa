"""Loops over one vector that several integrators need."""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def copy(source, target):
    """target = source."""
    for i in range(target.shape[0]):
        target[i] = source[i]
