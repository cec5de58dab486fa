"""Rotations: Euler parameters (scalar first), rotation vectors, angles that count past one turn.

The kernels take any scalar type; the plain NumPy functions at the end serve model building.
"""

from __future__ import annotations

import math

import numpy as np

from linkwork.compiler.kernels import part
from linkwork.numerics.scalars import sqrt
from linkwork.numerics.vectors import add, cross, dot, scale, sub

TWO_PI = 2.0 * math.pi


@part
def rotation_entries(e0, e1, e2, e3):
    """The nine entries of R(e), row by row; a parameter set of any length gives an orthonormal R.

    R = I + 2 (e0 tilde(e) + tilde(e) tilde(e)) / |e|^2  (Haug 1989, eq 9.3.10, made homogeneous).
    """
    s = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    return (
        1.0 - s * (e2 * e2 + e3 * e3),
        s * (e1 * e2 - e0 * e3),
        s * (e1 * e3 + e0 * e2),
        s * (e1 * e2 + e0 * e3),
        1.0 - s * (e1 * e1 + e3 * e3),
        s * (e2 * e3 - e0 * e1),
        s * (e1 * e3 - e0 * e2),
        s * (e2 * e3 + e0 * e1),
        1.0 - s * (e1 * e1 + e2 * e2),
    )


@part
def euler_rates(e0, e1, e2, e3, w1, w2, w3):
    """de/dt = 1/2 (0, w) o e, with w in the axes that do not turn."""
    return (
        0.5 * (-w1 * e1 - w2 * e2 - w3 * e3),
        0.5 * (w1 * e0 + w2 * e3 - w3 * e2),
        0.5 * (w2 * e0 + w3 * e1 - w1 * e3),
        0.5 * (w3 * e0 + w1 * e2 - w2 * e1),
    )


@part
def turn(e0, e1, e2, e3, d1, d2, d3):
    """exp(d/2) o e, normalized: the orientation e turned by the rotation vector d, in the axes that do not turn."""
    angle = sqrt(d1 * d1 + d2 * d2 + d3 * d3)
    c = np.cos(0.5 * angle)
    s = 0.5
    if angle.real > 1e-8:
        s = np.sin(0.5 * angle) / angle
    a1, a2, a3 = s * d1, s * d2, s * d3
    r0 = c * e0 - a1 * e1 - a2 * e2 - a3 * e3
    r1 = c * e1 + a1 * e0 + a2 * e3 - a3 * e2
    r2 = c * e2 + a2 * e0 + a3 * e1 - a1 * e3
    r3 = c * e3 + a3 * e0 + a1 * e2 - a2 * e1
    n = 1.0 / sqrt(r0 * r0 + r1 * r1 + r2 * r2 + r3 * r3)
    return r0 * n, r1 * n, r2 * n, r3 * n


@part
def angle_near(sine, cosine, reference):
    """atan2(sine, cosine), on the turn nearest to `reference`; complex steps pass through.

    The real part fixes the angle; what is left after turning back by it is small, and its tangent is itself.
    """
    theta = math.atan2(sine.real, cosine.real)
    c, s = math.cos(theta), math.sin(theta)
    rest = (sine * c - cosine * s) / (cosine * c + sine * s)
    return theta + TWO_PI * math.floor((reference - theta) / TWO_PI + 0.5) + rest


@part
def parameters_of(x, y, z):
    """Euler parameters of an orthonormal R with columns x, y, z; of the two signs either.

    The products 4 e_i e_j follow from the entries of R; the row with the largest 4 e_i^2 is scaled to unit length
    (Shepperd 1978).
    """
    squares = (1.0 + x[0] + y[1] + z[2], 1.0 + x[0] - y[1] - z[2], 1.0 - x[0] + y[1] - z[2], 1.0 - x[0] - y[1] + z[2])
    e = (squares[0], y[2] - z[1], z[0] - x[2], x[1] - y[0])
    largest = max(squares[0], squares[1], squares[2], squares[3])
    if squares[0] < largest:
        if squares[1] == largest:
            e = (y[2] - z[1], squares[1], x[1] + y[0], z[0] + x[2])
        elif squares[2] == largest:
            e = (z[0] - x[2], x[1] + y[0], squares[2], y[2] + z[1])
        else:
            e = (x[1] - y[0], z[0] + x[2], y[2] + z[1], squares[3])
    n = 1.0 / math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    return n * e[0], n * e[1], n * e[2], n * e[3]


