"""Inverse dynamics in one pass out and one pass in: the generalized forces that a motion needs, by Newton-Euler.

Each body is treated in the axes of its own link frame, where its inertia is constant and a hinge turns two components
of a vector: 124 multiplications a hinge beside its sine and cosine, little more than half of what world axes take
(Luh, Walker and Paul 1980).  A point at r in a frame that turns with w and w_dot has the acceleration

    a + B r,    B = tilde(w_dot) + tilde(w) tilde(w)

and ground is made to accelerate with -g, so that weight is part of the inertia forces.  A joint is a row of elementary
motions, each of which moves the frame that the ones before it left behind, like in poses.py.  Of a body with its centre
of mass at c

    f = m (a + B c),    n = J w_dot + w x J w + c x f        tau = the share of (f, n) along a motion, on the way in

with n about the origin of the frame.  Nodes of flexible bodies are none of these bodies.
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL, HELIX, ROTATE, SLIDE
from linkwork.numerics.rotations import rotation_entries
from linkwork.numerics.vectors import add, angular, cross, linear, put, vector


@part
def needed_forces(bodies, dofs, gravity, q, v, v_dot, turns, spin, spin_rate, B, F, tau):
    """tau; spin, spin_rate [body, 6] and B [body, 9] are for (w, a), w_dot and B of the bodies, turns [dof, 2] for
    cosines and sines, F for (f, n).
    """
    _ground(gravity, spin, spin_rate, B)
    for i in range(1, bodies.shape[0]):
        _carry_out(bodies, dofs, q, v, v_dot, turns, spin, spin_rate, B, F, i)
    for i in range(bodies.shape[0] - 1, 0, -1):
        _hand_in(bodies, dofs, q, turns, F, tau, i)


@part
def _ground(gravity, spin, spin_rate, B):
    for k in range(3):
        spin[0, k] = 0.0
        spin[0, 3 + k] = -gravity[k]
        spin_rate[0, k] = 0.0
    for k in range(9):
        B[0, k] = 0.0


@part
def _carry_out(bodies, dofs, q, v, v_dot, turns, spin, spin_rate, B, F, i):
    """w, a, w_dot of body i, from those of its inboard body on, and (f, n)."""
    b = bodies[i]
    p = b.parent
    w = _back(b.R_PF, linear(spin, p))
    w_dot = _back(b.R_PF, vector(spin_rate, p))
    a = _back(b.R_PF, add(angular(spin, p), _times(_nine(B, p), _vector_of(b.p_PF))))
    for j in range(b.first_dof, b.first_dof + b.dof_count):
        dof = dofs[j]
        x, speed, rate = q[dof.q], v[j], v_dot[j]
        if dof.kind == ROTATE:
            c, s = np.cos(x), np.sin(x)
            turns[j, 0], turns[j, 1] = c, s
            if dof.axis == 2:
                w, w_dot, a = _into_z(w, c, s), _into_z(w_dot, c, s), _into_z(a, c, s)
                w_dot = (w_dot[0] + w[1] * speed, w_dot[1] - w[0] * speed, w_dot[2] + rate)
                w = (w[0], w[1], w[2] + speed)
            elif dof.axis == 1:
                w, w_dot, a = _into_y(w, c, s), _into_y(w_dot, c, s), _into_y(a, c, s)
                w_dot = (w_dot[0] - w[2] * speed, w_dot[1] + rate, w_dot[2] + w[0] * speed)
                w = (w[0], w[1] + speed, w[2])
            else:
                w, w_dot, a = _into_x(w, c, s), _into_x(w_dot, c, s), _into_x(a, c, s)
                w_dot = (w_dot[0] + rate, w_dot[1] + w[2] * speed, w_dot[2] - w[1] * speed)
                w = (w[0] + speed, w[1], w[2])
        elif dof.kind == SLIDE:
            e = _unit(dof.axis)
            a = _slid(a, w, w_dot, e, x, speed, rate)
        elif dof.kind == HELIX:
            a = _slid(a, w, w_dot, (0.0, 0.0, 1.0), dof.pitch * x, dof.pitch * speed, dof.pitch * rate)
            c, s = np.cos(x), np.sin(x)
            turns[j, 0], turns[j, 1] = c, s
            w, w_dot, a = _into_z(w, c, s), _into_z(w_dot, c, s), _into_z(a, c, s)
            w_dot = (w_dot[0] + w[1] * speed, w_dot[1] - w[0] * speed, w_dot[2] + rate)
            w = (w[0], w[1], w[2] + speed)
        elif dof.kind == BALL:  # its three velocities are in the axes of the frame before it turns
            own, k = (v[j], v[j + 1], v[j + 2]), dof.q
            E = rotation_entries(q[k], q[k + 1], q[k + 2], q[k + 3])
            w_dot = add(add(w_dot, (v_dot[j], v_dot[j + 1], v_dot[j + 2])), cross(w, own))
            w = add(w, own)
            w, w_dot, a = _back_by(E, w), _back_by(E, w_dot), _back_by(E, a)
    put(spin, i, w, a)
    for k in range(3):
        spin_rate[i, k] = w_dot[k]
    spun = _spun(w, w_dot)
    for k in range(9):
        B[i, k] = spun[k]
    com = _vector_of(b.p_LC)
    at_com = add(a, _times(spun, com))
    f = (b.mass * at_com[0], b.mass * at_com[1], b.mass * at_com[2])
    moment = add(cross(w, _symmetric(b.J_C, w)), cross(com, f))
    put(F, i, f, add(_symmetric(b.J_C, w_dot), moment))


@part
def _hand_in(bodies, dofs, q, turns, F, tau, i):
    """tau of the motions that carry body i, and its (f, n) to its inboard body."""
    b = bodies[i]
    f, n = linear(F, i), angular(F, i)
    for j in range(b.first_dof + b.dof_count - 1, b.first_dof - 1, -1):
        dof = dofs[j]
        if dof.kind == ROTATE:
            c, s = turns[j, 0], turns[j, 1]
            if dof.axis == 2:
                tau[j] = n[2]
                f, n = _into_z(f, c, -s), _into_z(n, c, -s)
            elif dof.axis == 1:
                tau[j] = n[1]
                f, n = _into_y(f, c, -s), _into_y(n, c, -s)
            else:
                tau[j] = n[0]
                f, n = _into_x(f, c, -s), _into_x(n, c, -s)
        elif dof.kind == SLIDE:
            e, x = _unit(dof.axis), q[dof.q]
            tau[j] = f[0] * e[0] + f[1] * e[1] + f[2] * e[2]
            n = add(n, cross((x * e[0], x * e[1], x * e[2]), f))
        elif dof.kind == HELIX:
            tau[j] = n[2] + dof.pitch * f[2]
            f, n = _into_z(f, turns[j, 0], -turns[j, 1]), _into_z(n, turns[j, 0], -turns[j, 1])
            n = add(n, cross((0.0, 0.0, dof.pitch * q[dof.q]), f))
        elif dof.kind == BALL:
            k = dof.q
            E = rotation_entries(q[k], q[k + 1], q[k + 2], q[k + 3])
            f, n = _times(E, f), _times(E, n)
            for r in range(3):
                tau[j + r] = n[r]
    if b.parent > 0:
        f, n = _forth(b.R_PF, f), _forth(b.R_PF, n)
        n = add(n, cross(_vector_of(b.p_PF), f))
        for r in range(3):
            F[b.parent, r] += f[r]
            F[b.parent, 3 + r] += n[r]


# -- frames -----------------------------------------------------------------------------------------------------------
@part
def _into_x(u, c, s):
    """u in axes that are turned about x."""
    return u[0], c * u[1] + s * u[2], c * u[2] - s * u[1]


@part
def _into_y(u, c, s):
    return c * u[0] - s * u[2], u[1], c * u[2] + s * u[0]


@part
def _into_z(u, c, s):
    return c * u[0] + s * u[1], c * u[1] - s * u[0], u[2]


@part
def _unit(axis):
    if axis == 0:
        return 1.0, 0.0, 0.0
    if axis == 1:
        return 0.0, 1.0, 0.0
    return 0.0, 0.0, 1.0


@part
def _slid(a, w, w_dot, e, x, speed, rate):
    """The acceleration of a point that moves along e: its place, speed and rate of speed along it."""
    carried, turned = _times(_spun(w, w_dot), e), cross(w, e)
    return (
        a[0] + x * carried[0] + 2.0 * speed * turned[0] + rate * e[0],
        a[1] + x * carried[1] + 2.0 * speed * turned[1] + rate * e[1],
        a[2] + x * carried[2] + 2.0 * speed * turned[2] + rate * e[2],
    )


@part
def _spun(w, w_dot):
    """B, row by row."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return (
        -(yy + zz), xy - w_dot[2], xz + w_dot[1],
        xy + w_dot[2], -(xx + zz), yz - w_dot[0],
        xz - w_dot[1], yz + w_dot[0], -(xx + yy),
    )  # fmt: skip


