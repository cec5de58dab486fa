"""Rigid bodies: mass, centre of mass, inertia tensor, pose and velocity at the start; named frames on them.

The body's own frame B may be anywhere.  Compiled, a body is described in its *link frame*: the outboard frame of the
joint on which it hangs in the tree (P2: "body frames sit at the inboard joint").
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self
from warnings import warn

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.bodies.flexibility import Flexibility
from linkwork.elements.declaration.base import LARGEST, Axis, Element, Matrix, Number, Vector
from linkwork.elements.declaration.orientations import Quaternion
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.solids.body_shapes import Shape
from linkwork.elements.solids.pictures import Picture
from linkwork.elements.solids.tensors import Tensor, as_tensor, diagonal
from linkwork.errors import ModelError, ModelWarning
from linkwork.flexible.modal_body import ModalBody
from linkwork.numerics.rotations import rotation_matrix


class Body(Element):
    """A rigid body; either `shape`, or `mass` and `inertia` (about the centre of mass, body axes).

    `mass` alone is a point mass: where another motion than turning about itself goes with every motion of it.
    """

    plural: ClassVar[str] = "rigid bodies"

    replaces: ClassVar[dict[str, str]] = {"angle": "orientation", "axis": "orientation"}
    of_parts: ClassVar[tuple[str, ...]] = ("mass",)

    shape: Shape | None = Field(
        default=None, description="rod, box, cylinder, sphere or mesh: gives mass, inertia and picture"
    )
    mass: Number | None = Field(default=None, description="kg, > 0; alone: a point mass")
    com: Vector = Field(default=(0.0, 0.0, 0.0), description="m, centre of mass in body axes")
    inertia: Vector | Matrix | None = Field(
        default=None, description="kg m2, about the centre of mass: three principal values or a 3 x 3 matrix, body axes"
    )
    flexible: Flexibility | None = Field(
        default=None, description="a beam, or modal data: the body bends; gives mass and inertia"
    )
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, origin of the body frame in the world at the start")
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters of the body frame at the start, scalar first"
    )
    angle: Number | None = Field(default=None, description="rad, about `axis`, in place of an orientation")
    axis: Axis | None = Field(default=None, description="world axis of the angle; z unless given")
    velocity: Vector | None = Field(default=None, description="m/s, of the body frame's origin, world axes")
    angular_velocity: Vector | None = Field(default=None, description="rad/s, world axes unless others are given")
    angular_velocity_axes: Literal["world", "body"] = Field(default="world", description="axes of angular_velocity")
    modal_start: tuple[Number, ...] | None = Field(
        default=None, description="of a flexible body: its modal coordinates at the start; default zero, undeformed"
    )
    modal_rates: tuple[Number, ...] | None = Field(
        default=None, description="of a flexible body: their rates at the start; default zero where the joints allow"
    )
    pictures: tuple[Picture, ...] = Field(default=(), description="what it looks like, if not like its shape")
    fixed: bool = Field(default=False, description="assembly must not move this body from where it is modelled")

    @model_validator(mode="before")
    @classmethod
    def _turned(cls, given: Any) -> Any:
        """An angle about an axis becomes the orientation."""
        if not isinstance(given, dict) or given.get("angle") is None:
            if isinstance(given, dict) and given.get("axis") is not None:
                raise ValueError(f"body '{given.get('name')}': an axis without an angle; give angle too")
            return given
        if given.get("orientation") is not None:
            raise ValueError(f"body '{given.get('name')}': both an orientation and an angle; give one of the two")
        angle = given["angle"]
        if isinstance(angle, (int, float)) and 2.0 * math.pi < abs(angle) <= LARGEST:
            meant = f"write '{angle:g} deg' if degrees are meant"
            what = f"body '{given.get('name')}': angle is {angle:g} rad, more than a turn; {meant}"
            warn(what, ModelWarning, stacklevel=2)
        rest = {key: value for key, value in given.items() if key not in cls.replaces}
        turn = {key: given[key] for key in cls.replaces if given.get(key) is not None}
        return rest | {"orientation": turn}

    @model_validator(mode="after")
    def _physical(self) -> Self:
        who = f"body '{self.name}'"
        if self.flexible is not None and (self.shape is not None or self.mass is not None or self.inertia is not None):
            raise ValueError(f"{who}: flexible, and a shape, mass or inertia; its flexibility gives those")
        if self.flexible is None and self.shape is None and self.mass is None:
            raise ValueError(
                f"{who}: no mass or inertia; give a shape (rod, box, cylinder, sphere, mesh), or mass and inertia"
            )
        if self.shape is not None and (self.mass is not None or self.inertia is not None):
            raise ValueError(f"{who}: both a shape and a mass or inertia; give one of the two")
        if self.shape is not None and any(self.com) and any(self.shape.centre):
            raise ValueError(f"{who}: both a mesh and a com; the mesh gives it")
        self._check_flexible(who)
        mass = self.mass_kg
        if mass <= 0.0:
            raise ValueError(f"{who}: mass is {mass:g} kg; it must be > 0")
        if self.flexible is None and not self.is_point:
            check_inertia(who, self.inertia_rows)
        return self

    def _check_flexible(self, who: str) -> None:
        """A flexibility that makes a body, and as many modal coordinates as it has."""
        try:
            modes = 0 if self.flexible is None else self.flexible.modal.modes
        except ModelError as failure:
            raise ValueError(f"{who}: {failure.message.partition(': ')[2]}") from None
        for key in ("modal_start", "modal_rates"):
            given = getattr(self, key)
            if given is not None and len(given) != modes:
                raise ValueError(f"{who}: {key} has {len(given)} numbers, the body {modes} modes; give one for each")

    def begins_like(self, other: Self) -> bool:
        """Assembly is geometry: mass and inertia of a rigid body do not take part."""
        if self.flexible is not None or other.flexible is not None or not np.array_equal(self.p_BC, other.p_BC):
            return False
        sizes = [None if one.shape is None else one.shape.sizes() for one in (self, other)]
        own = {"mass", "inertia", "shape"}
        return sizes[0] == sizes[1] and all(
            getattr(self, key) == getattr(other, key) for key in type(self).model_fields if key not in own
        )

    def check(self, surroundings: Surroundings) -> None:
        """In a planar mechanism its velocity is within the plane."""
        normal = surroundings.normal
        if normal is not None and self.velocity is not None and abs(float(normal @ np.array(self.velocity))) > 1e-12:
            raise ValueError(f"{self.who}: velocity {list(self.velocity)} leaves the plane '{surroundings.plane}'")

    @property
    def modal(self) -> ModalBody | None:
        """The modal data of a flexible body, by its name."""
        return None if self.flexible is None else replace(self.flexible.modal, name=self.name)

    @property
    def mass_kg(self) -> float:
        """Mass, kg."""
        if self.flexible is not None:
            return self.flexible.modal.mass
        return self.shape.mass_kg if self.shape is not None else float(self.mass or 0.0)

    @property
    def is_point(self) -> bool:
        """Whether it is a point mass, without inertia against turning."""
        return self.flexible is None and self.shape is None and self.inertia is None

    @property
    def inertia_rows(self) -> Tensor:
        """Inertia tensor about the centre of mass, body axes, kg m2; of a flexible body undeformed."""
        if self.shape is not None:
            return self.shape.inertia_rows()
        if self.flexible is not None:
            c = self.p_BC
            return as_tensor(self.flexible.modal.J0 - self.mass_kg * (c @ c * np.eye(3) - np.outer(c, c)))
        if self.inertia is None:
            return diagonal(0.0, 0.0, 0.0)
        return self.inertia if isinstance(self.inertia[0], tuple) else diagonal(*self.inertia)

    @property
    def J_C(self) -> np.ndarray:
        """The same as an array."""
        return np.array(self.inertia_rows)

    @property
    def centre(self) -> tuple[float, float, float]:
        """Centre of mass in the body frame, m; of a flexible body undeformed."""
        if self.shape is not None:
            (a, b, c), (x, y, z) = self.com, self.shape.centre
            return a + x, b + y, c + z
        if self.flexible is None:
            return self.com
        x, y, z = (self.flexible.modal.h0 / self.mass_kg).tolist()
        return x, y, z

    @property
    def p_BC(self) -> np.ndarray:
        """The same as an array."""
        return np.array(self.centre)

    @property
    def R_WB(self) -> np.ndarray:
        """Orientation at the start."""
        return rotation_matrix(np.array(self.orientation))

    @property
    def p_WB(self) -> np.ndarray:
        """Position of the body frame's origin at the start, m."""
        return np.array(self.at)


