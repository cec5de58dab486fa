"""Rolling disc: a thin disc that rolls on a plane of ground without slipping.

With c the centre of the disc, a its axis, n the normal of the plane, k = n . a, s = sqrt(1 - k^2) and

    e = (k a - n) / s      from the centre towards the lowest point P = c + r e, the contact

the disc holds one equation of position and, along two directions of the plane, one of velocity each:

    n . c - r s = height,        direction . (v of the disc's point at P) = 0

The rate of the first is the velocity of that very point along n, so that all three rows are a force along a fixed
direction at P.  P itself moves with v_c + r e_dot, other than the point of the disc that is there; hence

    rest of the acceleration = direction . (w x (v_c + r e_dot)),   e_dot = (k_dot a + k a_dot) / s + e k k_dot / s^2
"""

from __future__ import annotations

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.elements.family import Family, Phase, record
from linkwork.elements.signals.frame_pairs import write_wrench
from linkwork.numerics.vectors import add, angular, cross, dot, point_velocity, rotate, scale, sub, vector

ROLLING = record(
    [
        ("body", np.int32),
        ("first_row", np.int32),  # of the plane's normal, then of the directions along it
        ("row_count", np.int32),
        ("radius", np.float64),  # m
        ("height", np.float64),  # m
        ("centre", np.float64, (3,)),  # m, in the link frame
        ("axis", np.float64, (3,)),  # in the link frame
        ("directions", np.float64, (3, 3)),  # normal and two directions along the plane, world
    ]
)
SIZE = ROLLING.itemsize


@part
def _contact(R, p, disc):
    """Centre, axis, e, k and s."""
    b, n = disc.body, disc.directions[0]
    c = add(vector(p, b), rotate(R, b, disc.centre))
    a = rotate(R, b, disc.axis)
    k = dot(n, a)
    s = np.sqrt(1.0 - k * k)
    return c, a, scale(1.0 / s, sub(scale(k, a), n)), k, s


@stage
def rolling_positions(system, t, angles, work, first, last):
    """Phi of the height, and the wrenches: a unit force along each direction at the contact."""
    for at in range(first, last, SIZE):
        disc = record_at(system.block, at, ROLLING)
        c, _, e, _, s = _contact(work.R, work.p, disc)
        P = add(c, scale(disc.radius, e))
        work.Phi[disc.first_row] += dot(disc.directions[0], c) - disc.radius * s - disc.height
        for i in range(disc.row_count):
            f = scale(1.0 + 0.0 * s, disc.directions[i])
            zero = scale(0.0, f)
            write_wrench(work.W, disc.first_row + i, 0, 0.0, 1.0, f, zero, sub(P, vector(work.O, 0)))
            write_wrench(work.W, disc.first_row + i, 6, 0.0, 1.0, f, zero, sub(P, vector(work.O, disc.body)))


@stage
def rolling_accelerations(system, t, angles, work, first, last):
    """gamma -= direction . (w x (v_c + r e_dot))."""
    for at in range(first, last, SIZE):
        disc = record_at(system.block, at, ROLLING)
        c, a, e, k, s = _contact(work.R, work.p, disc)
        w = angular(work.V, disc.body)
        a_dot = cross(w, a)
        k_dot = dot(disc.directions[0], a_dot)
        e_dot = add(scale(1.0 / s, add(scale(k_dot, a), scale(k, a_dot))), scale(k * k_dot / (s * s), e))
        moving = add(point_velocity(work.V, work.O, disc.body, c), scale(disc.radius, e_dot))
        turned = cross(w, moving)
        for i in range(disc.row_count):
            work.gamma[disc.first_row + i] -= dot(disc.directions[i], turned)


ROLLING_DISCS = Family("rolling discs", ROLLING, {Phase.ROWS: rolling_positions, Phase.GAMMA: rolling_accelerations})