@part
def _nine(B, i):
    return B[i, 0], B[i, 1], B[i, 2], B[i, 3], B[i, 4], B[i, 5], B[i, 6], B[i, 7], B[i, 8]


@part
def _vector_of(a):
    """Three entries of a record."""
    return a[0], a[1], a[2]


@part
def _times(M, u):
    """M u, nine entries row by row."""
    return (
        M[0] * u[0] + M[1] * u[1] + M[2] * u[2],
        M[3] * u[0] + M[4] * u[1] + M[5] * u[2],
        M[6] * u[0] + M[7] * u[1] + M[8] * u[2],
    )


@part
def _back_by(M, u):
    """M^T u."""
    return (
        M[0] * u[0] + M[3] * u[1] + M[6] * u[2],
        M[1] * u[0] + M[4] * u[1] + M[7] * u[2],
        M[2] * u[0] + M[5] * u[1] + M[8] * u[2],
    )


@part
def _forth(R, u):
    """R u of an array of a record."""
    return (
        R[0, 0] * u[0] + R[0, 1] * u[1] + R[0, 2] * u[2],
        R[1, 0] * u[0] + R[1, 1] * u[1] + R[1, 2] * u[2],
        R[2, 0] * u[0] + R[2, 1] * u[1] + R[2, 2] * u[2],
    )


@part
def _back(R, u):
    """R^T u."""
    return (
        R[0, 0] * u[0] + R[1, 0] * u[1] + R[2, 0] * u[2],
        R[0, 1] * u[0] + R[1, 1] * u[1] + R[2, 1] * u[2],
        R[0, 2] * u[0] + R[1, 2] * u[1] + R[2, 2] * u[2],
    )


@part
def _symmetric(J, u):
    """J u, of the upper triangle."""
    return (
        J[0, 0] * u[0] + J[0, 1] * u[1] + J[0, 2] * u[2],
        J[0, 1] * u[0] + J[1, 1] * u[1] + J[1, 2] * u[2],
        J[0, 2] * u[0] + J[1, 2] * u[1] + J[2, 2] * u[2],
    )
