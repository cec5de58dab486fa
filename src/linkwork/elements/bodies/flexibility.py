"""What makes a body flexible: a beam of finite elements, or modal data from elsewhere.

Both give a ModalBody (flexible/modal_body.py): the data that the time loop needs, in the body frame.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from linkwork.elements.declaration.base import Declaration, NonNegative, Number
from linkwork.errors import nearest
from linkwork.flexible.finite_elements.finite_model import Prestress, SectionTable
from linkwork.flexible.finite_elements.materials import MATERIALS, Material, material
from linkwork.flexible.finite_elements.sections import Section, circle, rectangle, tube
from linkwork.flexible.modal_body import ModalBody, NodeTable, Picture
from linkwork.lazy_import import lazy_functions

if TYPE_CHECKING:
    from linkwork.flexible.bodies import flexible_beam
    from linkwork.flexible.finite_elements.beam_elements import Beam
else:  # what a rigid mechanism does not need loads when it is used
    (flexible_beam,) = lazy_functions("linkwork.flexible.bodies", "flexible_beam")
    (Beam,) = lazy_functions("linkwork.flexible.finite_elements.beam_elements", "Beam")

MOST_ELEMENTS = 1000  # of a beam


class BeamFlexibility(Declaration):
    """A straight beam along x of the body frame, reduced to its lowest modes; nodes are called "1", "2", ..."""

    kind: Literal["beam"] = "beam"
    length: NonNegative = Field(description="m, > 0")
    start: Number = Field(default=0.0, description="m, x of node 1")
    width: NonNegative | None = Field(default=None, description="m, of a rectangular section, along y")
    height: NonNegative | None = Field(default=None, description="m, of a rectangular section, along z")
    radius: NonNegative | None = Field(default=None, description="m, outer radius of a round section")
    inner_radius: NonNegative = Field(default=0.0, description="m, of a tube")
    area: NonNegative | None = Field(default=None, description="m2, of any section; with Iy, Iz, J")
    Iy: NonNegative | None = Field(default=None, description="m4, int z^2 dA")
    Iz: NonNegative | None = Field(default=None, description="m4, int y^2 dA")
    J: NonNegative | None = Field(default=None, description="m4, torsion constant")
    material: str | None = Field(default=None, description="steel, aluminium, copper, ...; or modulus and density")
    modulus: NonNegative | None = Field(default=None, description="Pa, Young's")
    density: NonNegative | None = Field(default=None, description="kg/m3")
    poisson: Number = Field(default=0.3, description="Poisson's ratio")
    elements: int = Field(default=10, description="finite elements along the length, at most 1000")
    theory: Literal["euler-bernoulli", "timoshenko"] = Field(default="euler-bernoulli", description="of the elements")
    plane: Literal["xy", "xz"] | None = Field(default=None, description="bends in this plane of the body only")
    rotary_inertia: bool = Field(default=True, description="of the sections")
    modes: int | tuple[int, ...] = Field(default=2, description="the lowest so many, or their numbers from 1")
    supports: dict[str, str] | None = Field(
        default=None, description="node: clamped, pinned, roller, guided; {} for a free beam; the shapes' conditions"
    )
    interfaces: tuple[str, ...] = Field(default=(), description="nodes of the joints, for Craig-Bampton shapes instead")
    damping: NonNegative | tuple[NonNegative, ...] = Field(
        default=0.0, description="ratio, one for all or one for each mode"
    )
    stiffening: bool = Field(default=False, description="second order: what bends shortens, sections turn as a whole")

    @cached_property
    def modal(self) -> ModalBody:
        """The modal data."""
        beam = Beam(
            "beam", self.length, self._section(), self._material(), self.elements, self.theory, self.plane, self.start,
            self.rotary_inertia,
        )  # fmt: skip
        supports: Any = self.supports
        return flexible_beam(
            beam, modes=self.modes if isinstance(self.modes, int) else list(self.modes), supports=supports,
            interfaces=self.interfaces, damping=self.damping if isinstance(self.damping, float) else list(self.damping),
            stiffening=self.stiffening,
        )  # fmt: skip

    def _section(self) -> Section:
        given = [key for key in ("width", "radius", "area") if getattr(self, key) is not None]
        if len(given) != 1:
            has = " and ".join(given) or "no section"
            raise ValueError(f"a beam has {has}; give width and height, radius, or area")
        if self.radius is not None:
            return tube(self.radius, self.inner_radius) if self.inner_radius else circle(self.radius)
        if self.width is not None:
            return rectangle(self.width, self.height or self.width)
        if self.Iy is None or self.Iz is None or self.J is None:
            raise ValueError("a section by its area needs Iy, Iz and J (m4)")
        return Section(self.area or 0.0, self.Iy, self.Iz, self.J)

    def _material(self) -> Material:
        if (self.material is None) == (self.modulus is None or self.density is None):
            raise ValueError("a beam needs a material by name, or modulus (Pa) and density (kg/m3)")
        if self.material is None:
            return Material(self.modulus or 0.0, self.density or 0.0, self.poisson)
        if self.material not in MATERIALS:
            raise ValueError(f"material is '{self.material}'; {nearest(self.material, MATERIALS)}")
        return material(self.material)

    @model_validator(mode="after")
    def _makes_sense(self) -> BeamFlexibility:
        self._section()
        self._material()
        if self.elements > MOST_ELEMENTS:
            raise ValueError(f"elements is {self.elements}; a beam has at most {MOST_ELEMENTS}")
        return self

    @property
    def account(self) -> str:
        """What the import got, in words."""
        return "" if self.modal.report is None else self.modal.report.words

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks wrong."""
        return () if self.modal.report is None else self.modal.report.warnings


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


