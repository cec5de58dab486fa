"""Beam element: a straight elastic beam between a frame F on body A and a frame M on body B, x along it.

Corotational: the deformation is measured in axes E half-way between those of F and M, R_FM = exp(theta x) and
R_FE = exp(theta x / 2), so that a motion of both ends as one body, of any size, gives no force.  With d = p_M - p_F in
the axes of E and the length L,

    x = (d_x - L + L (theta_y^2 + theta_z^2) / 24,  d_y,  d_z,  theta)        U = sum of k_i x_i^2 / 2
    k = (EA/L,  12 EIz / (L^3 (1 + Py)),  12 EIy / (L^3 (1 + Pz)),  GJ/L,  EIy/L,  EIz/L)
    Py = 12 EIz / (G ky A L^2),  Pz = 12 EIy / (G kz A L^2);  0 where the beam is rigid in shear (Euler-Bernoulli)

For small motions U is that of the 12 x 12 stiffness of Timoshenko's beam (Przemieniecki 1968, eq 5.116): of two ends in
the plane xy it says EIz/L (theta_2 - theta_1)^2 / 2 + k_2 (v_2 - v_1 - L (theta_1 + theta_2) / 2)^2 / 2.  The term with
1/24 is the shortening of the chord of a bent beam, without which bending would seem to compress it.

The wrench follows from its power -e . x_dot, e = k (x + beta x_dot).  With g = tan(a/4) theta/a, a = |theta|, the
rotation exp(theta x / 2) is 1 + 2 (g x + g x g x) / (1 + g . g), and E turns against F with (w - g x w) / 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Axis, Element, NonNegative, Vector
from linkwork.elements.declaration.surroundings import Surroundings
from linkwork.elements.family import BETWEEN_FRAMES, Family, Phase, record
from linkwork.elements.forces.force import Force, attached
from linkwork.elements.signals.frame_pairs import (
    PAIR,
    axes_of_F,
    combined,
    components,
    ends,
    pair_of,
    relative_rotation,
)
from linkwork.numerics.rotations import frame_with_axis, rotation_moment, rotation_rate, rotation_vector
from linkwork.numerics.vectors import add, add_wrench, angular, cross, dot, point_velocity, scale, sub

BEAM = record(
    [
        ("stiffness", np.float64, (6,)),  # N/m, N m/rad
        ("damping", np.float64),  # s, beta
        ("length", np.float64),  # m
        *PAIR,
    ]
)
SIZE = BEAM.itemsize


class Section(Element):
    """What a beam is made of: section and material.  Axes y and z are principal axes of the section."""

    modulus: NonNegative = Field(description="Pa, > 0, Young's modulus E")
    shear_modulus: NonNegative = Field(description="Pa, > 0, G")
    area: NonNegative = Field(description="m2, > 0")
    Iy: NonNegative = Field(description="m4, > 0, int z^2 dA: bending in the plane xz")
    Iz: NonNegative = Field(description="m4, > 0, int y^2 dA: bending in the plane xy")
    J: NonNegative = Field(description="m4, > 0, torsion constant")
    ky: NonNegative | None = Field(default=None, description="shear area / area along y, > 0; default: rigid in shear")
    kz: NonNegative | None = Field(default=None, description="shear area / area along z, > 0; default: rigid in shear")
    damping: NonNegative = Field(default=0.0, description="s, beta: damping matrix = beta * stiffness matrix")
    second_axis: Axis | None = Field(
        default=None, description="y axis of the section, world; may be left out where Iy = Iz"
    )

    @model_validator(mode="after")
    def _solid(self) -> Self:
        for key in ("modulus", "shear_modulus", "area", "Iy", "Iz", "J", "ky", "kz"):
            if getattr(self, key) == 0.0:
                raise ValueError(f"beam '{self.name}': {key} is 0; it must be > 0")
        return self

    def axes(self, direction: np.ndarray) -> np.ndarray:
        """Axes of the beam in the world, as columns, for its direction."""
        x = direction / np.linalg.norm(direction)
        if self.second_axis is None:
            across = frame_with_axis(x)
            return np.column_stack([x, across[:, 0], across[:, 1]])
        y = np.array(self.second_axis) - x * (x @ np.array(self.second_axis))
        if np.linalg.norm(y) < 1e-6:
            raise ValueError(f"beam '{self.name}': second_axis is along the beam; give a direction across it")
        y /= np.linalg.norm(y)
        return np.column_stack([x, y, np.cross(x, y)])

    def stiffnesses(self, length: float) -> tuple[float, ...]:
        """k of a beam of this length (m)."""
        E, G, L = self.modulus, self.shear_modulus, length
        Py = 12.0 * E * self.Iz / (G * self.ky * self.area * L * L) if self.ky else 0.0
        Pz = 12.0 * E * self.Iy / (G * self.kz * self.area * L * L) if self.kz else 0.0
        return (
            E * self.area / L, 12.0 * E * self.Iz / (L**3 * (1.0 + Py)), 12.0 * E * self.Iy / (L**3 * (1.0 + Pz)),
            G * self.J / L, E * self.Iy / L, E * self.Iz / L,
        )  # fmt: skip


class Beam(Section, Force):
    """A straight beam, relaxed where the model puts the bodies (or, between named frames, where they are in line)."""

    plural: ClassVar[str] = "elastic beams between two frames"

    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    points: tuple[Vector, Vector] | None = Field(
        default=None, description="m, its ends in the world, with the bodies where the model puts them"
    )
    frames: tuple[str, str] | None = Field(
        default=None, description="instead of points: named frames on A and B with x along the beam; needs length"
    )
    length: NonNegative | None = Field(default=None, description="m, > 0, of the relaxed beam; default: between points")

    @model_validator(mode="after")
    def _placed(self) -> Self:
        who = f"beam '{self.name}'"
        if self.between[0] == self.between[1]:
            raise ValueError(f"{who}: connects '{self.between[0]}' with itself; name two different bodies")
        if (self.points is None) == (self.frames is None):
            raise ValueError(f"{who}: give its ends either by points (m, world) or by two named frames")
        if self.frames is not None and self.length is None:
            raise ValueError(f"{who}: between named frames it needs length (m)")
        if self.length_m <= 0.0:
            raise ValueError(f"{who}: its length is 0 m; it must be > 0")
        if self.points is not None and self.second_axis is None and (self.Iy, self.ky) != (self.Iz, self.kz):
            raise ValueError(f"{who}: its section differs along y and z; give second_axis, the direction of y")
        if self.points is not None:
            self.axes(np.subtract(self.points[1], self.points[0]))
        return self

    @property
    def length_m(self) -> float:
        """Length of the relaxed beam, m."""
        if self.length is not None:
            return self.length
        return math.dist(*self.points) if self.points is not None else 0.0

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between) + tuple(("frame", name) for name in self.frames or ())

    def check(self, surroundings: Surroundings) -> None:
        """Its frames are on its bodies."""
        surroundings.check_frames(self.who, self.between, self.frames)

    def attachments(self) -> tuple[Attachment, ...]:
        """Its ends, where they are points."""
        return () if self.points is None else attached(self.between, self.points)

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One beam between two frames."""
        axes = np.eye(3) if self.points is None else self.axes(np.subtract(self.points[1], self.points[0]))
        pair = context.places.frame_pair(self.between, self.frames, self.points, axes)
        return [(self.stiffnesses(self.length_m), self.damping, self.length_m, *pair)]


