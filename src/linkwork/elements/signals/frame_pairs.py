"""Numbers between two bodies: what a frame M on body B is to a frame F on body A, its rate, and the wrench with it.

Every such number x has a rate that is linear in the twists,

    x_dot = f . (v_M - v_A) + n . (w_B - w_A)      v_A: of the point of A that is now at M

so that an effort e against x is the force -e f at M and the moment -e n on B, and the reverse on A; and

    x_ddot = f . (a_M - a_A) + n . (alpha_B - alpha_A) + rest      a, alpha: rates of the twists, which add up
                                                                   along the tree (formulations/kinematics.py)
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import fields_of
from linkwork.compiler.kernels import part
from linkwork.elements.constraints.relative_motion import (
    angle_about_z,
    frame_axis,
    rest_of_angle,
    rest_of_cosine,
    rest_of_point,
)
from linkwork.elements.constraints.rows import ANGLE, PARALLEL, POINT
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import (
    add,
    add_wrench,
    angular,
    cross,
    dot,
    point_velocity,
    rotate,
    scale,
    sub,
    vector,
)

# Kinds of numbers: POINT, PARALLEL and ANGLE of constraints/rows.py, and
DISTANCE = 10  # |p_M - p_F|, m

# The two frames; to be the last fields of a table.
PAIR = [
    ("body_a", np.int32),
    ("body_b", np.int32),
    ("R_AF", np.float64, (3, 3)),  # frame F in A's link frame
    ("p_AF", np.float64, (3,)),  # m
    ("R_BM", np.float64, (3, 3)),  # frame M in B's link frame
    ("p_BM", np.float64, (3,)),  # m
]
pair_of = fields_of(np.dtype(PAIR, align=True))


@part
def ends(R, p, pair):
    """Origins of F and M in the world."""
    p_F = add(vector(p, pair.body_a), rotate(R, pair.body_a, pair.p_AF))
    p_M = add(vector(p, pair.body_b), rotate(R, pair.body_b, pair.p_BM))
    return p_F, p_M


@part
def relative_rotation(R, pair):
    """Rows of R_FM, the axes of M in those of F."""
    m = (
        frame_axis(R, pair.body_b, pair.R_BM, 0),
        frame_axis(R, pair.body_b, pair.R_BM, 1),
        frame_axis(R, pair.body_b, pair.R_BM, 2),
    )
    x, y, z = axes_of_F(R, pair)
    return (
        (dot(x, m[0]), dot(x, m[1]), dot(x, m[2])),
        (dot(y, m[0]), dot(y, m[1]), dot(y, m[2])),
        (dot(z, m[0]), dot(z, m[1]), dot(z, m[2])),
    )


@part
def axes_of_F(R, pair):
    """The axes of F in the world."""
    return (
        frame_axis(R, pair.body_a, pair.R_AF, 0),
        frame_axis(R, pair.body_a, pair.R_AF, 1),
        frame_axis(R, pair.body_a, pair.R_AF, 2),
    )


@part
def components(axes, a):
    """A vector of the world along three axes."""
    return dot(axes[0], a), dot(axes[1], a), dot(axes[2], a)


@part
def combined(axes, a):
    """The vector of the world that has these components along three axes."""
    x, y, z = axes
    return (
        a[0] * x[0] + a[1] * y[0] + a[2] * z[0],
        a[0] * x[1] + a[1] * y[1] + a[2] * z[1],
        a[0] * x[2] + a[1] * y[2] + a[2] * z[2],
    )


@part
def number(kind, i, j, R, p, pair, heading):
    """The number itself; an angle on the turn nearest to `heading` (rad)."""
    p_F, p_M = ends(R, p, pair)
    d = sub(p_M, p_F)
    x_F = frame_axis(R, pair.body_a, pair.R_AF, i)
    if kind == POINT:
        x = dot(x_F, d)
    elif kind == DISTANCE:
        x = sqrt(dot(d, d))
    elif kind == PARALLEL:
        x = dot(x_F, frame_axis(R, pair.body_b, pair.R_BM, j))
    else:
        x = angle_about_z(R, pair, heading)
    return x


@part
def direction(kind, i, j, R, p, pair):
    """(f, n): how the number changes with a motion of M against A.  A distance of zero has no direction: f = 0."""
    x_F = frame_axis(R, pair.body_a, pair.R_AF, i)
    zero = scale(0.0, x_F)
    f, n = zero, zero
    if kind == POINT:
        f = x_F
    elif kind == DISTANCE:
        p_F, p_M = ends(R, p, pair)
        d = sub(p_M, p_F)
        length = sqrt(dot(d, d))
        if length.real > 1e-12:
            f = scale(1.0 / length, d)
    elif kind == PARALLEL:
        n = cross(frame_axis(R, pair.body_b, pair.R_BM, j), x_F)
    elif kind == ANGLE:
        n = frame_axis(R, pair.body_a, pair.R_AF, 2)
    return f, n


@part
def relative_motion(V, O, pair, p_M, f, n):
    """f . (v_M - v_A) + n . (w_B - w_A), of twists V or of their rates."""
    v = sub(point_velocity(V, O, pair.body_b, p_M), point_velocity(V, O, pair.body_a, p_M))
    return dot(f, v) + dot(n, sub(angular(V, pair.body_b), angular(V, pair.body_a)))


@part
def rest_of_acceleration(kind, i, j, R, p, O, V, pair):
    """What the second derivative of the number has besides f . a + n . alpha."""
    a, b = pair.body_a, pair.body_b
    p_F, p_M = ends(R, p, pair)
    v_M = point_velocity(V, O, b, p_M)
    w_A, w_B = angular(V, a), angular(V, b)
    w_AB = sub(w_B, w_A)
    x_F = frame_axis(R, a, pair.R_AF, i)
    if kind == POINT:
        rest = rest_of_point(x_F, v_M, sub(v_M, point_velocity(V, O, a, p_M)), w_A, w_AB)
    elif kind == DISTANCE:
        d = sub(p_M, p_F)
        length = sqrt(dot(d, d))
        u = scale(1.0 / length, d)
        v_F = point_velocity(V, O, a, p_F)
        relative = sub(v_M, v_F)
        along = dot(u, relative)
        turning = sub(cross(w_B, v_M), cross(w_A, v_F))
        rest = dot(u, turning) + (dot(relative, relative) - along * along) / length
    elif kind == PARALLEL:
        rest = rest_of_cosine(x_F, frame_axis(R, b, pair.R_BM, j), w_A, w_B, w_AB)
    else:
        rest = rest_of_angle(frame_axis(R, a, pair.R_AF, 2), w_A, w_AB)
    return rest


@part
def add_effort(F, O, pair, p_M, e, f, n):
    """The wrenches of an effort e against the number whose direction is (f, n)."""
    add_wrench(F, pair.body_b, O, p_M, scale(-e, f), scale(-e, n))
    add_wrench(F, pair.body_a, O, p_M, scale(e, f), scale(e, n))


@part
def write_wrench(W, r, first, kept, factor, f, n, arm):
    """Row r of W from `first` on: `kept` times what it was, and the force f at `arm` with the moment n."""
    moment = cross(arm, f)
    for k in range(3):
        W[r, first + k] = kept * W[r, first + k] + factor * f[k]
        W[r, first + 3 + k] = kept * W[r, first + 3 + k] + factor * (moment[k] + n[k])


@part
def heading(k, t, angles, work):
    """Where the counted angle k is at t by its rate at the last accepted step; rad.  k = -1: no counted angle."""
    if k < 0:
        return 0.0
    return angles[k] + angles[angles.shape[0] // 2 + k] * (t - work.segment[0].t_accepted)


@part
def counted(kind, i, j, k, t, angles, work, pair, p_M, f, n):
    """The number whose direction is (f, n), and its rate; k >= 0: an angle, noted as counted angle k with its rate."""
    rate = relative_motion(work.V, work.O, pair, p_M, f, n)
    x = number(kind, i, j, work.R, work.p, pair, heading(k, t, angles, work))
    if k >= 0:
        work.angle[k] = x.real
        work.angle[angles.shape[0] // 2 + k] = rate.real
    return x, rate
