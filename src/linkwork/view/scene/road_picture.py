"""What tyres and roads look like: a rubber ring with a rim, and a slab with the road's own surface."""

from __future__ import annotations

import numpy as np

from linkwork.elements.tyres.road import Road
from linkwork.elements.tyres.tyre import Tyre
from linkwork.numerics.rotations import euler_parameters, frame_with_axis
from linkwork.view.scene.meshes import Mesh, cylinder, joined, lathe
from linkwork.view.scene.pictures import GROUND_PAINT, RUBBER, STEEL, Part

MARGIN = 1.5  # m, of road before and behind what the wheels pass, and half of it beside them
FINE, MOST = 0.02, 6000  # m, between points of the surface; most points along the road
LEVEL = 1e-5  # m: a point nearer to the line between its neighbours is left out
THICK = 0.06  # m, of the slab below the lowest point


def tyre_parts(tyre: Tyre) -> list[Part]:
    """Tread and rim about the wheel's axis."""
    r, half = tyre.radius, 0.3 * tyre.radius
    inner, b = 0.58 * r, 0.12 * r
    tread = lathe([(inner, half - b), (inner, b - half), (inner + b, -half), (r - b, -half), (r, b - half),
                   (r, half - b), (r - b, half), (inner + b, half), (inner, half - b)])  # fmt: skip
    rim = joined([cylinder(0.585 * r, 0.25 * r), cylinder(0.2 * r, 0.45 * r)])
    turn = tuple(map(float, euler_parameters(frame_with_axis(np.array(tyre.axis)))))
    return [Part(tread, tyre.at, turn, RUBBER), Part(rim, tyre.at, turn, STEEL)]


def road_part(road: Road, low: np.ndarray, high: np.ndarray) -> Part:
    """A slab of the road under what the wheels cover (m, world)."""
    x = np.linspace(low[0] - MARGIN, high[0] + MARGIN, int(min(MOST, (high[0] - low[0] + 2 * MARGIN) / FINE + 2)))
    left, right = high[1] + 0.5 * MARGIN, low[1] - 0.5 * MARGIN
    y = np.array([left, right]) if left * right > 0.0 else np.array([left, 1e-9, -1e-9, right])
    z = np.array([road.height(x, np.full_like(x, side)) for side in y]).T
    bend = np.abs(z[1:-1] - 0.5 * (z[:-2] + z[2:])).max(axis=1)
    keep = np.concatenate([[True], bend > LEVEL, [True]])
    keep[1:] |= keep[:-1]
    keep[:-1] |= keep[1:]
    return Part(_slab(x[keep], y, z[keep]), paint=GROUND_PAINT)


def _slab(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Mesh:
    """A closed slab with heights z [x, y] on top and a flat bottom; sides with vertices of their own."""
    n, m, bottom = len(x), len(y), float(z.min()) - THICK
    X, Y = np.meshgrid(x, y, indexing="ij")
    top = np.column_stack([X.ravel(), Y.ravel(), z.ravel()])
    base = np.column_stack([X.ravel(), Y.ravel(), np.full(n * m, bottom)])
    i, j = (index.ravel() for index in np.meshgrid(np.arange(n - 1), np.arange(m - 1), indexing="ij"))
    a, b, c, d = i * m + j, (i + 1) * m + j, (i + 1) * m + j + 1, i * m + j + 1
    up = np.concatenate([np.column_stack([a, c, b]), np.column_stack([a, d, c])])
    around = np.concatenate([np.arange(n) * m, (n - 1) * m + np.arange(m), np.arange(n)[::-1] * m + m - 1,
                             np.arange(m)[::-1]])  # fmt: skip
    k = np.arange(len(around))
    after = np.roll(k, -1)
    wall = np.concatenate([top[around], base[around]])
    low = k + len(k)
    sides = np.concatenate([np.column_stack([k, after, low]), np.column_stack([after, after + len(k), low])])
    return joined([Mesh(top, up), Mesh(base, up[:, ::-1]), Mesh(wall, sides)])
