"""Vectors of three and spatial vectors of six, as tuples: no allocation, any scalar type.

A twist is `(v_O, omega)`: the velocity of the body-fixed point that now passes the reference point O, and the angular
velocity.  A wrench is `(f, n_O)`: the force and its moment about O.  World axes throughout.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def vector(a, i):
    """Row i of an array [.., 3]."""
    return a[i, 0], a[i, 1], a[i, 2]


@part
def column(R, i, k):
    """Axis k of the frame whose orientation is R[i]."""
    return R[i, 0, k], R[i, 1, k], R[i, 2, k]


@part
def add(a, b):
    """Sum."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@part
def sub(a, b):
    """Difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@part
def scale(s, a):
    """Multiple."""
    return s * a[0], s * a[1], s * a[2]


@part
def dot(a, b):
    """Inner product, without conjugation: complex steps pass through."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross(a, b):
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def rotate(R, i, a):
    """R[i] @ a."""
    return (
        R[i, 0, 0] * a[0] + R[i, 0, 1] * a[1] + R[i, 0, 2] * a[2],
        R[i, 1, 0] * a[0] + R[i, 1, 1] * a[1] + R[i, 1, 2] * a[2],
        R[i, 2, 0] * a[0] + R[i, 2, 1] * a[1] + R[i, 2, 2] * a[2],
    )


@part
def rotate_back(R, i, a):
    """R[i].T @ a."""
    return (
        R[i, 0, 0] * a[0] + R[i, 1, 0] * a[1] + R[i, 2, 0] * a[2],
        R[i, 0, 1] * a[0] + R[i, 1, 1] * a[1] + R[i, 2, 1] * a[2],
        R[i, 0, 2] * a[0] + R[i, 1, 2] * a[1] + R[i, 2, 2] * a[2],
    )


@part
def linear(a, i):
    """The first three of a spatial vector a[i]."""
    return a[i, 0], a[i, 1], a[i, 2]


@part
def angular(a, i):
    """The last three of a spatial vector a[i]."""
    return a[i, 3], a[i, 4], a[i, 5]


@part
def put(a, i, v, w):
    """Write a spatial vector (v, w) to a[i]."""
    for r in range(3):
        a[i, r] = v[r]
        a[i, 3 + r] = w[r]


@part
def spatial_dot(a, i, b, j):
    """a[i] . b[j] of two arrays of spatial vectors."""
    return (
        a[i, 0] * b[j, 0]
        + a[i, 1] * b[j, 1]
        + a[i, 2] * b[j, 2]
        + a[i, 3] * b[j, 3]
        + a[i, 4] * b[j, 4]
        + a[i, 5] * b[j, 5]
    )


@part
def add_wrench(F, i, O, P, f, n):
    """Add to F[i] a force f at the point P and a moment n; F[i] is about the reference point O[i]."""
    m = cross(sub(P, vector(O, i)), f)
    F[i, 0] += f[0]
    F[i, 1] += f[1]
    F[i, 2] += f[2]
    F[i, 3] += m[0] + n[0]
    F[i, 4] += m[1] + n[1]
    F[i, 5] += m[2] + n[2]


@part
def point_velocity(V, O, i, P):
    """Velocity of the point of body i that is now at P."""
    return add(linear(V, i), cross(angular(V, i), sub(P, vector(O, i))))
