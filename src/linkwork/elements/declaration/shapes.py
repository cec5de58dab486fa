"""Shapes that give a body its mass, inertia and picture: rod, box, cylinder, sphere; by mass or by density.

The centre of the shape is the origin of the body frame.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self, TypeVar

import numpy as np
from pydantic import Field, ValidationError, model_validator

from linkwork.elements.declaration.base import Axis, Declaration, Number, Vector
from linkwork.errors import ModelError

S = TypeVar("S", bound=Declaration)


class _Solid(Declaration):
    mass: Number | None = Field(default=None, description="kg, > 0")
    density: Number | None = Field(default=None, description="kg/m3, > 0")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        for key, value in self.sizes().items():
            if value <= 0.0:
                raise ValueError(f"{self.kind}: {key} is {value:g}; it must be > 0")  # type: ignore[attr-defined]
        if (self.mass is None) == (self.density is None):
            raise ValueError(f"{self.kind}: give either mass (kg) or density (kg/m3)")  # type: ignore[attr-defined]
        for key in ("mass", "density"):
            value = getattr(self, key)
            if value is not None and value <= 0.0:
                raise ValueError(f"{self.kind}: {key} is {value:g}; it must be > 0")  # type: ignore[attr-defined]
        return self

    @property
    def mass_kg(self) -> float:
        """Mass, kg."""
        return self.mass if self.mass is not None else (self.density or 0.0) * self.volume()

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        raise NotImplementedError

    def volume(self) -> float:
        """Volume, m3."""
        raise NotImplementedError

    def inertia(self) -> np.ndarray:
        """Inertia tensor about the centre, body axes, kg m2."""
        raise NotImplementedError


class Rod(_Solid):
    """A straight bar of square section along an axis; its inertia counts the section too."""

    kind: Literal["rod"] = "rod"
    length: Number = Field(description="m")
    width: Number | None = Field(default=None, description="m, side of the square section; default length / 50")
    axis: Axis = Field(default=(1.0, 0.0, 0.0), description="direction of the bar in body axes")

    @property
    def side(self) -> float:
        """Side of the section, m."""
        return self.width if self.width is not None else self.length / 50.0

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return {"length": self.length, "width": self.side}

    def volume(self) -> float:
        """Volume, m3."""
        return self.length * self.side**2

    def inertia(self) -> np.ndarray:
        """m (l^2 + b^2) / 12 across, m b^2 / 6 along; kg m2."""
        a = np.array(self.axis)
        across = self.mass_kg * (self.length**2 + self.side**2) / 12.0
        along = self.mass_kg * self.side**2 / 6.0
        return across * np.eye(3) + (along - across) * np.outer(a, a)


class Box(_Solid):
    """A block with sides along the body axes."""

    kind: Literal["box"] = "box"
    size: Vector = Field(description="m, lengths along x, y, z")

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return dict(zip(("size x", "size y", "size z"), self.size, strict=True))

    def volume(self) -> float:
        """Volume, m3."""
        return math.prod(self.size)

    def inertia(self) -> np.ndarray:
        """m (b^2 + c^2) / 12 ..., kg m2."""
        s = np.square(self.size)
        return np.diag(self.mass_kg / 12.0 * (s.sum() - s))


class Cylinder(_Solid):
    """A circular cylinder along an axis."""

    kind: Literal["cylinder"] = "cylinder"
    length: Number = Field(description="m")
    radius: Number = Field(description="m")
    axis: Axis = Field(default=(0.0, 0.0, 1.0), description="direction in body axes")

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return {"length": self.length, "radius": self.radius}

    def volume(self) -> float:
        """Volume, m3."""
        return math.pi * self.radius**2 * self.length

    def inertia(self) -> np.ndarray:
        """m r^2 / 2 along, m (3 r^2 + l^2) / 12 across; kg m2."""
        a = np.array(self.axis)
        across = self.mass_kg * (3.0 * self.radius**2 + self.length**2) / 12.0
        along = self.mass_kg * self.radius**2 / 2.0
        return across * np.eye(3) + (along - across) * np.outer(a, a)


class Sphere(_Solid):
    """A solid ball."""

    kind: Literal["sphere"] = "sphere"
    radius: Number = Field(description="m")

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return {"radius": self.radius}

    def volume(self) -> float:
        """Volume, m3."""
        return 4.0 / 3.0 * math.pi * self.radius**3

    def inertia(self) -> np.ndarray:
        """2/5 m r^2, kg m2."""
        return 0.4 * self.mass_kg * self.radius**2 * np.eye(3)


Shape = Annotated[Rod | Box | Cylinder | Sphere, Field(discriminator="kind")]


def _made(kind: type[S], **given: Any) -> S:
    """A shape, or one sentence about what is wrong with it."""
    try:
        return kind(**given)
    except ValidationError as failure:
        first = failure.errors()[0]
        message, field = first["msg"].removeprefix("Value error, "), ".".join(str(part) for part in first["loc"])
        raise ModelError(f"{kind.__name__.lower()}: {field} {message}" if field else message) from None


def rod(*, length: float, mass: float | None = None, density: float | None = None, width: float | None = None,
        axis: str | tuple[float, float, float] = "x") -> Rod:  # fmt: skip
    """A straight bar of square section (lengths in m, mass in kg or density in kg/m3), along `axis` of the body."""
    return _made(Rod, length=length, mass=mass, density=density, width=width, axis=axis)


def box(size: tuple[float, float, float], *, mass: float | None = None, density: float | None = None) -> Box:
    """A block with sides (m) along the body axes; mass in kg or density in kg/m3."""
    return _made(Box, size=size, mass=mass, density=density)


def cylinder(*, radius: float, length: float, mass: float | None = None, density: float | None = None,
             axis: str | tuple[float, float, float] = "z") -> Cylinder:  # fmt: skip
    """A circular cylinder (m) along `axis` of the body; mass in kg or density in kg/m3."""
    return _made(Cylinder, radius=radius, length=length, mass=mass, density=density, axis=axis)


def sphere(*, radius: float, mass: float | None = None, density: float | None = None) -> Sphere:
    """A solid ball (radius in m); mass in kg or density in kg/m3."""
    return _made(Sphere, radius=radius, mass=mass, density=density)
