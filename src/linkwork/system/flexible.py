"""Flexible bodies as numbers of the System: what formulations/flexible.py reads."""

from __future__ import annotations

import numpy as np

from linkwork.flexible.finite_model import PRODUCTS, Prestress
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.shape_integrals import product

THIN = 1e-12  # of the second moment along a body: less across it is none, and nothing moves with it


def body_numbers(modal: ModalBody) -> np.ndarray:
    """mass, h0, J0, C_t, G0, G1, M_e, K_e, D_e; with stiffening P0, P1 and the shifts a, B (flexible_tables.py)."""
    parts = [modal.h0, modal.J0, modal.C_t.T, modal.G0, modal.G1, modal.M_e, modal.K_e, modal.D_e]
    if modal.stiffening is not None:
        parts += [product(modal.J0), product(modal.G0), shifts(modal, modal.stiffening)]
    return np.concatenate([[modal.mass], *(np.ascontiguousarray(part).ravel() for part in parts)])


def shifts(modal: ModalBody, stiffening: Prestress) -> np.ndarray:
    """a_ij and B_ij (rows) of formulations/foreshortening.py [mode, mode, 12].

    Geometric stiffness is what a displacement u of second order makes of inertia forces: with u_ij = d2u / d eta_i
    d eta_j, int u_ij dm is the matrix of the frame's acceleration, and P = int x u_ij^T dm holds those of rotation: of
    gyration(P) the symmetric part is -spin, the axial part that of the angular acceleration.  u = a + B x has both:

        [ m   h0^T ] [ a^T ]   [ int u^T   ]
        [ h0  P0   ] [ B^T ] = [ int x u^T ]
    """
    m = modal.modes
    G = np.zeros((m, m, 3, 3))
    for (k, l), spin in zip(PRODUCTS, stiffening.spin, strict=True):
        G[:, :, k, l] -= spin if k == l else 0.5 * spin
        if k != l:
            G[:, :, l, k] -= 0.5 * spin
    for a, (b, c) in enumerate(((1, 2), (2, 0), (0, 1))):
        G[:, :, b, c] += 0.5 * stiffening.angular_acceleration[a]
        G[:, :, c, b] -= 0.5 * stiffening.angular_acceleration[a]
    first = np.moveaxis(stiffening.acceleration, 0, 2)
    moments = np.block([[np.full((1, 1), modal.mass), modal.h0[None]], [modal.h0[:, None], product(modal.J0)]])
    right = np.concatenate([first[:, :, None], product(G)], axis=2)
    unit = 1.0 / np.sqrt(np.append(modal.mass, np.full(3, np.trace(moments[1:, 1:]))))[:, None]  # size is no matter
    found = unit * (np.linalg.pinv(unit * moments * unit.T, rcond=THIN, hermitian=True) @ (unit * right))
    return np.concatenate([found[:, :, 0], found[:, :, 1:].swapaxes(2, 3).reshape(m, m, 9)], axis=2)


def node_numbers(modal: ModalBody, node: int) -> np.ndarray:
    """x, S, Theta, N of a node; N is its foreshortening."""
    m, nodes = modal.modes, modal.nodes
    N = np.zeros((m, m, 3))
    if modal.stiffening is not None:
        N = np.moveaxis(modal.stiffening.node_force[node], 0, 2)
    parts = (nodes.x[node], nodes.S[node].T, nodes.Theta[node].T, N)
    return np.concatenate([np.ascontiguousarray(part).ravel() for part in parts])


def modal_sizes(modal: ModalBody, length: float) -> np.ndarray:
    """For each mode a coordinate that moves some node by a hundredth of the mechanism's size, or turns one by 0.1."""
    moved, turned = (np.abs(part).max(axis=(0, 1)) for part in (modal.nodes.S, modal.nodes.Theta))
    largest = np.maximum(moved / (0.01 * length), turned / 0.1)
    return 1.0 / np.where(largest > 0.0, largest, 1.0)
