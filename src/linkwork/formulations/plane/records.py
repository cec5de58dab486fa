"""What is known of a mechanism in a plane, and the state of its bodies there.

Vectors have two components, along the axes x and y of the plane; angles and moments are about its normal.  What is
fixed on a body is given as it lies when all coordinates are zero, and turns with the body from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ACROSS = -1  # a row that holds nothing within the plane

PLANE = np.dtype(
    [
        ("x", np.float64, (3,)),  # axes of the plane in the world
        ("y", np.float64, (3,)),
        ("normal", np.float64, (3,)),
        ("gravity", np.float64, (2,)),  # m/s2
        ("potential", np.float64),  # J, of gravity across the plane: constant
    ],
    align=True,
)
PLANE_BODY = np.dtype(
    [
        ("parent", np.int32),
        ("first_dof", np.int32),
        ("dof_count", np.int32),
        ("p_P", np.float64, (2,)),  # m, where it hangs on its parent, from the parent's origin
        ("p_C", np.float64, (2,)),  # m, its centre of mass
        ("mass", np.float64),  # kg
        ("J_C", np.float64),  # kg m2
        ("per_mass", np.float64),  # 1/kg, of a free body; 0: ground
        ("per_inertia", np.float64, (3, 3)),  # 1/(kg m2), the same, in space: along x, y and the normal
        ("height", np.float64),  # m, of its origin, along the normal
        # Its orientation, turned by an angle: R_still + cos(angle) R_cos + sin(angle) R_sin (Rodrigues).
        ("R_still", np.float64, (3, 3)),
        ("R_cos", np.float64, (3, 3)),
        ("R_sin", np.float64, (3, 3)),
    ],
    align=True,
)
PLANE_MOTION = np.dtype(
    [
        ("sense", np.float64),  # of a rotation: 1 about the normal, -1 against it; 0: a slide
        ("along", np.float64, (2,)),  # of a slide
    ],
    align=True,
)
PLANE_CONSTRAINT = np.dtype(
    [
        ("p_F", np.float64, (2,)),  # m, in A
        ("p_M", np.float64, (2,)),  # m, in B
        ("rise_a", np.float64),  # m, of M above the centre of mass of A, along the normal
        ("rise_b", np.float64),  # m, above that of B
    ],
    align=True,
)
PLANE_ROW = np.dtype(
    [
        ("kind", np.int32),  # POINT, PARALLEL, ANGLE, ACROSS
        ("x_F", np.float64, (2,)),  # its axis of F, in A; of an angle the x axis
        ("x_M", np.float64, (2,)),  # its axis of M, in B; the same
        ("sense", np.float64),  # of an angle: 1 about the normal, -1 against it
    ],
    align=True,
)

# Columns of the state of a body: cosine and sine of its angle, its origin, the reference point of its tree; first
# moment and inertia about that point, then all of this and the mass summed over what hangs on it; its twist; the rate
# of that at v_dot = 0; forces less inertia forces.
(
    COS, SIN, X, Y, O_X, O_Y, H_X, H_Y, J_O, MASS_SUM, H_X_SUM, H_Y_SUM, J_O_SUM, V_X, V_Y, SPIN, A_X, A_Y, F_X, F_Y,
    MOMENT, COLUMNS,
) = range(22)  # fmt: skip


class PlaneTables(NamedTuple):
    """Of a mechanism in a plane; all of them empty: in space."""

    plane: np.ndarray  # one PLANE
    plane_bodies: np.ndarray  # PLANE_BODY
    plane_motions: np.ndarray  # PLANE_MOTION
    plane_constraints: np.ndarray  # PLANE_CONSTRAINT
    plane_rows: np.ndarray  # PLANE_ROW


def in_space() -> PlaneTables:
    """The tables of all other mechanisms."""
    kinds = (PLANE, PLANE_BODY, PLANE_MOTION, PLANE_CONSTRAINT, PLANE_ROW)
    return PlaneTables(*(np.zeros(0, kind) for kind in kinds))
