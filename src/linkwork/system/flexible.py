"""Flexible bodies as numbers of the System: what formulations/flexible.py reads."""

from __future__ import annotations

import numpy as np

from linkwork.flexible.finite_model import PRODUCTS
from linkwork.flexible.modal_body import ModalBody


def body_numbers(modal: ModalBody) -> np.ndarray:
    """mass, h0, J0, C_t, G0, A, G1, M_e, K_e, D_e, with the prestress as second-order terms (formulations/flexible.py).

    Stiffening K_geo = sum a_k A_k + ... is what the quadratic terms of the kinematics give: h gains 1/2 eta A eta, and
    G_j gains, in its symmetric part -spin, in its axial part the matrices of the angular acceleration.
    """
    m = modal.modes
    A, G1 = np.zeros((m, m, 3)), modal.G1.copy()
    if modal.stiffening is not None:
        A = np.moveaxis(modal.stiffening.acceleration, 0, 2)
        for (k, l), spin in zip(PRODUCTS, modal.stiffening.spin, strict=True):
            share = spin if k == l else 0.5 * spin
            G1[:, :, k, l] -= share
            if k != l:
                G1[:, :, l, k] -= share
        for a, (b, c) in enumerate(((1, 2), (2, 0), (0, 1))):
            turning = 0.5 * modal.stiffening.angular_acceleration[a]
            G1[:, :, b, c] += turning
            G1[:, :, c, b] -= turning
    parts = (modal.h0, modal.J0, modal.C_t.T, modal.G0, A, G1, modal.M_e, modal.K_e, modal.D_e)
    return np.concatenate([[modal.mass], *(np.ascontiguousarray(part).ravel() for part in parts)])


def node_numbers(modal: ModalBody, node: int) -> np.ndarray:
    """x, S, Theta, N of a node; N is its foreshortening."""
    m, nodes = modal.modes, modal.nodes
    N = np.zeros((m, m, 3))
    if modal.stiffening is not None:
        N = np.moveaxis(modal.stiffening.node_force[node], 0, 2)
    parts = (nodes.x[node], nodes.S[node].T, nodes.Theta[node].T, N)
    return np.concatenate([np.ascontiguousarray(part).ravel() for part in parts])


def modal_sizes(modal: ModalBody, length: float) -> np.ndarray:
    """A modal coordinate that moves some node by a hundredth of the mechanism's size, for each mode."""
    largest = np.abs(modal.nodes.S).max(axis=(0, 1))
    return 0.01 * length / np.where(largest > 0.0, largest, 1.0)