def check_inertia(who: str, tensor: Tensor) -> None:
    """No body has an unsymmetric tensor, a principal value <= 0, or one above the sum of the other two."""
    if any(tensor[i][j] for i in range(3) for j in range(3) if i != j):
        J = np.array(tensor)
        if np.abs(J - J.T).max() > 1e-9 * np.abs(J).max():
            raise ValueError(
                f"{who}: inertia is not symmetric (off by {np.abs(J - J.T).max():g} kg m2); mirror its products"
            )
        a, b, c = np.linalg.eigvalsh(J)
    else:
        a, b, c = sorted(tensor[i][i] for i in range(3))
    if a <= 0.0:
        raise ValueError(f"{who}: inertia has the principal value {a:g} kg m2; all three must be > 0")
    if c > (a + b) * (1.0 + 1e-6):
        raise ValueError(
            f"{who}: inertia has the principal values {a:g}, {b:g}, {c:g} kg m2; "
            "no body has one larger than the sum of the other two, check the axes and units"
        )


class Frame(Element):
    """A named frame fixed on a body: a place for joints, forces and measures."""

    plural: ClassVar[str] = "named frames on bodies"

    body: str = Field(description="name of the body, or 'ground'")
    at: Vector = Field(default=(0.0, 0.0, 0.0), description="m, origin in body axes")
    orientation: Quaternion = Field(default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters in body axes")
    node: str | None = Field(default=None, description="name of the node of a flexible body that carries the frame")

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return (("body", self.body),)