@part
def rotation_vector(D):
    """theta with D = exp(theta x), for the rows of a rotation matrix; |theta| < pi.  Complex steps pass through.

    (D - D^T) / 2 = sin|theta| (theta / |theta|) x and (tr D - 1) / 2 = cos|theta|.  At half a turn the axis is lost.
    """
    x, y, z = 0.5 * (D[2][1] - D[1][2]), 0.5 * (D[0][2] - D[2][0]), 0.5 * (D[1][0] - D[0][1])
    square = x * x + y * y + z * z
    cosine = 0.5 * (D[0][0] + D[1][1] + D[2][2] - 1.0)
    if square.real < 1e-4 and cosine.real > 0.0:  # asin(s) / s
        factor = 1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (15.0 / 336.0)))
    else:
        sine = np.sqrt(square)
        factor = angle_near(sine, cosine, 0.0) / sine
    return factor * x, factor * y, factor * z


@part
def rotation_rate(theta, w):
    """theta_dot = w - theta x w / 2 + c theta x (theta x w), w being the angular velocity in the axes that do not turn.

    c = (1 - (a / 2) cot(a / 2)) / a^2 with a = |theta| (Bortz 1971).
    """
    across = cross(theta, w)
    return add(sub(w, scale(0.5, across)), scale(_bortz(theta), cross(theta, across)))


@part
def rotation_moment(theta, m):
    """The moment whose power is m . theta_dot: the transpose of `rotation_rate`."""
    across = cross(theta, m)
    return add(add(m, scale(0.5, across)), scale(_bortz(theta), cross(theta, across)))


@part
def _bortz(theta):
    square = dot(theta, theta)
    if square.real < 1e-3:
        return 1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
    half = 0.5 * np.sqrt(square)
    return (1.0 - half / np.tan(half)) / square


def rotation_matrix(e: np.ndarray) -> np.ndarray:
    """R(e) for Euler parameters, scalar first."""
    return np.array(rotation_entries.py_func(*map(float, e))).reshape(3, 3)


def euler_parameters(R: np.ndarray) -> np.ndarray:
    """Euler parameters (scalar first, e0 >= 0) of rotation matrices [..., 3, 3], as `parameters_of` has them."""
    products = np.empty((*R.shape[:-2], 4, 4))
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        products[..., 0, 1 + i] = products[..., 1 + i, 0] = R[..., k, j] - R[..., j, k]
        products[..., 1 + j, 1 + k] = products[..., 1 + k, 1 + j] = R[..., k, j] + R[..., j, k]
        products[..., 1 + i, 1 + i] = 1.0 + R[..., i, i] - R[..., j, j] - R[..., k, k]
    products[..., 0, 0] = 1.0 + R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    e = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    e = e / np.linalg.norm(e, axis=-1, keepdims=True)
    return np.asarray(np.where(e[..., :1] < 0.0, -e, e))


def axis_rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation matrix about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K))


def frame_with_axis(axis: np.ndarray) -> np.ndarray:
    """A right-handed frame whose z axis is `axis` (unit); x is as near to a world axis as can be."""
    z = axis / math.sqrt(axis @ axis)
    nearest = int(np.argmin(np.abs(z)))
    x = -z * z[nearest]
    x[nearest] += 1.0
    x /= math.sqrt(x @ x)
    y = (z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0])
    return np.array([x, y, z]).T
