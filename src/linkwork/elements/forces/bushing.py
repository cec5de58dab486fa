"""Bushing: stiffness and damping in all six directions between a frame F on body A and a frame M on body B.

With d = p_M - p_F in the axes of F and theta the rotation vector of M against F (R_FM = exp(theta x), |theta| < pi),

    x = (d, theta),   e = f0 + K x + C x_dot,   U = f0 . x + x . K x / 2

so that x = 0 where F and M coincide.  The wrench follows from its power -e . x_dot: the stiffness part is the slope of
U for any size of x, not only for small ones.

    d_dot = R_WF^T (v_M - v_A),  theta_dot = H R_WF^T (w_B - w_A)      v_A: of the point of A that is now at M
    on B: the force -R_WF e_d at the origin of M and the moment -R_WF H^T e_theta; the reverse on A, at the same point
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel, part
from linkwork.elements.context import Attachment, Context
from linkwork.elements.declaration.base import Number, Vector
from linkwork.elements.declaration.orientations import Quaternion
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
from linkwork.numerics.rotations import rotation_matrix, rotation_moment, rotation_rate, rotation_vector
from linkwork.numerics.vectors import add_wrench, angular, point_velocity, scale, sub

NEGLIGIBLE = 1e-9  # of the largest entry: asymmetry and negative eigenvalues below this are rounding

BUSHING = record(
    [
        ("stiffness", np.float64, (6, 6)),  # N/m, N/rad, N m/rad
        ("damping", np.float64, (6, 6)),  # N s/m, N s/rad, N m s/rad
        ("preload", np.float64, (6,)),  # N, N m
        *PAIR,
    ]
)
SIZE = BUSHING.itemsize


def _whole(value: Any) -> Any:
    """Six numbers are the diagonal of a matrix."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(value, (list, tuple)) or len(value) != 6:
        raise ValueError(f"is {value!r}; give six numbers, the diagonal, or a 6 x 6 matrix")
    rows = [row for row in value if isinstance(row, (list, tuple))]
    if rows and (len(rows) < 6 or any(len(row) != 6 for row in rows)):
        raise ValueError(f"is {value!r}; give six numbers, the diagonal, or a 6 x 6 matrix")
    if rows:
        return value
    return [[value[i] if i == j else 0.0 for j in range(6)] for i in range(6)]


Six = tuple[Number, Number, Number, Number, Number, Number]
SixBySix = Annotated[tuple[Six, Six, Six, Six, Six, Six] | Six, BeforeValidator(_whole)]
NOTHING: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Bushing(Force):
    """Forces and moments by a 6 x 6 stiffness and damping between two frames, which coincide where they are relaxed.

    Directions: x, y, z (m), then rotations about x, y, z (rad), in the axes of the frame on A.
    """

    plural: ClassVar[str] = "6 x 6 stiffness and damping between two frames"

    between: tuple[str, str] = Field(description="names of body A and body B; 'ground' is a body")
    at: Vector | None = Field(
        default=None, description="m, where both frames are in the world, with bodies as modelled"
    )
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0), description="Euler parameters of both frames in the world, scalar first"
    )
    frames: tuple[str, str] | None = Field(default=None, description="instead of `at`: named frames on A and on B")
    stiffness: SixBySix = Field(description="N/m or N m/rad: six numbers, or a symmetric 6 x 6 matrix; >= 0")
    damping: SixBySix = Field(default=(NOTHING,) * 6, description="N s/m or N m s/rad: six numbers or 6 x 6; >= 0")
    preload: Six = Field(default=NOTHING, description="N or N m: resistance where the frames coincide")

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        who = f"bushing '{self.name}'"
        if self.between[0] == self.between[1]:
            raise ValueError(f"{who}: connects '{self.between[0]}' with itself; name two different bodies")
        if (self.at is None) == (self.frames is None):
            raise ValueError(f"{who}: give its place either by at (m, world) or by two named frames")
        stiffness = np.array(self.stiffness)
        if np.abs(stiffness - stiffness.T).max() > NEGLIGIBLE * np.abs(stiffness).max():
            raise ValueError(f"{who}: stiffness is not symmetric, so that it would give energy for nothing; fix it")
        for what, matrix in (("stiffness", stiffness), ("damping", np.array(self.damping))):
            least = float(np.linalg.eigvalsh(0.5 * (matrix + matrix.T))[0])
            if least < -NEGLIGIBLE * np.abs(matrix).max():
                raise ValueError(f"{who}: {what} has the eigenvalue {least:.3g}; none may be below 0")
        return self

    def refers(self) -> tuple[tuple[str, str], ...]:
        """What it names."""
        return tuple(("body", name) for name in self.between) + tuple(("frame", name) for name in self.frames or ())

    def check(self, surroundings: Surroundings) -> None:
        """Its frames are on its bodies."""
        surroundings.check_frames(self.who, self.between, self.frames)

    def attachments(self) -> tuple[Attachment, ...]:
        """Its place on both bodies, where it is a point."""
        return () if self.at is None else attached(self.between, (self.at, self.at))

    def records(self, context: Context) -> Iterable[tuple[Any, ...]]:
        """One bushing between two frames."""
        axes, points = rotation_matrix(np.array(self.orientation)), None if self.at is None else (self.at, self.at)
        pair = context.places.frame_pair(self.between, self.frames, points, axes)
        return [(self.stiffness, self.damping, self.preload, *pair)]


