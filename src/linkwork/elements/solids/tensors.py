"""Inertia tensors as plain numbers: what one body needs is sooner done without arrays, and models have many bodies."""

from __future__ import annotations

import numpy as np

Row = tuple[float, float, float]
Tensor = tuple[Row, Row, Row]  # kg m2


def diagonal(x: float, y: float, z: float) -> Tensor:
    """With these principal values, about the axes."""
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))


def about_axis(along: float, across: float, axis: Row) -> Tensor:
    """The same about an axis, a unit vector, and across it: across 1 + (along - across) a a^T."""
    more, (x, y, z) = along - across, axis
    xy, yz, zx = 0.0 + more * (x * y), 0.0 + more * (y * z), 0.0 + more * (z * x)  # never -0
    return ((across + more * (x * x), xy, zx), (xy, across + more * (y * y), yz), (zx, yz, across + more * (z * z)))


def as_tensor(J: np.ndarray) -> Tensor:
    """An array as plain numbers."""
    x, y, z = map(tuple, J.tolist())
    return (x, y, z)
