"""Lumped beams: a chain of rigid segments joined by beam elements, as plain declarations.

A beam of n elements has n + 1 nodes; the segment of a node reaches half-way to its neighbours, so that those at the
ends are half as long.  Each has the mass and inertia of its piece of the beam.  Small deflections under forces at the
nodes are exact; frequencies converge with 1/n^2.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.declaration.base import NonNegative, Vector
from linkwork.elements.forces.beam import Section
from linkwork.numerics.rotations import euler_parameters


class LumpedBeam(Section):
    """A straight beam from `start` to `end` (m, world), as `segments` beam elements between rigid bodies."""

    start: Vector = Field(description="m, first end in the world")
    end: Vector = Field(description="m, second end in the world")
    segments: int = Field(ge=1, description="number of beam elements")
    density: NonNegative = Field(description="kg/m3, > 0")

    @model_validator(mode="after")
    def _long(self) -> Self:
        who = f"lumped beam '{self.name}'"
        if self.start == self.end:
            raise ValueError(f"{who}: start and end are the same point; give it a length")
        if self.density == 0.0:
            raise ValueError(f"{who}: density is 0 kg/m3; it must be > 0")
        if self.second_axis is None and (self.Iy, self.ky) != (self.Iz, self.kz):
            raise ValueError(f"{who}: its section differs along y and z; give second_axis, the direction of y")
        return self

    @property
    def nodes(self) -> np.ndarray:
        """Nodes in the world [n + 1, 3], m."""
        return np.linspace(self.start, self.end, self.segments + 1)

    def names(self) -> list[str]:
        """Names of the bodies, from start to end."""
        return [f"{self.name} {k}" for k in range(self.segments + 1)]

    def bodies(self) -> list[dict[str, Any]]:
        """The segments; body frames at the nodes, x along the beam."""
        nodes = self.nodes
        axes = self.axes(nodes[-1] - nodes[0])
        h = float(np.linalg.norm(nodes[1] - nodes[0]))
        found = []
        for k, (name, node) in enumerate(zip(self.names(), nodes, strict=True)):
            before, after = (0.0 if k == 0 else h / 2), (0.0 if k == self.segments else h / 2)
            length = before + after
            mass = self.density * self.area * length
            across = mass * length**2 / 12.0
            turning = self.density * length * np.array([self.Iy + self.Iz, self.Iy, self.Iz])
            inertia = turning + np.array([0.0, across, across])
            found.append(
                {"name": name, "mass": mass, "com": (0.5 * (after - before), 0.0, 0.0),
                 "inertia": inertia, "at": node, "orientation": euler_parameters(axes)}
            )  # fmt: skip
        return found

    def beams(self) -> list[dict[str, Any]]:
        """The beam elements between neighbours."""
        names, nodes = self.names(), self.nodes
        section = self.model_dump(include=set(Section.model_fields) - {"name"}, exclude_none=True)
        return [
            {"name": f"{self.name} beam {k + 1}", "between": names[k : k + 2], "points": nodes[k : k + 2].tolist(),
             **section}
            for k in range(self.segments)
        ]  # fmt: skip
