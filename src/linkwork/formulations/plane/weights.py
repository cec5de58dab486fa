"""Masses and gravity of a mechanism in a plane: what is put anew where these alone are others."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.plane.records import PlaneTables
from linkwork.system.tables import System


class Weights:
    """Where they are in the tables in space, and where they belong in those of the plane.

    `heights`: of the centres of mass along the normal, m, which no motion in the plane changes.
    """

    def __init__(self, tables: PlaneTables, system: System, heights: np.ndarray) -> None:
        self._heights, self._axes = heights, [tables.plane[name][0].copy() for name in ("x", "y", "normal")]
        self._mass, self._gravity = system.bodies["mass"], system.whole["gravity"][0]
        self._masses, self._per_mass = tables.plane_bodies["mass"], tables.plane_bodies["per_mass"][1:]
        self._in_plane, self._potential = tables.plane["gravity"][0], tables.plane["potential"]

    def put(self) -> None:
        """As they are now."""
        mass, gravity, (x, y, normal) = self._mass, self._gravity, self._axes
        self._in_plane[0], self._in_plane[1] = gravity.dot(x), gravity.dot(y)
        self._potential[0] = -gravity.dot(normal) * mass.dot(self._heights)
        self._masses[:] = mass
        with np.errstate(divide="ignore"):
            np.divide(1.0, mass[1:], out=self._per_mass)
