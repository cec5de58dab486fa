"""Cross-sections of straight beams: area, second moments, torsion, shear; axes y and z are principal.

Iy = int z^2 dA resists bending in the plane xz, Iz = int y^2 dA in the plane xy.  The axis of the beam passes the
centroid, which is also the shear centre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from linkwork.errors import ModelError


@dataclass(frozen=True)
class Section:
    """A cross-section; `fibres` are the points (y, z) where stress is evaluated."""

    A: float  # m2
    Iy: float  # m4, int z^2 dA
    Iz: float  # m4, int y^2 dA
    J: float  # m4, torsion constant (Saint-Venant)
    ky: float = 5.0 / 6.0  # shear area / A for shear along y
    kz: float = 5.0 / 6.0  # ... along z
    fibres: tuple[tuple[float, float], ...] = ()  # m
    name: str = "section"

    def __post_init__(self) -> None:
        for key in ("A", "Iy", "Iz", "J", "ky", "kz"):
            value = getattr(self, key)
            if not (math.isfinite(value) and value > 0.0):
                raise ModelError(f"section '{self.name}': {key} is {value:g}; it must be finite and > 0")


def rectangle(width: float, height: float) -> Section:
    """`width` along y, `height` along z, m; torsion constant by the series of Saint-Venant; shear factor 5/6."""
    _positive("rectangle", width=width, height=height)
    a, b = max(width, height), min(width, height)
    n = np.arange(1, 60, 2)
    J = a * b**3 * (1 / 3 - 64 / math.pi**5 * b / a * float(np.sum(np.tanh(n * math.pi * a / (2 * b)) / n**5)))
    y, z = width / 2, height / 2
    return Section(
        width * height, width * height**3 / 12, height * width**3 / 12, J,
        fibres=((y, z), (-y, z), (-y, -z), (y, -z)), name=f"rectangle {width:g} x {height:g} m",
    )  # fmt: skip


def circle(radius: float) -> Section:
    """A full circle, m."""
    return tube(radius, 0.0)


def tube(outer: float, inner: float) -> Section:
    """A ring between two radii, m; shear factor of Cowper (1966) at nu = 0.3."""
    _positive("tube", outer=outer)
    if not 0.0 <= inner < outer:
        raise ModelError(f"tube: inner radius is {inner:g} m; it must lie between 0 and the outer {outer:g} m")
    second = math.pi * (outer**4 - inner**4) / 4
    m2, nu = (1 + (inner / outer) ** 2) ** 2, 0.3
    k = 6 * (1 + nu) * m2 / ((7 + 6 * nu) * m2 + (20 + 12 * nu) * (inner / outer) ** 2)
    around = tuple((outer * math.cos(a), outer * math.sin(a)) for a in np.arange(8) * math.pi / 4)
    return Section(
        math.pi * (outer**2 - inner**2), second, second, 2 * second, k, k, around,
        name=f"tube {outer:g} / {inner:g} m",
    )  # fmt: skip


def _positive(what: str, **sizes: float) -> None:
    for key, value in sizes.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{what}: {key} is {value:g} m; it must be finite and > 0")
