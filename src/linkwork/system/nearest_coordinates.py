"""Coordinates of the tree for bodies that stand somewhere, compiled: as near as the joints allow.

From the root outwards each motion of a joint takes the value that brings its frame nearest to where the body stands,
and moves the frame on for the next, as formulations/poses.py does with values that are known.
"""

from __future__ import annotations

import math

from linkwork.compiler.argument_types import CUBE, MATRIX, VECTOR, VOID, records
from linkwork.compiler.kernels import Exports, export, kernel, part
from linkwork.elements.bodies.rigid_inertia import BODY
from linkwork.elements.joints.motions import BALL, DOF, HELIX, ROTATE, SLIDE
from linkwork.numerics.rotations import parameters_of, rotation_entries
from linkwork.numerics.vectors import add, column, dot, rotate, scale, sub, vector


@kernel
def nearest_coordinates(bodies, dofs, R_place, p_place, R_parent, p_parent, given, R, p, q):
    """q for link frames that should stand at `place`, and where they do stand: R, p.

    `given`: coordinates that are known; NaN of the others.  A body hangs on its parent at `parent`: that is R and p,
    where parents stand as far as they can reach, or `place`, where they are taken to stand as they should.
    """
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        a = b.parent
        at = add(vector(p_parent, a), rotate(R_parent, a, b.p_PF))
        ex, ey, ez = _axis(R_parent, a, b.R_PF, 0), _axis(R_parent, a, b.R_PF, 1), _axis(R_parent, a, b.R_PF, 2)
        if b.axis_count == 0:  # no node of a flexible body
            for j in range(b.first_dof, b.first_dof + b.dof_count):
                dof = dofs[j]
                if dof.kind == BALL:
                    _turn_to(R_place, i, ex, ey, ez, given, dof.q, q)
                    ex, ey, ez = _turned_freely(q, dof.q, ex, ey, ez)
                elif dof.kind == SLIDE:
                    e = _of_three(dof.axis, ex, ey, ez)
                    q[dof.q] = _or_given(dot(e, sub(vector(p_place, i), at)), given[dof.q])
                    at = add(at, scale(q[dof.q], e))
                elif dof.kind == ROTATE or dof.kind == HELIX:
                    first, second = (dof.axis + 1) % 3, (dof.axis + 2) % 3
                    wanted = column(R_place, i, first)
                    cosine, sine = dot(_of_three(first, ex, ey, ez), wanted), dot(_of_three(second, ex, ey, ez), wanted)
                    q[dof.q] = _or_given(math.atan2(sine, cosine), given[dof.q])
                    if dof.kind == HELIX:
                        at = add(at, scale(dof.pitch * q[dof.q], ez))
                    ex, ey, ez = _turned_about(dof.axis, q[dof.q], ex, ey, ez)
        for r in range(3):
            R[i, r, 0], R[i, r, 1], R[i, r, 2], p[i, r] = ex[r], ey[r], ez[r], at[r]


@part
def _axis(R, a, M, k):
    """Column k of R[a] M."""
    return rotate(R, a, (M[0, k], M[1, k], M[2, k]))


@part
def _of_three(k, x, y, z):
    if k == 0:
        return x
    if k == 1:
        return y
    return z


@part
def _or_given(value, given):
    return value if math.isnan(given) else given


@part
def _turned_about(axis, angle, x, y, z):
    """Axes turned about one of them."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return x, add(scale(c, y), scale(s, z)), sub(scale(c, z), scale(s, y))
    if axis == 1:
        return sub(scale(c, x), scale(s, z)), y, add(scale(c, z), scale(s, x))
    return add(scale(c, x), scale(s, y)), sub(scale(c, y), scale(s, x)), z


@part
def _turn_to(R_place, i, x, y, z, given, k, q):
    """Euler parameters q[k..k+3] from axes to those of the body i."""
    X, Y, Z = column(R_place, i, 0), column(R_place, i, 1), column(R_place, i, 2)
    e = parameters_of(
        (dot(x, X), dot(y, X), dot(z, X)), (dot(x, Y), dot(y, Y), dot(z, Y)), (dot(x, Z), dot(y, Z), dot(z, Z))
    )
    sign = -1.0 if e[0] < 0.0 else 1.0
    for n in range(4):
        q[k + n] = _or_given(sign * e[n], given[k + n])


@part
def _turned_freely(q, k, x, y, z):
    """Axes after a rotation by the Euler parameters q[k..k+3]."""
    e = rotation_entries(q[k], q[k + 1], q[k + 2], q[k + 3])
    return (
        add(add(scale(e[0], x), scale(e[3], y)), scale(e[6], z)),
        add(add(scale(e[1], x), scale(e[4], y)), scale(e[7], z)),
        add(add(scale(e[2], x), scale(e[5], y)), scale(e[8], z)),
    )


def exports() -> Exports:
    """For the native library."""
    yield export(
        nearest_coordinates, VOID, records(BODY), records(DOF), CUBE, MATRIX, CUBE, MATRIX, VECTOR, CUBE, MATRIX, VECTOR
    )
