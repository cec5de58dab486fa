"""What gives a body its mass, inertia and picture: one solid (shapes.py), or several (composite.py)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from linkwork.elements.solids.composite import Composite
from linkwork.elements.solids.shapes import Box, Cylinder, Mesh, Rod, Sphere

Shape = Annotated[Rod | Box | Cylinder | Sphere | Mesh | Composite, Field(discriminator="kind")]
