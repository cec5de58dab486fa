"""Planes of planar mechanisms."""

from __future__ import annotations

import numpy as np

PLANES = {
    "xy": (0.0, 0.0, 1.0),
    "xz": (0.0, -1.0, 0.0),
    "yz": (1.0, 0.0, 0.0),
}  # normals; x to y, x to z, y to z positive


def plane_axes(plane: str) -> np.ndarray:
    """Frame whose x and y axes are the plane's two, and z its normal."""
    first, second = (np.eye(3)["xyz".index(letter)] for letter in plane)
    return np.column_stack([first, second, np.array(PLANES[plane])])
