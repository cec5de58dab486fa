"""Flexible bodies as numbers of the System: what elements/bodies/flexible_motion.py reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.flexible.finite_elements.finite_model import PRODUCTS, Prestress
from linkwork.flexible.modal_body import ModalBody
from linkwork.flexible.shape_integrals import axial, gyration, product

THIN = 1e-12  # of the second moment along a body: less across it is none, and nothing moves with it
NO_SHIFT = 1e-14  # of the largest shift: less is none


@dataclass(frozen=True)
class Shapes:
    """The shapes s_k of a body with m modes, n in all: integrals, and values at nodes."""

    C: np.ndarray  # (n, 3) int s_k dm
    G: np.ndarray  # (n, n, 3, 3) gyration(int s_l s_k^T dm)
    M: np.ndarray  # (n, n) int s_l . s_k dm
    Q: np.ndarray  # (n - m - 1, m, m): zeta_k = 1/2 eta Q_k eta of the shifts
    nodes: np.ndarray  # (nodes, n, 6): displacement, half the rotation vector


def shapes(modal: ModalBody, nodes: list[int]) -> Shapes:
    """Those of a body; of its nodes these.

    A shift is the affine field a + B x, so that its integrals with another shape s follow from int s and int s x^T.
    """
    m = modal.modes
    Q, a, B, moved = _shifts(modal, nodes)
    C = np.concatenate([modal.h0[None], modal.C_t.T, modal.mass * a + B @ modal.h0])
    n, own = len(C), slice(1, m + 1)
    P = np.zeros((n, n, 3, 3))  # int s_l s_k^T dm
    P[0, 0], P[0, own], P[own, own] = product(modal.J0), product(modal.G0), product(modal.G1)
    P[own, 0] = P[0, own].swapaxes(1, 2)
    for rows in (slice(0, m + 1), slice(m + 1, n)):
        P[rows, m + 1 :] = C[rows, None, :, None] * a[:, None, :] + P[rows, :1] @ B.swapaxes(1, 2)
        P[m + 1 :, rows] = P[rows, m + 1 :].transpose(1, 0, 3, 2)
    M = np.trace(P, axis1=2, axis2=3)
    M[own, own] = modal.M_e
    at = np.zeros((len(nodes), n, 6))
    at[:, 0, :3], at[:, own, :3], at[:, m + 1 :, :3] = modal.nodes.x[nodes], modal.nodes.S[nodes].swapaxes(1, 2), moved
    at[:, own, 3:] = 0.5 * modal.nodes.Theta[nodes].swapaxes(1, 2)
    return Shapes(C, gyration(P), M, Q, at)


def _shifts(modal: ModalBody, nodes: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Q_k, a_k, B_k and shifts of nodes [node, k, 3], so that sum_k Q_k,ij (a_k, ..) is that of eta_i eta_j.

    A beam shortens in few ways, m^2 pairs of modes however many: singular values tell them.
    """
    m = modal.modes
    if modal.stiffening is None:
        return np.zeros((0, m, m)), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((len(nodes), 0, 3))
    at_nodes = -np.moveaxis(modal.stiffening.node_force[nodes], (2, 3), (0, 1)).reshape(m, m, -1)
    pairs = np.concatenate([shifts(modal, modal.stiffening), at_nodes], axis=2).reshape(m * m, -1)
    unit = np.ones(pairs.shape[1])
    unit[3:12] = np.sqrt(np.trace(product(modal.J0)) / modal.mass)  # m, of B
    left, size, right = np.linalg.svd(pairs * unit, full_matrices=False)
    some = size > NO_SHIFT * size[0]
    ways = right[some] / unit
    count = len(ways)
    return (
        (left[:, some] * size[some]).T.reshape(count, m, m), ways[:, :3], ways[:, 3:12].reshape(count, 3, 3),
        ways[:, 12:].reshape(count, len(nodes), 3).swapaxes(0, 1),
    )  # fmt: skip


def body_parts(modal: ModalBody, of: Shapes) -> list[np.ndarray]:
    """The numbers of a body: C; G; M; K, D and 2 axial(G); Q (elements/bodies/flexible_tables.py)."""
    n, own = len(of.C), slice(1, modal.modes + 1)
    pairs = np.zeros((n, n, 5))
    pairs[own, own, 0], pairs[own, own, 1], pairs[:, :, 2:] = modal.K_e, modal.D_e, 2.0 * axial(of.G)
    return [of.C, of.G, of.M, pairs, of.Q]


def scratch_sizes(m: int, n: int) -> list[int]:
    """What a body keeps from phase to phase: C, G; T; zeta; rates; G_k; a row; 24 numbers of scratch."""
    return [12 * m, m * n, n, 2 * n, 9 * n, n, 24]


def shifts(modal: ModalBody, stiffening: Prestress) -> np.ndarray:
    """a_ij and B_ij (rows) [mode, mode, 12]: how the mass is shifted to second order, by 1/2 sum eta_i eta_j u_ij.

    Geometric stiffness is what this makes of inertia forces: int u_ij dm is the matrix of the frame's acceleration,
    and P = int x u_ij^T dm holds those of rotation: of gyration(P) the symmetric part is -spin, the axial part that of
    the angular acceleration.  u = a + B x has both, theory (6.13):

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


def modal_sizes(modal: ModalBody, length: float) -> np.ndarray:
    """For each mode a coordinate that moves some node by a hundredth of the mechanism's size, or turns one by 0.1."""
    moved, turned = (np.abs(part).max(axis=(0, 1)) for part in (modal.nodes.S, modal.nodes.Theta))
    largest = np.maximum(moved / (0.01 * length), turned / 0.1)
    return 1.0 / np.where(largest > 0.0, largest, 1.0)