@kernel
def bushings(system, t, angles, work, first, last):
    """Adds the wrenches; energy[1] gains f0 . x + x . K x / 2, energy[2] the dampers' power -x_dot . C x_dot."""
    R, p, O, V = work.R, work.p, work.O, work.V
    for at in range(first, last, SIZE):
        bush = record_at(system.block, at, BUSHING)
        pair = pair_of(bush)
        a, b = bush.body_a, bush.body_b
        axes = axes_of_F(R, pair)
        p_F, p_M = ends(R, p, pair)
        theta = rotation_vector(relative_rotation(R, pair))
        d = components(axes, sub(p_M, p_F))
        v = components(axes, sub(point_velocity(V, O, b, p_M), point_velocity(V, O, a, p_M)))
        w = rotation_rate(theta, components(axes, sub(angular(V, b), angular(V, a))))
        x = (d[0], d[1], d[2], theta[0], theta[1], theta[2])
        x_dot = (v[0], v[1], v[2], w[0], w[1], w[2])
        e = (
            _effort(bush, x, x_dot, 0, work.energy), _effort(bush, x, x_dot, 1, work.energy),
            _effort(bush, x, x_dot, 2, work.energy), _effort(bush, x, x_dot, 3, work.energy),
            _effort(bush, x, x_dot, 4, work.energy), _effort(bush, x, x_dot, 5, work.energy),
        )  # fmt: skip
        f = scale(-1.0, combined(axes, (e[0], e[1], e[2])))
        n = scale(-1.0, combined(axes, rotation_moment(theta, (e[3], e[4], e[5]))))
        add_wrench(work.F, b, O, p_M, f, n)
        add_wrench(work.F, a, O, p_M, scale(-1.0, f), scale(-1.0, n))


@part
def _effort(bush, x, x_dot, i, energy):
    """The i-th of f0 + K x + C x_dot; what it adds to the energies."""
    elastic, viscous = 0.0 * x[0], 0.0 * x[0]
    for j in range(6):
        elastic += bush.stiffness[i, j] * x[j]
        viscous += bush.damping[i, j] * x_dot[j]
    energy[1] += (bush.preload[i] + 0.5 * elastic) * x[i]
    energy[2] -= viscous * x_dot[i]
    return bush.preload[i] + elastic + viscous


BUSHINGS = Family("bushings", BUSHING, {Phase.FORCES: bushings}, (Bushing,), BETWEEN_FRAMES)
