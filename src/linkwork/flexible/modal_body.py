"""A flexible body as the time loop sees it: floating frame, m modal coordinates, precomputed integrals, O(m^2) work.

**Motion.**  Body frame B with origin O; v = velocity of O and omega = angular velocity of B, in axes of B.  A point x
of the undeformed body is at r = x + S(x) eta and has the velocity v + omega x r + S eta'.  Velocities z = (v, omega,
eta'); z' holds the derivatives of these components (the acceleration of O is a_O = v' + omega x v).

**Equations of motion** (all coupling, nothing linearized but the strain):

    M(eta) z' = Q_v(eta, z) + Q_applied - (0, 0, (K_e + K_geo) eta + D_e eta')

**Data.**  With G_j(eta) = G0_j + sum_i eta_i G1_ij,  G_j omega = int r x (omega x S_j) dm  (shape_integrals.py):

    h(eta) = h0 + C_t eta                                first moment of mass, int r dm
    J(eta) = J0 + sum_j eta_j sym(G0_j + G_j(eta))       inertia about O, int -r~ r~ dm;  sym(A) = (A + A^T) / 2
    C_r,j  = axial(G_j)                                  int r x S_j dm;  axial(A)_x = A_yz - A_zy, cyclic; theory (6.4)

             [ m 1    -h~      C_t  ]            [ m omega x v + omega x (omega x h) + 2 omega x C_t eta'           ]
    M(eta) = [ h~      J       C_r  ]    Q_v = - [ h x (omega x v) + omega x J omega + 2 sum_j eta'_j G_j omega     ]
             [ C_t^T   C_r^T   M_e  ]            [ C_t,j . (omega x v) - omega . G_j omega + 2 omega . axial(G'_j)  ]

where G'_j = sum_i eta'_i G1_ij.  One pass over (i, j) gives G_j and G'_j, and with them everything: 18 m^2 products.
G0 and G1 are free of conditions: their symmetric parts make J, their axial parts C_r; M_e is given apart.  So data
from elsewhere, consistent or not, still conserve energy, since Q_v follows from T = 1/2 z^T M(eta) z by Lagrange.

**Loads.**  Gravity g (axes of B): (m g, h x g, C_t^T g).  A force f at the node n: (f, p_n x f, S_n^T f), where p_n =
x_n + S_n eta; a moment t: (0, t, Theta_n^T t).  A node turns against B by the small rotation vector Theta_n eta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError, nearest
from linkwork.flexible.finite_elements.finite_model import PRODUCTS, Prestress, SectionTable
from linkwork.flexible.report import ImportReport
from linkwork.flexible.shape_integrals import Moments, gyration, product

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True)
class NodeTable:
    """Nodes where joints and forces may act, or whose motion is of interest."""

    names: tuple[str, ...]
    x: np.ndarray  # (k, 3) m, undeformed, body axes
    S: np.ndarray  # (k, 3, m) displacement per unit of modal coordinate
    Theta: np.ndarray  # (k, 3, m) rotation vector per unit of modal coordinate

    def index(self, name: str) -> int:
        """Number of a node by name."""
        if str(name) not in self.names:
            raise ModelError(f"flexible body: no node '{name}'; {nearest(str(name), self.names)}")
        return self.names.index(str(name))


@dataclass(frozen=True)
class Picture:
    """Points with their shapes, and the lines (c, 2) or triangles (c, 3) between them."""

    x: np.ndarray  # (p, 3) m
    S: np.ndarray  # (p, 3, m)
    cells: np.ndarray  # (c, 2 or 3)


@dataclass(frozen=True, eq=False)
class ModalBody:
    """All that the time loop needs of a flexible body, in its body frame; equations above, SI units, m modes."""

    name: str
    mass: float  # kg
    h0: np.ndarray  # (3,) kg m, first moment of the undeformed body
    J0: np.ndarray  # (3, 3) kg m2, inertia of the undeformed body about O
    C_t: np.ndarray  # (3, m) first moment per unit of modal coordinate
    G0: np.ndarray  # (m, 3, 3)
    G1: np.ndarray  # (m, m, 3, 3): G1[i, j] = dG_j / d eta_i
    M_e: np.ndarray  # (m, m) modal mass
    K_e: np.ndarray  # (m, m) modal stiffness
    D_e: np.ndarray  # (m, m) modal damping
    nodes: NodeTable
    stiffening: Prestress | None = None  # geometric stiffness per unit load; None: not requested
    sections: SectionTable | None = None  # of a beam, for internal forces and stresses
    picture: Picture | None = None
    report: ImportReport | None = None

    @property
    def modes(self) -> int:
        """Number of modal coordinates."""
        return len(self.M_e)

    @property
    def omega(self) -> np.ndarray:
        """sqrt(K_e / M_e) of each coordinate, rad/s: the frequencies where the shapes are orthonormal."""
        frequencies: np.ndarray = np.sqrt(np.diag(self.K_e) / np.diag(self.M_e))
        return frequencies

    def in_frame(self, p: np.ndarray, R: np.ndarray) -> ModalBody:
        """The same body described in a frame F fixed to B, with its origin at p and axes R = R_BF (both in B).

        x_F = R^T (x - p), S_F = R^T S: the coordinates eta keep their meaning, and the conditions on the shapes theirs.
        """
        p = np.asarray(p, float)
        P0, P1 = product(self.J0), product(self.G0)
        P0 = P0 - np.outer(p, self.h0) - np.outer(self.h0, p) + self.mass * np.outer(p, p)
        P1 = P1 - np.einsum("a,bj->jab", p, self.C_t)
        return replace(
            self,
            h0=R.T @ (self.h0 - self.mass * p),
            J0=gyration(R.T @ P0 @ R),
            C_t=R.T @ self.C_t,
            G0=gyration(R.T @ P1 @ R),
            G1=R.T @ self.G1 @ R,
            nodes=replace(
                self.nodes,
                x=(self.nodes.x - p) @ R,
                S=np.einsum("ba,kbj->kaj", R, self.nodes.S),
                Theta=np.einsum("ba,kbj->kaj", R, self.nodes.Theta),
            ),
            stiffening=None if self.stiffening is None else _turned(self.stiffening, p, R),
            picture=None
            if self.picture is None
            else replace(self.picture, x=(self.picture.x - p) @ R, S=np.einsum("ba,kbj->kaj", R, self.picture.S)),
        )


def from_moments(
    name: str,
    of: Moments,
    K_e: np.ndarray,
    nodes: NodeTable,
    damping: float | Sequence[float] | np.ndarray = 0.0,
    M_e: np.ndarray | None = None,
    *,
    stiffening: Prestress | None = None,
    sections: SectionTable | None = None,
    picture: Picture | None = None,
    report: ImportReport | None = None,
) -> ModalBody:
    """A body from its moments; damping is a ratio, one per mode, or a matrix; M_e = int S^T S dm unless given."""
    M_e = np.trace(of.P2, axis1=2, axis2=3) if M_e is None else np.asarray(M_e, float)
    K_e = np.asarray(K_e, float)
    for key, matrix in (("mass", M_e), ("stiffness", K_e)):
        check_symmetric(name, f"modal {key}", matrix)
    return ModalBody(
        name, of.mass, of.h0, gyration(of.P0), of.C_t, gyration(of.P1), gyration(of.P2), M_e, K_e,
        damping_matrix(name, damping, M_e, K_e), nodes, stiffening, sections, picture, report,
    )  # fmt: skip


def damping_matrix(
    name: str, damping: float | Sequence[float] | np.ndarray, M_e: np.ndarray, K_e: np.ndarray
) -> np.ndarray:
    """D_e = 2 zeta omega M_e of each mode; a matrix (m, m) is taken as it is."""
    given = np.asarray(damping, float)
    if given.ndim == 2:
        return given
    m = len(M_e)
    if given.ndim == 1 and len(given) != m:
        raise ModelError(f"flexible body '{name}': {len(given)} damping ratios for {m} modes", element=name)
    if np.any(given < 0.0) or not np.all(np.isfinite(given)):
        raise ModelError(f"flexible body '{name}': damping ratio {given.min():g}; it must be >= 0", element=name)
    return np.diag(2.0 * np.broadcast_to(given, m) * np.sqrt(np.diag(K_e) * np.diag(M_e)))


def check_symmetric(name: str, what: str, A: np.ndarray | sp.csr_matrix) -> None:
    """Refuse a matrix that is not finite or not symmetric."""
    worst = abs(A - A.T).max()
    if not np.isfinite(A.sum()):
        raise ModelError(f"flexible body '{name}': the {what} matrix holds values that are not finite", element=name)
    if worst > 1e-8 * abs(A).max():
        raise ModelError(
            f"flexible body '{name}': the {what} matrix is not symmetric (entries differ by {worst:.3g}); "
            "give the symmetric matrix",
            element=name,
        )


def _turned(s: Prestress, p: np.ndarray, R: np.ndarray) -> Prestress:
    """The loads in frame F: a_O = a_F - alpha x p - omega x (omega x p), vectors of B = R times those of F."""
    about = s.angular_acceleration - np.array(
        [sum(np.cross(np.eye(3)[k], p)[a] * s.acceleration[a] for a in range(3)) for k in range(3)]
    )
    spin = np.zeros((3, 3, *s.spin.shape[1:]))  # symmetric in (k, l): sum_kl w_k w_l spin[k, l]
    for row, (k, l) in zip(s.spin, PRODUCTS, strict=True):
        spin[k, l] += row / 2
        spin[l, k] += row / 2
    for k in range(3):
        for l in range(3):
            centripetal = np.cross(np.eye(3)[k], np.cross(np.eye(3)[l], p))
            spin[k, l] -= np.tensordot(centripetal, s.acceleration, 1)
    spin = np.einsum("ka,lb,klij->abij", R, R, spin)
    return Prestress(
        np.einsum("ka,kij->aij", R, s.acceleration),
        np.einsum("ka,kij->aij", R, about),
        np.array([spin[k, k] if k == l else spin[k, l] + spin[l, k] for k, l in PRODUCTS]),
        np.einsum("ka,nkij->naij", R, s.node_force),
    )
