"""Verbs for bodies: rigid and flexible ones, frames on them, beams as chains of segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from linkwork.elements.bodies.flexibility import BeamFlexibility, Flexibility
from linkwork.elements.bodies.lumped_beam import LumpedBeam
from linkwork.elements.bodies.rigid_body import Body, Frame
from linkwork.elements.declaration.calls import explained
from linkwork.elements.declaration.planes import PLANES
from linkwork.elements.forces.beam import Beam
from linkwork.elements.joints.joint import Joint
from linkwork.elements.joints.registry import floating_kind
from linkwork.elements.solids.body_shapes import Shape
from linkwork.elements.solids.pictures import Picture
from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.materials import Material
from linkwork.flexible.modal_body import ModalBody
from linkwork.mechanism import checked
from linkwork.model.builder import Builder, Direction, Orientation, Point, Quantity, adds
from linkwork.model.elements.bars import bar_between


@explained("beam")
def beam(
    *, length: Quantity, start: Quantity = 0.0, width: Quantity | None = None, height: Quantity | None = None,
    radius: Quantity | None = None, inner_radius: Quantity = 0.0, area: Quantity | None = None,
    Iy: Quantity | None = None, Iz: Quantity | None = None, J: Quantity | None = None,
    material: str | Material | None = None, modulus: Quantity | None = None, density: Quantity | None = None,
    poisson: float = 0.3, elements: int = 10,
    theory: Literal["euler-bernoulli", "timoshenko"] = "euler-bernoulli", plane: Literal["xy", "xz"] | None = None,
    rotary_inertia: bool = True, modes: int | Sequence[int] = 2, supports: Mapping[str, str] | None = None,
    interfaces: Sequence[str] = (), damping: float | Sequence[float] = 0.0, stiffening: bool = False,
) -> BeamFlexibility:  # fmt: skip
    """A flexible beam (m) along x of its body, for `Model.body(..., flexible=beam(...))`; nodes are "1", "2", ...

    Section: `width` and `height` (m), `radius` (and `inner_radius`), or `area` (m2), `Iy`, `Iz`, `J` (m4).  `material`
    by name or an `lw.Material`, or `modulus` (Pa), `density` (kg/m3) and `poisson`.  `elements`: finite elements;
    `modes`: how many, or which; `supports` that shape them ({node: "clamped" | "pinned" | "roller" | "guided"}) or
    `interfaces` (nodes, Craig-Bampton); `damping`: ratio, one for all or one for each mode; `start`: x of node 1 (m).
    """
    given = {key: value for key, value in locals().items() if value is not None}
    if isinstance(material, Material):
        given |= {"modulus": material.modulus, "density": material.density, "poisson": material.poisson}
        del given["material"]
    if supports is not None:
        given["supports"] = {str(node): support for node, support in supports.items()}
    return checked(lambda: BeamFlexibility.model_validate(given), "beam")


class BodyVerbs(Builder):
    """Bodies and frames."""

    @adds(Body)
    def body(
        self, name: str, shape: Shape | None = None, *, mass: Quantity | None = None,
        inertia: Sequence[Quantity] | Sequence[Sequence[Quantity]] | np.ndarray | None = None,
        com: Point = (0.0, 0.0, 0.0), flexible: Flexibility | ModalBody | None = None, at: Point = (0.0, 0.0, 0.0),
        orientation: Orientation | None = None, angle: Quantity | None = None,
        axis: Direction | None = None, velocity: Point | None = None, angular_velocity: Point | None = None,
        angular_velocity_axes: Literal["world", "body"] = "world",
        modal_start: Sequence[float] | None = None, modal_rates: Sequence[float] | None = None,
        pictures: Sequence[Picture | Mapping[str, object]] = (), fixed: bool = False,
    ) -> str:  # fmt: skip
        """Add a body: a shape (rod, box, cylinder, sphere, mesh), or `mass` (kg), `inertia` (kg m2) and `com` (m).

        `inertia`: three principal values or a 3 x 3 matrix about the centre of mass, body axes.  `flexible`: a body
        that bends, of a `beam(...)`, or from a mesh (`solid_body`) or arrays (`body_from_arrays`), with modal
        coordinates `modal_start` and `modal_rates` at the start.

        `at` (m) and `angle` (rad) about `axis` (z unless given), or `orientation`, place its frame at the start.  An
        orientation is Euler parameters, a rotation matrix, {"roll_pitch_yaw": (..., ..., ...)} (rad), or the directions
        of two of its axes, {"x": (1, 1, 0), "z": "z"}.

        `velocity` (m/s) and `angular_velocity` (rad/s), world axes (the latter also in those of the body, by
        `angular_velocity_axes`), are how it moves; the assembly does not move a `fixed` body.  Returns the name.
        """
        return self._add(
            Body, name, shape=shape, mass=mass, inertia=inertia, com=com, flexible=flexible, at=at,
            orientation=orientation, angle=angle, axis=axis, velocity=velocity, angular_velocity=angular_velocity,
            angular_velocity_axes=angular_velocity_axes, modal_start=modal_start, modal_rates=modal_rates,
            pictures=pictures, fixed=fixed,
        )  # fmt: skip

    @adds(Body)
    def link(
        self, name: str, start: Point, end: Point, *, mass: Quantity | None = None, density: Quantity | None = None,
        width: Quantity | None = None, radius: Quantity | None = None, velocity: Point | None = None,
        angular_velocity: Point | None = None,
    ) -> str:  # fmt: skip
        """Add a straight bar from point to point (m, world): a body with its frame in the middle, x along the bar.

        `mass` (kg) or `density` (kg/m3); a square section of `width` (m; a fiftieth of the length unless given), or
        `radius` (m) for a round one.  In a model of the plane yz it is y that lies along the bar.
        """
        try:
            bar = bar_between(start, end, self._head["plane"] == "yz")
        except ValueError as failure:
            raise ModelError(f"link '{name}': {failure}", element=name) from None
        size = {"length": bar.length, "mass": mass, "density": density, "axis": bar.along}
        section = {"kind": "rod", "width": width} if radius is None else {"kind": "cylinder", "radius": radius}
        return self._add(
            Body, name, shape={key: value for key, value in (size | section).items() if value is not None},
            at=bar.middle, angle=bar.angle, axis=bar.about, velocity=velocity, angular_velocity=angular_velocity,
        )  # fmt: skip

    @adds(Frame)
    def frame(
        self, name: str, body: str, *, at: Point = (0.0, 0.0, 0.0), orientation: Orientation | None = None,
        node: str | None = None,
    ) -> str:  # fmt: skip
        """Add a named frame on a body; `at` (m) and `orientation` (as of a body) in body axes.

        `node`: the node of a flexible body that carries it, from which `at` counts.
        """
        return self._add(Frame, name, body=body, at=at, orientation=orientation, node=node)

    @adds(LumpedBeam)
    def lumped_beam(
        self, name: str, start: Point, end: Point, *, segments: int, density: Quantity, modulus: Quantity,
        shear_modulus: Quantity, area: Quantity, Iy: Quantity, Iz: Quantity, J: Quantity, ky: float | None = None,
        kz: float | None = None, damping: Quantity = 0.0, second_axis: Direction | None = None,
        ends: tuple[str | None, str | None] = (None, None),
    ) -> list[str]:  # fmt: skip
        """Add a beam (m, world) as a chain of rigid segments with `segments` beam elements; density in kg/m3.

        Section as in `Model.beam`.  `ends` names the bodies into which it is clamped; None leaves an end free.  Returns
        the names of its bodies.  Joint coordinates are deflections: each segment moves against the one at a clamped end
        (or the first).
        """
        given = {
            "name": name, "start": start, "end": end, "segments": segments, "density": density, "modulus": modulus,
            "shear_modulus": shear_modulus, "area": area, "Iy": Iy, "Iz": Iz, "J": J, "ky": ky, "kz": kz,
            "damping": damping, "second_axis": second_axis,
        }  # fmt: skip
        lumped = checked(lambda: LumpedBeam.model_validate(given), f"lumped beam '{name}'")
        for segment in lumped.bodies():
            self._add(Body, **segment)
        for element in lumped.beams():
            self._add(Beam, **element)
        names = lumped.names()
        clamped = {node: held for node, held in zip((0, segments), ends, strict=True) if held is not None}
        for node, held in clamped.items():
            weld = f"{name} {'end' if node else 'start'}"
            self._add(Joint, weld, kind="fixed", between=(held, names[node]), at=lumped.nodes[node])
        first, plane = min(clamped, default=0), self._head["plane"]
        floating = floating_kind(None if plane is None else str(plane)).name
        axis = None if plane is None else PLANES[str(plane)]
        for node in range(segments + 1):
            if node != first and node not in clamped:
                between = (names[first], names[node])
                self._add(
                    Joint, f"{name} deflection {node}", kind=floating, between=between, at=lumped.nodes[node], axis=axis
                )
        return names