@kernel
def beams(system, t, angles, work, first, last):
    """Adds the wrenches; energy[1] gains U, energy[2] the power of the damping, -beta k x_dot^2."""
    R, p, O, V = work.R, work.p, work.O, work.V
    for at in range(first, last, SIZE):
        beam = record_at(system.block, at, BEAM)
        pair = pair_of(beam)
        a, b, L = beam.body_a, beam.body_b, beam.length
        axes = axes_of_F(R, pair)
        p_F, p_M = ends(R, p, pair)
        theta = rotation_vector(relative_rotation(R, pair))
        g = _half(theta)
        d = components(axes, sub(p_M, p_F))  # in the axes of F
        w = components(axes, sub(angular(V, b), angular(V, a)))
        v = components(axes, sub(point_velocity(V, O, b, p_M), point_velocity(V, O, a, p_M)))
        w_E = scale(0.5, sub(w, cross(g, w)))
        back = scale(-1.0, g)
        d_E, v_E = _turned(back, d), _turned(back, sub(v, cross(w_E, d)))
        turning = rotation_rate(theta, w)
        bow = (theta[1] * theta[1] + theta[2] * theta[2]) * (L / 24.0)
        bow_dot = (theta[1] * turning[1] + theta[2] * turning[2]) * (L / 12.0)
        along = _effort(beam, 0, d_E[0] - L + bow, v_E[0] + bow_dot, work.energy)
        f_E = (
            along, _effort(beam, 1, d_E[1], v_E[1], work.energy), _effort(beam, 2, d_E[2], v_E[2], work.energy)
        )  # fmt: skip
        moment = (
            _effort(beam, 3, theta[0], turning[0], work.energy),
            _effort(beam, 4, theta[1], turning[1], work.energy) + along * theta[1] * (L / 12.0),
            _effort(beam, 5, theta[2], turning[2], work.energy) + along * theta[2] * (L / 12.0),
        )
        f_F = _turned(g, f_E)
        lever = cross(d, f_F)
        n_F = sub(scale(0.5, add(lever, cross(g, lever))), rotation_moment(theta, moment))
        f, n = scale(-1.0, combined(axes, f_F)), combined(axes, n_F)
        add_wrench(work.F, b, O, p_M, f, n)
        add_wrench(work.F, a, O, p_M, scale(-1.0, f), scale(-1.0, n))


@part
def _half(theta):
    """g = tan(a/4) theta/a: the Rodrigues vector of half the rotation."""
    square = dot(theta, theta) / 16.0
    if square.real < 1e-4:  # tan(s) / s
        factor = 1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0 + square * (17.0 / 315.0)))
    else:
        quarter = np.sqrt(square)
        factor = np.tan(quarter) / quarter
    return scale(0.25 * factor, theta)


@part
def _turned(g, a):
    """A vector turned by the rotation with the Rodrigues vector g."""
    across = cross(g, a)
    return add(a, scale(2.0 / (1.0 + dot(g, g)), add(across, cross(g, across))))


@part
def _effort(beam, i, x, x_dot, energy):
    """k (x + beta x_dot); what it adds to the energies."""
    k = beam.stiffness[i]
    energy[1] += 0.5 * k * x * x
    energy[2] -= beam.damping * k * x_dot * x_dot
    return k * (x + beam.damping * x_dot)


BEAMS = Family("beams", BEAM, {Phase.FORCES: beams}, (Beam,), BETWEEN_FRAMES)
