"""Rigid bodies in the time loop: their table, and inertia about reference points in world axes.

Apart from their declaration (rigid_body.py), so that an edit of what a user can declare compiles nothing anew.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.numerics.vectors import add, cross, rotate, rotate_back, sub, vector

BODY = np.dtype(
    [
        ("parent", np.int32),  # body on which it hangs; ground is 0
        ("first_dof", np.int32),  # of a node of a flexible body: its modes
        ("dof_count", np.int32),
        ("first_axis", np.int32),  # first_dof; of a node how the modes move it (elements/bodies/flexible_motion.py)
        ("axis_count", np.int32),  # modes of a node
        ("mass", np.float64),  # kg; 0: a node
        ("p_LC", np.float64, (3,)),  # m, centre of mass in the link frame
        ("J_C", np.float64, (3, 3)),  # kg m2, about the centre of mass, link axes
        ("J_C_inverse", np.float64, (3, 3)),  # 1/(kg m2)
        ("R_PF", np.float64, (3, 3)),  # inboard joint frame F in the parent's link frame
        ("p_PF", np.float64, (3,)),  # m
    ],
    align=True,
)


@part
def world_inertia(bodies, R, p, O, inertia):
    """Mass, first moment and inertia of every body about its reference point, world axes (P2: Mh; theory (2.4)).

    Packed as (m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) with h = m (c - O), J = R J_C R^T + m (d.d I - d d^T).
    """
    for i in range(1, bodies.shape[0]):
        b = bodies[i]
        m = b.mass
        c = add(vector(p, i), rotate(R, i, b.p_LC))
        d = sub(c, vector(O, i))
        inertia[i, 0] = m
        for k in range(3):
            inertia[i, 1 + k] = m * d[k]
        J = b.J_C
        r0 = (R[i, 0, 0], R[i, 0, 1], R[i, 0, 2])
        r1 = (R[i, 1, 0], R[i, 1, 1], R[i, 1, 2])
        r2 = (R[i, 2, 0], R[i, 2, 1], R[i, 2, 2])
        g0 = _times(J, r0)
        g1 = _times(J, r1)
        g2 = _times(J, r2)
        xx, yy, zz = m * d[0] * d[0], m * d[1] * d[1], m * d[2] * d[2]
        inertia[i, 4] = r0[0] * g0[0] + r0[1] * g0[1] + r0[2] * g0[2] + yy + zz
        inertia[i, 5] = r1[0] * g1[0] + r1[1] * g1[1] + r1[2] * g1[2] + xx + zz
        inertia[i, 6] = r2[0] * g2[0] + r2[1] * g2[1] + r2[2] * g2[2] + xx + yy
        inertia[i, 7] = r0[0] * g1[0] + r0[1] * g1[1] + r0[2] * g1[2] - m * d[0] * d[1]
        inertia[i, 8] = r0[0] * g2[0] + r0[1] * g2[1] + r0[2] * g2[2] - m * d[0] * d[2]
        inertia[i, 9] = r1[0] * g2[0] + r1[1] * g2[1] + r1[2] * g2[2] - m * d[1] * d[2]


@part
def free_mobility(system, work, i, r, o):
    """f.f / m + n_C . J_C^-1 n_C: twice the energy that an impulse would give body i, were it free: the wrench about O
    in row r of W, from column o on.

    By reference: three arrays, passed as such for each row, take longer than all of the arithmetic.
    """
    W, inertia = work.W, work.inertia
    if i == 0:
        return 0.0 * W[r, o]
    if system.bodies[i].mass == 0.0:  # a node of a flexible body: the body itself
        i = system.bodies[i].parent
    b = system.bodies[i]
    f, n = (W[r, o], W[r, o + 1], W[r, o + 2]), (W[r, o + 3], W[r, o + 4], W[r, o + 5])
    arm = cross((inertia[i, 1], inertia[i, 2], inertia[i, 3]), f)  # m (c - O) x f
    about_c = (n[0] - arm[0] / b.mass, n[1] - arm[1] / b.mass, n[2] - arm[2] / b.mass)
    local = rotate_back(work.R, i, about_c)
    turned = _times(b.J_C_inverse, local)
    return (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / b.mass + (
        local[0] * turned[0] + local[1] * turned[1] + local[2] * turned[2]
    )


@part
def _times(J, r):
    return (
        J[0, 0] * r[0] + J[0, 1] * r[1] + J[0, 2] * r[2],
        J[1, 0] * r[0] + J[1, 1] * r[1] + J[1, 2] * r[2],
        J[2, 0] * r[0] + J[2, 1] * r[1] + J[2, 2] * r[2],
    )


@part
def momentum(inertia, i, v, w):
    """(m v + w x h, h x v + J w): what the packed inertia i makes of a twist (v, w)."""
    m = inertia[i, 0]
    h = (inertia[i, 1], inertia[i, 2], inertia[i, 3])
    wh = cross(w, h)
    hv = cross(h, v)
    return (
        (m * v[0] + wh[0], m * v[1] + wh[1], m * v[2] + wh[2]),
        (
            hv[0] + inertia[i, 4] * w[0] + inertia[i, 7] * w[1] + inertia[i, 8] * w[2],
            hv[1] + inertia[i, 7] * w[0] + inertia[i, 5] * w[1] + inertia[i, 9] * w[2],
            hv[2] + inertia[i, 8] * w[0] + inertia[i, 9] * w[1] + inertia[i, 6] * w[2],
        ),
    )
