"""Rotations over a step of generalized-alpha, in which the axis of the angular velocity w turns as well.

The rotation vector of a step from t_n is not the integral of w: rotations about different axes do not commute.  For
w linear in time (theory (9.7); Magnus; Iserles, Munthe-Kaas, Norsett and Zanna, Acta Numerica 2000, section 5)

    theta(t_n + tau) = int_0^tau w + (tau^2 / 12) w(t_n + tau) x w(t_n) + O(tau^5)

The second term is of the third order, as are the errors of the method, but larger than these by the ratio of a spin to
the rate at which its axis turns: 150 to 4.6 in the heavy top of Bruls, Cardona and Arnold (2012).
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.integrators.hermite import cubic
from linkwork.numerics.rotations import turn
from linkwork.numerics.vectors import cross, scale, sub


@part
def velocity(y, k):
    """The angular velocity that begins at place k of y."""
    return y[k], y[k + 1], y[k + 2]


@part
def bend(tau, w_0, w):
    """(tau^2 / 12) w x w_0."""
    c = cross(w, w_0)
    f = tau * tau / 12.0
    return f * c[0], f * c[1], f * c[2]


@part
def left_out(h, j, v, y, y_new, entries):
    """The term of the fifth order, (h / 720) theta x (theta x (theta x (w_{n+1} - w_n))): it counts at a fast spin."""
    theta = (entries[j].increment, entries[j + 1].increment, entries[j + 2].increment)
    change = sub(velocity(y_new, v), velocity(y, v))
    return scale(h / 720.0, cross(theta, cross(theta, cross(theta, change))))


@part
def turn_part_way(s, h, q, v, j, y, entries, y_out):
    """The Euler parameters at the part s of a step, from place q of y on; their angular velocity begins at place v.

    The integral of w follows the cubic through what the step has made of it and through w at both ends, however many
    turns that are.  By what the correction of the step's end has turned the body, a cubic without slopes turns it here.
    """
    w_0 = (entries[v].y_old, entries[v + 1].y_old, entries[v + 2].y_old)
    w_1 = velocity(y, v)
    start = (entries[q].y_old, entries[q + 1].y_old, entries[q + 2].y_old, entries[q + 3].y_old)
    part_way, whole = bend(s * h, w_0, velocity(y_out, v)), bend(h, w_0, w_1)
    i_0, i_1, i_2 = entries[j].increment, entries[j + 1].increment, entries[j + 2].increment
    a_0, _ = cubic(s, h, 0.0, w_0[0], i_0, w_1[0])
    a_1, _ = cubic(s, h, 0.0, w_0[1], i_1, w_1[1])
    a_2, _ = cubic(s, h, 0.0, w_0[2], i_2, w_1[2])
    e = turned(start, a_0 + part_way[0], a_1 + part_way[1], a_2 + part_way[2])
    rest = between(turned(start, i_0 + whole[0], i_1 + whole[1], i_2 + whole[2]), y[q], y[q + 1], y[q + 2], y[q + 3])
    f = s * s * (3.0 - 2.0 * s)
    e = turned(e, f * rest[0], f * rest[1], f * rest[2])
    for r in range(4):
        y_out[q + r] = e[r]


@part
def turned(e, d0, d1, d2):
    """The orientation e turned by the rotation vector d."""
    return turn(e[0], e[1], e[2], e[3], d0, d1, d2)


@part
def between(e, f0, f1, f2, f3):
    """The small rotation vector from e to f: twice the vector part of f o e^-1 by its scalar part."""
    scalar = 0.5 * (f0 * e[0] + f1 * e[1] + f2 * e[2] + f3 * e[3])
    return (
        (f1 * e[0] - f0 * e[1] - f2 * e[3] + f3 * e[2]) / scalar,
        (f2 * e[0] - f0 * e[2] - f3 * e[1] + f1 * e[3]) / scalar,
        (f3 * e[0] - f0 * e[3] - f1 * e[2] + f2 * e[1]) / scalar,
    )
