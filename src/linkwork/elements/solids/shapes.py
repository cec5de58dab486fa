"""Shapes that give a body its mass, inertia and picture: rod, box, cylinder, sphere, mesh; by mass or by density.

The centre of a simple shape is the origin of the body frame; a mesh lies in it as in its file.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
from warnings import warn

import numpy as np
from pydantic import Field, ValidationError, ValidationInfo, model_validator

from linkwork.elements.declaration.base import LARGEST, Axis, Declaration, NonNegative, Number, Vector
from linkwork.elements.declaration.calls import explained, stack_level
from linkwork.elements.declaration.wrong_types import wrong_type
from linkwork.elements.solids.solid_meshes import solid_moments
from linkwork.elements.solids.tensors import Tensor, about_axis, as_tensor, diagonal
from linkwork.errors import ModelError, ModelWarning

S = TypeVar("S", bound=Declaration)
LARGE, HEAVY, LIGHT = 10.0, 1e7, 0.1  # m, kg, kg/m3: of sizes beyond LARGE masses that are looked at twice


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
        self._plausible()
        return self

    def _plausible(self) -> None:
        """A warning for sizes that are likely to be meant in millimetres."""
        largest = max(self.sizes().values(), default=0.0)
        if largest < LARGE:
            return
        heavy, light = self.density is not None and self.mass_kg > HEAVY, self.mass_kg < LIGHT * self.volume()
        if heavy or light:
            what = f"{self.kind} of {self.mass_kg:.3g} kg, {largest:g} m long"  # type: ignore[attr-defined]
            remedy = f"numbers are in m, so write '{largest:g} mm' if that is meant"
            warn(f"{what}: {remedy}", ModelWarning, stacklevel=stack_level())

    @property
    def mass_kg(self) -> float:
        """Mass, kg."""
        return self.mass if self.mass is not None else (self.density or 0.0) * self.volume()

    @property
    def centre(self) -> tuple[float, float, float]:
        """Its centre of mass in the body frame, m."""
        return (0.0, 0.0, 0.0)

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        raise NotImplementedError

    def volume(self) -> float:
        """Volume, m3."""
        raise NotImplementedError

    def inertia_rows(self) -> Tensor:
        """Inertia tensor about the centre of mass, body axes, kg m2."""
        raise NotImplementedError

    def inertia(self) -> np.ndarray:
        """The same as an array."""
        return np.array(self.inertia_rows())


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

    def inertia_rows(self) -> Tensor:
        """m (l^2 + b^2) / 12 across, m b^2 / 6 along; kg m2."""
        across = self.mass_kg * (self.length**2 + self.side**2) / 12.0
        along = self.mass_kg * self.side**2 / 6.0
        return about_axis(along, across, self.axis)


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

    def inertia_rows(self) -> Tensor:
        """m (b^2 + c^2) / 12 ..., kg m2."""
        squares = [side * side for side in self.size]
        x, y, z = (self.mass_kg / 12.0 * (sum(squares) - square) for square in squares)
        return diagonal(x, y, z)


class Cylinder(_Solid):
    """A circular cylinder along an axis."""

    kind: Literal["cylinder"] = "cylinder"
    length: Number = Field(description="m")
    radius: Number = Field(description="m")
    axis: Axis = Field(default=(0.0, 0.0, 1.0), description="direction in body axes")
    bore: NonNegative = Field(default=0.0, description="m, radius of a hole along its axis; a ring, a tube")

    @model_validator(mode="after")
    def _hollow(self) -> Self:
        if self.bore >= self.radius:
            raise ValueError(f"cylinder: bore is {self.bore:g} m; it must be below the radius, {self.radius:g} m")
        return self

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return {"length": self.length, "radius": self.radius}

    def volume(self) -> float:
        """Volume, m3."""
        return math.pi * (self.radius**2 - self.bore**2) * self.length

    def inertia_rows(self) -> Tensor:
        """m s / 2 along, m (3 s + l^2) / 12 across, s = r^2 + r_bore^2; kg m2."""
        s = self.radius**2 + self.bore**2
        across = self.mass_kg * (3.0 * s + self.length**2) / 12.0
        along = self.mass_kg * s / 2.0
        return about_axis(along, across, self.axis)


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

    def inertia_rows(self) -> Tensor:
        """2/5 m r^2, kg m2."""
        J = 0.4 * self.mass_kg * self.radius**2
        return diagonal(J, J, J)


class Mesh(_Solid):
    """A solid whose surface is in a file, STL or OBJ: closed, all of one density.

    Its volume, centre and second moments are computed when it is read; a result keeps them, and needs no file.
    """

    kind: Literal["mesh"] = "mesh"
    file: str = Field(description="name of the file, .stl, .obj or .step (extra `step`), beside that of the model")
    scale: Number = Field(default=1.0, description="m for a unit of the file, 0.001 for one in mm")
    moments: tuple[Number, ...] | None = Field(
        default=None,
        description="any unit, as computed: volume, centre, second moments xx, yy, zz, xy, yz, zx about it",
        min_length=10, max_length=10,
    )  # fmt: skip

    @model_validator(mode="before")
    @classmethod
    def _measured(cls, given: Any, info: ValidationInfo) -> Any:
        """The moments, from the file; where it lies, the reader of a model file says."""
        if not isinstance(given, dict) or given.get("moments") is not None or not isinstance(given.get("file"), str):
            return given
        locate = (info.context or {}).get("locate", Path)
        path, scale = locate(given["file"]), given.get("scale", 1.0)
        if not isinstance(scale, (int, float)) or isinstance(scale, bool) or not 0.0 < scale < LARGEST:
            raise ValueError(f"mesh: scale is {scale!r}; it must be a number > 0, m for a unit of the file")
        return given | {"file": str(path), "moments": solid_moments(path, float(scale))}

    @property
    def centre(self) -> tuple[float, float, float]:
        """Its centre of mass in the body frame, m."""
        assert self.moments is not None
        x, y, z = self.moments[1:4]
        return (x, y, z)

    def sizes(self) -> dict[str, float]:
        """The lengths that must be positive, m."""
        return {"size": self.volume() ** (1.0 / 3.0)}

    def volume(self) -> float:
        """Volume, m3."""
        assert self.moments is not None
        return self.moments[0]

    def inertia_rows(self) -> Tensor:
        """rho (tr S 1 - S), with S the second moments of the volume about its centre; kg m2."""
        assert self.moments is not None
        xx, yy, zz, xy, yz, zx = self.moments[4:]
        S = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
        return as_tensor(self.mass_kg / self.volume() * (np.trace(S) * np.eye(3) - S))


Solid = Annotated[Rod | Box | Cylinder | Sphere | Mesh, Field(discriminator="kind")]


def made(kind: type[S], **given: Any) -> S:
    """A shape, or one sentence about what is wrong with it."""
    try:
        return kind(**given)
    except ValidationError as failure:
        first, name = failure.errors()[0], kind.__name__.lower()
        message, field = first["msg"].removeprefix("Value error, "), str(first["loc"][0]) if first["loc"] else ""
        if first["type"] in ("missing", "too_short", "too_long", "tuple_type", "list_type"):
            needed = "give at least one" if field == "parts" else "give three numbers, as in (0.2, 0.1, 0.1)"
            message = f"is {given[field]!r}; {needed}"
        message = wrong_type(first, str(first["loc"][-1]) if first["loc"] else "") or message
        raise ModelError(f"{name}: {field} {message}" if field else message) from None


@explained("rod")
def rod(*, length: float, mass: float | None = None, density: float | None = None, width: float | None = None,
        axis: str | tuple[float, float, float] = "x") -> Rod:  # fmt: skip
    """A straight bar of square section (lengths in m, mass in kg or density in kg/m3), along `axis` of the body."""
    return made(Rod, length=length, mass=mass, density=density, width=width, axis=axis)


@explained("box")
def box(size: tuple[float, float, float], *, mass: float | None = None, density: float | None = None) -> Box:
    """A block with sides (m) along the body axes; mass in kg or density in kg/m3."""
    return made(Box, size=size, mass=mass, density=density)


@explained("cylinder")
def cylinder(*, radius: float, length: float, mass: float | None = None, density: float | None = None,
             axis: str | tuple[float, float, float] = "z", bore: float = 0.0) -> Cylinder:  # fmt: skip
    """A circular cylinder (m) along `axis` of the body; mass in kg or density in kg/m3; `bore`: radius of its hole."""
    return made(Cylinder, radius=radius, length=length, mass=mass, density=density, axis=axis, bore=bore)


@explained("sphere")
def sphere(*, radius: float, mass: float | None = None, density: float | None = None) -> Sphere:
    """A solid ball (radius in m); mass in kg or density in kg/m3."""
    return made(Sphere, radius=radius, mass=mass, density=density)


@explained("mesh")
def mesh(file: str | Path, *, scale: float = 1.0, mass: float | None = None, density: float | None = None) -> Mesh:
    """A solid from a closed surface, STL, OBJ or STEP (extra `step`); mass in kg or density in kg/m3.

    `scale`: m for a unit of the file; 1 for STEP, which has its own.
    Its volume, centre of mass and inertia are computed from the surface: `.volume()`, `.centre`, `.inertia()`.
    """
    return made(Mesh, file=str(file), scale=scale, mass=mass, density=density)
