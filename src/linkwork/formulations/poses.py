"""Poses of the bodies and axes of the motions, along the tree (P2; theory (2.1)).

The present frame is held in registers: three vectors, its axes in the world, and an origin; an elementary motion turns
two of them or moves the origin.  What is written to memory is the result alone.  (With the frame in memory it took
twice as long.)

Axes are twists about a point O fixed in the world: the origin of the tree's first body at this very instant, chosen
anew at each evaluation, because recursion about a far point loses digits.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL, HELIX, ROTATE, SLIDE
from linkwork.numerics.rotations import rotation_entries
from linkwork.numerics.vectors import add, angular, column, cross, linear, put, rotate, scale, sub, vector


@part
def poses(bodies, dofs, y, R, p, O, S, start, end):
    """R and p of the link frames of bodies start..end-1, their reference points O, and the axes S of the motions."""
    for i in range(start, end):
        b = bodies[i]
        a = b.parent
        if b.axis_count > 0:
            _node(b, R, p, O, S, i)
            continue
        at = add(vector(p, a), rotate(R, a, b.p_PF))
        ex, ey, ez = _column(R, a, b.R_PF, 0), _column(R, a, b.R_PF, 1), _column(R, a, b.R_PF, 2)
        first = at
        if a > 0:
            first = vector(O, a)
        for j in range(b.first_dof, b.first_dof + b.dof_count):
            dof = dofs[j]
            if dof.kind == ROTATE:
                c, s = np.cos(y[dof.q]), np.sin(y[dof.q])
                arm = sub(at, first)
                if dof.axis == 2:
                    put(S, j, cross(arm, ez), ez)
                    ex, ey = _turned(ex, ey, c, s)
                elif dof.axis == 1:
                    put(S, j, cross(arm, ey), ey)
                    ez, ex = _turned(ez, ex, c, s)
                else:
                    put(S, j, cross(arm, ex), ex)
                    ey, ez = _turned(ey, ez, c, s)
            elif dof.kind == SLIDE:
                e = ez
                if dof.axis == 1:
                    e = ey
                elif dof.axis == 0:
                    e = ex
                put(S, j, e, scale(0.0, e))
                at = add(at, scale(y[dof.q], e))
            elif dof.kind == HELIX:
                c, s = np.cos(y[dof.q]), np.sin(y[dof.q])
                put(S, j, add(cross(sub(at, first), ez), scale(dof.pitch, ez)), ez)
                ex, ey = _turned(ex, ey, c, s)
                at = add(at, scale(dof.pitch * y[dof.q], ez))
            elif dof.kind == BALL:  # its three axes are those of the frame before it turns
                arm = sub(at, first)
                put(S, j, cross(arm, ex), ex)
                put(S, j + 1, cross(arm, ey), ey)
                put(S, j + 2, cross(arm, ez), ez)
                ex, ey, ez = _turned_freely(y, dof.q, ex, ey, ez)
        reference = first
        if a == 0:  # the reference point of a tree is where its first body ends up
            reference = at
            _about(b, dofs, sub(first, at), S)
        for r in range(3):
            R[i, r, 0] = ex[r]
            R[i, r, 1] = ey[r]
            R[i, r, 2] = ez[r]
            p[i, r] = at[r]
            O[i, r] = reference[r]


@part
def _node(b, R, p, O, S, i):
    """A node of a flexible body, whose frame and axes lie in the frame of that body."""
    a = b.parent
    at = add(vector(p, a), rotate(R, a, vector(p, i)))
    arm = sub(vector(p, a), vector(O, a))
    for j in range(b.first_axis, b.first_axis + b.axis_count):
        w = rotate(R, a, angular(S, j))
        put(S, j, add(rotate(R, a, linear(S, j)), cross(arm, w)), w)
    for k in range(3):
        e = rotate(R, a, column(R, i, k))
        for r in range(3):
            R[i, r, k] = e[r]
        p[i, k] = at[k]
        O[i, k] = O[a, k]


@part
def _turned_freely(y, k, ex, ey, ez):
    """Axes after a rotation by the Euler parameters y[k..k+3]."""
    e = rotation_entries(y[k], y[k + 1], y[k + 2], y[k + 3])
    return (
        _combined(ex, ey, ez, e[0], e[3], e[6]),
        _combined(ex, ey, ez, e[1], e[4], e[7]),
        _combined(ex, ey, ez, e[2], e[5], e[8]),
    )


@part
def _about(b, dofs, shift, S):
    """Axes about another point, `shift` from it to the old one."""
    for j in range(b.first_dof, b.first_dof + b.dof_count):
        if dofs[j].kind != SLIDE:
            moved = cross(shift, angular(S, j))
            for r in range(3):
                S[j, r] += moved[r]


@part
def _column(R, a, M, k):
    """Column k of R[a] M."""
    return rotate(R, a, (M[0, k], M[1, k], M[2, k]))


@part
def _turned(x, y, c, s):
    """Two axes turned about the third, from the first towards the second."""
    return (
        (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]),
        (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]),
    )


@part
def _combined(x, y, z, a, b, c):
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
    )