Array = Annotated[Any, BeforeValidator(_listed)]  # nested lists of numbers
_ARRAYS = ("h0", "J0", "C_t", "G0", "G1", "M_e", "K_e", "D_e")


class ModalFlexibility(Declaration):
    """Modal data as they are (flexible/modal_body.py has their meaning): from meshes, arrays, other programs."""

    kind: Literal["modal"] = "modal"
    mass: NonNegative = Field(description="kg")
    arrays: dict[str, Array] = Field(description="h0, J0, C_t, G0, G1, M_e, K_e, D_e, in the body frame")
    node_names: tuple[str, ...] = Field(description="names of the nodes")
    nodes: dict[str, Array] = Field(description="x, S and Theta of the nodes")
    stiffening: dict[str, Array] | None = Field(
        default=None, description="acceleration, angular_acceleration, spin, node_force"
    )
    sections: dict[str, Array] | None = Field(default=None, description="of a beam, for stresses: x, A, ..")
    picture: dict[str, Array] | None = Field(default=None, description="x, S and cells of what is drawn")
    account: str = Field(default="", description="what the import got, in words")
    warnings: tuple[str, ...] = Field(default=(), description="what looks wrong in it")

    @classmethod
    def of(cls, body: ModalBody) -> ModalFlexibility:
        """The declaration of modal data."""
        parts = {"stiffening": body.stiffening, "sections": body.sections, "picture": body.picture}
        given: dict[str, Any] = {
            key: {k: v.tolist() for k, v in vars(part).items()} for key, part in parts.items() if part is not None
        }
        return cls(
            mass=body.mass,
            arrays={name: getattr(body, name).tolist() for name in _ARRAYS},
            node_names=body.nodes.names,
            nodes={name: getattr(body.nodes, name).tolist() for name in ("x", "S", "Theta")},
            account="" if body.report is None else body.report.words,
            warnings=() if body.report is None else body.report.warnings,
            **given,
        )

    @cached_property
    def modal(self) -> ModalBody:
        """The modal data."""
        arrays: dict[str, Any] = {name: np.array(self.arrays[name], float) for name in _ARRAYS}
        nodes = NodeTable(self.node_names, *(np.array(self.nodes[name], float) for name in ("x", "S", "Theta")))
        kinds = {"stiffening": Prestress, "sections": SectionTable, "picture": Picture}
        given = {key: getattr(self, key) for key in kinds if getattr(self, key)}
        parts: dict[str, Any] = {
            key: kinds[key](
                **{k: np.array(value, int if k in ("cells", "element") else float) for k, value in part.items()}
            )
            for key, part in given.items()
        }
        return ModalBody("modal data", self.mass, **arrays, nodes=nodes, **parts)

    @model_validator(mode="after")
    def _fits(self) -> ModalFlexibility:
        """All arrays are there, finite, and of sizes that fit m modes and k nodes."""
        m, k = np.shape(self.arrays.get("K_e", ()))[0] if self.arrays.get("K_e") else 0, len(self.node_names)
        if m == 0:
            raise ValueError("modal data without modes; give K_e (m, m), or a rigid body")
        sizes = {"h0": (3,), "J0": (3, 3), "C_t": (3, m), "G0": (m, 3, 3), "G1": (m, m, 3, 3), "M_e": (m, m),
                 "K_e": (m, m), "D_e": (m, m), "x": (k, 3), "S": (k, 3, m), "Theta": (k, 3, m)}  # fmt: skip
        for name, needed in sizes.items():
            part = self.nodes if name in ("x", "S", "Theta") else self.arrays
            if name not in part:
                raise ValueError(f"modal data without {name}; give an array of size {needed}")
            found = np.array(part[name], float)
            if found.shape != needed and found.size:
                raise ValueError(f"modal data: {name} has the size {found.shape}; with {m} modes it is {needed}")
            if not np.all(np.isfinite(found)):
                raise ValueError(f"modal data: {name} holds values that are not finite")
        for name, least in (("M_e", 0.0), ("K_e", -1e-9)):
            matrix = np.array(self.arrays[name], float)
            if np.abs(matrix - matrix.T).max() > 1e-8 * np.abs(matrix).max():
                off = np.abs(matrix - matrix.T).max()
                raise ValueError(f"modal data: {name} is not symmetric (entries differ by {off:.3g}); mirror it")
            values = np.linalg.eigvalsh(matrix)
            if values[0] < least * values[-1] or values[-1] <= 0.0:
                raise ValueError(f"modal data: {name} is indefinite: its lowest eigenvalue is {values[0]:.3g}")
        return self


def _declared(value: Any) -> Any:
    """Modal data are taken as they come from flexible/."""
    return ModalFlexibility.of(value) if isinstance(value, ModalBody) else value


Flexibility = Annotated[
    Annotated[BeamFlexibility | ModalFlexibility, Field(discriminator="kind")], BeforeValidator(_declared)
]
