"""Moments of mass, position and shape: the integrals from which all inertia of a flexible body follows.

A point at x moves to r = x + S(x) eta (body axes).  Its velocity, in body axes, is  v + omega x r + S eta'.  Kinetic
energy T = 1/2 int |.|^2 dm then needs no more than (Shabana 2013, ch. 5; Wallrapp 1994), theory (6.3),

    m = int dm          h0 = int x dm        P0 = int x x^T dm
    C_t = int S dm      P1_j = int x S_j^T dm            P2_ij = int S_i S_j^T dm

Over particles (finite_elements/finite_model.py) the integrals are sums that are exact for the elements' interpolation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    import scipy.sparse as sp
else:
    sp = lazy_module("scipy.sparse")


@dataclass(frozen=True)
class Moments:
    """The integrals over the mass of a body with m modes, body axes, SI units."""

    mass: float  # kg
    h0: np.ndarray  # (3,)
    P0: np.ndarray  # (3, 3)
    C_t: np.ndarray  # (3, m)
    P1: np.ndarray  # (m, 3, 3): P1[j, a, b] = int x_a S_bj dm
    P2: np.ndarray  # (m, m, 3, 3): P2[i, j, a, b] = int S_ai S_bj dm


def moments(x: np.ndarray, S: np.ndarray, m: np.ndarray | sp.csr_matrix) -> Moments:
    """Sums over particles at x (g, 3) with shapes S (g, 3, modes) and masses m: (g,), or (g, g) where consistent."""
    g, _, count = S.shape
    M = sp.diags(m) if np.ndim(m) == 1 else m
    flat = S.reshape(g, 3 * count)
    Mx, MS = M @ x, M @ flat
    return Moments(
        mass=float(M.sum()),
        h0=Mx.sum(axis=0),
        P0=x.T @ Mx,
        C_t=MS.sum(axis=0).reshape(3, count),
        P1=np.moveaxis((x.T @ MS).reshape(3, 3, count), 2, 0),
        P2=(flat.T @ MS).reshape(3, count, 3, count).transpose(1, 3, 0, 2),
    )


def gyration(P: np.ndarray) -> np.ndarray:
    """G = tr(P) 1 - P^T of P = int r s^T dm: int r x (omega x s) dm = G omega; for s = r it is the inertia tensor."""
    trace = np.trace(P, axis1=-2, axis2=-1)
    G: np.ndarray = trace[..., None, None] * np.eye(3) - np.swapaxes(P, -1, -2)
    return G


def product(G: np.ndarray) -> np.ndarray:
    """P of G = gyration(P)."""
    trace = np.trace(G, axis1=-2, axis2=-1) / 2
    P: np.ndarray = trace[..., None, None] * np.eye(3) - np.swapaxes(G, -1, -2)
    return P


def axial(G: np.ndarray) -> np.ndarray:
    """int r x s dm of G = gyration(int r s^T dm)."""
    return np.stack([G[..., 1, 2] - G[..., 2, 1], G[..., 2, 0] - G[..., 0, 2], G[..., 0, 1] - G[..., 1, 0]], axis=-1)


def tilde(a: np.ndarray) -> np.ndarray:
    """tilde(a) b = a x b."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
