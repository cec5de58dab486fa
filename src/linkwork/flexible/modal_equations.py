"""The equations of motion of a flexible body (modal_body.py) in NumPy: to read, to test, to linearize single bodies.

The time loop has them as kernels (elements/bodies/flexible_motion.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.finite_model import PRODUCTS
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.shape_integrals import axial, tilde


def gyrations(body: ModalBody, eta: np.ndarray, eta_dot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G_j(eta) and G'_j = sum_i eta'_i G1_ij; (m, 3, 3) each."""
    return body.G0 + np.einsum("i,ijab->jab", eta, body.G1), np.einsum("i,ijab->jab", eta_dot, body.G1)


def inertia(body: ModalBody, eta: np.ndarray, G: np.ndarray) -> np.ndarray:
    """J(eta) = J0 + sum_j eta_j sym(G0_j + G_j)."""
    A = np.einsum("j,jab->ab", eta, body.G0 + G)
    J: np.ndarray = body.J0 + (A + A.T) / 2
    return J


def mass_matrix(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """M(eta) of z = (v, omega, eta'), (6 + m, 6 + m)."""
    G, _ = gyrations(body, eta, 0 * eta)
    h = tilde(body.h0 + body.C_t @ eta)
    C_r = axial(G).T
    return np.block(
        [
            [body.mass * np.eye(3), -h, body.C_t],
            [h, inertia(body, eta, G), C_r],
            [body.C_t.T, C_r.T, body.M_e],
        ]
    )


def velocity_forces(
    body: ModalBody, eta: np.ndarray, v: np.ndarray, omega: np.ndarray, eta_dot: np.ndarray
) -> np.ndarray:
    """Q_v of M(eta) z' = Q_v + ...: centrifugal, Coriolis and gyroscopic forces, (6 + m,).  With v = 0, z' has a_O."""
    G, G_dot = gyrations(body, eta, eta_dot)
    h, wv = body.h0 + body.C_t @ eta, np.cross(omega, v)
    force = body.mass * wv + np.cross(omega, np.cross(omega, h)) + 2 * np.cross(omega, body.C_t @ eta_dot)
    moment = (
        np.cross(h, wv)
        + np.cross(omega, inertia(body, eta, G) @ omega)
        + 2 * np.einsum("j,jab,b->a", eta_dot, G, omega)
    )
    modal = body.C_t.T @ wv - np.einsum("a,jab,b->j", omega, G, omega) + 2 * axial(G_dot) @ omega
    return -np.concatenate([force, moment, modal])


def geometric_stiffness(
    body: ModalBody,
    acceleration: Sequence[float] = (0, 0, 0),
    angular_acceleration: Sequence[float] = (0, 0, 0),
    omega: Sequence[float] = (0, 0, 0),
    node_forces: np.ndarray | None = None,
) -> np.ndarray:
    """K_geo (m, m) under a_O - g, alpha, omega and node forces (nodes, 3), all in body axes (Prestress has the sum)."""
    if body.stiffening is None:
        raise ModelError(f"flexible body '{body.name}' was made without stiffening", element=body.name)
    s = body.stiffening
    squares = np.array([omega[a] * omega[b] for a, b in PRODUCTS])
    K = np.tensordot(acceleration, s.acceleration, 1) + np.tensordot(squares, s.spin, 1)
    K = K + np.tensordot(angular_acceleration, s.angular_acceleration, 1)
    return K if node_forces is None else K + np.tensordot(node_forces, s.node_force, 2)
