"""Triangles painted into an image, the nearest one seen: a z-buffer (Catmull 1974)."""

from __future__ import annotations

from linkwork.compiler.argument_types import CUBE, MATRIX, VOID
from linkwork.compiler.kernels import Exports, export, kernel


@kernel
def paint_triangles(corners, shades, depth, image):
    """Triangles [n, corner, (x, y, nearness)] in pixels, with colours at the corners; the nearest one is seen.

    Weights of the corners at a pixel are the areas of the triangles opposite to them (barycentric coordinates);
    triangles that turn their back are left out.  Opaque; image is RGBA.
    """
    tall, wide = depth.shape
    for n in range(corners.shape[0]):
        x0, y0 = corners[n, 0, 0], corners[n, 0, 1]
        x1, y1 = corners[n, 1, 0], corners[n, 1, 1]
        x2, y2 = corners[n, 2, 0], corners[n, 2, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area <= 1e-9:
            continue
        first, last = max(0, int(min(x0, x1, x2) - 0.5)), min(wide - 1, int(max(x0, x1, x2) + 0.5))
        for row in range(max(0, int(min(y0, y1, y2) - 0.5)), min(tall - 1, int(max(y0, y1, y2) + 0.5)) + 1):
            for column in range(first, last + 1):
                x, y = column + 0.5, row + 0.5
                a = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                near = a * corners[n, 0, 2] + b * corners[n, 1, 2] + c * corners[n, 2, 2]
                if near > depth[row, column]:
                    depth[row, column] = near
                    image[row, column, 3] = 1.0
                    for k in range(3):
                        image[row, column, k] = a * shades[n, 0, k] + b * shades[n, 1, k] + c * shades[n, 2, k]


def exports() -> Exports:
    """For the native library: what Python calls here."""
    yield export(paint_triangles, VOID, CUBE, CUBE, MATRIX, CUBE)
